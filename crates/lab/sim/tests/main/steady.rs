//! The steady state of runs, and when replays have reached it.
//!
//! Planted bugs that these catch: two replays that agree before cleaning has started; log blocks that are not full yet;
//! a first replay reported as the steady one; one number of replays for all runs of a comparison.

use ssdlab_sim::{CompareOptions, Lab, LoopReport, Row, State, SteadyState, Trace, settles};

use crate::{DEVICE, compared, resolver, scattered, writes};

/// One run, replayed until it is steady, with a largest number of replays.
fn replayed(set: &[&str], trace: &Trace, most: u32) -> Row {
    let mut options = CompareOptions::new(&Lab::new(), resolver(DEVICE, set));
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
    let warning = "host wrote 0.12 x capacity; cleaning never started: the figures say nothing of a drive in use; let \
                   the trace age the drive first: add --set precondition=workload, or take a longer trace";
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

/// A comparison without a buffer over two values of a key, each replayed until it is steady.
fn until_steady(setting: &str, key: &str, values: [&str; 2]) -> CompareOptions {
    let mut options = CompareOptions::new(&Lab::new(), resolver(DEVICE, &[setting]));
    options.buffers = vec!["none".into()];
    options.sizes.clear();
    options.bounds = false;
    options.replay.loops = 60;
    options.replay.steady = true;
    options.vary = vec![ssdlab_sim::Axis {
        key: key.into(),
        values: values.map(String::from).into(),
    }];
    options
}

#[test]
fn each_run_of_a_comparison_decides_for_itself() {
    let mut options = until_steady("ftl.spare_blocks=60", "ftl.kind", ["bast", "page"]);
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

/// One run of a drive with page mapping, replayed until it is steady if `most` is above 1.
fn page_mapped(set: &[&str], requests: u64, most: u32) -> Row {
    let page = ["ftl.kind=page", "ftl.spare_blocks=20"];
    replayed(
        &[&page, set].concat(),
        &writes(scattered(requests, 256)),
        most,
    )
}

/// The warning of a run, which has no other.
fn warning(row: &Row) -> &str {
    match row.outcome.warnings.as_slice() {
        [] => "",
        [one] => one,
        many => panic!("{many:?}"),
    }
}

// Planted bugs: a loop over a small part of the capacity called steady; a long trace called a cycle; no way out named.
#[test]
fn a_loop_over_a_small_part_of_the_capacity_is_a_cycle() {
    let short = page_mapped(&[], 100, 100);
    let state = &short.outcome.steady_state;
    let found = |state: &SteadyState| (state.steady, state.settled.state);
    assert_eq!(found(state), (Some(true), State::Cycle));
    assert!(
        state.in_words().contains("; a cycle after "),
        "{}",
        state.in_words()
    );
    assert_eq!(
        warning(&short),
        "a cycle, not a settled state: each replay writes 0.39 x capacity, and less than 2 x is too little; life, write \
         amplification and ranking are those of the cycle; take a longer trace, or replay it once on a drive that it has \
         aged: add --set precondition=workload"
    );
    let long = page_mapped(&[], 2 * 256, 100);
    let state = &long.outcome.steady_state;
    assert_eq!(found(state), (Some(true), State::Settled));
    assert_eq!((warning(&long), state.doubt()), ("", None));
}

// Planted bugs: a drive that was filled in order taken for one in use; windows of another size, or of the last replay alone;
// an FTL that merges judged by windows.
#[test]
fn a_run_that_has_not_settled_says_so() {
    let young = page_mapped(&[], 200, 1);
    assert_eq!(young.outcome.steady_state.cleaning_started, Some(true));
    let settled = |row: &Row| row.outcome.steady_state.settled.clone();
    assert_eq!(settled(&young).state, State::Unsettled);
    // of 64 pages each
    assert_eq!(settled(&young).waf.len(), 3);
    assert_eq!(
        warning(&young),
        "not settled: host wrote 0.78 x capacity, and 3 x would show whether write amplification moves no more; let the \
         trace age the drive first: add --set precondition=workload, or take a longer trace"
    );
    let long = page_mapped(&[], 20 * 256, 1);
    assert_eq!((settled(&long).state, warning(&long)), (State::Settled, ""));
    let waf = settled(&long).waf;
    assert_eq!((waf.len(), settles(&waf)), (80, true));
    let page = u64::from(
        long.outcome.config["flash"]["page_size"]
            .as_u64()
            .expect("bytes") as u32,
    );
    assert_eq!(settled(&long).window_bytes, 64 * page);
    let mean = waf.iter().sum::<f64>() / 80.0;
    let whole = long.outcome.counters.waf(page).expect("writes");
    assert!((mean / whole - 1.0).abs() < 1e-9, "{mean} {whole}");
    // first one page again and again, then all of them
    let first = std::iter::repeat_n(0, 3 * 256);
    let grows = replayed(
        &["ftl.kind=page", "ftl.spare_blocks=20"],
        &writes(first.chain(scattered(3 * 256, 256))),
        1,
    );
    assert_eq!(
        warning(&grows),
        "not settled: host wrote 6.00 x capacity, and write amplification still moves; let the trace age the drive first: \
         add --set precondition=workload, or take a longer trace"
    );
    // log blocks have no such history
    let merges = replayed(&["ftl.kind=bast"], &writes(scattered(100, 256)), 1);
    assert_eq!(
        (settled(&merges).state, warning(&merges)),
        (State::Settled, "")
    );
}

// Planted bugs: a verdict and a knee that do not say that they are of a cycle.
#[test]
fn a_verdict_and_a_knee_say_what_they_are_of() {
    let options = until_steady("ftl.kind=page", "ftl.over_provisioning", ["0.3", "0.5"]);
    let of_cycle = "of a cycle, not of a settled state";
    let comparison = compared(&options, &writes(scattered(100, 256)));
    assert!(
        comparison
            .sentence
            .ends_with(&format!("; these figures are {of_cycle}."))
    );
    assert!(comparison.spare[0].in_words().ends_with(of_cycle));
    let cycles = comparison
        .warnings
        .iter()
        .filter(|w| w.starts_with("a cycle, "));
    assert_eq!(cycles.count(), 1, "{:?}", comparison.warnings);
    let comparison = compared(&options, &writes(scattered(600, 256)));
    assert!(
        !comparison.sentence.contains("these figures"),
        "{}",
        comparison.sentence
    );
    assert!(!comparison.spare[0].in_words().contains("cycle"));
}
