//! Devices that are aged by their own workload.

use ssdlab_host::{Op, Request};
use ssdlab_sim::{
    CompareOptions, Comparison, Lab, Outcome, Replay, RunOptions, SimError, State, Trace, WAF,
    cells, extremes, run_loaded, settles,
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

/// What moves this share of the writes, by default that of the pages written once, to pages that the trace never writes. All
/// writes are single pages, so those that are moved are so one by one, if they do not continue the one before.
fn moving(seed: u64, share: Option<f64>) -> impl FnMut(Request) -> Request {
    let page_of = |request: &Request| request.offset / PAGE;
    let mut times = [0; PAGES as usize];
    let trace = requests();
    let writes = trace.iter().filter(|one| one.op() == Op::Write);
    writes.for_each(|one| times[page_of(one) as usize] += 1);
    let written = |page: &u64| times[*page as usize] > 0;
    let first = (0..PAGES).find(written).expect("writes");
    let last = (0..PAGES).rfind(written).expect("writes");
    let once = times.iter().filter(|times| **times == 1).count() as f64;
    let never = (first..=last).filter(|page| !written(page)).count() as f64;
    let share = share.unwrap_or(once.min(never) / 300.0);
    let most = ((share * 300.0 / once).min(1.0) * (1_u64 << 32) as f64) as u64;
    let (mut state, mut before) = (!seed, None);
    // the place of the last write, if it was moved
    let mut to: Option<u64> = None;
    let next = move |from: u64| {
        let mut pages = (from..=last).chain(first..=last);
        pages.find(|page| times[*page as usize] == 0).expect("one")
    };
    move |request| {
        if request.op() != Op::Write {
            return request;
        }
        let page = page_of(&request);
        let continues = before == page.checked_sub(1) && page > 0;
        before = Some(page);
        if times[page as usize] > 1 {
            to = None;
            return request;
        }
        to = match to {
            Some(to) if continues => Some(next(to + 1)),
            None if continues => None,
            _ if random(&mut state, 1 << 32) < most => {
                Some(next(first + random(&mut state, last - first + 1)))
            }
            _ => None,
        };
        let page = to.unwrap_or(page);
        Request::new(request.time_ns, Op::Write, page * PAGE, PAGE).expect("a request")
    }
}

/// The first requests that age the device, as section 3 of `docs/semantics.md` has them.
fn ageing(count: usize, segment: u64, seed: u64, unseen: Option<f64>) -> Vec<Request> {
    let trace = requests();
    let mut moved = moving(seed, unseen);
    let all = trace.len() as u64;
    let mut state = seed;
    let mut at = random(&mut state, all);
    let mut now = 1000;
    let mut ageing = Vec::new();
    for _ in 0..count {
        now += if at == 0 { 0 } else { 5 };
        let of = trace[at as usize];
        let request = Request::new(now, of.op(), of.offset, of.size()).expect("a request");
        ageing.push(moved(request));
        at = match random(&mut state, segment) {
            0 => random(&mut state, all),
            _ => (at + 1) % all,
        };
    }
    ageing
}

// Planted bugs: another order of the draws; a segment that does not go on at the start; an ageing that goes on or ends a
// request early; counters that have a part of it; a share of moved writes that is not the one asked for, or not that of the
// pages written once; a moved write at another place.
#[test]
fn the_trace_ages_the_device_in_random_pieces() {
    for (set, segment, seed, unseen) in [
        (&[][..], 22, 1, None),
        (
            &["precondition_segment=40", "precondition_seed=9"],
            40,
            9,
            None,
        ),
        (&["precondition_unseen=0"], 22, 1, Some(0.0)),
        (&["precondition_unseen=0.1"], 22, 1, Some(0.1)),
    ] {
        let found = aged(set);
        let settled = &found.steady_state.settled;
        assert_eq!(settled.state, State::Settled);
        // the first windows that are settled are those of the ageing
        let windows = (0..=settled.waf.len()).find(|&some| settles(&settled.waf[..some]));
        let windows = windows.expect("it settled") as u64;
        let mut left = windows * PAGES / 4;
        let mut before = ageing(10_000, segment, seed, unseen);
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
const GOLDEN: (u64, u64, u64) = (300, 300, 120);

// Planted bugs: a limit that is not reached, or is passed; a trace without writes that ages for ever; a share that is full.
#[test]
fn ageing_ends_at_its_limit_and_leaves_the_rest_unused() {
    let made = Trace::made("made", requests());
    let limited = [
        "precondition=workload",
        "precondition_limit=4.1",
        "precondition_unseen=0",
    ];
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

// Planted bugs: a buffer that pads blocks ages a drive for ever; the work of another device is counted; a warning that figures move
// of which nothing is known.
#[test]
fn ageing_ends_when_the_flash_has_worked_enough() {
    let blocks = [
        "flash.pages_per_block=64",
        "precondition_limit=3",
        "precondition_unseen=0",
    ];
    let none = aged(&blocks);
    assert!(none.steady_state.aged_writes >= Some(3.0));
    let padded = aged(&[&blocks[..], &["buffer.policy=bplru", "buffer.size=1KiB"]].concat());
    let waf = padded.counters.waf_pages().expect("pages");
    let written = padded.steady_state.aged_writes.expect("it is aged");
    assert!(waf > 30.0 && written < 2.0, "{waf} {written}");
    // what is programmed is twenty times the limit
    let programmed = written * waf / (20.0 * 3.0);
    assert!((0.5..2.0).contains(&programmed), "{programmed}");
    let last = padded.warnings.last().map_or("", String::as_str);
    assert!(last.contains("3 x would show"), "{last}");
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

// Planted bugs: latencies or time of the ageing in those of the trace; a count that depends on the clocks, which stand still; pages
// that the buffer holds after the ageing without a slot, so that too many find one, or with one that never becomes free.
#[test]
fn clocks_begin_behind_the_ageing() {
    let buffers = [
        &["buffer.policy=none"][..],
        &[
            "buffer.policy=lru",
            "buffer.size=4096",
            "buffer.reads=cache",
        ],
        &["buffer.policy=lru", "buffer.size=4096", "drain=false"],
    ];
    for buffer in buffers {
        let serial = aged(buffer);
        let clocked = [&["timing.model=parallel"], buffer].concat();
        for replay in ["closed", "timed"] {
            let clocked = aged(&[&clocked[..], &[format!("replay={replay}").as_str()]].concat());
            let mut counters = clocked.counters.clone();
            counters.elapsed_ns = serial.counters.elapsed_ns;
            assert_eq!(counters, serial.counters, "{buffer:?}");
            let latencies = clocked.latency_ns.as_ref().expect("clocks");
            assert_eq!(latencies.writes.count, 300);
            // one chip, which always works at one request in flight: its time is that of the serial model
            if replay == "closed" && buffer.len() == 1 {
                let [clocked, serial] =
                    [&clocked, &serial].map(|run| run.counters.elapsed_ns as f64);
                assert!((clocked / serial - 1.0).abs() < 0.1, "{clocked} {serial}");
            }
        }
    }
}

// Planted bugs: a large drive that is aged without a word, or a small one, or one that is not aged by the trace, with it.
#[test]
fn a_large_drive_says_what_its_ageing_takes() {
    let said = |set: &[&str], scaled: bool| {
        let mut resolver = resolver("", set);
        resolver.preset("nvme-tlc");
        if scaled {
            resolver.scale_to(1 << 30, "1GiB");
        }
        ssdlab_sim::ageing_takes(&Lab::new(), &resolver.resolve().expect("a drive"))
    };
    let said_of = |set: &[&str]| said(set, false);
    let found = said_of(&["precondition=workload"]).expect("it takes long");
    let start = "precondition = \"workload\": a drive of 953,856 MiB is aged by 3.00 TB to 20.0 TB of writes, which takes 1 to 33 \
                 minutes and 2.15 GB of memory";
    assert!(found.starts_with(start), "{found}");
    assert_eq!(said(&["precondition=workload"], true), None);
    assert_eq!(said_of(&["precondition=random:2"]), None);
}

/// A comparison of two cleaning policies.
fn of_cleaning(set: &[&str], settled: bool) -> Comparison {
    let mut options =
        CompareOptions::new(&Lab::new(), resolver(DEVICE, &[&PAGE_MAPPED, set].concat()));
    options.buffers = vec!["none".into()];
    options.sizes.clear();
    options.bounds = false;
    (options.settled, options.advice) = (settled, true);
    options.vary = vec![ssdlab_sim::Axis {
        key: "ftl.cleaning".into(),
        values: vec!["greedy".into(), "fifo".into()],
    }];
    compared(&options, &Trace::made("made", requests()))
}

// Planted bugs: rows that are not aged; a range without the run itself, or of one resampling alone; a given precondition that
// is replaced.
#[test]
fn what_is_asked_for_settled_is_aged_and_has_a_range() {
    let settled = of_cleaning(&[], true);
    assert!(!settled.spreads.is_empty());
    for spread in &settled.spreads {
        let mut rows = settled.rows.iter();
        let row = rows.find(|row| row.label == spread.label).expect("a row");
        assert_eq!(row.outcome.config["precondition"], "workload");
        let cleaning = row.outcome.config["ftl"]["cleaning"]
            .as_str()
            .expect("a name");
        let ways = [
            "precondition_seed=1",
            "precondition_segment=5",
            "precondition_segment=88",
            "precondition_seed=0",
            "precondition_seed=3",
        ];
        let cleaning = format!("ftl.cleaning={cleaning}");
        let waf = ways.map(|way| aged(&[way, &cleaning]).derived.waf.expect("writes"));
        let range = spread.figures.get(&WAF).flatten().expect("a range");
        assert_eq!(range, extremes(&waf), "{waf:?}");
        assert!(range[0] < range[1]);
    }
    let given = of_cleaning(&["precondition=random:1"], true);
    assert!(given.spreads.is_empty());
    assert_eq!(given.rows[0].outcome.config["precondition"], "random:1");
}

// Planted bugs: advice that is tried on the drive of the table; a winner that is not run anew.
#[test]
fn advice_is_tried_on_drives_that_the_trace_has_aged() {
    let comparison = of_cleaning(&[], false);
    let advice = comparison.would_help.expect("changes were tried");
    assert_eq!(advice.set, ["precondition=workload"]);
    let winner = comparison.verdict.winner.expect("one is ahead");
    let cleaning = if winner.contains("fifo") {
        "fifo"
    } else {
        "greedy"
    };
    let found = aged(&[&format!("ftl.cleaning={cleaning}")]);
    assert_eq!(advice.figures.get(&WAF).flatten(), found.derived.waf);
    assert!(!advice.tried.is_empty());
    let settled = of_cleaning(&[], true)
        .would_help
        .expect("changes were tried");
    assert!(settled.set.is_empty());
}
