//! Spatial samples.
//!
//! Planted bugs that these catch: a hash that keeps neighbours together; a rate that keeps another share; a part of a group
//! that is not kept; groups that are packed with gaps; a flush that is lost; a smaller rate that keeps other groups.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use proptest::prelude::*;
use ssdlab_convert::{Rate, Sample, Sampled, Target};
use ssdlab_host::{Op, Request};
use ssdlab_trace::ReadOptions;

use crate::common::{file, lines, plain_text, read, small};

fn sample(text: &str, share: f64, seed: u64, group: u64) -> Option<(Vec<Request>, Sampled)> {
    let sample = Sample {
        rate: Rate::new(share).unwrap(),
        seed,
        group,
    };
    let sampled = sample.run(
        file(text).path(),
        &ReadOptions::default(),
        Target::PLAIN,
        Vec::new(),
    );
    let (bytes, sampled) = sampled.ok()?;
    Some((read(bytes), sampled))
}

/// A write to each of some groups of 10^6 bytes, whose time is the number of the group.
fn numbered(groups: impl Iterator<Item = u64>) -> String {
    let mut text = lines(&[]);
    text.pop();
    for group in groups {
        writeln!(text, "{group},W,{},512", group * 1_000_000).unwrap();
    }
    text
}

/// The groups that are kept.
fn kept(text: &str, share: f64, seed: u64) -> BTreeSet<u64> {
    let requests = sample(text, share, seed, 1_000_000).unwrap().0;
    requests.iter().map(|request| request.time_ns).collect()
}

#[test]
fn the_share_is_kept_anywhere() {
    for step in [1, 2, 64, 1000] {
        let text = numbered((0..8192).map(|at| at * step));
        for (share, seed) in [(0.5, 1), (0.25, 2), (1.0 / 64.0, 3)] {
            let kept = kept(&text, share, seed);
            let mean = 8192.0 * share;
            let error = (kept.len() as f64 - mean).abs();
            // four standard deviations
            assert!(
                error < 4.0 * (mean * (1.0 - share)).sqrt(),
                "{step}, {share}"
            );
            let next = kept.iter().filter(|group| kept.contains(&(*group + step)));
            let mean = mean * share;
            let error = (next.count() as f64 - mean).abs();
            assert!(
                error < 6.0 * mean.sqrt() + 4.0,
                "{step}, {share}: neighbours"
            );
        }
    }
}

#[test]
fn smaller_rates_keep_fewer_of_the_same() {
    let text = numbered(0..1000);
    let [more, fewer] = [0.5, 0.125].map(|share| kept(&text, share, 7));
    assert!(fewer.is_subset(&more) && fewer.len() < more.len());
    assert_ne!(more, kept(&text, 0.5, 8));
    assert_eq!(kept(&text, 1.0, 8).len(), 1000);
}

#[test]
fn sizes_go_with_the_share() {
    let (_, sampled) = sample(&numbered(0..1024), 0.25, 1, 1_000_000).unwrap();
    assert_eq!(sampled.kept.groups, 1024);
    let share = sampled.kept.groups_kept as f64 / 1024.0;
    assert_eq!(sampled.kept.share(), share);
    // twice as many groups as the trace touches
    let capacity = sampled.kept.scaled_capacity(2048 * 1_000_000);
    assert_eq!(capacity, 2 * sampled.kept.groups_kept * 1_000_000);
    // never smaller than what is kept
    assert_eq!(
        sampled.kept.scaled_capacity(1_000_000),
        sampled.kept.groups_kept * 1_000_000
    );
    assert_eq!(sampled.kept.scaled(1, 1), 1);
    let buffer = sampled.kept.scaled(100 << 20, 4096);
    assert!(buffer.is_multiple_of(4096));
    assert!((buffer as f64 - share * f64::from(100 << 20)).abs() <= 2048.0);
}

#[test]
fn nothing_is_kept() {
    let sample = Sample {
        rate: Rate::new(1e-9).unwrap(),
        seed: 1,
        group: 4096,
    };
    let file = file(&lines(&["0,W,0,512"]));
    let sampled = sample.run(file.path(), &Default::default(), Target::PLAIN, Vec::new());
    let why = sampled.map(drop).unwrap_err().to_string();
    assert!(why.contains("none of the 1 groups of 4 KiB"), "{why}");
}

#[test]
fn too_many_groups() {
    let sample = Sample {
        rate: Rate::new(0.5).unwrap(),
        seed: 1,
        group: 512,
    };
    let file = file(&lines(&["0,R,0,70368744177663"]));
    let sampled = sample.run(file.path(), &Default::default(), Target::PLAIN, Vec::new());
    let why = sampled.map(drop).unwrap_err().to_string();
    let expected = "touches 137,438,953,472 groups, and at most 268,435,456 can be sampled";
    assert!(why.contains(expected), "{why}");
}

// planted bug: a discard of the whole device touches all of its groups
#[test]
fn discards_touch_nothing() {
    let discard = "0,D,0,70368744177663";
    let (requests, sampled) = sample(&lines(&["0,W,0,512", discard]), 1.0, 1, 512).unwrap();
    assert_eq!((sampled.kept.groups, requests[1].size()), (1, 512));
    assert!(sample(&lines(&[discard]), 1.0, 1, 512).is_none());
}

#[test]
fn rates_in_words() {
    for (text, share) in [
        ("1/64", 1.0 / 64.0),
        ("0.05", 0.05),
        ("5%", 0.05),
        ("1", 1.0),
    ] {
        assert_eq!(Rate::parse(text), Rate::new(share), "{text}");
    }
    for text in ["", "0", "2", "1/0", "-1", "1/", "x", "nan", "101%", "3/2"] {
        assert_eq!(Rate::parse(text), None, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    /// Every byte of every group is kept or left out with its group, in the same order.
    #[test]
    fn groups_stay_whole(mut requests in small(1), group in 1..600_u64, seed in any::<u64>()) {
        for (time, request) in requests.iter_mut().enumerate() {
            request.time_ns = time as u64;
        }
        let sampled = sample(&plain_text(&requests, false), 0.5, seed, group);
        prop_assume!(sampled.is_some());
        let (found, sampled) = sampled.unwrap();
        // where bytes are, by request and place in it: a group has one new place
        let touched: BTreeSet<u64> = requests
            .iter()
            .filter(|request| matches!(request.op(), Op::Read | Op::Write))
            .flat_map(|request| (request.offset..request.end()).map(|byte| byte / group))
            .collect();
        prop_assert_eq!(sampled.kept.groups, touched.len() as u64);
        // which groups stay can be seen in a trace that writes each of them once
        let first = touched.first().copied().unwrap_or(0);
        let each = touched.iter().map(|at| Request::new(at - first, Op::Write, at * group, group).unwrap());
        let each: Vec<Request> = each.collect();
        let (whole, _) = sample(&plain_text(&each, false), 0.5, seed, group).unwrap();
        let places: BTreeMap<u64, u64> = whole.iter().map(|r| (r.time_ns + first, r.offset)).collect();
        prop_assert!(whole.iter().all(|request| request.size() == group));
        let dense: Vec<u64> = (0..places.len() as u64).map(|at| at * group).collect();
        prop_assert_eq!(places.values().copied().collect::<Vec<_>>(), dense);
        for request in &requests {
            let parts = found.iter().filter(|part| part.time_ns == request.time_ns);
            let parts: Vec<_> = parts.collect();
            let bytes: Vec<u64> = parts.iter().flat_map(|part| part.offset..part.end()).collect();
            let place = |byte: u64| Some(places.get(&(byte / group))? + byte % group);
            let expected: Vec<u64> = (request.offset..request.end()).filter_map(place).collect();
            prop_assert_eq!(bytes, expected);
            prop_assert!(parts.iter().all(|part| part.op() == request.op()));
            prop_assert!(request.op() != Op::Flush || parts.len() == 1);
        }
    }
}
