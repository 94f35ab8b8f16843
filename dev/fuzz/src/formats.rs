//! Traces of every format, text and binary, in pieces of any size, with the options that change what is taken.
//!
//! An input is three bytes of choices and the file: the format, by its place in the list of all (`0`: detected), the
//! options, and the bytes of a piece. A Parquet table is read from a file.

use std::io::Write as _;

use ssdlab_trace::{Format, ReadOptions, TraceReader};

use crate::trace::{self, Outcome};

pub fn run(input: &[u8]) {
    let Some(([format, how, piece], bytes)) = input.split_first_chunk() else {
        return;
    };
    if trace::is_compressed(bytes) {
        // the target `trace` has them
        return;
    }
    let options = options(*format, *how);
    let piece = usize::from(piece ^ b'0') * 7 + 1;
    let whole = trace::read("trace", bytes.to_vec(), usize::MAX, &options);
    trace::check(&whole);
    check_malformed(&whole, &options);
    let pieces = trace::read("trace", bytes.to_vec(), piece, &options);
    assert_eq!(pieces, whole, "in pieces of {piece} bytes");
    if options.format == Some(Format::PARQUET) || bytes.starts_with(b"PAR1") {
        check_table(bytes, &options);
    }
}

/// The options that two bytes choose.
fn options(format: u8, how: u8) -> ReadOptions {
    let [format, how] = [format, how].map(|byte| usize::from(byte ^ b'0'));
    let place = format % (Format::ALL.len() + 1);
    ReadOptions {
        format: place.checked_sub(1).map(|place| Format::ALL[place]),
        all_volumes: how & 1 != 0,
        skip_malformed: if how & 2 != 0 { 3 } else { 0 },
        sort_ns: [None, Some(0), Some(1_000_000), Some(u64::MAX)][how >> 2 & 3],
        sector: (how & 16 != 0).then_some(512),
        limit: (how & 32 != 0).then_some(5),
        ..ReadOptions::default()
    }
}

/// No more lines are left out than the user tolerates, and the first one is told.
fn check_malformed(read: &Outcome, options: &ReadOptions) {
    if let Ok(summary) = &read.end {
        let left_out = summary.skipped.get(ssdlab_trace::skip::MALFORMED);
        let count = left_out.copied().unwrap_or(0);
        assert!(count <= options.skip_malformed);
        assert_eq!(count > 0, summary.malformed.is_some());
    }
}

/// A table is read from a file, to its end or to a message.
fn check_table(bytes: &[u8], options: &ReadOptions) {
    let mut file = tempfile::NamedTempFile::new().expect("a folder for temporary files");
    file.write_all(bytes).expect("room for a small file");
    let read = || {
        let mut reader = TraceReader::open(file.path(), options)?;
        reader.read_all()?;
        Ok::<_, ssdlab_trace::TraceError>(reader.finish())
    };
    if let Err(error) = read() {
        let message = error.to_string();
        assert!(!message.contains(char::is_control), "{message:?}");
    }
}
