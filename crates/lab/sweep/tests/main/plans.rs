use std::sync::atomic::Ordering;

use ssdlab_sim::{Lab, StopFlag};
use ssdlab_sweep::{Planned, SweepError};

use super::{PLAN, Place};

fn refused(plan: &str) -> String {
    let place = Place::new();
    let planned = place.planned(plan);
    let explained = planned.and_then(|planned| planned.sweep(None, 1, || ())?.explain());
    explained.map(drop).unwrap_err().to_string()
}

// planted bugs: a wrong key is skipped; the line of another key; the second error is found only when it runs
#[test]
fn what_a_plan_cannot_say_is_refused_with_its_line() {
    let traces = "traces = [\"a.csv\"]\n";
    for (plan, expected) in [
        (
            "",
            "sweep.toml:1: no traces; a plan needs a list such as traces = [\"traces/*.csv.zst\"]",
        ),
        (
            "traces = []\n",
            "sweep.toml:1: traces: is empty; needs one at least",
        ),
        (
            "traces = [\"no*.csv\"]\n",
            "sweep.toml:1: traces: no file fits \"no*.csv\" in",
        ),
        (
            "traces = [1]\n",
            "sweep.toml:1: traces: found 1; must be a path or pattern",
        ),
        (
            "traces = [{ file = \"a.csv\", seeds = [1] }]\n",
            "seeds go with generate",
        ),
        (
            "traces = [{ file = \"a.csv\", sector = \"x\" }]\n",
            "sweep.toml:1: traces: invalid value 'x' for '--sector",
        ),
        (
            "traces = [{ file = \"a.csv\", colour = \"x\" }]\n",
            "unexpected argument '--colour",
        ),
        (
            "traces = [{ file = \"a.csv\", set = \"x\" }]\n",
            "sweep.toml:1: traces: ",
        ),
        (
            "traces = [{ generate = \"zipf --theta x\" }]\n",
            "sweep.toml:1: traces: generate: invalid value 'x'",
        ),
        (
            "traces = [\"a.csv\", \"a.*\"]\n",
            "sweep.toml:1: traces: a.csv is there twice",
        ),
        (
            "x = 1\n",
            "sweep.toml:1: unknown key x; must be traces, preset,",
        ),
        ("traces = [\n", "sweep.toml:1: not TOML"),
        ("preset = \"x\"\n", "preset = \"x\": must be one of"),
        (
            "repeat = \"often\"\n",
            "repeat = \"often\": must be \"once\", \"steady\" or a number from 1 to 100000",
        ),
        (
            "scale-to = \"0\"\n",
            "scale-to = \"0\": must be a size above 0",
        ),
        ("config = \"no.toml\"\n", "no.toml\": cannot be read"),
        (
            "[device]\nbuffer.sise = 1\n",
            "sweep.toml:3: unknown key buffer.sise",
        ),
        (
            "[axes]\nbuffer.polcy = [\"lru\"]\n",
            "sweep.toml:3: unknown key buffer.polcy",
        ),
        (
            "[axes]\nbuffer.size = []\n",
            "sweep.toml:3: buffer.size: is empty",
        ),
        (
            "[axes]\nbuffer.size = [\"1MiB\", \"1MiB\"]\n",
            "sweep.toml:3: buffer.size = \"1MiB\": is there twice",
        ),
        (
            "[axes]\nbuffer.size = [true]\n",
            "sweep.toml:3: buffer.size = true: must be a size",
        ),
        (
            "[axes]\nbuffer.policy = [\"lru\", \"fob\"]\n",
            "buffer.policy = \"fob\": must be one of",
        ),
        (
            "[systems.DEB]\nftl.placement = \"x\"\n",
            "DEB: ftl.placement = \"x\": must be one of",
        ),
        (
            "[[without]]\n",
            "without: an empty table would leave out everything",
        ),
        (
            "[[without]]\nsystem = \"DEB\"\n",
            "without: no system is named \"DEB\"",
        ),
        (
            "[device]\nflash.capacity = \"1MiB\"\nflash.page_size=4096\nflash.pages_per_block=16\n",
            "",
        ),
    ] {
        if expected.is_empty() {
            continue;
        }
        let plan = match plan.contains("traces") || plan.is_empty() {
            true => plan.to_owned(),
            false => traces.to_owned() + plan,
        };
        let why = refused(&plan);
        let expected = match plan.starts_with(traces) && expected.starts_with("sweep.toml:1:") {
            true => expected.replacen(":1:", ":2:", 1),
            false => expected.to_owned(),
        };
        assert!(why.contains(&expected), "{plan}\n{why}\n{expected}");
    }
}

// planted bug: only the first refused combination is told
#[test]
fn every_refused_combination_is_told_or_left_out() {
    let plan = PLAN.to_owned() + "ftl.kind = [\"bast\", \"no\", \"none\"]\n";
    let why = refused(&plan);
    assert_eq!(
        why.matches("ftl.kind = \"no\": must be one of").count(),
        6,
        "{why}"
    );
    assert_eq!(why.matches("ftl.kind = \"none\"").count() / 2, 6, "{why}");
    let place = Place::new();
    let sweep = place.sweep(&("refused = \"leave-out\"\n".to_owned() + &plan));
    let explained = sweep.explain().unwrap();
    assert_eq!((explained.configurations, explained.refused), (5, 12 * 5));
    // a trace may make a run impossible
    let small = PLAN
        .replace("8MiB", "1MiB")
        .replace("capacity 1MiB", "capacity 2MiB");
    let why = refused(&small);
    assert!(why.contains("behind flash.capacity, 1 MiB"), "{why}");
    assert_eq!(why.matches("behind").count(), 10, "{why}");
}

// planted bug: a size that no buffer reads makes runs of its own
#[test]
fn combinations_that_set_nothing_else_run_once() {
    let place = Place::new();
    let explained = place.sweep(PLAN).explain().unwrap();
    assert_eq!(
        (explained.traces, explained.configurations, explained.alike),
        (5, 5, 1)
    );
    assert_eq!(explained.runs, 25);
}

// planted bugs: a filter holds if one of its keys has a value; a key of the device does not count; a trace filter holds
// for every trace
#[test]
fn filters_leave_out_what_they_name() {
    let runs = |more: &str| {
        let place = Place::new();
        let explained = place.sweep(&(PLAN.to_owned() + more)).explain().unwrap();
        (explained.left_out, explained.runs)
    };
    assert_eq!(
        runs("[[without]]\nbuffer.policy = \"none\"\nbuffer.size = \"64KiB\"\n"),
        (1, 25)
    );
    assert_eq!(
        runs("[[without]]\nbuffer.policy = [\"none\", \"fab\"]\n"),
        (4, 10)
    );
    assert_eq!(
        runs("[[without]]\nbuffer.size = 65536\nflash.page_size = 4096\n"),
        (3, 15)
    );
    assert_eq!(
        runs("[[without]]\nbuffer.size = 65536\nflash.page_size = 2048\n"),
        (0, 25)
    );
    assert_eq!(
        runs("[[without]]\nbuffer.policy = \"lru\"\ntrace = [\"a*\", \"uniform*\"]\n"),
        (0, 19)
    );
}

// planted bugs: an axis overrides a system; systems without their names
#[test]
fn systems_override_axes() {
    let place = Place::new();
    let plan = r#"
        traces = ["a.csv"]
        [axes]
        buffer.policy = ["lru", "fab"]
        [systems]
        one = { buffer.policy = "fifo", flash.page_size = 4096 }
        other = { "flash.page_size" = 4096 }
    "#;
    let sweep = place.sweep(plan);
    let all: Vec<_> = (0..3)
        .map(|at| {
            let one = sweep.combination(at);
            (one.system.clone().unwrap(), one.config.policy)
        })
        .collect();
    let expected = [("one", "fifo"), ("other", "lru"), ("other", "fab")];
    assert_eq!(
        all,
        expected.map(|(name, policy)| (name.to_owned(), policy))
    );
}

// planted bug: who is to stop makes all combinations, or checks all runs, first
#[test]
fn a_plan_that_is_stopped_ends() {
    let (place, stop) = (Place::new(), StopFlag::default());
    let (lab, plan) = (Lab::new(), || PLAN.to_owned());
    let unless = || Planned::unless(&stop, "x", plan(), place.path(), &lab, "1");
    let sweep = unless().unwrap().sweep(None, 1, || ()).unwrap();
    assert_eq!(
        sweep.explain_unless(&stop).unwrap(),
        sweep.explain().unwrap()
    );
    stop.store(true, Ordering::Relaxed);
    assert!(matches!(
        sweep.explain_unless(&stop),
        Err(SweepError::Stopped)
    ));
    assert!(matches!(unless().map(drop), Err(SweepError::Stopped)));
}

// planted bug: all combinations are made before they are counted
#[test]
fn a_plan_without_end_is_refused() {
    let place = Place::new();
    let values: Vec<u32> = (1..=1000).collect();
    let keys = [
        "flash.pe_cycles",
        "timing.read_us",
        "timing.program_us",
        "timing.erase_us",
    ];
    let axes = keys.map(|key| format!("{key:?} = {values:?}\n")).concat();
    let plan = format!("traces = [\"*.csv\"]\n[axes]\n{axes}");
    let why = place.planned(&plan).map(drop).unwrap_err().to_string();
    let says = "sweep.toml:3: axes: 1,000,000,000,000 combinations; at most 1,000,000 can be planned at once";
    assert!(why.starts_with(says), "{why}");
}
