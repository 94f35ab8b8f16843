//! Maps in flash: golden examples by hand, and what is refused. The cases of `tests/maps` are run by `cases.rs`.
//!
//! Planted bugs: an entry that is evicted before the others of its map page are clean; a prefetch into the node that would be
//! evicted for it; a dirty map page that is read before it is written back; a moved page whose cached entry stays clean; a list
//! that is emptied before the victim is erased; a map page that is copied behind the one that needs room; a read that does not
//! wait for its map page; a prediction that is rounded down.

use std::fmt::Write;

use serde_json::Value;

use crate::common::{HEADER, Lab, ended, json};

/// The drive of most examples: eight entries in a map page, four map pages, blocks of four pages.
const DRIVE: &str = "--set flash.page_size=512 --set flash.pages_per_block=4 --set flash.capacity=16384 --set ftl.kind=page \
     --set ftl.spare_blocks=6 --set buffer.policy=none --set timing.model=serial --set ftl.map_entry=64";

/// Runs requests such as `W0-2 R16` on pages of so many bytes.
fn run(options: &str, page: u64, requests: &str) -> Value {
    let mut trace = format!("{HEADER}\n");
    for request in requests.split_whitespace() {
        let (op, pages) = request.split_at(1);
        let (first, last) = pages.split_once('-').unwrap_or((pages, pages));
        let [first, last] = [first, last].map(|page| page.parse::<u64>().expect("a page"));
        let (offset, size) = (first * page, (last - first + 1) * page);
        let _ = writeln!(trace, "0,{op},{offset},{size}");
    }
    let lab = Lab::new();
    lab.write("some.csv", trace);
    let timed = options.contains("model=parallel");
    let mut command = match timed {
        true => lab.command("run --json --latencies times.csv some.csv"),
        false => lab.command("run --json some.csv"),
    };
    command.args(options.split_whitespace());
    let mut report = json(&ended(&mut command).success());
    if timed {
        let times = std::fs::read_to_string(lab.path("times.csv")).expect("times");
        report["times"] = times.into();
    }
    report
}

/// These counters.
fn assert_counts(report: &Value, expected: &[(&str, u64)]) {
    for (name, count) in expected {
        assert_eq!(report["counters"][*name], *count, "{name}");
    }
}

fn small(options: &str, requests: &str) -> Value {
    run(&format!("{DRIVE} {options}"), 512, requests)
}

#[test]
fn dftl_writes_all_changed_entries_of_a_map_page_back() {
    let options = "--set ftl.map=dftl --set ftl.map_cache=24 --set ftl.map_protected=0.34";
    let requests = "W0 W1 W0 W8 W9 R1 R9";
    let counts = [
        ("map_loads", 5),
        ("table_reads", 7),
        ("table_programs", 2),
        ("map_dirty_evictions", 2),
        ("map_sync_programs", 0),
        ("map_write_hits", 1),
        ("map_read_hits", 1),
        ("map_write_misses", 4),
        ("map_read_misses", 1),
    ];
    let report = small(options, requests);
    assert_counts(&report, &counts);
    // in bytes of flash, the programs of map pages have a cause of their own
    assert_eq!(report["endurance"]["flash_bytes"]["tables"], 2 * 512);
    let one_by_one = format!("{options} --set ftl.map_batch=false");
    let counts = [
        ("table_reads", 9),
        ("table_programs", 4),
        ("map_dirty_evictions", 2),
        ("map_sync_programs", 2),
    ];
    assert_counts(&small(&one_by_one, requests), &counts);
}

#[test]
fn tpftl_prefetches_until_a_node_would_vanish() {
    let options = "--set ftl.map=tpftl --set ftl.map_cache=44";
    let counts = [
        ("map_loads", 6),
        ("table_reads", 7),
        ("table_programs", 1),
        ("map_prefetched", 3),
        ("map_evictions", 3),
        ("map_dirty_evictions", 1),
        ("map_read_hits", 0),
        ("map_write_hits", 2),
    ];
    assert_counts(&small(options, "W0-2 R16 W3 R24 R4 R5"), &counts);
}

#[test]
fn whole_map_pages_are_written_without_a_read() {
    let options = "--set ftl.map=pages --set ftl.map_cache=1024";
    let counts = [
        ("map_loads", 4),
        ("table_reads", 4),
        ("table_programs", 2),
        ("map_evictions", 2),
        ("map_dirty_evictions", 1),
        ("map_sync_programs", 1),
        ("map_read_hits", 0),
        ("map_write_hits", 0),
    ];
    assert_counts(&small(options, "W0 R8 R16 W1"), &counts);
}

#[test]
fn moved_pages_wait_on_the_list() {
    let options = "--set ftl.map=pages --set ftl.map_cache=512 --set ftl.pace=paced";
    let first = "W0 W1 W4 W8 W12 W16 W20 W24 W28 W5 W3 W9 W13";
    let counts = [
        ("table_reads", 7),
        ("table_programs", 7),
        ("table_erases", 1),
        ("map_clean_hits", 1),
        ("map_clean_misses", 1),
        ("map_clean_programs", 0),
    ];
    assert_counts(&small(options, first), &counts);
    let report = small(options, &format!("{first} R6"));
    assert_counts(&report, &[("map_read_hits", 1), ("table_reads", 7)]);
    let counts = [
        ("map_read_hits", 1),
        ("map_clean_misses", 2),
        ("map_clean_programs", 1),
        ("map_sync_programs", 1),
        ("table_reads", 7),
        ("table_programs", 7),
    ];
    assert_counts(&small(options, &format!("{first} R6 W6")), &counts);
}

#[test]
fn the_map_area_cleans_itself() {
    let options = "--set ftl.map=pages --set ftl.map_cache=512 --set drain=false";
    let counts = [
        ("table_programs", 5),
        ("table_copies", 2),
        ("table_erases", 1),
        ("erases", 0),
        ("flash_copies", 0),
    ];
    let report = small(options, "W0 W8 W0 W8 W0 W16");
    assert_counts(&report, &counts);
    assert_eq!(report["endurance"]["flash_bytes"]["tables"], 7 * 512);
}

#[test]
fn a_read_waits_for_its_map_page() {
    let options = "--set flash.page_size=4096 --set flash.pages_per_block=4 --set flash.capacity=1MiB --set ftl.kind=page \
         --set buffer.policy=none --set timing.model=parallel --set timing.read_us=60 --set timing.program_us=800 \
         --set timing.bus_mb_s=0 --set timing.channel_mb_s=0 --set queue_depth=1 --set ftl.map=pages \
         --set ftl.map_cache=4096 --set ftl.map_entry=64 --set drain=false";
    let completed = |options: &str, requests: &str| -> Vec<u64> {
        let report = run(options, 4096, requests);
        let times = report["times"].as_str().expect("times").to_owned();
        let last = |line: &str| line.rsplit(',').next().and_then(|time| time.parse().ok());
        let ends = times
            .lines()
            .skip(1)
            .map(|line| last(line).expect("a time"));
        ends.map(|ns: u64| ns / 1000).collect()
    };
    let requests = "R0 R1 W0 R64";
    assert_eq!(completed(options, requests), [120, 180, 980, 1900]);
    let with_host = format!("{options} --set ftl.map_host=8192 --set timing.map_host_us=2");
    let requests = "R0 R1 W0 R64 R0";
    assert_eq!(completed(&with_host, requests), [120, 180, 980, 1900, 1962]);
    // two requests for one map page: the second waits for the load of the first
    let together = options.replace("queue_depth=1", "queue_depth=2");
    assert_eq!(completed(&together, "R0 R1"), [120, 180]);
}

#[test]
fn leaftl_reads_another_page_where_it_learned_too_little() {
    let options = "--set precondition=empty --set flash.page_size=1024 --set flash.pages_per_block=8 --set flash.capacity=65536 \
         --set ftl.kind=page --set buffer.policy=none --set timing.model=serial --set ftl.map=leaftl --set ftl.map_cache=1024";
    let requests = "W0 W1 W2 W3 W5 W7 R0 R1 R2 R3 R5 R7";
    for (gamma, wrong) in [(0, 0), (1, 1)] {
        let report = run(
            &format!("{options} --set ftl.map_gamma={gamma}"),
            1024,
            requests,
        );
        let counts = [
            ("map_mispredictions", wrong),
            ("table_reads", wrong),
            ("flash_reads", 6 + wrong),
            ("map_sync_programs", 1),
        ];
        assert_counts(&report, &counts);
    }
}

#[test]
fn only_a_map_in_flash_has_its_counters() {
    let names = |options: &str| -> Vec<String> {
        let report = small(options, "W0 R1");
        let counters = report["counters"].as_object().expect("counters");
        let names = counters.keys().cloned();
        names
            .filter(|name| name.starts_with("map_") || name.starts_with("table_"))
            .collect()
    };
    assert!(names("").is_empty());
    let all = names("--set ftl.map=tpftl --set ftl.map_cache=14");
    assert_eq!(all.len(), 18, "{all:?}");
}

#[test]
fn what_a_map_cannot_be_is_refused() {
    let lab = Lab::new();
    lab.write("some.csv", format!("{HEADER}\n0,W,0,512\n"));
    let cases = [
        (
            "ftl.map=dftl ftl.map_cache=7",
            "ftl.map_cache",
            "at least 8 bytes",
        ),
        (
            "ftl.map=tpftl ftl.map_cache=13",
            "ftl.map_cache",
            "at least 14 bytes",
        ),
        (
            "ftl.map=pages ftl.map_cache=511",
            "ftl.map_cache",
            "at least 512 bytes",
        ),
        (
            "ftl.map=leaftl ftl.map_cache=7",
            "ftl.map_cache",
            "at least 8 bytes",
        ),
        (
            "ftl.map=dftl ftl.map_list=3",
            "ftl.map_list",
            "at least 4, the pages of a block",
        ),
        (
            "ftl.map=dftl ftl.map_blocks=3 ftl.map_entry=64 flash.capacity=32768",
            "ftl.map_blocks",
            "at least 4",
        ),
        (
            "ftl.map=dftl ftl.map_entry=3",
            "ftl.map_entry",
            "from 4 to 64",
        ),
        (
            "ftl.map=dftl ftl.placement=dac+",
            "ftl.map",
            "which has pages in RAM",
        ),
        (
            "ftl.map=dftl ftl.placement=deb",
            "ftl.map",
            "which has pages in RAM",
        ),
        (
            "ftl.map=dftl ftl.gc_frontier=in-place",
            "ftl.map",
            "in-place",
        ),
        (
            "ftl.map=dftl ftl.slc=static ftl.slc_static=4096 flash.cell_bits=2 ftl.spare_blocks=16",
            "ftl.slc",
            "map in flash",
        ),
        (
            "ftl.map=dftl timing.model=drive",
            "ftl.map",
            "timing.model \"drive\"",
        ),
        ("ftl.map=dftl ftl.kind=bast", "ftl.map", "ftl.kind \"bast\""),
    ];
    for (settings, key, why) in cases {
        let sets: String = settings
            .split_whitespace()
            .map(|setting| format!(" --set {setting}"))
            .collect();
        lab.refused(&format!("run some.csv {DRIVE}{sets}"), &[key, why]);
    }
}

#[test]
fn figures_of_a_map_have_columns() {
    let lab = Lab::new();
    lab.write(
        "some.csv",
        format!("{HEADER}\n0,W,0,512\n0,R,0,512\n0,R,512,512\n0,R,0,512\n"),
    );
    let options = "--set ftl.map=dftl --set ftl.map_cache=100";
    let command = format!(
        "compare --buffer none --no-html --no-bounds --no-advice --columns map_hits,ram_map,table_programs {DRIVE} {options} some.csv"
    );
    let table = lab.ok(&command);
    for part in ["map hits", "50.0%", "map cache", "0.0000954 MiB"] {
        assert!(table.contains(part), "no {part:?} in {table}");
    }
}

// blocks of four pages of 512 bytes, 14 of them, and four map pages in an area of three blocks; one frontier for the host, one
// for copies
#[test]
fn the_ram_of_a_map_in_flash() {
    for (map, cache, index, frontiers) in [
        ("dftl", 100, 12 * 12, 0),
        ("tpftl", 100, 15 * 12, 0),
        ("pages", 1100, 2 * 20, 0),
        ("leaftl", 100, 4 * 20, 2),
    ] {
        let report = small(
            &format!("--set ftl.map={map} --set ftl.map_cache={cache}"),
            "W0",
        );
        let ram = &report["controller"]["ram_bytes"];
        let valid_bits = 14 * 4 / 8;
        let mapping = 4 * 4 + valid_bits + 20 * 4 + 20 * frontiers;
        let parts = ["mapping", "map", "index", "cleaning"].map(|part| &ram[part]);
        assert_eq!(parts, [mapping, cache, index, 14 * 4], "{map}");
        assert_eq!(ram["total"], mapping + cache + index + 14 * 4, "{map}");
    }
    let mount = |options: &str| {
        let report = small(&format!("--set ftl.map=dftl {options}"), "W0");
        report["controller"]["mount_ns"].as_u64().expect("a time") / 51_562
    };
    assert_eq!(mount(""), 12 + 56);
    // one page of each of 14 blocks, and those of four blocks of four pages
    assert_eq!(mount("--set ftl.map_sync=3"), 12 + 14 + 16);
}

#[test]
fn a_placement_with_times_takes_the_ram_that_the_map_saves() {
    let warned = |placement: &str| {
        let report = small(
            &format!(
                "--set ftl.map=dftl --set ftl.placement={placement} --set ftl.spare_blocks=40"
            ),
            "W0",
        );
        let warnings = report["warnings"].as_array().expect("warnings");
        let told = |warning: &Value| {
            warning
                .as_str()
                .is_some_and(|text| text.contains("to save RAM"))
        };
        warnings.iter().any(told)
    };
    assert!(warned("sepbit") && warned("tt"));
    assert!(!warned("single"));
}

#[test]
fn a_smaller_drive_has_a_smaller_cache() {
    let lab = Lab::new();
    let shown = lab.ok(
        "config show --preset nvme-tlc --set timing.model=parallel --set timing.program_pages=1 --set buffer.flush_age_s=0 \
         --set ftl.map=pages --scale-to 4GiB",
    );
    let line = |key: &str| {
        let line = shown
            .lines()
            .find(|line| line.trim_start().starts_with(key));
        line.unwrap_or_else(|| panic!("no {key} in {shown}"))
            .to_owned()
    };
    assert!(!line("map_cache").contains("1MiB"), "{}", line("map_cache"));
}
