//! plain, to another format, and back: equal as far as the format can say it.
//!
//! Planted bugs that these catch: time in another unit; a sector of 4096 bytes; kinds exchanged; a request lost where a
//! piece of text ends; a stream lost.

use proptest::collection::vec;
use proptest::prelude::*;
use ssdlab_convert::Convert;
use ssdlab_host::{Op, Request};

use crate::common::{convert, plain_text, read, read_back, requests, small};
use crate::parquet::{Row, rows};

fn with<const N: usize>(ops: [Op; N], requests: &[Request]) -> Vec<Request> {
    let kept = requests
        .iter()
        .filter(|request| ops.contains(&request.op()));
    kept.copied().collect()
}

/// Requests whose times begin at 0, in other units.
fn from_0(requests: &[Request], unit: u64) -> Vec<Request> {
    let first = requests.first().map_or(0, |request| request.time_ns / unit);
    let moved = |request: &Request| {
        let time = (request.time_ns / unit).saturating_sub(first) * unit;
        let moved = Request::new(time, request.op(), request.offset, request.size()).unwrap();
        moved.in_stream(request.stream())
    };
    requests.iter().map(moved).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn plain(requests in requests(), coding in 0..3_usize) {
        let to = ["plain", "csv.zst", "csv.gz"][coding];
        let (bytes, _) = convert(&plain_text(&requests, true), &Convert::default(), to);
        prop_assert_eq!(read(bytes), from_0(&requests, 1));
    }

    #[test]
    fn parquet(requests in requests()) {
        let (bytes, converted) = convert(&plain_text(&requests, true), &Convert::default(), "parquet");
        let requests = from_0(&requests, 1);
        let expected: Vec<Row> = requests.iter().map(|request| Row::of(request, true, None)).collect();
        prop_assert_eq!(rows(bytes.clone()), expected);
        prop_assert_eq!(converted.requests, requests.len() as u64);
        prop_assert_eq!(read_back(bytes, "parquet").0, requests);
    }

    #[test]
    fn blkparse(requests in small(512)) {
        let (bytes, _) = convert(&plain_text(&requests, false), &Convert::default(), "blkparse");
        if requests.is_empty() {
            prop_assert!(bytes.is_empty());
        } else {
            prop_assert_eq!(read(bytes), requests);
        }
    }

    #[test]
    fn fio(requests in small(1)) {
        let (bytes, _) = convert(&plain_text(&requests, false), &Convert::default(), "fio");
        let (back, _) = read_back(bytes, "fio");
        prop_assert_eq!(back, from_0(&requests, 1000));
    }

    #[test]
    fn mqsim(requests in small(512)) {
        let (bytes, converted) = convert(&plain_text(&requests, false), &Convert::default(), "mqsim");
        let expected = with([Op::Read, Op::Write], &requests);
        if !expected.is_empty() {
            prop_assert_eq!(read_back(bytes, "mqsim").0, from_0(&expected, 1));
        }
        let lost = with([Op::Flush, Op::Discard], &requests).len() as u64;
        prop_assert_eq!(converted.by_format.left_out.values().sum::<u64>(), lost);
        prop_assert_eq!(converted.requests + lost, requests.len() as u64);
    }

    #[test]
    fn volumes(
        requests in small(512),
        volumes in vec(0..5_u32, 100),
    ) {
        let requests = from_0(&with([Op::Read, Op::Write], &requests), 1000);
        prop_assume!(!requests.is_empty());
        let mut text = String::new();
        for (request, volume) in requests.iter().zip(&volumes) {
            let kind = if request.op() == Op::Read { "Read" } else { "Write" };
            let ticks = 128166372003061629 + request.time_ns / 100;
            let (offset, size) = (request.offset, request.size());
            text += &format!("{ticks},v,{volume},{kind},{offset},{size},0\n");
        }
        let first: Vec<u32> = volumes[..requests.len()].iter().fold(Vec::new(), |mut first, volume| {
            if !first.contains(volume) {
                first.push(*volume);
            }
            first
        });
        let number = |volume: &u32| first.iter().position(|first| first == volume).unwrap();
        let volumes = &volumes[..requests.len()];
        for to in ["parquet", "fio", "mqsim", "blkparse"] {
            let (bytes, _) = convert(&text, &Convert::default(), to);
            let (back, names) = read_back(bytes, to);
            prop_assert_eq!(&back, &requests, "{}", to);
            let expected: Vec<String> = volumes
                .iter()
                .map(|volume| match to {
                    "mqsim" => number(volume).to_string(),
                    "blkparse" => format!("240,{}", number(volume)),
                    _ => format!("v.{volume}"),
                })
                .collect();
            prop_assert_eq!(names, expected, "{}", to);
        }
    }
}
