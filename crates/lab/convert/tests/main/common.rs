//! Traces in files, converted in memory.

use std::io::{Cursor, Write};

use proptest::collection::vec;
use proptest::prelude::*;
use ssdlab_convert::{Convert, ConvertError, Converted, Target};
use ssdlab_host::{Op, Request};
use ssdlab_trace::{Format, ReadOptions, TraceReader, plain};
use tempfile::NamedTempFile;

/// A trace in a file.
pub fn file(text: &str) -> NamedTempFile {
    let mut file = tempfile::Builder::new().prefix("t").tempfile().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

/// The plain text of requests.
pub fn plain_text(requests: &[Request], streams: bool) -> String {
    let mut text = format!("{}\n", plain::header(streams));
    for request in requests {
        plain::add_line(&mut text, request, streams);
    }
    text
}

/// A plain trace of lines without streams.
pub fn lines(lines: &[&str]) -> String {
    format!("{}\n{}\n", plain::HEADER, lines.join("\n"))
}

/// The options of reading all volumes.
pub fn all_volumes() -> ReadOptions {
    ReadOptions {
        all_volumes: true,
        ..ReadOptions::default()
    }
}

/// Converts the text of a trace.
pub fn try_convert(
    text: &str,
    how: &Convert,
    to: &str,
) -> Result<(Vec<u8>, Converted), ConvertError> {
    let target = Target::named(to).unwrap();
    let read = if target.to.has_volumes() {
        all_volumes()
    } else {
        ReadOptions::default()
    };
    how.run(file(text).path(), &read, target, Vec::new())
}

/// The same, which must work.
pub fn convert(text: &str, how: &Convert, to: &str) -> (Vec<u8>, Converted) {
    try_convert(text, how, to).unwrap()
}

/// The lines of a conversion to the plain format, without the header.
pub fn converted_lines(text: &str, how: &Convert) -> Vec<String> {
    let text = String::from_utf8(convert(text, how, "plain").0).unwrap();
    text.lines().skip(1).map(str::to_owned).collect()
}

/// The message of a conversion that is refused, without the name of the file.
pub fn refused(text: &str, how: &Convert, to: &str) -> String {
    let error = try_convert(text, how, to).unwrap_err();
    assert!(matches!(error, ConvertError::Refused(_)), "{error:?}");
    error.to_string()
}

/// The requests of a trace in memory.
pub fn read(bytes: Vec<u8>) -> Vec<Request> {
    let mut reader =
        TraceReader::from_reader("t", Cursor::new(bytes), &ReadOptions::default()).unwrap();
    reader.read_all().unwrap()
}

/// The requests of a file in a format, and the volume of each.
pub fn read_back(bytes: Vec<u8>, format: &str) -> (Vec<Request>, Vec<String>) {
    let table = file("");
    std::fs::write(table.path(), bytes).unwrap();
    let options = ReadOptions {
        format: Some(Format::named(format).unwrap()),
        ..all_volumes()
    };
    let mut reader = TraceReader::open(table.path(), &options).unwrap();
    let (mut requests, mut volumes, mut batch) = (Vec::new(), Vec::new(), Vec::new());
    while reader.next_batch(&mut batch).unwrap() {
        for (at, request) in batch.iter().enumerate() {
            requests.push(*request);
            let name = reader.volumes().get(reader.volume_of(at) as usize);
            volumes.extend(name.cloned());
        }
    }
    (requests, volumes)
}

/// Numbers of every length.
fn number() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0..64u32).prop_map(|(value, shift)| value >> shift)
}

/// Any requests.
pub fn requests() -> impl Strategy<Value = Vec<Request>> {
    let op = prop::sample::select(Op::ALL.to_vec());
    let request = (op, number(), number(), number(), any::<u16>());
    vec(request, 0..200).prop_map(|all| {
        let request = |(op, time, offset, size, stream): (Op, u64, u64, u64, u16)| {
            let offset = offset.min(u64::MAX - 1);
            let size = size.clamp(1, Request::MAX_SIZE.min(u64::MAX - offset));
            let (offset, size) = if op == Op::Flush {
                (0, 0)
            } else {
                (offset, size)
            };
            Request::new(time, op, offset, size)
                .unwrap()
                .in_stream(stream)
        };
        all.into_iter().map(request).collect()
    })
}

/// Requests of whole multiples of `unit` on a small device, at ascending times, the first one at 0.
pub fn small(unit: u64) -> impl Strategy<Value = Vec<Request>> {
    let op = prop::sample::select(Op::ALL.to_vec());
    let request = (op, 0..5_000_000_u64, 0..4096_u64, 1..64_u64);
    vec(request, 0..100).prop_map(move |all| {
        let mut time = 0;
        let mut requests = Vec::new();
        for (op, pause, offset, size) in all {
            let (offset, size) = if op == Op::Flush {
                (0, 0)
            } else {
                (offset * unit, size * unit)
            };
            requests.push(Request::new(time, op, offset, size).unwrap());
            time += pause;
        }
        requests
    })
}
