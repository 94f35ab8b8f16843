//! Every malformed plain trace is refused with a message that names file, line, field, the text found and the allowed
//! values.
//!
//! Planted bugs these catch: an unchecked multiplication that lets 18446744073709551616 through as 0, line numbers
//! that start at 0 or forget the header, a decoder that skips an empty line, a flush whose fields go unchecked.

use crate::common;
use ssdlab_host::{Op, Request};
use ssdlab_trace::plain::{HEADER, MAX_LINE};
use ssdlab_trace::{Format, ReadOptions, TraceError, TraceReader};
use std::io::{Cursor, Read};

fn reader(name: &str, input: impl Read + Send + 'static) -> Result<TraceReader, TraceError> {
    TraceReader::from_reader(name, input, &ReadOptions::default())
}

fn decode(bytes: impl Into<Vec<u8>>) -> Result<Vec<Request>, TraceError> {
    let mut reader = reader("bad.csv", Cursor::new(bytes.into()))?;
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    while reader.next_batch(&mut batch)? {
        all.extend_from_slice(&batch);
    }
    Ok(all)
}

#[track_caller]
fn refuse(bytes: impl Into<Vec<u8>>, fragments: &[&str]) {
    let error = decode(bytes).expect_err("must be refused");
    assert!(!error.is_io(), "{error}");
    let message = error.to_string();
    assert!(message.starts_with("bad.csv"), "{message}");
    assert!(message.len() < 400 && !message.contains('\n'), "{message}");
    for fragment in fragments {
        assert!(message.contains(fragment), "{message:?} lacks {fragment:?}");
    }
}

/// A line between valid ones, so line 3.
fn third(line: &str) -> String {
    format!("{HEADER}\n0,W,0,4096\n{line}\n9,R,0,512\n")
}

#[test]
fn bad_request_lines() {
    let range = "from 0 to 18446744073709551615";
    let cases: &[(&str, &[&str])] = &[
        ("1", &["1 field,", "\"1\"", "4 fields", HEADER]),
        ("1,W", &["2 fields", "\"1,W\""]),
        ("1,W,0", &["3 fields"]),
        ("1,W,0,512,", &["5 fields"]),
        ("1,W,0,512,7,8", &["6 fields"]),
        ("1;W;0;512", &["1 field,", "commas between them"]),
        (" ", &["1 field,", "\" \""]),
        (",W,0,512", &["time_ns is empty", range]),
        ("1,,0,512", &["op is empty", "R, W, F or D"]),
        ("1,W,,512", &["offset_bytes is empty", range]),
        ("1,W,0,", &["size_bytes is empty", range]),
        ("-1,W,0,512", &["time_ns is negative", "\"-1\"", range]),
        ("1,W,-4096,512", &["offset_bytes is negative", "\"-4096\""]),
        ("1,W,0,-512", &["size_bytes is negative"]),
        (
            "18446744073709551616,W,0,512",
            &["time_ns is too large", range],
        ),
        (
            "1,W,18446744073709551616,512",
            &["offset_bytes is too large"],
        ),
        (
            "1,W,0,99999999999999999999999",
            &["size_bytes is too large"],
        ),
        ("1.5,W,0,512", &["time_ns is not a whole number", "\"1.5\""]),
        ("1,W,4e3,512", &["offset_bytes is not a whole number"]),
        (
            "+1,W,0,512",
            &["time_ns is not a whole number in plain digits", "\"+1\""],
        ),
        ("NaN,W,0,512", &["time_ns is not a number", "\"NaN\""]),
        ("1,W,inf,512", &["offset_bytes is not a number"]),
        (
            "1,W,0x1000,512",
            &["offset_bytes is not a number", "\"0x1000\""],
        ),
        ("1,W,0,4KiB", &["size_bytes is not a number", "\"4KiB\""]),
        ("1,W,0,\"512\"", &["size_bytes is not a number"]),
        ("1,W,0,٣", &["size_bytes is not a number", "٣"]),
        (" 1,W,0,512", &["time_ns has blanks around it", "\" 1\""]),
        ("1, W,0,512", &["op has blanks around it", "\" W\""]),
        ("1,W,0\t,512", &["offset_bytes has blanks around it", "\\t"]),
        (
            "1,W,0,512 ",
            &["size_bytes has blanks around it", "\"512 \""],
        ),
        (
            "1,w,0,512",
            &["op is in lower case", "\"w\"", "R, W, F or D"],
        ),
        ("1,X,0,512", &["op is unknown", "\"X\"", "R, W, F or D"]),
        ("1,Read,0,512", &["op is unknown", "\"Read\""]),
        ("1,RW,0,512", &["op is unknown"]),
        ("1,R,0,0", &["size_bytes is 0", "from 1 to 70368744177663"]),
        ("1,W,0,0", &["size_bytes is 0"]),
        ("1,D,0,0", &["size_bytes is 0"]),
        (
            "1,W,0,70368744177664",
            &["size_bytes is too large", "70368744177663"],
        ),
        (
            "1,W,18446744073709551615,1",
            &[
                "offset_bytes + size_bytes is too large",
                "18446744073709551615 + 1",
            ],
        ),
        ("1,F,,0", &["offset_bytes is empty"]),
        ("1,F,0,-1", &["size_bytes is negative"]),
        ("1,F,18446744073709551616,0", &["offset_bytes is too large"]),
        ("1,f,0,0", &["op is in lower case"]),
        ("1,W,0,512\r\r", &["size_bytes has blanks around it", "\\r"]),
        ("\u{FEFF}1,W,0,512", &["time_ns is not a number"]),
        ("1\0,W,0,512", &["time_ns is not a number", "\\0"]),
        (HEADER, &["a second header", HEADER, "line 1"]),
        ("", &["the line is empty", "line 4 is not"]),
        ("\r\n\r\n", &["the line is empty", "line 6 is not"]),
    ];
    for (line, fragments) in cases {
        let fragments = [&["bad.csv, line 3: "], *fragments].concat();
        refuse(third(line), &fragments);
    }
}

#[test]
fn bad_headers() {
    let request = "0,W,0,4096\n";
    let cases: &[(&[u8], &[&str])] = &[
        (
            request.as_bytes(),
            &["the header is missing", "\"0,W,0,4096\"", HEADER],
        ),
        (
            b"time,op,offset,size\n0,W,0,1\n",
            &["wrong header", "\"time,op,offset,size\"", HEADER],
        ),
        (b"TIME_NS,OP,OFFSET_BYTES,SIZE_BYTES\n", &["wrong header"]),
        (
            b"time_ns,op,offset_bytes,size_bytes \n",
            &["wrong header", "size_bytes \""],
        ),
        (b"time_ns,op,offset_bytes", &["wrong header"]),
        (b"\n0,W,0,1\n", &["the line is empty", HEADER]),
        (b"\xEF\xBB\xBF", &["wrong header"]),
        (b"\n", &["the line is empty"]),
        (
            b"\x7FELF\x02\x01\x01\0\0\n",
            &["not text", "\\u{7f}ELF", HEADER],
        ),
        (b"\x89PNG\r\n\x1A\n", &["not text", "\\x89PNG"]),
        (
            b"time_ns,op,offset_bytes,size_bytes\r0,W,0,1\r",
            &["carriage return", "line feed"],
        ),
        (
            b"\x07tae\x01\0\0\0\0\0\0\0",
            &["binary records of blktrace", "with blkparse"],
        ),
        (
            b"\xFF\xFEt\0i\0m\0e\0\n\0",
            &["UTF-16", "save the trace as UTF-8"],
        ),
    ];
    for (bytes, fragments) in cases {
        refuse(*bytes, &[&["bad.csv, line 1: "], *fragments].concat());
    }
}

/// Planted bug: collecting a line without a limit, or refusing it only at its end.
#[test]
fn long_lines_fail_early() {
    let endless = |start: &'static str, byte: u8| {
        let input = Cursor::new(start).chain(std::io::repeat(byte));
        let mut reader = reader("bad.csv", input).unwrap();
        reader.next_batch(&mut Vec::new()).unwrap_err().to_string()
    };
    assert!(endless("", b'x').contains("line 1: wrong header"));
    assert!(endless("", b'\0').contains("line 1: not text"));
    let header = "time_ns,op,offset_bytes,size_bytes\n1,W,0,";
    assert!(endless(header, b'1').contains("line 2: the line is longer than 4096 bytes"));

    let padded = |digits: usize| third(&format!("1,W,0,{}1", "0".repeat(digits)));
    let room = MAX_LINE - "1,W,0,1".len();
    assert_eq!(
        decode(padded(room)).unwrap()[1],
        Request::new(1, Op::Write, 0, 1).unwrap()
    );
    refuse(
        padded(room + 1),
        &["line 3: the line is longer than 4096 bytes"],
    );
    refuse(third(&"é".repeat(2000)), &["1 field,", "…\" (4000 bytes)"]);
}

/// Planted bugs: a message that counts the bytes that happen to be in memory; a fault that is found only there.
#[test]
fn a_long_first_line_has_one_message() {
    for (format, end) in [(None, 'x'), (Some(Format::Plain), 'x'), (None, '\0')] {
        let text = format!("{}{end}\n", "x".repeat(2 * MAX_LINE));
        let options = ReadOptions {
            format,
            ..ReadOptions::default()
        };
        let message = |length| {
            let read = common::read_pieces(text.as_str(), &[length], &options);
            read.unwrap_err().to_string()
        };
        let whole = message(text.len());
        assert!(whole.contains("…\" (more than 4096 bytes)"), "{whole}");
        for length in [1, 64, 5000] {
            assert_eq!(message(length), whole, "in pieces of {length} bytes");
        }
    }
}

#[test]
fn what_is_tolerated() {
    let plain = [
        Request::new(5, Op::Write, 4096, 512).unwrap(),
        Request::new(3, Op::Flush, 0, 0).unwrap(),
    ];
    let lines = "5,W,4096,512\n3,F,7,9";
    for text in [
        format!("{HEADER}\n{lines}\n"),
        format!("{HEADER}\n{lines}"),
        format!("{HEADER}\n{lines}\n\n\r\n\n"),
        format!("\u{FEFF}{HEADER}\n{lines}\n"),
        format!("{HEADER}\n{lines}\n").replace('\n', "\r\n"),
        format!("{HEADER}\n{lines}\r").replace("5,", "0005,"),
        format!("{HEADER}\n{lines}").replace("5,", "00000000000000000000000000005,"),
    ] {
        assert_eq!(decode(text.as_str()).unwrap(), plain, "{text:?}");
    }
    for empty in [
        HEADER.to_owned(),
        format!("{HEADER}\n"),
        format!("{HEADER}\r\n\n"),
    ] {
        assert_eq!(decode(empty).unwrap(), []);
    }
    let largest = decode(format!(
        "{HEADER}\n18446744073709551615,D,18446673704965373952,70368744177663"
    ));
    assert_eq!(largest.unwrap()[0].end(), u64::MAX);
}

/// Planted bug: going on after the invalid line.
#[test]
fn an_error_stays() {
    let text = third("1,X,0,1");
    let mut reader = reader("bad.csv", Cursor::new(text.into_bytes())).unwrap();
    let mut batch = Vec::new();
    let first = reader.next_batch(&mut batch).unwrap_err();
    assert_eq!(batch.len(), 1, "the requests before the bad line");
    assert_eq!(reader.next_batch(&mut batch).unwrap_err(), first);
    assert!(batch.is_empty());
}

/// Planted bug: a summary that includes flushes in the end, or compares times with the maximum so far.
#[test]
fn summary_and_lines() {
    let text = format!("{HEADER}\n5,W,0,10\n3,F,99,99\n4,D,30,5\n4,R,0,1\n0,R,0,1\n");
    let mut reader = reader("-", Cursor::new(text.into_bytes())).unwrap();
    let mut batch = Vec::new();
    assert!(reader.next_batch(&mut batch).unwrap());
    assert_eq!(
        (batch.len(), reader.line_of(0), reader.line_of(4)),
        (5, 2, 6)
    );
    assert!(!reader.next_batch(&mut batch).unwrap());
    assert!(!reader.next_batch(&mut batch).unwrap());
    let summary = reader.finish();
    assert_eq!(
        (summary.requests, summary.backwards, summary.end),
        (5, 2, 35)
    );
    assert_eq!((summary.name.as_str(), summary.format), ("-", "plain"));
}
