//! Reads traces from memory.

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use ssdlab_host::{Op, Request};
use ssdlab_trace::{BATCH, ReadOptions, TraceError, TraceReader, TraceSummary};
use std::io::{self, Cursor, Read, Write};

/// The result of reading a trace.
#[derive(Debug, PartialEq)]
pub struct Decoded {
    pub requests: Vec<Request>,
    /// The line of each request.
    pub lines: Vec<u64>,
    pub summary: TraceSummary,
}

/// Options that differ from the default.
pub fn with(set: impl FnOnce(&mut ReadOptions)) -> ReadOptions {
    let mut options = ReadOptions::default();
    set(&mut options);
    options
}

pub fn zst(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

pub fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns its bytes in pieces with the given lengths, in a cycle.
pub struct Pieces {
    bytes: Cursor<Vec<u8>>,
    lengths: Vec<usize>,
    next: usize,
}

impl Pieces {
    pub fn new(bytes: impl Into<Vec<u8>>, lengths: &[usize]) -> Self {
        Self {
            bytes: Cursor::new(bytes.into()),
            lengths: lengths.to_vec(),
            next: 0,
        }
    }
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.lengths[self.next % self.lengths.len()].min(buffer.len());
        self.next += 1;
        self.bytes.read(&mut buffer[..length])
    }
}

/// Reads a trace named `t` that arrives in pieces.
pub fn read_pieces(
    bytes: impl Into<Vec<u8>>,
    lengths: &[usize],
    options: &ReadOptions,
) -> Result<Decoded, TraceError> {
    collect(TraceReader::from_reader(
        "t",
        Pieces::new(bytes, lengths),
        options,
    )?)
}

fn collect(mut reader: TraceReader) -> Result<Decoded, TraceError> {
    let (mut requests, mut lines, mut batch) = (Vec::new(), Vec::new(), Vec::new());
    while reader.next_batch(&mut batch)? {
        assert!(!batch.is_empty() && batch.len() <= BATCH);
        lines.extend((0..batch.len()).map(|index| reader.line_of(index)));
        requests.extend_from_slice(&batch);
    }
    let start = lines.first().copied();
    let successive = start.filter(|&start| (start..).zip(&lines).all(|(n, &line)| n == line));
    assert_eq!(reader.successive_from(), successive);
    let summary = reader.finish();
    assert_eq!(summary.requests, requests.len() as u64);
    Ok(Decoded {
        requests,
        lines,
        summary,
    })
}

pub fn read(bytes: impl Into<Vec<u8>>, options: &ReadOptions) -> Result<Decoded, TraceError> {
    read_pieces(bytes, &[1 << 20], options)
}

/// Reads a damaged trace, whole and in pieces. Both must read the same requests, or fail with the same short message.
pub fn read_damaged(
    mut text: Vec<u8>,
    (from, cut, put): (prop::sample::Index, usize, Vec<u8>),
    length: usize,
    options: &ReadOptions,
) -> Result<(), TestCaseError> {
    let from = from.index(text.len());
    text.splice(from..(from + cut).min(text.len()), put);
    let pieces = read_pieces(text.clone(), &[length], options);
    if let Err(error) = &pieces {
        prop_assert!(!error.is_io() && error.to_string().len() < 600, "{}", error);
    }
    prop_assert_eq!(read(text, options), pieces);
    Ok(())
}

/// The message on a trace that must be refused.
#[track_caller]
pub fn refused(name: &str, bytes: impl Into<Vec<u8>>, options: &ReadOptions) -> String {
    let error = TraceReader::from_reader(name, Cursor::new(bytes.into()), options)
        .and_then(collect)
        .expect_err("must be refused");
    let message = error.to_string();
    assert!(!error.is_io(), "{message}");
    assert!(
        message.starts_with(name) && message.len() < 500,
        "{message}"
    );
    assert!(!message.contains(char::is_control), "{message:?}");
    message
}

/// Checks that the message starts with `place` and contains all fragments.
#[track_caller]
pub fn refuse(bytes: impl Into<Vec<u8>>, options: &ReadOptions, place: &str, fragments: &[&str]) {
    let message = refused("t", bytes, options);
    assert!(
        message.starts_with(place),
        "{message:?} is not at {place:?}"
    );
    for fragment in fragments {
        assert!(message.contains(fragment), "{message:?} lacks {fragment:?}");
    }
}

/// The start of each damaged trace, and below it the message.
pub fn listed<T: AsRef<[u8]>>(messages: impl IntoIterator<Item = (T, String)>) -> String {
    let one = |(damaged, message): (T, String)| {
        let start = damaged.as_ref().iter().take(100);
        let start: String = start.map(|byte| byte.escape_ascii().to_string()).collect();
        format!("\"{start}\"\n    {message}\n")
    };
    messages.into_iter().map(one).collect()
}

/// The requests as `time op offset size`, to be compared with expected text.
pub fn written(requests: &[Request]) -> Vec<String> {
    let line = |r: &Request| {
        format!(
            "{} {} {} {}",
            r.time_ns,
            r.op().letter(),
            r.offset,
            r.size()
        )
    };
    requests.iter().map(line).collect()
}

/// A request that must be valid.
pub fn request(time: u64, op: Op, offset: u64, size: u64) -> Request {
    Request::new(time, op, offset, size).unwrap()
}

/// The number of lines left out for a reason; 0 if there were none.
pub fn skipped(decoded: &Decoded, reason: &str) -> u64 {
    decoded.summary.skipped.get(reason).copied().unwrap_or(0)
}
