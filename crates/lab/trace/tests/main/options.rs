//! Detection and the options that every format reads.
//!
//! Planted bugs these catch: a format tried before one that fits better; an option ignored by a format that cannot
//! follow it; a limit that counts what is left out, or hashes half a file; lines that shift when flushes are dropped.

use crate::common::{read, read_pieces, refuse, with, written};
use proptest::collection::vec;
use proptest::prelude::*;
use ssdlab_trace::plain::HEADER;
use ssdlab_trace::{Action, Format, ReadOptions, TraceReader};

const BLKPARSE: &str = "  8,0    3        1     0.000000000   697  D   W 8 + 8 [x]";
const MSR: &str = "128166372003061629,usr,0,Read,7014609920,24576,41286";

fn format(format: Format) -> ReadOptions {
    with(|options| options.format = Some(format))
}

#[test]
fn detection() {
    let plain = format!("line 1 is {HEADER:?}");
    let blkparse = "line 1 starts with \"8,0 3 1 0.000000000\"";
    let msr = "line 1 has 7 fields, the fourth is \"Read\"";
    for (text, name, reason) in [
        (HEADER.to_owned(), "plain", &*plain),
        (format!("{HEADER}\r\n0,W,0,1\r\n"), "plain", &plain),
        (format!("\u{FEFF}{HEADER}\n"), "plain", &plain),
        (BLKPARSE.to_owned(), "blkparse", blkparse),
        (format!("{BLKPARSE}\r\n"), "blkparse", blkparse),
        (MSR.to_owned(), "msr", msr),
        (format!("{MSR}\r\n"), "msr", msr),
    ] {
        let whole = read(text.clone(), &ReadOptions::default()).unwrap();
        let summary = &whole.summary;
        assert_eq!((summary.format, &*summary.format_reason), (name, reason));
        assert_eq!(
            read_pieces(text.clone(), &[1], &ReadOptions::default()),
            Ok(whole)
        );
        let named = format(Format::named(name).unwrap());
        let reason = read(text, &named).unwrap().summary.format_reason;
        assert_eq!(reason, format!("--format {name}"));
    }
}

#[test]
fn other_files() {
    let none = ReadOptions::default();
    let looks = ["if it is in another format", "--format: blkparse, msr, "];
    for text in ["hello\n", "0,W,0\n", "8,0 W\n", "time,op,lba\n", "\n"] {
        refuse(
            text,
            &none,
            "t, line 1: ",
            &[&looks[..], &[HEADER]].concat(),
        );
        let plain = read(text, &format(Format::PLAIN)).unwrap_err().to_string();
        assert!(
            plain.contains(HEADER) && !plain.contains(looks[0]),
            "{plain}"
        );
    }
    // four fields and a digit: a plain trace without its header
    refuse(
        "0,W,0,512\n",
        &none,
        "t, line 1: the header is missing",
        &[HEADER],
    );
    refuse(
        MSR,
        &format(Format::PLAIN),
        "t, line 1: wrong header",
        &["exactly"],
    );
    refuse(
        HEADER,
        &format(Format::named("msr").unwrap()),
        "t, line 1: 4 fields",
        &["7 fields"],
    );
    refuse(
        HEADER,
        &format(Format::named("blkparse").unwrap()),
        "t, line 1: no line of blkparse",
        &[],
    );
    // the unit is wrong, not the format
    let unit = MSR.replace("128166372003061629", "12");
    refuse(unit, &none, "t, line 1: Timestamp", &["100 ns ticks"]);
}

#[test]
fn options_of_other_formats_are_refused() {
    let action = with(|options| options.action = Some(Action::Dispatch));
    let volume = with(|options| options.volume = Some("8,0".into()));
    let plain = format!("{HEADER}\n0,W,0,1\n");
    let what = ["--action is for blkparse and blktrace traces, but this one is plain (line 1 is"];
    refuse(plain.as_str(), &action, "t: ", &what);
    let what =
        ["--action is for blkparse and blktrace traces, but this one is msr (line 1 has 7 fields"];
    refuse(MSR, &action, "t: ", &what);
    let what = [
        "--volume is for blkparse, msr",
        " traces, but this one is plain",
    ];
    refuse(plain.as_str(), &volume, "t: ", &what);
}

#[test]
fn limits() {
    let text = format!("{HEADER}\n0,W,0,1\n1,F,0,0\n2,W,1,1\n3,F,0,0\n4,W,2,1\nbad\n");
    for (limit, drop_flushes, expected) in [
        (1, false, &["0 W 0 1"][..]),
        (4, false, &["0 W 0 1", "1 F 0 0", "2 W 1 1", "3 F 0 0"]),
        (2, true, &["0 W 0 1", "2 W 1 1"]),
        (3, true, &["0 W 0 1", "2 W 1 1", "4 W 2 1"]),
    ] {
        let options = ReadOptions {
            limit: Some(limit),
            drop_flushes,
            ..ReadOptions::default()
        };
        let decoded = read(text.as_str(), &options).unwrap();
        assert_eq!(written(&decoded.requests), expected);
        assert_eq!(decoded.summary.sha256, None);
        let json = serde_json::to_value(&decoded.summary).unwrap();
        assert_eq!(
            (&json["sha256"], &json["limit"]),
            (&None::<u8>.into(), &limit.into())
        );
    }
    let options = with(|options| options.limit = Some(9));
    refuse(text.as_str(), &options, "t, line 7: ", &["1 field"]);
    let whole = read(text.replace("bad\n", ""), &options).unwrap().summary;
    assert_eq!(
        (whole.requests, whole.sha256.map(|hash| hash.len())),
        (5, Some(64))
    );
    // a limit between the requests of one line
    let fua = BLKPARSE.replace(" W ", " FWF ");
    for limit in 1..=3 {
        let options = with(|options| options.limit = Some(limit));
        let decoded = read(fua.as_str(), &options).unwrap();
        assert_eq!(decoded.requests.len() as u64, limit);
        assert!(decoded.lines.iter().all(|&line| line == 1));
    }
}

/// Planted bug: a batch from which everything is left out taken for the end of the trace.
#[test]
fn dropped_flushes() {
    let flushes = "7,F,0,0\n".repeat(10_000);
    let text = format!("{HEADER}\n1,W,0,1\n{flushes}5,R,0,1\n");
    let options = with(|options| options.drop_flushes = true);
    let decoded = read(text, &options).unwrap();
    assert_eq!(written(&decoded.requests), ["1 W 0 1", "5 R 0 1"]);
    assert_eq!(decoded.lines, [2, 10_003]);
    assert_eq!(decoded.summary.skipped["flushes (--drop-flushes)"], 10_000);
    assert_eq!(decoded.summary.backwards, 0);
    let fua = BLKPARSE.replace(" W ", " FWF ");
    let decoded = read(fua, &options).unwrap();
    assert_eq!(written(&decoded.requests), ["0 W 4096 4096"]);
}

/// Planted bugs: reads dropped with the flushes or the reverse, discards with neither; a reason that counts both.
#[test]
fn dropped_reads_and_discards() {
    let text = format!("{HEADER}\n0,R,0,1\n1,W,0,1\n2,F,0,0\n3,R,0,1\n4,D,0,1\n");
    let mut options = with(|options| options.drop_reads = true);
    let decoded = read(text.as_str(), &options).unwrap();
    assert_eq!(
        written(&decoded.requests),
        ["1 W 0 1", "2 F 0 0", "4 D 0 1"]
    );
    assert_eq!(decoded.lines, [3, 4, 6]);
    options.drop_flushes = true;
    let decoded = read(text.as_str(), &options).unwrap();
    assert_eq!(written(&decoded.requests), ["1 W 0 1", "4 D 0 1"]);
    options.drop_discards = true;
    let decoded = read(text.as_str(), &options).unwrap();
    assert_eq!(written(&decoded.requests), ["1 W 0 1"]);
    let skipped = &decoded.summary.skipped;
    assert_eq!(skipped["reads (--drop-reads)"], 2);
    assert_eq!(skipped["flushes (--drop-flushes)"], 1);
    assert_eq!(skipped["discards (--drop-discards)"], 1);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    /// Planted bugs: a decoder that makes no progress; memory that grows with an endless line.
    #[test]
    fn random_bytes_never_panic(
        bytes in vec(any::<u8>(), 0..6000),
        start in prop::sample::select(vec![
            "".to_owned(), format!("{HEADER}\n"), format!("{BLKPARSE}\n"), BLKPARSE.to_owned(), format!("{MSR}\n"), MSR.to_owned(),
            "CPU0".to_owned(),
        ]),
        named in proptest::option::of(prop::sample::select(Format::ALL.to_vec())),
        limit in proptest::option::of(0..3u64),
        drop_flushes: bool,
        length in 1..5000usize,
    ) {
        let options = ReadOptions { format: named, limit, drop_flushes, ..ReadOptions::default() };
        let bytes = [start.as_bytes(), &bytes].concat();
        prop_assume!(!bytes.is_empty());
        if let Err(error) = read_pieces(bytes, &[length], &options) {
            prop_assert!(!error.is_io(), "{}", error);
            prop_assert!(error.to_string().len() < 700, "{}", error);
        }
    }
}

/// Planted bug: waiting for more bytes than a first line needs.
#[test]
fn nothing_is_read_ahead_of_need() {
    struct Panics;
    impl std::io::Read for Panics {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            panic!("read although the limit was reached")
        }
    }
    use std::io::Read;
    let text = format!("{HEADER}\n0,W,0,1\n");
    let options = with(|options| options.limit = Some(1));
    let input = std::io::Cursor::new(text).chain(Panics);
    let mut reader = TraceReader::from_reader("t", input, &options).unwrap();
    let mut batch = Vec::new();
    assert_eq!(reader.next_batch(&mut batch), Ok(true));
    assert_eq!(reader.next_batch(&mut batch), Ok(false));
}
