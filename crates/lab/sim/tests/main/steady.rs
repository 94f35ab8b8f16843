//! The steady state of runs, and when replays have reached it.
//!
//! Planted bugs that these catch: two replays that agree before cleaning has started; log blocks that are not full yet;
//! a first replay reported as the steady one; one number of replays for all runs of a comparison.

use ssdlab_sim::{CompareOptions, LoopReport, Row, Trace};

use crate::{DEVICE, compared, resolver, scattered, writes};

/// One run, replayed until it is steady, with a largest number of replays.
fn replayed(set: &[&str], trace: &Trace, most: u32) -> Row {
    let mut options = CompareOptions::new(resolver(DEVICE, set));
    options.buffers = vec!["none".into()];
    options.sizes.clear();
    options.bounds = false;
    options.jobs = 1;
    options.replay.loops = most;
    options.replay.steady = most > 1;
    compared(&options, trace).rows.remove(0)
}

fn figures(one: &LoopReport) -> [f64; 3] {
    let counters = &one.counters;
    let waf = counters.waf_pages().unwrap_or(0.0);
    [waf, counters.erases as f64, counters.elapsed_ns as f64]
}

fn agree(a: &LoopReport, b: &LoopReport) -> bool {
    let mut pairs = figures(a).into_iter().zip(figures(b));
    pairs.all(|(a, b)| (a - b).abs() <= 0.01 * a.max(b))
}

#[test]
fn a_run_that_never_cleaned_says_so() {
    // 32 of 256 pages on 20 spare blocks of 4
    let page = ["ftl.kind=page", "ftl.spare_blocks=20"];
    let row = replayed(&page, &writes(0..32), 1);
    let state = &row.outcome.steady_state;
    assert_eq!(state.capacity_writes, 0.125);
    assert_eq!(state.cleaning_started, Some(false));
    assert_eq!((state.replays, state.steady), (1, None));
    let warning = "host wrote 0.12 x capacity; cleaning never started";
    assert!(
        row.outcome.warnings.iter().any(|w| w == warning),
        "{:?}",
        row.outcome.warnings
    );
    // every write of the full device replaces a page of a block
    let row = replayed(&["ftl.kind=bast"], &writes(scattered(100, 256)), 1);
    assert_eq!(row.outcome.steady_state.cleaning_started, Some(true));
    assert!(
        row.outcome.warnings.is_empty(),
        "{:?}",
        row.outcome.warnings
    );
    let row = replayed(&["ftl.kind=ideal"], &writes(0..256), 1);
    assert_eq!(row.outcome.steady_state.cleaning_started, None);
    assert!(row.outcome.warnings.is_empty());
}

#[test]
fn replays_end_when_two_agree_after_cleaning_has_begun() {
    // each replay takes 25 blocks of 200 spare ones: the first seven agree, and none cleans
    let page = ["ftl.kind=page", "ftl.spare_blocks=200"];
    let trace = writes(scattered(100, 256));
    let row = replayed(&page, &trace, 100);
    let state = &row.outcome.steady_state;
    assert_eq!(state.steady, Some(true));
    let loops = row.outcome.loops.as_ref().expect("several replays");
    assert_eq!(loops.len() as u32, state.replays);
    assert_eq!(
        state.capacity_writes,
        f64::from(state.replays) * 100.0 / 256.0
    );
    let cleaned = loops.iter().position(|one| one.counters.gc_victims > 0);
    let cleaned = cleaned.expect("cleaning");
    assert!(cleaned >= 7 && agree(&loops[0], &loops[1]), "{cleaned}");
    let last = &loops[cleaned + 1..];
    assert!(
        last.len() >= 2,
        "two replays after the one in which cleaning began"
    );
    let agreeing: Vec<usize> = (1..last.len())
        .filter(|&i| agree(&last[i - 1], &last[i]))
        .collect();
    assert_eq!(agreeing, [last.len() - 1]);
    assert_eq!(
        last.last().map(|one| &one.counters),
        Some(&row.outcome.counters)
    );
}

#[test]
fn replays_that_do_not_agree_in_time_are_told() {
    let page = ["ftl.kind=page", "ftl.spare_blocks=200"];
    let row = replayed(&page, &writes(scattered(100, 256)), 5);
    let state = &row.outcome.steady_state;
    assert_eq!((state.replays, state.steady), (5, Some(false)));
    let warning = "not steady after 5 replays: cleaning never started (host wrote 1.95 x capacity)";
    assert_eq!(row.outcome.warnings, [warning]);
}

#[test]
fn a_log_that_is_still_being_filled_is_not_steady() {
    // each replay adds a switch merge and four pages in the random log blocks, of which there are ten
    let trace = writes((0..4).chain([9, 22, 35, 50]));
    let row = replayed(&["ftl.kind=fast", "ftl.log_blocks=11"], &trace, 50);
    let loops = row.outcome.loops.as_ref().expect("several replays");
    let erases: Vec<u64> = loops.iter().map(|one| one.counters.erases).collect();
    // the log is full after ten replays, and each later replay frees a log block
    assert_eq!(erases, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2]);
    assert_eq!(row.outcome.steady_state.steady, Some(true));
}

#[test]
fn whole_blocks_that_are_switched_leave_log_blocks_unused_for_ever() {
    let row = replayed(&["ftl.kind=bast", "ftl.log_blocks=7"], &writes(0..40), 50);
    let state = &row.outcome.steady_state;
    assert_eq!((state.replays, state.steady), (3, Some(true)));
    assert_eq!(row.outcome.counters.switch_merges, 10);
    // no log block ever fills up in this run
    let row = replayed(&["ftl.kind=ideal"], &writes(0..40), 50);
    assert_eq!(row.outcome.steady_state.replays, 2);
}

#[test]
fn each_run_of_a_comparison_decides_for_itself() {
    let mut options = CompareOptions::new(resolver(DEVICE, &["ftl.spare_blocks=60"]));
    options.buffers = vec!["none".into()];
    options.sizes.clear();
    options.bounds = false;
    options.replay.loops = 60;
    options.replay.steady = true;
    options.vary = vec![ssdlab_sim::Axis {
        key: "ftl.kind".into(),
        values: ["bast", "page"].map(String::from).into(),
    }];
    let trace = writes(scattered(100, 256));
    let comparison = compared(&options, &trace);
    let replays = comparison
        .rows
        .iter()
        .map(|row| row.outcome.steady_state.replays);
    let alone = ["bast", "page"].map(|kind| {
        let set = [&format!("ftl.kind={kind}"), "ftl.spare_blocks=60"];
        replayed(&set, &trace, 60).outcome.steady_state.replays
    });
    assert_eq!(replays.collect::<Vec<_>>(), alone);
    assert_ne!(alone[0], alone[1]);
    // the single run that is not steady is named
    options.replay.loops = alone[0].min(alone[1]);
    let comparison = compared(&options, &trace);
    let slower = usize::from(alone[1] > alone[0]);
    let label = &comparison.rows[slower].label;
    let warning = format!(
        "not steady after {} replays with {label}",
        options.replay.loops
    );
    assert!(
        comparison.warnings.contains(&warning),
        "{:?}",
        comparison.warnings
    );
}
