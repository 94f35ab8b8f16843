//! The clairvoyant buffer in runs and comparisons: what it knows of wrapped, compacted and repeated requests, and the
//! memory for it.
//!
//! Planted bugs that these tests catch: a future of the addresses before they are wrapped or compacted; one that ends
//! with each replay; one that is written page by page but not run by run; a bound that takes all the memory.

use ssdlab_host::{Op, Request};
use ssdlab_sim::{
    CLAIRVOYANT, CompareOptions, Comparison, Counters, Lab, Outcome, Replay, RowKind, RunOptions,
    Trace, run_loaded,
};

use super::{DEVICE, PAGE, compared, resolver, scattered, writes};

fn run(set: &[&str], trace: &Trace, replay: Replay, page_by_page: bool) -> Outcome {
    let common = ["buffer.policy=clairvoyant", "buffer.size=4096"];
    let config = resolver(DEVICE, &[&common, set].concat()).resolve();
    let options = RunOptions {
        replay,
        ..RunOptions::new(&Lab::new().page_by_page(page_by_page))
    };
    run_loaded(config.expect("a device"), trace, options).expect("a run")
}

const PAGES: [&str; 2] = ["ftl.kind=ideal", "buffer.granularity=page"];

/// Writes of one to six pages, with flushes and discards between, moved up by `up` pages.
fn mixed(up: u64) -> Trace {
    let request = |(time, at): (u64, u64)| {
        let (op, pages) = match time % 50 {
            49 => (Op::Flush, 0),
            7 | 23 => (Op::Discard, 3),
            _ => (Op::Write, 1 + time % 6),
        };
        let offset = if op == Op::Flush { 0 } else { (at + up) * PAGE };
        Request::new(time, op, offset, pages * PAGE).expect("a request")
    };
    let all = (0..).zip(scattered(2000, 60)).map(request);
    Trace::made("mixed", all.collect())
}

#[test]
fn it_knows_where_requests_wrap_and_what_is_compacted() {
    for set in [&PAGES as &[&str], &["ftl.kind=bast", "ftl.log_blocks=2"]] {
        let plain = run(set, &mixed(0), Replay::default(), false);
        let wrap = Replay {
            wrap: true,
            ..Replay::default()
        };
        // 64 blocks of 4 pages
        let wrapped = run(set, &mixed(256), wrap, false);
        assert_eq!(plain.counters, wrapped.counters);
        let compact = Replay {
            compact: true,
            ..Replay::default()
        };
        // the device is as large as before
        let compacted = run(set, &mixed(1024), compact, false);
        assert_eq!(plain.counters, compacted.counters);
        let blind = Replay::default();
        let page_by_page = run(set, &mixed(0), blind, true);
        assert_eq!(plain.counters, page_by_page.counters);
    }
}

#[test]
fn without_a_drain_it_knows_the_next_replay() {
    let set = [PAGES[0], PAGES[1], "drain=false"];
    let once: Vec<u64> = scattered(500, 100).collect();
    let twice = Replay {
        loops: 2,
        ..Replay::default()
    };
    let looped = run(&set, &writes(once.iter().copied()), twice, false);
    let programs = |counters: &Counters| counters.flash_programs;
    let loops = looped.loops.expect("two replays");
    let found: u64 = loops.iter().map(|one| programs(&one.counters)).sum();
    let all = writes(once.iter().chain(&once).copied());
    let in_one = run(&set, &all, Replay::default(), false);
    assert_eq!(found, programs(&in_one.counters));
}

fn clairvoyant(comparison: &Comparison) -> Vec<(Option<u64>, u64)> {
    let rows = comparison.rows.iter();
    let bounds = rows.filter(|row| row.kind == RowKind::Bound && row.policy == CLAIRVOYANT);
    bounds
        .map(|row| (row.size, row.outcome.counters.flash_programs))
        .collect()
}

fn options(ftl: &str) -> CompareOptions {
    let mut options = CompareOptions::new(&Lab::new(), resolver(DEVICE, &[ftl]));
    options.sizes = vec![1024, 4096, 8192];
    options
}

#[test]
fn no_policy_that_evicts_pages_programs_fewer_at_any_size() {
    let mut options = options("ftl.kind=page");
    options.buffers = ["lru", "fifo", "sof", "fab", "cbb"]
        .map(String::from)
        .to_vec();
    let comparison = compared(&options, &mixed(0));
    let bounds = clairvoyant(&comparison);
    let sizes: Vec<_> = bounds.iter().map(|(size, _)| *size).collect();
    assert_eq!(sizes, [1024, 4096, 8192].map(Some));
    for row in comparison
        .rows
        .iter()
        .filter(|row| row.kind == RowKind::Policy)
    {
        let of_size = bounds.iter().find(|(size, _)| *size == row.size);
        let (_, least) = of_size.expect("a bound of each size");
        let found = row.outcome.counters.flash_programs;
        assert!(found >= *least, "{}: {found}, {least}", row.sized_label());
    }
}

#[test]
fn a_future_that_takes_too_much_memory_is_left_out() {
    let mut options = options("ftl.kind=page");
    options.buffers = vec!["lru".into()];
    options.memory = Some(1 << 20);
    // a quarter has room for 65,536 writes
    let fits = compared(&options, &writes(scattered(65_536, 100)));
    assert_eq!(clairvoyant(&fits).len(), 3);
    let more = compared(&options, &writes(scattered(65_537, 100)));
    assert!(clairvoyant(&more).is_empty());
    let note = "not compared: clairvoyant buffer, which takes more than the 256 KiB that are left of a quarter of the memory for \
                the writes to come";
    assert!(
        more.warnings.iter().any(|warning| warning == note),
        "{:?}",
        more.warnings
    );
}
