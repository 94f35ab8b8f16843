//! The progress of a run, and the result of an interrupted comparison.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use ssdlab_sim::{
    CompareOptions, Lab, Replay, RunOptions, StopFlag, compare, passes, passes_again, run,
    run_loaded,
};
use ssdlab_trace::{Passed, ReadOptions, Watch};

use crate::{DEVICE, resolver, scattered, writes};

// planted bugs: a pass that is not counted; one that ends too early; requests reported twice
#[test]
fn every_pass_over_the_trace_is_told() {
    const LIMIT: u64 = 10_000;
    let trace = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../traces/w9-ext3-postmark.csv.zst"
    );
    let replay = |compact, loops| Replay {
        compact,
        loops,
        ..Replay::default()
    };
    for (capacity, repeat, replay) in [
        ("1G", 0, replay(false, 1)),
        ("auto", 0, replay(false, 1)),
        ("1G", 0, replay(false, 3)),
        ("1G", 0, replay(true, 1)),
        ("1G", 2, replay(false, 1)),
        ("1G", 2, replay(true, 3)),
    ] {
        let config = resolver("", &[&format!("flash.capacity={capacity}")]).resolve();
        let config = config.expect("a device");
        let told: Arc<[AtomicU64; 3]> = Arc::default();
        let counts = told.clone();
        let watch = Watch::new(move |passed: Passed| {
            let at_end = passed.at.is_some_and(|(at, whole)| at == whole);
            for (count, more) in
                counts
                    .iter()
                    .zip([passed.begins.into(), passed.requests, at_end.into()])
            {
                count.fetch_add(more, Ordering::Relaxed);
            }
        });
        let read = ReadOptions {
            limit: Some(LIMIT),
            watch,
            ..ReadOptions::default()
        };
        let options = RunOptions {
            repeat,
            replay: replay.clone(),
            ..RunOptions::new(&Lab::new())
        };
        let expected = passes(&config, &options);
        run(config, Path::new(trace), &read, options).expect("a run");
        let [begun, requests, ended] = [0, 1, 2].map(|i| told[i].load(Ordering::Relaxed));
        let told = format!("{capacity} {repeat} {replay:?}");
        // the end may be reported again
        assert!(
            begun == expected && ended >= expected,
            "{told}: {begun}, {ended}"
        );
        assert_eq!(requests, expected * LIMIT, "{capacity} {repeat} {replay:?}");
    }
}

// planted bugs: a first pass is counted, although the trace was read before; clones of a trace tell one watch; whether a
// buffer foresees writes needs a capacity
#[test]
fn every_pass_over_a_trace_that_was_read_is_told() {
    const LENGTH: u64 = 5000;
    let trace = writes(scattered(LENGTH, 256));
    for (capacity, policy, compact, loops) in [
        ("128KiB", "lru", false, 1),
        ("auto", "lru", false, 1),
        ("auto", "clairvoyant", false, 1),
        ("auto", "clairvoyant", true, 1),
        ("auto", "lru", true, 3),
    ] {
        let capacity = format!("flash.capacity={capacity}");
        let policy = format!("buffer.policy={policy}");
        let set = [&capacity, &policy, "ftl.kind=page", "buffer.size=4096"];
        let config = resolver(DEVICE, &set).resolve().expect("a device");
        let options = RunOptions {
            replay: Replay {
                compact,
                loops,
                ..Replay::default()
            },
            ..RunOptions::new(&Lab::new())
        };
        let expected = passes_again(&config, &options) * LENGTH;
        let [told, other] = [0, 1].map(|_| Arc::<AtomicU64>::default());
        let watched = |told: &Arc<AtomicU64>| {
            let (mut trace, told) = (trace.clone(), told.clone());
            trace.watched_by(Watch::new(move |passed| {
                told.fetch_add(passed.requests, Ordering::Relaxed);
            }));
            trace
        };
        let (trace, _other) = (watched(&told), watched(&other));
        run_loaded(config, &trace, options).expect("a run");
        let told = [told, other].map(|told| told.load(Ordering::Relaxed));
        assert_eq!(told, [expected, 0], "{set:?} {compact} {loops}");
    }
}

// planted bug: ageing polls nobody
#[test]
fn ageing_is_polled() {
    let polls: Arc<AtomicUsize> = Arc::default();
    let told = polls.clone();
    let lab = Lab::new().polled_by(Arc::new(move || {
        told.fetch_add(1, Ordering::Relaxed);
    }));
    let config = |set: &[&str]| resolver(DEVICE, set).resolve().expect("a device");
    lab.systems().device(&config(&[])).expect("a device");
    assert_eq!(polls.load(Ordering::Relaxed), 0);
    let aged = config(&["ftl.kind=page", "precondition=random:300"]);
    lab.systems().device(&aged).expect("a device");
    assert!(polls.load(Ordering::Relaxed) > 3);
}

// planted bugs: finished runs are lost; an unfinished run counts as finished; a winner among half of the runs
#[test]
fn an_interrupt_leaves_what_is_finished() {
    let stop = StopFlag::default();
    let mut options = CompareOptions::new(&Lab::new(), resolver(DEVICE, &[]));
    options.sizes = vec![4096, 8192];
    options.jobs = 1;
    let trace = writes(scattered(2000, 256));
    let whole = compare(&trace, &options, |_| {}).expect("a comparison");
    assert_eq!(whole.missing_runs, 0);
    options.stop = Some(stop.clone());
    let calls = AtomicUsize::new(0);
    // the first call comes before the first run
    let after_three = |_| {
        let calls = calls.fetch_add(1, Ordering::Relaxed);
        stop.store(calls >= 3, Ordering::Relaxed);
    };
    let part = compare(&trace, &options, after_three).expect("a part of it");
    assert_eq!(
        (part.rows.len(), part.missing_runs),
        (3, whole.rows.len() - 3)
    );
    for (a, b) in part.rows.iter().zip(&whole.rows) {
        assert_eq!(
            (&a.label, &a.outcome.counters),
            (&b.label, &b.outcome.counters)
        );
    }
    assert!(part.rows.iter().all(|row| !row.best) && part.verdict.winner.is_none());
    let told = format!(
        "Incomplete: interrupted after 3 of {} runs on made",
        whole.rows.len()
    );
    assert!(part.sentence.starts_with(&told), "{}", part.sentence);
    assert!(
        part.warnings[0].starts_with("incomplete: 3 of "),
        "{:?}",
        part.warnings
    );
}
