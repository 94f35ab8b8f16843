//! The CSV of the MSR Cambridge traces.
//!
//! Planted bugs these catch: ticks taken for nanoseconds or microseconds; a disk number that is not part of the volume;
//! types in other cases refused; a header line in the middle taken for a request, or left out without a word.

use crate::common::{read, read_damaged, read_pieces, refuse, request, skipped, written};
use proptest::collection::vec;
use proptest::prelude::*;
use ssdlab_host::{Op, Request};
use ssdlab_trace::{Format, ReadOptions};

const HEADER: &str = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime";
const START: u64 = 128_166_372_003_061_629;

fn options() -> ReadOptions {
    ReadOptions::default()
}

fn volume(name: &str) -> ReadOptions {
    ReadOptions {
        volume: Some(name.into()),
        ..options()
    }
}

/// A tick is 100 ns, offset and size are bytes.
#[test]
fn by_definition() {
    let lines = [
        "128166372003061629,usr,0,Read,7014609920,24576,41286",
        "128166372003061630,usr,0,Write,1,3,0",
        "128166372013061629,usr,0,write,512,512,1.5",
        "128166372013061629,usr,0,READ,0,1,18446744073709551616",
    ];
    let expected = [
        "0 R 7014609920 24576",
        "100 W 1 3",
        "1000000000 W 512 512",
        "1000000000 R 0 1",
    ];
    let reason = "line 1 has 7 fields, the fourth is \"Read\"";
    for (text, first_line, reason) in [
        (lines.join("\n"), 1, reason),
        (lines.join("\r\n") + "\r\n", 1, reason),
        (
            format!("{HEADER}\n{}\n", lines.join("\n")),
            2,
            &*format!("line 1 is \"{HEADER}\""),
        ),
    ] {
        let decoded = read(text, &options()).unwrap();
        assert_eq!(written(&decoded.requests), expected);
        assert_eq!(decoded.lines[0], first_line);
        let summary = decoded.summary;
        assert_eq!((summary.format, &*summary.format_reason), ("msr", reason));
        assert_eq!((summary.skipped.len(), summary.backwards), (0, 0));
        assert_eq!(summary.end, 7014609920 + 24576);
    }
    let empty = read(HEADER, &options()).unwrap();
    assert_eq!(empty.summary.requests, 0);
}

/// The published traces are not perfectly sorted.
#[test]
fn times_before_the_first_become_0() {
    let line = |ticks: i64| format!("{},usr,0,Read,0,1,0\n", START.strict_add_signed(ticks));
    let text: String = [5, 4, 6, 3].map(line).concat();
    let decoded = read(text, &options()).unwrap();
    assert_eq!(
        written(&decoded.requests),
        ["0 R 0 1", "0 R 0 1", "100 R 0 1", "0 R 0 1"]
    );
    assert_eq!(decoded.summary.backwards, 2);
}

#[test]
fn several_volumes() {
    let volumes = ["usr,0", "usr,1", "src1.x,0", "usr,0"];
    let line = |volume| format!("{START},{volume},Read,4096,1,0\n");
    let text: String = volumes.map(line).concat();
    let both = ["a second volume", "\"usr.1\"", "\"usr.0\"", "--volume"];
    refuse(text.as_str(), &options(), "t, line 2: ", &both);
    for (name, lines) in [("usr.0", &[1, 4][..]), ("usr.1", &[2]), ("src1.x.0", &[3])] {
        let decoded = read(text.as_str(), &volume(name)).unwrap();
        assert_eq!(decoded.lines, lines);
        assert_eq!(skipped(&decoded, "other volumes"), 4 - lines.len() as u64);
    }
    let none =
        "t: no request of volume \"hm.0\"; the trace has \"usr.0\", \"usr.1\", \"src1.x.0\";";
    refuse(text.as_str(), &volume("hm.0"), none, &[]);
    for name in ["usr", "8,0", ".0", "usr.", "usr.x"] {
        let place = format!("t: --volume {name}: ");
        refuse(text.as_str(), &volume(name), &place, &["usr.0"]);
    }
}

#[test]
fn requests_without_data_and_repeated_headers_are_left_out() {
    let good = format!("{START},usr,0,Read,0,1,0");
    let text = format!("{HEADER}\n{good}\n{HEADER}\n{START},usr,0,Write,7,0,0\n{good}\n");
    let decoded = read(text, &options()).unwrap();
    assert_eq!(decoded.lines, [2, 5]);
    assert_eq!(
        (
            skipped(&decoded, "header lines"),
            skipped(&decoded, "no data")
        ),
        (1, 1)
    );
}

#[test]
fn blank_lines_are_skipped() {
    let good = format!("{START},usr,0,Read,0,1,0");
    let blank = read(format!("{good}\n\n\r\n{good}\n\n"), &options()).unwrap();
    assert_eq!(
        (blank.lines, blank.summary.skipped["blank lines"]),
        (vec![1, 4], 3)
    );
}

fn line(request: &Request, kind: &str) -> String {
    let ticks = START + request.time_ns / 100;
    let (offset, size) = (request.offset, request.size());
    format!("{ticks},prxy,1,{kind},{offset},{size},{}\n", offset % 1000)
}

fn requests() -> impl Strategy<Value = Vec<(Request, String)>> {
    let one = |(ticks, write, offset, size): (u64, bool, u64, u64)| {
        let op = if write { Op::Write } else { Op::Read };
        request(ticks * 100, op, offset, size)
    };
    let request = (0..1u64 << 53, any::<bool>(), 0..1u64 << 63, 1..1u64 << 46).prop_map(one);
    let kind = |request: Request| {
        let kind = match request.op() {
            Op::Write => "[Ww][Rr][Ii][Tt][Ee]",
            _ => "[Rr][Ee][Aa][Dd]",
        };
        (Just(request), kind)
    };
    vec(request.prop_flat_map(kind), 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    /// Planted bugs: a line lost at the end of a piece or a batch; a time that loses its last digits.
    #[test]
    fn requests_survive(
        mut all in requests(),
        repeat in prop::sample::select(vec![1, 1, 1, 200]),
        lengths in vec(1..300usize, 1..8),
    ) {
        // the first request is at time 0
        all[0].0.time_ns = 0;
        let all: Vec<_> = std::iter::repeat_n(all, repeat).flatten().collect();
        let text: String = all.iter().map(|(request, kind)| line(request, kind)).collect();
        let lengths = if repeat > 1 { vec![100_000] } else { lengths };
        let decoded = read_pieces(text, &lengths, &options()).unwrap();
        let expected: Vec<_> = all.iter().map(|(request, _)| *request).collect();
        prop_assert_eq!(&decoded.requests, &expected);
        prop_assert_eq!(decoded.lines, (1..=expected.len() as u64).collect::<Vec<_>>());
    }

    /// Planted bugs: slicing past the end of a line; a result that depends on the position in the file.
    #[test]
    fn damage_never_panics_and_pieces_do_not_matter(
        all in requests(),
        place: prop::sample::Index,
        bytes in vec(any::<u8>(), 0..6),
        cut in 0..6usize,
        length in 1..100usize,
    ) {
        let text = all.iter().flat_map(|(request, kind)| line(request, kind).into_bytes());
        let options = ReadOptions { format: Format::named("msr"), ..options() };
        read_damaged(text.collect(), (place, cut, bytes), length, &options)?;
    }
}
