//! The SLC cache: golden examples by hand, what is refused, and the wear of two pools. The cases of `tests/slc` are run by
//! `cases.rs`.
//!
//! Planted bugs: a dynamic block that takes a fixed one's list; a block that is dropped before it lost its last page; the victim
//! of cleaning that wins with more valid pages than the block to fold; a fold that goes to the frontier of copies; an erase that
//! does not wait for copies of earlier steps; a cap that counts pages in SLC blocks; `emptying` that never ends; a life of
//! native blocks alone.

use std::fmt::Write;

use serde_json::Value;

use crate::common::{HEADER, Lab, ended, json};

/// The drive of all examples: one chip, blocks of six pages, 48 logical pages.
const DRIVE: &str = "--set precondition=empty --set flash.page_size=4096 --set flash.pages_per_block=6 --set flash.cell_bits=3 \
     --set flash.capacity=196608 --set ftl.kind=page --set buffer.policy=none --set timing.model=serial \
     --set timing.read_us=60 --set timing.program_us=800 --set timing.erase_us=1500 --set timing.transfer_us=0 \
     --set timing.slc_read_us=20 --set timing.slc_program_us=200 --set timing.fold_program_us=800";

/// One block in SLC mode holds two pages.
const BLOCK: u64 = 2 * 4096;

fn run(options: &str, writes: impl IntoIterator<Item = u64>) -> Value {
    let at = writes.into_iter().map(|page| (0, page));
    run_at(options, at)
}

/// Writes of pages at these times in µs.
fn run_at(options: &str, writes: impl IntoIterator<Item = (u64, u64)>) -> Value {
    let mut trace = format!("{HEADER}\n");
    for (time, page) in writes {
        let _ = writeln!(trace, "{},W,{},4096", time * 1000, page * 4096);
    }
    let lab = Lab::new();
    lab.write("some.csv", trace);
    let options = format!("{DRIVE} {options}");
    let mut command = lab.command("run --json --latencies times.csv some.csv");
    let timed = options.contains("model=parallel");
    if !timed {
        command = lab.command("run --json some.csv");
    }
    command.args(options.split_whitespace());
    let mut report = json(&ended(&mut command).success());
    if timed {
        report["times"] = std::fs::read_to_string(lab.path("times.csv"))
            .unwrap()
            .into();
    }
    report
}

/// These counters, and no other of the cache than 0; `elapsed` in µs.
fn assert_counts(report: &Value, expected: &[(&str, u64)], elapsed: u64) {
    let counters = report["counters"].as_object().expect("counters");
    let of_cache = counters.iter().filter(|(name, _)| {
        let name = name.as_str();
        name.starts_with("slc_") || name.starts_with("fold") || name == "direct_programs"
    });
    for (name, found) in of_cache {
        let expected = expected.iter().find(|(other, _)| other == name);
        assert_eq!(*found, expected.map_or(0, |(_, count)| *count), "{name}");
    }
    for (name, count) in expected {
        assert_eq!(counters[*name], *count, "{name}");
    }
    assert_eq!(counters["elapsed_ns"], elapsed * 1000);
}

const STATIC: &str = "--set ftl.slc=static --set ftl.spare_blocks=7 --set ftl.slc_static=8192";

#[test]
fn a_fixed_block_is_used_again_once_it_is_empty() {
    let report = run(STATIC, [0, 1, 2, 3, 0, 1, 4]);
    let counts = [
        ("slc_programs", 3),
        ("slc_fixed_programs", 3),
        ("direct_programs", 4),
        ("slc_dropped", 1),
        ("slc_erases", 1),
        ("slc_fixed_erases", 1),
    ];
    assert_counts(&report, &counts, 5300);
    assert_eq!(report["slc"]["valid_in_slc"], 1);
    assert_eq!(report["slc"]["fixed_blocks"], 1);
    assert_eq!(report["slc"]["pages_per_slc_block"], 2);
}

#[test]
fn a_full_cache_folds_for_room() {
    let report = run(
        &format!("{STATIC} --set ftl.slc_full=fold"),
        [0, 1, 2, 3, 0, 1, 4],
    );
    let counts = [
        ("slc_programs", 7),
        ("slc_fixed_programs", 7),
        ("fold_pages", 6),
        ("folds_room", 3),
        ("slc_erases", 3),
        ("slc_fixed_erases", 3),
    ];
    assert_counts(&report, &counts, 10820);
    // 13 programs, and the page in the cache would be folded
    assert_eq!(report["derived"]["waf_settled"], 2.0);
    let warnings = report["warnings"].as_array().expect("warnings");
    let told = |warning: &Value| {
        warning
            .as_str()
            .is_some_and(|text| text.contains("waf_settled"))
    };
    assert!(warnings.iter().any(told), "{warnings:?}");
    assert_eq!(report["derived"]["waf_no_folds"], 1.0);
    assert_eq!(report["derived"]["slc_share"], 1.0);
    assert_eq!(report["endurance"]["flash_bytes"]["folding"], 6 * 4096);
    assert_eq!(report["endurance"]["flash_bytes"]["cleaning"], 0);
}

fn dynamic(blocks: u64) -> String {
    format!(
        "--set ftl.slc=dynamic --set ftl.spare_blocks=7 --set ftl.slc_dynamic={}",
        blocks * BLOCK
    )
}

#[test]
fn a_fill_leaves_the_cache_full() {
    let report = run(&dynamic(3), 0..48);
    let counts = [("slc_programs", 6), ("direct_programs", 42)];
    assert_counts(&report, &counts, 34800);
    assert_eq!(report["slc"]["room_pages"], 0);
    assert_eq!(report["slc"]["full_blocks"]["dynamic"], 3);
}

#[test]
fn the_block_with_the_fewest_valid_pages_makes_space() {
    let more = [6, 12, 18, 24, 30, 36, 42, 7, 13, 19, 25, 31, 37];
    let report = run(&dynamic(3), (0..48).chain(more));
    let counts = [
        ("slc_programs", 6),
        ("direct_programs", 55),
        ("fold_pages", 4),
        ("folds_space", 2),
        ("slc_erases", 2),
        ("gc_victims", 0),
    ];
    assert_counts(&report, &counts, 51480);
}

#[test]
fn a_drive_folds_beside_direct_writes() {
    let report = run(
        "--set ftl.slc=static --set ftl.spare_blocks=8 --set ftl.slc_static=16384 --set ftl.slc_full=beside \
         --set ftl.slc_beside=0.5",
        0..13,
    );
    let counts = [
        ("slc_programs", 5),
        ("slc_fixed_programs", 5),
        ("direct_programs", 8),
        ("fold_pages", 4),
        ("folds_beside", 2),
        ("slc_erases", 2),
        ("slc_fixed_erases", 2),
    ];
    assert_counts(&report, &counts, 13680);
}

#[test]
fn a_gap_empties_the_cache() {
    let gaps = format!(
        "{STATIC} --set timing.model=parallel --set replay=timed --set timing.channel_mb_s=0 --set timing.bus_mb_s=0 \
         --set ftl.slc_idle_us=1000"
    );
    let long = run_at(&gaps, [(0, 0), (0, 1), (10_000, 2)]);
    assert_eq!(long["counters"]["folds_idle"], 1);
    assert_eq!(long["counters"]["slc_programs"], 3);
    let times = |report: &Value| {
        let times = report["times"].as_str().expect("times").lines().skip(1);
        let end = |line: &str| line.split(',').next_back().expect("an end").parse::<u64>();
        times
            .map(|line| end(line).expect("ns") / 1000)
            .collect::<Vec<_>>()
    };
    assert_eq!(times(&long), [200, 400, 10_200]);
    let short = run_at(&gaps, [(0, 0), (0, 1), (2000, 2)]);
    assert_eq!(short["counters"]["fold_pages"], 1);
    assert_eq!(short["counters"]["direct_programs"], 1);
    assert_eq!(times(&short), [200, 400, 3020]);
}

#[test]
fn the_bound_shrinks_with_the_pages_in_native_blocks() {
    let report = run(&format!("{} --set ftl.slc_gone_at=0.5", dynamic(4)), 0..21);
    let counts = [("slc_programs", 8), ("direct_programs", 13)];
    assert_counts(&report, &counts, 8 * 200 + 13 * 800);
    // four blocks are used, the bound is one
    assert_eq!(report["slc"]["room_pages"], 0);
    // 2 + 6 pages to the frontier of direct writes, and 4 pages are free of the next bound
    let report = run(&format!("{} --set ftl.slc_gone_at=0.5", dynamic(4)), 0..8);
    assert_eq!(report["counters"]["direct_programs"], 0);
}

#[test]
fn each_pool_has_a_life_of_its_own() {
    let report = run(
        &format!(
            "{STATIC} --set ftl.slc_full=fold --set flash.pe_cycles=1000 --set flash.slc_pe_cycles=30000"
        ),
        (0..48).cycle().take(480),
    );
    let endurance = &report["endurance"];
    let slc = &endurance["slc"];
    // 480 pages through one block of two pages: 240 times
    assert_eq!(slc["slc_cycles_used"]["mean"], 240.0);
    let written = 480.0 * 4096.0 / 1e12;
    let close = |found: &Value, expected: f64| {
        let found = found.as_f64().expect("a number");
        assert!(
            (found / expected - 1.0).abs() < 1e-9,
            "{found}, not {expected}"
        );
    };
    close(&slc["slc_tb_until_worn"]["mean"], written * 30000.0 / 240.0);
    let native = endurance["cycles_used"]["mean"].as_f64().expect("cycles");
    close(
        &slc["native_tb_until_worn"]["mean"],
        written * 1000.0 / native,
    );
    assert_eq!(slc["worn_first"], "slc");
    assert_eq!(
        endurance["tb_until_worn"]["mean"],
        slc["slc_tb_until_worn"]["mean"]
    );
    // use of dynamic blocks wears the native pool
    let bounds = |report: &Value| {
        let bounds = &report["endurance"]["slc"]["tb_until_worn_bounds"];
        [0, 1].map(|at| bounds[at].as_f64().expect("a bound"))
    };
    let [least, most] = bounds(&run(&dynamic(3), (0..48).cycle().take(480)));
    assert!(least < most, "{least} {most}");
}

#[test]
fn what_a_cache_cannot_be_is_refused() {
    let lab = Lab::new();
    lab.write("some.csv", format!("{HEADER}\n0,W,0,4096\n"));
    let fixed = "ftl.slc=static ftl.slc_static=8192";
    for (keys, why) in [
        (
            "ftl.slc=static",
            "ftl.slc = \"static\": needs ftl.slc_static",
        ),
        (
            "ftl.slc=static ftl.slc_static=100",
            "ftl.slc_static = 100: must hold a block",
        ),
        (
            "ftl.slc=static ftl.slc_static=8192 ftl.slc_dynamic=all",
            "ftl.slc_dynamic = \"all\": must not be given",
        ),
        (
            "ftl.slc=dynamic",
            "ftl.slc = \"dynamic\": needs ftl.slc_dynamic",
        ),
        (
            "ftl.slc=dynamic ftl.slc_dynamic=all ftl.slc_static=8192",
            "ftl.slc_static = 8192: must not be given",
        ),
        (
            "ftl.slc=static ftl.slc_static=8192 ftl.slc_gone_at=0.5",
            "ftl.slc_gone_at = 0.5: must be 0",
        ),
        (
            "ftl.slc=dynamic ftl.slc_dynamic=all ftl.slc_gone_at=0.0001",
            "ftl.slc_gone_at = 0.0001: must be at least",
        ),
        (
            "ftl.slc=static ftl.slc_static=8192 ftl.slc_beside=2",
            "ftl.slc_beside = 2: must be given with ftl.slc_full",
        ),
        (
            "ftl.slc=static ftl.slc_static=8192 ftl.slc_rest=8192",
            "ftl.slc_rest = 8192: must be 0 unless",
        ),
        (
            "ftl.slc=dynamic ftl.slc_dynamic=all ftl.slc_reclaim=0.5",
            "ftl.slc_reclaim = 0.5: must be 0 unless",
        ),
        (
            "ftl.slc=dynamic ftl.slc_dynamic=all ftl.slc_keep=3",
            "ftl.slc_keep = 3: must be more than",
        ),
        (
            "ftl.slc=static ftl.slc_static=8192 ftl.slc_idle_us=9",
            "ftl.slc_idle_us = 9: must be 0 unless",
        ),
        (
            "ftl.slc=static ftl.slc_static=8192 ftl.placement=dac",
            "ftl.slc = \"static\": must be \"off\" with ftl.placement",
        ),
        (
            "ftl.slc=static ftl.slc_static=8192 ftl.gc_low=1",
            "ftl.gc_low = 1: must be at least 2",
        ),
        (
            "ftl.slc=static ftl.slc_static=8192 ftl.eager=0.1 ftl.eager_free=6",
            "ftl.eager = 0.1: must be 0",
        ),
        (
            "ftl.slc=static ftl.slc_static=8192 ftl.spare_blocks=6",
            "ftl.spare_blocks = 6: must leave at least 7",
        ),
        (
            "ftl.slc=static ftl.slc_static=8192 ftl.kind=bast",
            "ftl.slc = \"static\": must be \"off\" with ftl.kind",
        ),
        (
            "ftl.slc=static ftl.slc_static=8192 timing.model=drive",
            "ftl.slc = \"static\": must be \"off\" with timing.model",
        ),
    ] {
        let sets: String = keys.split(' ').map(|key| format!(" --set {key}")).collect();
        lab.refused(&format!("run some.csv {DRIVE}{sets}"), &[why]);
    }
    let sets: String = fixed
        .split(' ')
        .map(|key| format!(" --set {key}"))
        .collect();
    lab.ok(&format!("run some.csv {DRIVE}{sets}"));
}
