//! Random traces, random bytes, random damage.

use crate::common::{self, gz, zst};
use proptest::collection::vec;
use proptest::prelude::*;
use ssdlab_host::{Op, Request};
use ssdlab_trace::plain::{self, Decoder};
use ssdlab_trace::{BATCH, ReadOptions, TraceError};

/// Numbers of every length: the decoder reads eight digits at once.
fn number(max: u64) -> impl Strategy<Value = u64> {
    (any::<u64>(), 0..64u32).prop_map(move |(value, shift)| (value >> shift).min(max))
}

fn request() -> impl Strategy<Value = Request> {
    let op = prop::sample::select(Op::ALL.to_vec());
    (
        op,
        number(u64::MAX),
        number(u64::MAX),
        number(Request::MAX_SIZE - 1),
        any::<u16>(),
    )
        .prop_map(|(op, time, offset, size, stream)| match op {
            Op::Flush => Request::new(time, op, 0, 0).unwrap().in_stream(stream),
            _ => {
                let size = (size + 1).min(u64::MAX - offset.min(u64::MAX - 1));
                let request = Request::new(time, op, offset.min(u64::MAX - size), size);
                request.unwrap().in_stream(stream)
            }
        })
}

fn csv(requests: &[Request], line_end: &str, streams: bool) -> Vec<u8> {
    let mut text = format!("{}\n", plain::header(streams));
    for request in requests {
        plain::add_line(&mut text, request, streams);
    }
    text.replace('\n', line_end).into_bytes()
}

fn read(bytes: Vec<u8>, lengths: &[usize]) -> Result<Vec<Request>, TraceError> {
    let decoded = common::read_pieces(bytes, lengths, &ReadOptions::default())?;
    let hash = decoded.summary.sha256;
    assert_eq!(hash.map(|hash| hash.len()), Some(64));
    Ok(decoded.requests)
}

/// The format in the simplest code, to compare with.
fn model(line: &str, streams: bool) -> Option<Request> {
    let digits = |field: &str| field.bytes().all(|byte| byte.is_ascii_digit());
    let fields: Vec<&str> = line.split(',').collect();
    let (&[time, op, offset, size], stream): (&[&str; 4], &str) = match &fields[..] {
        [request @ .., stream] if streams => (request.try_into().ok()?, *stream),
        request => (request.try_into().ok()?, "0"),
    };
    if ![time, offset, size, stream].into_iter().all(digits) {
        return None;
    }
    let (time, offset, size) = (time.parse().ok()?, offset.parse().ok()?, size.parse().ok()?);
    let stream = stream.parse().ok()?;
    let request = match op {
        "F" => Request::new(time, Op::Flush, 0, 0),
        _ if size == 0 => None,
        "R" => Request::new(time, Op::Read, offset, size),
        "W" => Request::new(time, Op::Write, offset, size),
        "D" => Request::new(time, Op::Discard, offset, size),
        _ => None,
    };
    request.map(|request| request.in_stream(stream))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    /// Planted bugs: losing the carry between two groups of eight digits; dropping the rest of a line at the end of
    /// a piece; reading a line twice when a batch is full; the stream of a flush lost.
    #[test]
    fn requests_survive(
        mut requests in vec(request(), 0..300),
        streams: bool,
        lengths in vec(1..200usize, 1..8),
        crlf: bool,
        final_end: bool,
    ) {
        let mut text = csv(&requests, if crlf { "\r\n" } else { "\n" }, streams);
        if !streams {
            requests = requests.into_iter().map(|request| request.in_stream(0)).collect();
        }
        if !final_end {
            text.pop();
        }
        prop_assert_eq!(&read(text.clone(), &lengths).unwrap(), &requests);
        prop_assert_eq!(&read(zst(&text), &lengths).unwrap(), &requests);
        prop_assert_eq!(&read(gz(&text), &lengths).unwrap(), &requests);
        let cut = lengths[0] % text.len();
        let frames = [zst(&text[..cut]), zst(&text[cut..])].concat();
        prop_assert_eq!(&read(frames, &lengths).unwrap(), &requests);
    }

    /// Planted bug: a batch that is not cut at its limit, or a request lost between two batches or two reads.
    #[test]
    fn long_traces_survive(request in request(), count in 0..3 * BATCH, length in 1..300_000usize) {
        let requests = vec![request; count];
        prop_assert_eq!(read(csv(&requests, "\n", true), &[length]).unwrap(), requests);
    }

    /// Planted bugs: `:` (the character after `9`) or bytes above 127 taken for digits; overflow in 20 digits.
    #[test]
    fn lines_mean_what_the_model_says(line in "[0-9]{0,21}[:/]?,[RWFDx],[0-9]{1,20}[é ]?,(0|[0-9]{1,21})") {
        let text = format!("{}\n{line}\n", plain::HEADER).into_bytes();
        prop_assert_eq!(read(text, &[4096]).ok(), model(&line, false).map(|request| vec![request]));
    }

    /// Planted bugs: slicing past the end of a short input; a decoder that makes no progress.
    #[test]
    fn random_bytes_never_panic(
        bytes in vec(any::<u8>(), 0..6000),
        start in prop::sample::select(vec![
            "", "time_ns,op,offset_bytes,size_bytes\n", "time_ns,op,offset_bytes,size_bytes\n1,W,",
        ]),
        magic in prop::sample::select(vec![&b""[..], b"\x28\xB5\x2F\xFD", b"\x1F\x8B\x08", b"\x50\x2A\x4D\x18"]),
        length in 1..5000usize,
    ) {
        let bytes = [magic, start.as_bytes(), &bytes].concat();
        if let Err(error) = read(bytes, &[length]) {
            prop_assert!(!error.is_io(), "{}", error);
            prop_assert!(error.to_string().len() < 500);
        }
    }

    /// Planted bug: a damaged line decoded into another request, or left out.
    #[test]
    fn damaged_traces_decode_or_fail(
        requests in vec(request(), 1..20),
        place: prop::sample::Index,
        byte in prop_oneof![any::<u8>(), prop::sample::select(b"\n\r,-0 RF".to_vec())],
        insert: bool,
        streams: bool,
    ) {
        let mut text = csv(&requests, "\n", streams);
        let header = plain::header(streams).len() + 1;
        let place = header + place.index(text.len() - header);
        if insert { text.insert(place, byte) } else { text[place] = byte }
        let body = String::from_utf8_lossy(&text[header..]) + "\n";
        let body = body.replace("\r\n", "\n");
        let expected: Option<Vec<Request>> = body.trim_end_matches('\n').split('\n').map(|line| model(line, streams)).collect();
        prop_assert_eq!(read(text, &[64]).ok(), expected);
    }

    /// Planted bug: an error of the decompressor swallowed as the end of the trace, or a panic in it.
    #[test]
    fn damaged_compressed_traces_decode_or_fail(
        requests in vec(request(), 1..50),
        place: prop::sample::Index,
        bit in 0..8u8,
        gzip: bool,
    ) {
        let text = csv(&requests, "\n", false);
        let mut stored = if gzip { gz(&text) } else { zst(&text) };
        let place = place.index(stored.len());
        stored[place] ^= 1 << bit;
        if let Err(error) = read(stored, &[50]) {
            prop_assert!(!error.is_io(), "{}", error);
        }
    }

    /// Planted bug: a decoder that needs a whole line at once.
    #[test]
    fn the_decoder_takes_any_split(requests in vec(request(), 1..50), split: prop::sample::Index, limit in 1..60usize) {
        let text = csv(&requests, "\n", true);
        let mut decoder = Decoder::default();
        let mut decoded = Vec::new();
        let mut at = 0;
        for end in [split.index(text.len()), text.len()] {
            loop {
                let enough = decoded.len() + limit;
                let used = decoder.decode(&text[at..end], &mut decoded, enough).unwrap();
                at += used;
                if used == 0 { break }
            }
        }
        prop_assert_eq!(at, text.len());
        prop_assert_eq!(decoder.line(), requests.len() as u64 + 1);
        prop_assert_eq!(decoded, requests);
    }
}
