//! Devices that are aged by their own workload.

use ssdlab_host::{Op, Request};
use ssdlab_sim::{
    CompareOptions, Lab, Outcome, Replay, RunOptions, SimError, State, Trace, cells, run_loaded,
    settles,
};

use crate::{DEVICE, PAGE, compared, resolver, scattered};

/// Pages of the device.
const PAGES: u64 = 256;
const PAGE_MAPPED: [&str; 3] = ["ftl.kind=page", "ftl.spare_blocks=20", "buffer.policy=none"];

/// 300 writes of single pages, a read and a discard behind each tenth, 5 ns apart.
fn requests() -> Vec<Request> {
    let mut all = Vec::new();
    for (at, page) in scattered(300, PAGES).enumerate() {
        let mut add = |op| {
            let time = 1000 + 5 * all.len() as u64;
            all.push(Request::new(time, op, page * PAGE, PAGE).expect("a request"));
        };
        add(Op::Write);
        if at % 10 == 0 {
            add(Op::Read);
            add(Op::Discard);
        }
    }
    all
}

fn run(set: &[&str], trace: &Trace, replay: Replay) -> Result<Outcome, SimError> {
    let config = resolver(DEVICE, &[&PAGE_MAPPED, set].concat())
        .resolve()
        .expect("a device");
    let options = RunOptions {
        replay,
        ..RunOptions::new(&Lab::new())
    };
    run_loaded(config, trace, options)
}

fn aged(set: &[&str]) -> Outcome {
    let set = [&["precondition=workload"], set].concat();
    run(&set, &Trace::made("made", requests()), Replay::default()).expect("a run")
}

/// The numbers of SplitMix64.
fn random(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    ((u128::from(z) * u128::from(below)) >> 64) as u64
}

/// The first requests that age the device, as section 13 of `docs/semantics.md` has them.
fn ageing(count: usize, segment: u64, seed: u64) -> Vec<Request> {
    let trace = requests();
    let all = trace.len() as u64;
    let mut state = seed;
    let mut at = random(&mut state, all);
    let mut now = 1000;
    let mut ageing = Vec::new();
    for _ in 0..count {
        now += if at == 0 { 0 } else { 5 };
        let of = trace[at as usize];
        ageing.push(Request::new(now, of.op(), of.offset, of.size()).expect("a request"));
        at = match random(&mut state, segment) {
            0 => random(&mut state, all),
            _ => (at + 1) % all,
        };
    }
    ageing
}

// Planted bugs: another order of the draws; a segment that does not go on at the start; an ageing that goes on or ends a
// request early; counters that have a part of it.
#[test]
fn the_trace_ages_the_device_in_random_pieces() {
    for (set, segment, seed) in [
        (&[][..], 22, 1),
        (&["precondition_segment=40", "precondition_seed=9"], 40, 9),
    ] {
        let found = aged(set);
        let settled = &found.steady_state.settled;
        assert_eq!(settled.state, State::Settled);
        // the first windows that are settled are those of the ageing
        let windows = (0..=settled.waf.len()).find(|&some| settles(&settled.waf[..some]));
        let windows = windows.expect("it settled") as u64;
        let mut left = windows * PAGES / 4;
        let mut before = ageing(10_000, segment, seed);
        let last = before.iter().position(|request| {
            left -= u64::from(request.op() == Op::Write);
            left == 0
        });
        before.truncate(last.expect("enough") + 1);
        let once = |requests| {
            run(&[], &Trace::made("made", requests), Replay::default())
                .expect("a run")
                .counters
        };
        let alone = once(before.clone());
        let both = once([before, requests()].concat());
        assert_eq!(found.counters, both.since(&alone));
        assert_eq!(found.steady_state.aged_writes, Some(windows as f64 / 4.0));
        assert_eq!(found.steady_state.capacity_writes, 300.0 / PAGES as f64);
    }
}

// Planted bug: anything that is not the same everywhere.
#[test]
fn every_way_to_run_counts_the_same() {
    let found = aged(&[]).counters;
    let golden = (found.host_writes, found.flash_programs, found.erases);
    assert_eq!(golden, GOLDEN);
    let trace = Trace::made("made", requests());
    let set = [&["precondition=workload"], &PAGE_MAPPED[..]].concat();
    let mut options = CompareOptions::new(&Lab::new(), resolver(DEVICE, &set));
    options.buffers = vec!["none".into()];
    options.sizes.clear();
    for jobs in [1, 2] {
        options.jobs = jobs;
        let comparison = compared(&options, &trace);
        assert_eq!(comparison.rows[0].outcome.counters, found);
    }
    let (cells, _) = cells(&options, &trace).expect("cells");
    let measured = cells[0].measure(&trace).expect("a run");
    assert_eq!(measured.replays, [found]);
}

/// Writes and programs of the host, and erases.
const GOLDEN: (u64, u64, u64) = (300, 300, 115);

// Planted bugs: a limit that is not reached, or is passed; a trace without writes that ages for ever; a share that is full.
#[test]
fn ageing_ends_at_its_limit_and_leaves_the_rest_unused() {
    let made = Trace::made("made", requests());
    let limited = ["precondition=workload", "precondition_limit=4.1"];
    let found = run(&limited, &made, Replay::default()).expect("a run");
    assert_eq!(found.steady_state.aged_writes, Some(4.25));
    assert_eq!(found.steady_state.settled.state, State::Unsettled);
    let last = found.warnings.last().map_or("", String::as_str);
    assert!(
        last.ends_with("; raise precondition_limit, or take a longer trace"),
        "{last}"
    );
    let reads = Request::new(0, Op::Read, 0, PAGE).expect("a request");
    let reads = Trace::made("made", vec![reads; 10]);
    let found = run(&["precondition=workload"], &reads, Replay::default()).expect("a run");
    assert_eq!(
        (found.steady_state.aged_writes, found.warnings.len()),
        (None, 0)
    );
    let waf = |outcome: &Outcome| outcome.counters.waf_pages().expect("pages");
    let [full, less] = ["workload", "0.7,workload"].map(|how| {
        run(
            &[&format!("precondition={how}")],
            &Trace::made("made", requests()),
            Replay::default(),
        )
    });
    let [full, less] = [full, less].map(|outcome| waf(&outcome.expect("a run")));
    assert!(less < full, "{less} {full}");
}

// Planted bugs: a loop after ageing that is no cycle; a placement that foresees other writes than those that come.
#[test]
fn loops_stay_a_cycle_and_what_foresees_is_refused() {
    let trace = Trace::made("made", requests());
    let twice = Replay {
        loops: 2,
        ..Replay::default()
    };
    let found = run(&["precondition=workload"], &trace, twice).expect("a run");
    assert_eq!(found.steady_state.settled.state, State::Cycle);
    let foreseeing = ["precondition=workload", "ftl.placement=future"];
    let why = run(&foreseeing, &trace, Replay::default())
        .err()
        .map(|why| why.to_string());
    assert_eq!(
        why.as_deref(),
        Some(
            "ftl.placement = \"future\": it foresees the writes, and nobody knows how many age the drive with precondition = \
             \"workload\""
        )
    );
}
