//! When requests come, and what comes before them.
//!
//! Planted bugs that these tests catch: a gap in place of an interval, or beside one; a burst that is one request short; a
//! request too few or too many at the end of time; reads in a fill.

use crate::common::made;
use proptest::prelude::*;
use ssdlab_host::Op;
use ssdlab_workload::synthetic::{Bursts, Generator, Sequential, Settings};

#[test]
fn bursts_come_with_gaps() {
    let times = |words: &str| -> Vec<u64> {
        let made = made(&format!("uniform --requests 7 {words}"));
        made.iter().map(|request| request.time_ns / 1000).collect()
    };
    assert_eq!(
        times("--interval-us 5 --bursts 3/1ms"),
        [0, 5, 10, 1010, 1015, 1020, 2020]
    );
    assert_eq!(
        times("--interval-us 0 --bursts 3/70us"),
        [0, 0, 0, 70, 70, 70, 140]
    );
    assert_eq!(times("--interval-us 5 --bursts 1/2s")[6], 12_000_000);
    // flushes are requests
    let flushed = times("--interval-us 5 --bursts 3/1ms --flush-every 2");
    assert_eq!(flushed, times("--interval-us 5 --bursts 3/1ms"));
    // a gap of one interval is none
    assert_eq!(
        times("--interval-us 5 --bursts 3/5us"),
        times("--interval-us 5")
    );
}

#[test]
fn a_fill_is_written_once_and_in_order() {
    for words in [
        "zipf --prefill",
        "update",
        "update --prefill",
        "pass --prefill",
    ] {
        let made = made(&format!(
            "{words} --reads 0.9 --capacity 400KiB --requests 200"
        ));
        for (at, request) in (0..).zip(&made[..100]) {
            assert_eq!(
                (request.op(), request.offset),
                (Op::Write, at * 4096),
                "{words}"
            );
        }
        let reads = made[100..]
            .iter()
            .filter(|request| request.op() == Op::Read);
        assert!(reads.count() > 70, "{words}");
    }
}

proptest! {
    // the same as times that are added one by one
    #[test]
    fn as_many_requests_as_times_fit(
        interval_ns in prop_oneof![Just(0), 1..1_u64 << 62, (1_u64 << 57)..],
        requests in 1..20_u64,
        more in prop_oneof![Just(0), 0..1_u64 << 62],
        bursts: bool,
    ) {
        let gap_ns = interval_ns.saturating_add(more);
        let settings = Settings {
            interval_ns,
            bursts: bursts.then_some(Bursts { requests, gap_ns }),
            ..Settings::default()
        };
        let most = settings.most_requests();
        prop_assume!(most.is_none_or(|most| most < 10_000) || most.is_none());
        let made = Generator::new(Sequential::new(3), settings).take(10_000).count();
        prop_assert_eq!(most.unwrap_or(10_000), made as u64);
    }
}
