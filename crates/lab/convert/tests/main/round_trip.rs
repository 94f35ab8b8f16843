//! plain, to another format, and back: equal as far as the format can say it.
//!
//! Planted bugs that these catch: time in another unit; a sector of 4096 bytes; kinds exchanged; a request lost where a
//! piece of text ends; a stream lost.

use proptest::prelude::*;
use ssdlab_convert::Convert;
use ssdlab_host::{Op, Request};

use crate::common::{convert, plain_text, read, read_table, requests, small};
use crate::parquet::{Row, rows};

fn with<const N: usize>(ops: [Op; N], requests: &[Request]) -> Vec<Request> {
    let kept = requests
        .iter()
        .filter(|request| ops.contains(&request.op()));
    kept.copied().collect()
}

/// A log of fio, as simply as possible: µs, file, action, offset, size.
fn fio(text: &str) -> Vec<(u64, Op, u64, u64)> {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("fio version 3 iolog"));
    let fields = lines.map(|line| line.split(' ').collect::<Vec<_>>());
    let request = |fields: Vec<&str>| {
        let op = match fields[2] {
            "read" => Op::Read,
            "write" => Op::Write,
            "sync" => Op::Flush,
            "trim" => Op::Discard,
            _ => return None,
        };
        let number = |at: usize| fields[at].parse::<u64>().unwrap();
        Some((number(0), op, number(3), number(4)))
    };
    fields.filter_map(request).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn plain(requests in requests(), coding in 0..3_usize) {
        let to = ["plain", "csv.zst", "csv.gz"][coding];
        let (bytes, _) = convert(&plain_text(&requests, true), &Convert::default(), to);
        prop_assert_eq!(read(bytes), requests);
    }

    #[test]
    fn parquet(requests in requests()) {
        let (bytes, converted) = convert(&plain_text(&requests, true), &Convert::default(), "parquet");
        let expected: Vec<Row> = requests.iter().map(|request| Row::of(request, true, None)).collect();
        prop_assert_eq!(rows(bytes.clone()), expected);
        prop_assert_eq!(converted.requests, requests.len() as u64);
        prop_assert_eq!(read_table(bytes).0, requests);
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
    fn fio_log(requests in small(1)) {
        let (bytes, _) = convert(&plain_text(&requests, false), &Convert::default(), "fio");
        let expected: Vec<_> = requests
            .iter()
            .map(|r| (r.time_ns / 1000 + 1, r.op(), r.offset, r.size()))
            .collect();
        prop_assert_eq!(fio(&String::from_utf8(bytes).unwrap()), expected);
    }

    #[test]
    fn mqsim(requests in small(512)) {
        let (bytes, converted) = convert(&plain_text(&requests, false), &Convert::default(), "mqsim");
        let text = String::from_utf8(bytes).unwrap();
        let back: Vec<Request> = text
            .lines()
            .map(|line| {
                let fields: Vec<u64> = line.split(' ').map(|field| field.parse().unwrap()).collect();
                let [time, 0, lba, sectors, kind] = fields[..] else { panic!("{line}") };
                let op = [Op::Write, Op::Read][kind as usize];
                Request::new(time, op, lba * 512, sectors * 512).unwrap()
            })
            .collect();
        prop_assert_eq!(back, with([Op::Read, Op::Write], &requests));
        let lost = with([Op::Flush, Op::Discard], &requests).len() as u64;
        prop_assert_eq!(converted.by_format.left_out.values().sum::<u64>(), lost);
        prop_assert_eq!(converted.requests + lost, requests.len() as u64);
    }
}
