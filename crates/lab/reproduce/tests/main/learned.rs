//! Sizes of learned maps: a fill in order by hand, and tolerances that are met or not.
//!
//! Planted bugs: pages without a place that count; a segment that spans blocks; a table of runs without its bits; a mean that
//! is judged by its traces; two thirds taken for a half.

use std::fs;

use ssdlab_reproduce::{Descriptions, Learned, Report, Settings, Study};
use ssdlab_sim::Lab;

const LEARNED: &str = r#"
title = "t"
source = "s"
about = "a"
set = [
    "flash.page_size=4096", "flash.pages_per_block=256", "precondition=empty", "buffer.policy=none",
    "ftl.spare_blocks=16", "ftl.map_entry=8", "ftl.map_cache=1MiB",
]
gammas = [0, 4]
least_reads = 1
notes = []

[[trace]]
name = "ordered"
capacity = "8MiB"
generate = "sequential --capacity 4MiB --requests 1024"

[[trace]]
name = "scattered"
capacity = "8MiB"
generate = "uniform --capacity 4MiB --requests 4096"
"#;

/// What comes of these statements.
fn of(statements: &str) -> Result<Report, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let study = folder.path().join("t");
    fs::create_dir(&study).expect("a folder");
    fs::write(study.join("learned.toml"), format!("{LEARNED}{statements}")).expect("a file");
    let descriptions = Descriptions::Folder(folder.path().into());
    let study =
        Learned::read(&descriptions, "t", &Lab::new()).map_err(|error| error.to_string())?;
    let report = study.run(&Settings::default(), &|_| ());
    report.map_err(|error| error.to_string())
}

fn statement(gamma: u32, figure: &str, over: &str, between: &str) -> String {
    format!(
        "[[statement]]\nsays = \"s\"\nsection = \"1\"\ngamma = {gamma}\nfigure = \"{figure}\"\nover = \"{over}\"\nbetween = {between}\n"
    )
}

#[test]
fn a_fill_in_order_is_one_segment_a_block() {
    let report = of(&statement(0, "plain", "traces", "[170.66, 170.67]")).expect("a report");
    let rows = &report.files.iter().find(|file| file.0 == "rows.csv");
    let rows: Vec<&str> = rows.expect("a table").1.lines().collect();
    // 4 segments, and 8 bytes for each of 2 map pages; 2 runs with their ends, and 2 bits for each of 512 entries
    let ordered = "1024,8192,280,48,4,0,0,0";
    assert_eq!(rows[1], format!("ordered,0,{ordered}"));
    assert_eq!(rows[2], format!("ordered,4,{ordered}"));
    // of pages at random most are alone
    let scattered: Vec<u64> = rows[3]
        .split(',')
        .skip(1)
        .map(|n| n.parse().expect("a number"))
        .collect();
    let [_, pages, plain, _, bytes, segments, ..] = scattered[..] else {
        panic!("{}", rows[3]);
    };
    assert_eq!(plain, 8 * pages);
    assert!(
        segments > pages / 2 && bytes > 5 * segments / 2,
        "{}",
        rows[3]
    );
    assert_eq!(report.rows[0][1], "1 of 2: not scattered");
    assert_eq!(report.rows[0][3], "not within");
}

#[test]
fn a_tolerance_is_met_or_not() {
    let verdict = |statement: &str| {
        let report = of(statement).expect("a report");
        report.rows[0][3].clone()
    };
    // the mean of 170.67 and about 1.5
    assert_eq!(
        verdict(&statement(0, "plain", "mean", "[80, 90]")),
        "within"
    );
    assert_eq!(
        verdict(&statement(0, "plain", "mean", "[90, 100]")),
        "not within"
    );
    assert_eq!(
        verdict(&statement(0, "plain", "traces", "[1, 200]")),
        "within"
    );
    assert_eq!(
        verdict(&statement(4, "beside", "traces", "[0.1, 1.0]")),
        "within"
    );
    // neither trace has a read
    assert_eq!(
        verdict(&statement(4, "wrong", "traces", "[0, 1]")),
        "not judged"
    );
    let error = of(&statement(2, "plain", "mean", "[0, 1]"))
        .err()
        .expect("no such bound");
    assert!(error.contains("is none of `gammas`"), "{error}");
}
