//! Advice is tried before it is given.

use std::sync::Mutex;
use std::sync::atomic::Ordering;

use ssdlab_host::{Op, Request};
use ssdlab_sim::{
    Advice, Cause, CompareOptions, Comparison, LIFE, Lab, SimError, StopFlag, Trace, Tried, WAF,
    compare,
};

use crate::{DEVICE, compared, resolver, scattered, writes};

/// Some policies with a buffer of 4 KiB on a device that merges; most is written by padding.
fn options(buffers: &[&str]) -> CompareOptions {
    let mut options = CompareOptions::new(&Lab::new(), resolver(DEVICE, &[]));
    options.buffers = buffers.iter().map(|&name| name.into()).collect();
    options.sizes = vec![4096];
    options.bounds = false;
    options.advice = true;
    options
}

fn advice(comparison: &Comparison) -> &Advice {
    comparison.would_help.as_ref().expect("changes were tried")
}

fn ran(advice: &Advice) -> Vec<&Tried> {
    let tried = advice.tried.iter();
    tried.filter(|tried| tried.refused.is_none()).collect()
}

// planted bugs: figures of another device, or of the winner; a change that writes more is called a help, or one that
// shortens the life; the help that gains least comes first; a cause of no bytes
#[test]
fn each_change_is_a_run_that_anyone_can_repeat() {
    let trace = writes(scattered(3000, 200));
    let of = options(&["bplru"]);
    let comparison = compared(&of, &trace);
    let advice = advice(&comparison);
    let winner = &comparison.rows[0];
    assert_eq!((&*advice.label, advice.size), ("bplru", Some(4096)));
    let figure = |tried: &Tried, figure| tried.figures.get(&figure).flatten().expect("a figure");
    let without = [WAF, LIFE].map(|figure| winner.figure(&figure).expect("a figure"));
    let bytes = &winner.outcome.endurance.flash_bytes;
    let mut helping = Vec::new();
    for tried in ran(advice) {
        let mut with = of.clone();
        with.advice = false;
        let size = "buffer.size=4KiB".to_owned();
        for set in [size].iter().chain(&tried.set) {
            with.resolver.set(set).expect("a valid setting");
        }
        let with = with.as_configured().expect("a valid configuration");
        let policy = tried
            .set
            .iter()
            .find_map(|set| set.strip_prefix("buffer.policy="));
        let repeated = CompareOptions {
            buffers: vec![policy.unwrap_or("bplru").into()],
            baseline: None,
            ..with
        };
        let row = &compared(&repeated, &trace).rows[0];
        for (figure, value) in tried.figures.iter() {
            assert_eq!(
                row.figure(&figure),
                value,
                "{}: {}",
                tried.change,
                figure.key
            );
        }
        let [waf, life] = [WAF, LIFE].map(|of| figure(tried, of));
        let helps = waf < 0.99 * without[0] && life > 0.99 * without[1];
        assert_eq!(tried.helps, helps, "{}: {waf} {life}", tried.change);
        assert!(bytes[tried.against] > 0, "{}", tried.change);
        if tried.helps {
            helping.push(waf);
        }
    }
    assert!(helping.is_sorted() && !helping.is_empty(), "{helping:?}");
    assert!(advice.in_vain().count() > 0);
    assert_eq!(advice.helping().count(), helping.len());
}

// planted bugs: runs without a bound; progress that does not count them; a run for what is compared already; changes that
// nobody wanted
#[test]
fn further_runs_are_few_and_counted() {
    let trace = writes(scattered(2000, 200));
    let mut of = options(&["bplru", "lru", "fab"]);
    let told = Mutex::new(Vec::new());
    let comparison = compare(&trace, &of, |runs| told.lock().unwrap().push(runs));
    let comparison = comparison.expect("a comparison");
    let advice = advice(&comparison);
    let (rows, runs) = (comparison.rows.len(), advice.runs());
    assert!((1..=6).contains(&runs), "{runs} runs");
    let told = told.into_inner().unwrap();
    assert_eq!(told.len(), 1 + rows + runs);
    assert_eq!(told[..=rows], vec![rows + 6; rows + 1]);
    assert_eq!(told[rows + 1..], vec![rows + runs; runs]);
    for tried in ran(advice) {
        let is_policy = tried.set[0].starts_with("buffer.policy=");
        assert_eq!(tried.simulate_ns.is_none(), is_policy, "{}", tried.change);
    }
    let alone = compared(&options(&["cbb"]), &trace);
    let alone = alone.would_help.expect("changes were tried");
    assert_eq!((alone.runs(), ran(&alone).len()), (6, 6), "there are more");
    of.advice = false;
    assert_eq!(compared(&of, &trace).would_help, None);
}

// planted bugs: a device that takes more memory than is allowed; its refusal ends the comparison
#[test]
fn changes_stay_within_the_memory() {
    let trace = writes(scattered(2000, 200));
    let mut of = options(&["bplru"]);
    of.memory = Some(1);
    let Err(SimError::Memory { needed, .. }) = compare(&trace, &of, |_| {}) else {
        panic!("a device takes more than a byte");
    };
    of.memory = Some(needed);
    let comparison = compared(&of, &trace);
    let refused = advice(&comparison)
        .tried
        .iter()
        .filter_map(|tried| tried.refused.as_ref());
    let refused: Vec<&String> = refused.collect();
    assert!(
        refused.iter().any(|why| why.contains("--memory")),
        "{refused:?}"
    );
}

// planted bugs: an interrupt takes the comparison away; runs that are missing and not said
#[test]
fn an_interrupt_leaves_the_comparison_and_what_was_tried() {
    let stop = StopFlag::default();
    let trace = writes(scattered(2000, 200));
    let mut of = options(&["bplru"]);
    (of.jobs, of.stop) = (1, Some(stop.clone()));
    let calls = Mutex::new(0);
    let comparison = compare(&trace, &of, |_| {
        let mut calls = calls.lock().unwrap();
        *calls += 1;
        // the start, the winner, and one change
        stop.store(*calls >= 3, Ordering::Relaxed);
    });
    let comparison = comparison.expect("all rows");
    assert_eq!(comparison.missing_runs, 0);
    assert_eq!(comparison.verdict.winner.as_deref(), Some("bplru"));
    let advice = advice(&comparison);
    assert_eq!(advice.runs(), 1);
    assert!(advice.missing_runs > 0);
}

// planted bugs: help against flushes where there are none; a device that cleans is told of merges
#[test]
fn changes_follow_the_causes() {
    let trace = writes(scattered(3000, 256));
    let mut of = options(&["lru"]);
    of.resolver.set("ftl.kind=page").unwrap();
    of.resolver.set("ftl.spare_blocks=8").unwrap();
    let comparison = compared(&of, &trace);
    let tried = &advice(&comparison).tried;
    let aged = "precondition=workload";
    let set = |set: &str| tried.iter().find(|tried| tried.set == [set, aged]);
    let spare = set("ftl.spare_blocks=16").expect("twice the spare flash");
    assert!(spare.helps && spare.against == Cause::Cleaning);
    let reserve = set("ftl.reserve=0.2").expect("less of the capacity");
    assert!(
        reserve.refused.is_some(),
        "the trace does not fit: {reserve:?}"
    );
    assert!(set("buffer.size=16KiB").is_some() && set("buffer.protected=true").is_none());
    assert!(tried.iter().all(|tried| tried.against != Cause::Merge));
}

/// 64 blocks of 6 pages, and a cache.
const CACHED: &str = "
precondition = \"full\"
[flash]
page_size = 512
pages_per_block = 6
cell_bits = 3
capacity = \"192KiB\"
[ftl]
kind = \"page\"
gc_low = 3
spare_blocks = 24
slc = \"static\"
slc_static = \"8KiB\"
slc_full = \"fold\"
";

// planted bugs: a larger cache among what is tried; unused space left out; a change that helps without a run
#[test]
fn no_larger_cache_is_advised() {
    let of = |settings: &[&str]| {
        let mut options = CompareOptions::new(&Lab::new(), resolver(CACHED, settings));
        options.buffers = vec!["none".into()];
        options.bounds = false;
        options.advice = true;
        options
    };
    // all data in turn: whatever the cache holds is folded
    let trace = writes((0..6).flat_map(|_| (0..300).map(|page| page * 7 % 300)));
    let comparison = compared(&of(&[]), &trace);
    let advice = advice(&comparison);
    let against: Vec<&Tried> = ran(advice)
        .into_iter()
        .filter(|tried| tried.against == Cause::Folding)
        .collect();
    let sets: Vec<&str> = against
        .iter()
        .flat_map(|tried| &tried.set)
        .map(String::as_str)
        .collect();
    assert_eq!(sets, ["ftl.slc=off", "ftl.reserve=0.2"]);
    let grows = |set: &&String| set.starts_with("ftl.slc_");
    assert_eq!(
        advice.tried.iter().flat_map(|tried| &tried.set).find(grows),
        None
    );
    // and rightly so: one twice as large moves as much
    let waf = |settings: &[&str]| {
        compared(&of(settings), &trace).rows[0]
            .figure(&WAF)
            .expect("a figure")
    };
    let (small, large) = (waf(&[]), waf(&["ftl.slc_static=16KiB"]));
    assert!(large > 0.99 * small && small > 1.9, "{small} {large}");
    assert!(waf(&["ftl.slc=off"]) < 1.5);
}

/// A write of a page each 300 µs, of other pages each time.
fn steady(writes: u64) -> Vec<Request> {
    let write = |number| {
        Request::new(number * 300_000, Op::Write, number * 7 % 300 * 512, 512).expect("a page")
    };
    (0..writes).map(write).collect()
}

// planted bugs: a pause too short for all of the cache, or before the bytes that it holds; figures of the trace without pauses; years of a
// trace with pauses; a pause that is called a help because writes come more slowly; a trial on a drive whose cache was never full, or
// that folds in no gap
#[test]
fn what_a_host_can_do_is_tried_where_a_cache_was_full() {
    let of = |settings: &[&str]| {
        let timed = [
            "timing.model=parallel",
            "replay=timed",
            "timing.channel_mb_s=0",
            "timing.bus_mb_s=0",
            "timing.slc_read_us=20",
            "timing.slc_program_us=200",
            "timing.program_us=800",
            "timing.fold_program_us=800",
            "timing.erase_us=1500",
            "ftl.slc_full=direct",
            "ftl.slc_idle_us=1000",
        ];
        let mut options = CompareOptions::new(
            &Lab::new(),
            resolver(CACHED, &[&timed[..], settings].concat()),
        );
        options.buffers = vec!["none".into()];
        options.bounds = false;
        options.advice = true;
        options
    };
    let tried = |settings: &[&str], writes| {
        let trace = Trace::made("steady", steady(writes));
        let advice = compared(&of(settings), &trace).would_help;
        let mut tried = advice.map_or(Vec::new(), |advice| advice.tried);
        tried.retain(|tried| tried.by_host);
        tried
    };
    let found = tried(&[], 400);
    let [trim, pause] = &found[..] else {
        panic!("{found:?}");
    };
    assert!(
        pause.change.ends_with("ms after each 8.19 kB written") && pause.helps,
        "{pause:?}"
    );
    assert!(
        trim.change.starts_with("TRIM, after each 8.19 kB"),
        "{trim:?}"
    );
    assert_eq!(
        (pause.named(), &pause.set[..]),
        (pause.change.clone(), &[][..])
    );
    // 16 pages fit in eight blocks; each page is read in 20 µs and programmed in 800; the drive waits for a millisecond before
    let mut paused = steady(400);
    for (number, request) in paused.iter_mut().enumerate() {
        request.time_ns += number as u64 / 16 * (1_000_000 + 8 * (2 * 820_000 + 1_500_000));
    }
    let mut alone = of(&[]);
    alone.advice = false;
    let comparison = compared(&alone, &Trace::made("paused", paused));
    let repeated = &comparison.rows[0];
    for (figure, value) in pause.figures.iter() {
        assert_eq!(repeated.figure(&figure), value, "{}", figure.key);
    }
    let years = comparison.figures.named("years").expect("a figure");
    assert_eq!(pause.figures.get(&years), None);
    // the cache is emptied by what comes later, if requests are far apart: nothing is too slow
    assert!(tried(&["speedup=0.01"], 400).is_empty());
    assert!(tried(&[], 16).is_empty());
    let without_gaps = tried(&["ftl.slc_idle_us=0"], 400);
    assert_eq!(without_gaps.len(), 1);
    assert!(without_gaps[0].change.starts_with("TRIM"));
}
