//! Every malformed trace is refused with a message that names file, line, field, the text found and the allowed values.
//!
//! Planted bugs these catch: an unchecked multiplication that lets 18446744073709551616 through as 0, line numbers
//! that start at 0 or forget the header, a decoder that skips an empty line, a flush whose fields go unchecked, a cut line
//! read as a whole one.

use crate::common::{self, listed, refused, with};
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

/// A line between valid ones, so line 3.
fn third(line: &str) -> String {
    format!("{HEADER}\n0,W,0,4096\n{line}\n9,R,0,512\n")
}

const BLKPARSE: &str = "  8,0    3       17     0.000000000   697  D W 8 + 8 [x]";

/// Planted bug: whatever follows the summary taken for a part of it.
#[test]
fn messages_behind_the_summary_of_blkparse() {
    let options = with(|options| options.format = Format::named("blkparse"));
    let messages = [BLKPARSE, HEADER, "  8,0    3       17     0.00", "8,0 x"].map(|more| {
        let text = format!("{BLKPARSE}\nCPU0 (8,0):\n{more}\n");
        (more, refused("t", text, &options))
    });
    insta::assert_snapshot!(listed(messages));
}

/// Planted bugs: a zero byte or an empty line that ends a trace; a line that is collected without a limit.
#[test]
fn messages_on_odd_lines_inside() {
    let none = ReadOptions::default();
    let plain = ["", "\r\n\r\n", "1\0,W,0,512", "1,W,0,122\0\08"];
    let messages = plain.map(|line| (line.to_owned(), refused("t", third(line), &none)));
    let blkparse = [
        edited(BLKPARSE, "8 + 8", "8\0+ 8"),
        "\0".to_owned(),
        edited(BLKPARSE, "[x]", &"é".repeat(2100)),
    ];
    let blkparse = blkparse.map(|line| {
        let message = refused("t", format!("{BLKPARSE}\n{line}\n{BLKPARSE}\n"), &none);
        (line, message)
    });
    insta::assert_snapshot!(listed(messages.into_iter().chain(blkparse)));
}

const MSR: &str = "128166372016382155,usr,0,Write,8192,4096,1963";

/// The text with its only part like that replaced.
fn edited(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "places of {from:?}");
    text.replace(from, to)
}

/// Planted bug: a message that takes another format than that of the file for granted.
#[test]
fn messages_on_files() {
    let plain = third("5,W,0,512");
    let utf_16 = |text: &str| -> Vec<u8> {
        let units = "\u{FEFF}".encode_utf16().chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    };
    let lines = |lines: &[&str]| lines.join("\n").into();
    let files: Vec<Vec<u8>> = vec![
        "".into(),
        "\n".into(),
        "\n0,W,0,1\n".into(),
        "\u{FEFF}".into(),
        "0,W,0,4096\n".into(),
        "time,op,offset,size\n0,W,0,1\n".into(),
        "time,op,lba\n".into(),
        HEADER[..23].into(),
        edited(HEADER, "time_ns", "time_nDs").into(),
        "time,op,type,offset,size\n0,W,0,0,1\n".into(),
        "0 0 0 8 1\n".into(),
        "0 W 0 8\n".into(),
        plain.replace('\n', "\r").into(),
        plain[..plain.len() - 5].into(),
        utf_16(&plain),
        "<!DOCTYPE html>\n<title>404 Not Found</title>\n".into(),
        b"\x7FELF\x02\x01\x01\0\0\n".into(),
        b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR".into(),
        (0..=255).collect(),
        b"\x07tae\x01\0\0\0\0\0\0\0".into(),
        BLKPARSE[30..].into(),
        edited(BLKPARSE, "697", "D697").into(),
        [BLKPARSE; 3].join("\r").into(),
        utf_16(BLKPARSE),
        "CPU0 (8,0):\n Reads Queued: 1, 4KiB\n".into(),
        "8,0 0 1 0.000000000 697 P N [x]\n8,0 0 2 0.000000001 697 U N [x] 1\n".into(),
        edited(BLKPARSE, "D", "Q").into(),
        lines(&[BLKPARSE, &edited(BLKPARSE, "8,0", "8,16")]),
        edited(BLKPARSE, "[x]", "[sy\nnc]").into(),
        [
            BLKPARSE.as_bytes(),
            b"\n8,0 0 4 0.002000000 69\xB8 A W 24 + 8 [x]",
        ]
        .concat(),
        lines(&[BLKPARSE, "CPU0 (8,0):", HEADER]),
        edited(MSR, "12816637", "12816637D").into(),
        edited(MSR, "128166372016382155", "1172163600").into(),
        MSR.replace(',', ";").into(),
        lines(&[MSR, "128166372026382245,usr,0,Write,12288,5"]),
    ];
    let others: Vec<_> = Format::ALL
        .iter()
        .skip(1)
        .map(|format| format.name())
        .collect();
    let messages = files.into_iter().map(|bytes| {
        let whole = [&*bytes, b"\n"].concat();
        let message = refused("t", whole, &ReadOptions::default());
        (bytes, message.replace(&others.join(", "), "(all others)"))
    });
    insta::assert_snapshot!(listed(messages));
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
    // header and line come together
    let together = format!("{header}{}", "1".repeat(20_000));
    let message = refused("t", together.as_str(), &ReadOptions::default());
    assert!(
        message.starts_with("t, line 2: the line is longer"),
        "{message}"
    );
    let spc = format!("0,1,512,w,0.5\n{}", "1".repeat(20_000));
    let message = refused("t", spc.as_str(), &ReadOptions::default());
    assert!(
        message.starts_with("t, line 2: the line is longer"),
        "{message}"
    );

    let padded = |digits: usize| third(&format!("1,W,0,{}1", "0".repeat(digits)));
    let room = MAX_LINE - "1,W,0,1".len();
    assert_eq!(
        decode(padded(room)).unwrap()[1],
        Request::new(1, Op::Write, 0, 1).unwrap()
    );
    let message = |line| refused("t", line, &ReadOptions::default());
    let longer = "t, line 3: the line is longer than 4096 bytes";
    assert!(message(padded(room + 1)).starts_with(longer));
    assert!(message(third(&"é".repeat(2000))).contains("…\" (4000 bytes)"));
}

/// Planted bugs: a message that counts the bytes that happen to be in memory; a fault that is found only there.
#[test]
fn a_long_first_line_has_one_message() {
    for (format, end) in [(None, 'x'), (Some(Format::PLAIN), 'x'), (None, '\0')] {
        let text = format!("{}{end}\n", "x".repeat(2 * MAX_LINE));
        let options = with(|options| options.format = format);
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
