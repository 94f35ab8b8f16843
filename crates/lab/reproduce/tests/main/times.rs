//! Published times of drives: what is judged, and what is not since something was fitted to it.
//!
//! Planted bugs: the rate that gave the spare flash counts as agreement; so does the median that gave the time of a read; a load that
//! nobody published, to which something is said to be fitted.

use std::fs;

use ssdlab_reproduce::{Descriptions, DriveTimes, Settings, Study};
use ssdlab_sim::Lab;

/// A study of a small drive, with these further lines of it; its sentence.
fn of(lines: &str) -> Result<String, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let study = folder.path().join("t");
    fs::create_dir(&study).expect("a folder");
    let description = format!(
        r#"
[times]
title = "t"
source = "s"
about = "a"
seed = 7
seconds = 0.05
saturated = [200, 8]
set = [
  "partial_writes=rmw", "flash.page_size=4096", "flash.capacity=64MiB", "timing.model=drive", "ftl.kind=page", "buffer.policy=lru",
  "buffer.size=64KiB",
]
notes = []
[within]
reads = [1e6, 1e6, 1e6]
writes = [1e6, 1e6, 1e6]
rate_percent = 1e6
[[drive]]
id = "x"
name = "X"
from = "f."
set = ["timing.read_us=58"]
fitted = ["timing.suspend_us=50", "timing.suspend_window_us=300"]
fitted_at = 12000
remark = "r"
{lines}
"#
    );
    let rows = "x,closed,0,1000,,,,,,\nx,mixed,0.25,1000,,,,,,\nx,11000,,,60,60,60,10,10,10\nx,12000,,,60,60,60,10,10,10\n";
    let head = "drive,load,reads,rate,read_p50,read_p99,read_p99_9,write_p50,write_p99,write_p99_9";
    fs::write(study.join("times.toml"), description).expect("a file");
    fs::write(study.join("measured.csv"), format!("{head}\n{rows}")).expect("a file");
    let descriptions = Descriptions::Folder(folder.path().into());
    let study =
        DriveTimes::read(&descriptions, "t", &Lab::new()).map_err(|error| error.to_string())?;
    let report = study.run(&Settings::default(), &|_| ());
    Ok(report.expect("no run fails").sentence)
}

#[test]
fn what_a_number_was_fitted_to_is_not_judged() {
    for (lines, says) in [
        (
            "",
            "3 fitted numbers a drive: 3 of 3 latencies of reads below saturation, 3 of 3 of writes, and 2 of 2 rates",
        ),
        (
            "spare_at = 0.25",
            "3 fitted numbers a drive: 3 of 3 latencies of reads below saturation, 3 of 3 of writes, and 1 of 1 rates",
        ),
        (
            "read_at = 11000",
            "4 fitted numbers a drive: 2 of 2 latencies of reads below saturation, 3 of 3 of writes, and 2 of 2 rates",
        ),
    ] {
        let sentence = of(lines).expect("a study");
        assert!(sentence.contains(says), "{lines}: {sentence}");
    }
}

#[test]
fn a_fit_to_what_nobody_measured_is_refused() {
    for line in ["spare_at = 0.3", "read_at = 13000"] {
        let why = of(line).expect_err("no such row");
        assert!(
            why.contains(line) && why.contains("has no row in measured.csv"),
            "{why}"
        );
    }
}
