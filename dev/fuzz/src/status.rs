//! Clients of the status page, which send anything: bytes in, bytes out.
//!
//! An input is a byte and what a client sends. The byte says in how many pieces it comes, and whether the drive is
//! closed.

use std::sync::LazyLock;

use ssdlab_drive::{Drive, MemoryDisk, Status};
use ssdlab_nbdkit::alone::{Served, answer};

use crate::design;

/// The longest answer that is not a page.
const REFUSAL: usize = 1000;

/// A drive after some requests, and its pages.
struct ServedPages {
    status: Status,
    pages: Vec<String>,
}

static KNOWN: LazyLock<ServedPages> = LazyLock::new(|| {
    let made = design::make(&["flash.capacity=64KiB flash.page_size=1KiB flash.pages_per_block=8"]);
    let made = made.unwrap_or_else(|error| panic!("{error}"));
    let opened = Drive::open_made_with(MemoryDisk(made.image.to_vec()), made.design);
    let mut drive = opened.expect("it is new");
    drive.write(0, &[1; 5000]).expect("it works");
    let status = Served::new(drive).status().expect("it is open");
    let page = |path: &str| {
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let reply = ask(&[request.as_bytes()], Some(status.clone()));
        let (head, body) = reply.split_once("\r\n\r\n").expect("a page");
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        body.to_owned()
    };
    ServedPages {
        pages: ["/", "/status.json", "/metrics"].map(page).into(),
        status,
    }
});

fn ask(pieces: &[&[u8]], status: Option<Status>) -> String {
    let reply = answer(pieces, move || status.clone()).expect("the system has timers");
    String::from_utf8(reply).expect("answers are text")
}

pub fn run(input: &[u8]) {
    let Some((&how, sent)) = input.split_first() else {
        return;
    };
    let status = (how & 0x80 == 0).then(|| KNOWN.status.clone());
    let is_open = status.is_some();
    let whole = ask(&[sent], status.clone());
    check(&whole, is_open);
    let piece = usize::from(how & 0x7f).max(1);
    let pieces: Vec<&[u8]> = sent.chunks(piece).collect();
    let in_pieces = ask(&pieces, status);
    check(&in_pieces, is_open);
    // what cannot be read may have another answer, or none
    if is_refused(&whole) {
        assert!(
            is_refused(&in_pieces),
            "{in_pieces}, in pieces of {piece} bytes"
        );
    } else {
        let (whole, in_pieces) = (undated(&whole), undated(&in_pieces));
        assert_eq!(in_pieces, whole, "in pieces of {piece} bytes");
    }
}

/// Whether this answers a request that cannot be read.
fn is_refused(answer: &str) -> bool {
    let code = answer.split(' ').nth(1).unwrap_or_default();
    answer.is_empty() || ["400", "414", "431"].contains(&code)
}

/// An answer without its date.
fn undated(answer: &str) -> String {
    let lines = answer
        .split("\r\n")
        .filter(|line| !line.starts_with("date: "));
    lines.collect::<Vec<_>>().join("\r\n")
}

/// One whole answer, or none.
fn check(answer: &str, is_open: bool) {
    if answer.is_empty() {
        return;
    }
    let (head, body) = answer.split_once("\r\n\r\n").expect("an end of the head");
    let mut lines = head.split("\r\n");
    let first = lines.next().unwrap_or_default();
    let code = first.split(' ').nth(1).unwrap_or_default();
    assert!(
        first.starts_with("HTTP/1.1 ") || first.starts_with("HTTP/1.0 "),
        "{first}"
    );
    assert!(
        !head.contains(|c: char| c.is_control() && !"\r\n".contains(c)),
        "{head:?}"
    );
    let length = lines.find_map(|line| line.strip_prefix("content-length: "));
    let length: Option<usize> = length.and_then(|length| length.parse().ok());
    if !body.is_empty() {
        assert_eq!(length, Some(body.len()), "{head}");
    }
    match code {
        "200" => {
            assert!(is_open, "a page of a drive that is closed");
            let is_page = KNOWN.pages.iter().any(|page| page == body);
            assert!(is_page || body.is_empty(), "{body}");
        }
        "400" | "403" | "404" | "405" | "413" | "414" | "431" | "503" => {
            assert!(body.len() <= REFUSAL, "{body}");
        }
        _ => panic!("{first}"),
    }
}
