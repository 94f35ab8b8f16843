//! The block map in flash, on the small device by hand.
//!
//! Planted bugs that these catch: an update for each page that a merge copies; one for each page that the host writes; a
//! map that is never written anew, or one block too early; erases of its blocks among those of the FTL; a start-up that
//! reads map and spare areas of all blocks.

use crate::common::{Lab, trace};
use serde_json::Value;

const WRITTEN: &str = "--set buffer.policy=none --set ftl.map_updates=written";

fn run(lab: &Lab, set: &str) -> Value {
    lab.json(&format!("run --json --config small.toml {set} w.csv"))
}

fn count(report: &Value, name: &str) -> u64 {
    report["counters"][name].as_u64().unwrap_or(0)
}

/// So many full merges of logical block 0: the fifth write to one of its pages and each fourth one after it.
fn merges(lab: &Lab, merges: usize) {
    lab.write("w.csv", trace(&vec!["0,W,0,512"; 4 * merges + 1]));
}

// five numbers fit into one page, which is in one block of four pages: seven updates, then it is written anew
#[test]
fn a_full_merge_by_hand() {
    let lab = Lab::small();
    merges(&lab, 1);
    let found = run(&lab, WRITTEN);
    assert_eq!(
        [
            count(&found, "full_merges"),
            count(&found, "table_programs")
        ],
        [1, 1]
    );
    assert_eq!(
        [count(&found, "erases"), count(&found, "table_erases")],
        [2, 0]
    );
    assert_eq!(found["derived"]["time_ns"]["tables"], 850_000);
    let ignored = run(&lab, "--set buffer.policy=none");
    assert_eq!(count(&ignored, "table_programs"), 0);
    let elapsed = |report: &Value| count(report, "elapsed_ns");
    assert_eq!(elapsed(&found) - elapsed(&ignored), 850_000);
}

#[test]
fn a_full_map_is_written_anew() {
    let lab = Lab::small();
    for (done, programs, erases) in [(7, 7, 0), (8, 8, 2), (15, 15, 2), (16, 16, 4)] {
        merges(&lab, done);
        let found = run(&lab, WRITTEN);
        assert_eq!(count(&found, "full_merges"), done as u64);
        let counts = ["table_programs", "table_erases"].map(|name| count(&found, name));
        assert_eq!(counts, [programs, erases], "{done}");
        let time = 850_000 * programs + 1_500_000 * erases;
        assert_eq!(found["derived"]["time_ns"]["tables"], time);
    }
    // 260 logical blocks: three pages of the map, so two blocks more than it needs take 4 · 2 - 3 = 5 updates
    let large = "--set flash.capacity=520KiB";
    for (done, programs, erases) in [(5, 5, 0), (6, 5 + 3, 2), (11, 8 + 5, 2), (12, 13 + 3, 4)] {
        merges(&lab, done);
        let found = run(&lab, &format!("{WRITTEN} {large}"));
        let counts = ["table_programs", "table_erases"].map(|name| count(&found, name));
        assert_eq!(counts, [programs, erases], "{done}");
    }
}

#[test]
fn a_written_map_changes_no_decision() {
    let lab = Lab::small();
    let lines: Vec<String> = (0..400)
        .map(|i| format!("0,W,{},512", i * 7 % 20 * 512))
        .collect();
    lab.write("w.csv", trace(&lines));
    for ftl in ["block", "replacement", "bast", "fast"] {
        let set = format!("--set ftl.kind={ftl} --set precondition=empty --set buffer.policy=none");
        let ignored = run(&lab, &set);
        let mut written = run(&lab, &format!("{set} --set ftl.map_updates=written"));
        let programs = count(&written, "table_programs");
        assert!(programs > 4, "{ftl}: {programs}");
        let counters = written["counters"].as_object_mut().unwrap();
        counters.remove("table_programs");
        counters.remove("table_erases");
        counters["elapsed_ns"] = ignored["counters"]["elapsed_ns"].clone();
        assert_eq!(written["counters"], ignored["counters"], "{ftl}");
        assert_eq!(
            written["derived"]["erase_count"],
            ignored["derived"]["erase_count"]
        );
    }
    let text =
        lab.run("run --config small.toml --set ftl.kind=page --set ftl.map_updates=written w.csv");
    assert!(
        text.stderr
            .contains("ftl.map_updates has no effect with ftl.kind \"page\""),
        "{}",
        text.stderr
    );
}

// nine blocks, five of them data blocks; two log blocks of four pages; one page of the map, 50 + 50 µs
#[test]
fn a_start_up_reads_the_map() {
    let lab = Lab::small();
    merges(&lab, 1);
    let found = run(&lab, WRITTEN);
    assert_eq!(found["controller"]["mount_ns"], 10 * 51_562 + 100_000);
}
