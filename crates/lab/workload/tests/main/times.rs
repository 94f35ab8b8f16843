//! When requests come, and what comes before them.
//!
//! Planted bugs that these tests catch: a gap in place of an interval, or beside one; a burst that is one request short; a
//! request too few or too many at the end of time; reads in a fill.

use crate::common::made;
use proptest::prelude::*;
use ssdlab_host::{Op, Request};
use ssdlab_workload::synthetic::{Arrivals, Bursts, Generator, Sequential, Settings};

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
fn a_rate_is_kept_without_drift() {
    let times = |words: &str| -> Vec<u64> {
        let made = made(&format!("uniform {words}"));
        made.iter().map(|request| request.time_ns).collect()
    };
    assert_eq!(times("--requests 4 --rate 3M"), [0, 333, 667, 1000]);
    assert_eq!(
        times("--requests 300001 --rate 30k")[300_000],
        10_000_000_000
    );
    assert_eq!(
        times("--requests 3 --rate 0.5"),
        [0, 2_000_000_000, 4_000_000_000]
    );
    assert_eq!(
        times("--requests 500 --rate 10k"),
        times("--requests 500 --interval-us 100")
    );
}

/// Mean and variance of the waits, and the share of those that are longer than their mean, are those of a Poisson process;
/// the accesses are those without it.
#[test]
fn independent_arrivals_have_exponential_waits() {
    let even = made("uniform --reads 0.3 --requests 100k --rate 20k");
    let random = made("uniform --reads 0.3 --requests 100k --rate 20k --poisson");
    for (one, other) in even.iter().zip(&random) {
        assert_eq!((one.op(), one.offset), (other.op(), other.offset));
    }
    let waits: Vec<f64> = random
        .windows(2)
        .map(|two| (two[1].time_ns - two[0].time_ns) as f64)
        .collect();
    let mean = waits.iter().sum::<f64>() / waits.len() as f64;
    let squares = waits.iter().map(|wait| (wait - mean).powi(2)).sum::<f64>();
    let deviation = (squares / waits.len() as f64).sqrt();
    let longer = waits.iter().filter(|wait| **wait > 50_000.0).count() as f64;
    assert!((mean / 50_000.0 - 1.0).abs() < 0.01, "{mean}");
    assert!((deviation / 50_000.0 - 1.0).abs() < 0.02, "{deviation}");
    assert!(
        (longer / waits.len() as f64 - 0.3679).abs() < 0.005,
        "{longer}"
    );
    assert_eq!(
        made("uniform --requests 500 --interval-us 50 --poisson"),
        made("uniform --requests 500 --rate 20k --poisson")
    );
    assert_ne!(
        made("uniform --requests 500 --poisson"),
        made("uniform --requests 500 --poisson --seed 2")
    );
}

#[test]
fn a_probe_comes_beside_the_load() {
    let words = "zipf --prefill --capacity 4MiB --requests 60k --rate 30k --poisson --sizes 8KiB";
    let alone = made(words);
    let both = made(&format!("{words} --probe 10k:0.25"));
    assert_eq!(both.len(), 60_000);
    assert!(both.is_sorted_by_key(|request| request.time_ns));
    let (probe, load): (Vec<&Request>, Vec<&Request>) =
        both.iter().partition(|request| request.stream() == 1);
    assert_eq!(load.len() + probe.len(), both.len());
    assert!(load.iter().zip(&alone).all(|(one, other)| *one == other));
    // it begins behind the fill, where it comes at even distances
    let begin = alone[1023].time_ns;
    for (at, request) in (0..).zip(&probe) {
        assert_eq!(request.time_ns, begin + at * 100_000);
        assert_eq!(request.size(), 4096);
    }
    let writes = probe.iter().filter(|request| request.op() == Op::Write);
    let share = writes.count() as f64 / probe.len() as f64;
    assert!((share - 0.25).abs() < 0.02, "{share}");
    let mean = probe.iter().map(|request| request.offset).sum::<u64>() / probe.len() as u64;
    assert!(mean.abs_diff(2 << 20) < 64 << 10, "{mean}");
    assert!(
        (probe.len() as f64 / 14_750.0 - 1.0).abs() < 0.05,
        "{}",
        probe.len()
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
        let arrivals = if bursts {
            Arrivals::Bursts(Bursts { requests, interval_ns, gap_ns })
        } else {
            Arrivals::Every(interval_ns)
        };
        let settings = Settings { arrivals, ..Settings::default() };
        let most = arrivals.most_requests();
        prop_assume!(most.is_none_or(|most| most < 10_000) || most.is_none());
        let made = Generator::new(Sequential::new(3), settings).take(10_000).count();
        prop_assert_eq!(most.unwrap_or(10_000), made as u64);
    }
}
