//! The status page and clients that send anything.

use std::sync::Arc;

use nbdkit_ssdlab_plugin::alone::{Served, answer};

use crate::drive;

/// What a client gets that sends these bytes.
fn ask(request: &str) -> String {
    let served = Arc::new(Served::new(drive("ftl.kind=page")));
    let answer = answer(&[request.as_bytes()], move || served.status()).expect("timers");
    String::from_utf8(answer).expect("text")
}

#[test]
fn pages_are_answered() {
    let answer = ask("GET /status.json HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("\"capacity\":262144"), "{answer}");
}
