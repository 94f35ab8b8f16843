//! What the status page answers to any bytes.
//!
//! Planted bugs that these catch: a body that is read or makes room for itself; a head without a limit; a method that is
//! not refused; a name of a stranger; a second request that slips in after the first.

use std::sync::{Arc, LazyLock};

use ssdlab_drive::Status;
use ssdlab_nbdkit::alone::{Served, answer};

use crate::drive;

/// A look at a new drive.
pub fn status() -> Status {
    let served = Served::new(drive("ftl.kind=page"));
    served.status().expect("it is open")
}

/// The look that all requests get: the time since a drive was opened is longer at the next one, by a digit or two.
static LOOK: LazyLock<Status> = LazyLock::new(status);

/// The answer to a client that sends these pieces.
fn pieces(pieces: &[&[u8]]) -> String {
    let answer = answer(pieces, || Some(LOOK.clone())).expect("timers");
    String::from_utf8(answer).expect("text")
}

fn ask(request: &str) -> String {
    pieces(&[request.as_bytes()])
}

#[track_caller]
fn answers(request: &str, code: u16) -> String {
    let answer = ask(request);
    let begin = format!("HTTP/1.1 {code} ");
    let version_0 = format!("HTTP/1.0 {code} ");
    let shown: String = request.chars().take(200).collect();
    assert!(
        answer.starts_with(&begin) || answer.starts_with(&version_0),
        "{shown:?}: {answer:?}"
    );
    // one answer, whatever was sent
    assert_eq!(answer.matches("HTTP/1.").count(), 1, "{shown:?}: {answer}");
    answer
}

const HOST: &str = "Host: 127.0.0.1:8080\r\n";

#[test]
fn pages_are_answered() {
    let get = |path: &str| answers(&format!("GET {path} HTTP/1.1\r\n{HOST}\r\n"), 200);
    assert!(get("/").contains("<title>"));
    assert!(get("/?from=here").contains("<title>"));
    assert!(get("/metrics").contains("\nssdlab_erases_total 0\n"));
    let json = get("/status.json");
    for part in [
        "content-type: application/json\r\n",
        "cache-control: no-store\r\n",
        "connection: close\r\n",
        "\"capacity\":2097152",
    ] {
        assert!(json.contains(part), "no {part:?} in {json}");
    }
    let (_, body) = json.split_once("\r\n\r\n").expect("a body");
    assert!(json.contains(&format!("content-length: {}\r\n", body.len())));

    let head = answers(&format!("HEAD /status.json HTTP/1.1\r\n{HOST}\r\n"), 200);
    assert!(head.contains(&format!("content-length: {}\r\n", body.len())));
    assert!(head.ends_with("\r\n\r\n"), "{head}");
    answers("GET / HTTP/1.0\r\n\r\n", 200);
    // in pieces, and followed by another request
    let request = format!("GET / HTTP/1.1\r\n{HOST}\r\n");
    let bytes: Vec<&[u8]> = request.as_bytes().chunks(1).collect();
    assert!(pieces(&bytes).starts_with("HTTP/1.1 200 "));
    answers(&request.repeat(3), 200);
}

#[test]
fn nothing_else_is() {
    answers(&format!("GET /../etc/passwd HTTP/1.1\r\n{HOST}\r\n"), 404);
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "X"] {
        let refused = answers(&format!("{method} / HTTP/1.1\r\n{HOST}\r\n"), 405);
        assert!(refused.contains("allow: GET, HEAD\r\n"), "{refused}");
    }
    let closed = answer(
        &[format!("GET / HTTP/1.1\r\n{HOST}\r\n").as_bytes()],
        || None,
    );
    let closed = String::from_utf8(closed.expect("timers")).expect("text");
    assert!(closed.starts_with("HTTP/1.1 503 "), "{closed}");
    assert!(closed.ends_with("The drive is closed.\n"), "{closed}");
    answers("SSH-2.0-OpenSSH_9.2\r\n", 400);
    assert_eq!(ask(""), "");
    // a request that never ends
    assert_eq!(ask("GET / HTTP/1.1\r\nHost: "), "");
}

#[test]
fn bodies_are_refused() {
    let with = |line: &str| format!("GET / HTTP/1.1\r\n{HOST}{line}\r\n\r\n");
    answers(&with("Content-Length: 0"), 200);
    for length in ["1", "1000000000000000", "9223372036854775807"] {
        let request = with(&format!("Content-Length: {length}"));
        answers(&request, 413);
        answers(&format!("{request}{}", "x".repeat(1 << 20)), 413);
    }
    let chunked = with("Transfer-Encoding: chunked");
    answers(&chunked, 413);
    answers(&format!("{chunked}fffffffffffffff0\r\n"), 413);
    for wrong in [
        "Content-Length: 18446744073709551616",
        "Content-Length: -1",
        "Content-Length: 1\r\nContent-Length: 2",
    ] {
        answers(&with(wrong), 400);
    }
}

#[test]
fn heads_are_limited() {
    let with = |lines: &str| format!("GET / HTTP/1.1\r\n{HOST}{lines}\r\n");
    answers(&with(&"A: b\r\n".repeat(60)), 200);
    answers(&with(&"A: b\r\n".repeat(70)), 431);
    answers(&with(&format!("A: {}\r\n", "b".repeat(15_000))), 200);
    answers(&with(&format!("A: {}\r\n", "b".repeat(20_000))), 431);
    // without an end
    answers(
        &format!("GET / HTTP/1.1\r\nA: {}", "b".repeat(2 << 20)),
        431,
    );
    answers(&format!("GET /{}", "b".repeat(2 << 20)), 431);
    answers(&"A".repeat(2 << 20), 431);
}

#[test]
fn only_names_of_this_machine_are_answered() {
    let of = |host: &str| format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n");
    for name in [
        "127.0.0.1:8080",
        "192.168.0.7",
        "[::1]:8080",
        "[2001:db8::7]",
        "localhost",
        "LocalHost:8080",
        "localhost.:8080",
        "ssd.localhost:8080",
    ] {
        answers(&of(name), 200);
    }
    for strange in [
        "evil.example",
        "evil.example:8080",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "evillocalhost",
        "127.0.0.1@evil.example",
        "1",
        "[::1.evil]",
    ] {
        let refused = ask(&of(strange));
        let is_refused =
            refused.starts_with("HTTP/1.1 403 ") || refused.starts_with("HTTP/1.1 400 ");
        assert!(is_refused, "{strange}: {refused}");
        assert!(!refused.contains("capacity"), "{strange}: {refused}");
    }
    let refused = answers(&of("evil.example:8080"), 403);
    assert!(refused.contains("--status-name NAME"), "{refused}");
    answers("GET / HTTP/1.1\r\n\r\n", 400);
    answers("GET / HTTP/1.1\r\nHost:\r\n\r\n", 400);
    answers(
        &format!("GET / HTTP/1.1\r\n{HOST}Host: evil.example\r\n\r\n"),
        400,
    );
    // the name that counts is in the first line
    answers(
        &format!("GET http://evil.example/ HTTP/1.1\r\n{HOST}\r\n"),
        403,
    );
    answers(
        &format!("GET http://localhost/ HTTP/1.1\r\n{HOST}\r\n"),
        200,
    );
    answers(
        &format!("GET http://x@evil.example/ HTTP/1.1\r\n{HOST}\r\n"),
        403,
    );
    answers("GET / HTTP/1.0\r\nHost: evil.example\r\n\r\n", 403);
}

#[test]
fn the_drive_is_not_touched_for_what_is_refused() {
    let count = Arc::new(std::sync::atomic::AtomicU32::new(0));
    for request in ["POST / HTTP/1.1", "GET /none HTTP/1.1"] {
        let counter = Arc::clone(&count);
        let request = format!("{request}\r\n{HOST}\r\n");
        let answer = answer(&[request.as_bytes()], move || {
            counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            None
        });
        assert!(answer.expect("timers").starts_with(b"HTTP/1.1 40"));
    }
    assert_eq!(count.load(std::sync::atomic::Ordering::Relaxed), 0);
}
