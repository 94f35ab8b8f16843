//! Fills of drives: the closed form from a sheet by hand, and errors of a table.
//!
//! Planted bugs: the fixed part of a cache counted twice; a number that was taken is judged; a cell of one drive under another; a phase that
//! nobody would see as a step.

use std::fs;

use ssdlab_reproduce::{Descriptions, Fills, Report, Settings, Study};
use ssdlab_sim::Lab;

const DRIVES: &str = "id,drive,capacity_gb,raw_gb,cell,sheet_fixed_gb,sheet_slc_gb,sheet_states,sheet_write_mb_s,sheet_after_mb_s,sheet_source,note\n";
const FILLS: &str = r#"
title = "t"
source = "s"
about = "a"
seen = 0.05
beside = []
notes = []
[within]
size_percent = 10
speed_percent = 20
mean_percent = 10
"#;

/// A study of these drives and phases, and what comes of it.
fn of(drives: &str, phases: &str, means: &str) -> Result<Report, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let study = folder.path().join("t");
    fs::create_dir(&study).expect("a folder");
    let write = |name: &str, text: String| fs::write(study.join(name), text).expect("a file");
    write("fills.toml", FILLS.into());
    write("drives.csv", format!("{DRIVES}{drives}"));
    write(
        "phases.csv",
        format!("id,phase,from_gb,to_gb,mb_s,source\n{phases}"),
    );
    write("means.csv", format!("id,mean_mb_s,source\n{means}"));
    write("sources.csv", "key,source\nK,known\n".into());
    let descriptions = Descriptions::Folder(folder.path().into());
    let study = Fills::read(&descriptions, "t", &Lab::new()).map_err(|error| error.to_string())?;
    let report = study.run(&Settings::default(), &|_| ());
    Ok(report.expect("no run fails"))
}

/// The lines of `figures.csv`, without the heading.
fn figures(report: &Report) -> Vec<&str> {
    let file = report.files.iter().find(|file| file.0 == "figures.csv");
    file.expect("a table").1.lines().skip(1).collect()
}

#[test]
fn a_sheet_says_how_a_drive_is_filled() {
    // 1000 GB on 1030 of TLC, 6 GB of cache fixed and 24 dynamic: 1012 GB of native blocks; with 72 GB of them in SLC mode, 940
    // take direct writes, so the last step begins at 970
    let sheet = "x,X,1000,1030,TLC,6,30,size,3000,1000,K,\n";
    let phases = "x,1,0,33,3000,K\nx,2,33,800,900,K\nx,3,800,1000,300,K\n";
    let report = of(sheet, phases, "x,900,K\n").expect("a report");
    // at 970 of 1000, a step would be too short to be seen
    let seconds = 30.0 / 3.0 + 940.0 + 30.0 / (2.0 / 3.0);
    assert_eq!(
        figures(&report),
        [
            "x,size of the cache,GB,33.000,30.000,30.000",
            "x,speed within it,MB/s,3000.000,3000.000,3000.000",
            "x,speed behind it,MB/s,900.000,1000.000,1000.000",
            "x,where a second step begins or that there is none,GB,800.000,1000.000,1000.000",
            "x,speed of that step,MB/s,300.000,,",
            &format!(
                "x,mean speed of the fill,MB/s,900.000,{0:.3},{0:.3}",
                1e6 / seconds
            ),
        ]
    );
    assert!(
        report.sentence.contains("3 of 5 figures"),
        "{}",
        report.sentence
    );
    // with 100 GB of dynamic cache, blocks are folded from 112 + 1012 - 318 on
    let sheet = "x,X,1000,1030,TLC,6,112,size,3000,1000,K,\n";
    let report = of(sheet, phases, "").expect("a report");
    assert_eq!(
        figures(&report)[3],
        "x,where a second step begins or that there is none,GB,800.000,806.000,806.000"
    );
    assert_eq!(
        figures(&report)[4],
        "x,speed of that step,MB/s,300.000,666.667,666.667"
    );
}

#[test]
fn what_a_sheet_lacks_is_taken_and_not_judged() {
    // a third of the flash: every write behind it folds, and the speed there is that of folding
    let sheet = "x,X,1000,1024,TLC,,,none,4000,,K,\n";
    let phases = "x,1,0,340,4000,K\nx,2,340,1000,500,K\n";
    let report = of(sheet, phases, "x,800,K\n").expect("a report");
    let mean = 1000.0 / (340.0 / 4000.0 + 660.0 / 500.0);
    let found = figures(&report);
    assert_eq!(found[0], "x,size of the cache,GB,340.000,,340.000");
    assert_eq!(
        found[3],
        "x,where a second step begins or that there is none,GB,1000.000,,1000.000"
    );
    let last: f64 = found[4]
        .rsplit_once(',')
        .expect("a number")
        .1
        .parse()
        .expect("a number");
    assert!((last / mean - 1.0).abs() < 0.01, "{found:?} {mean}");
    // speed within; place of the step; the mean, which is not within 10 %
    assert!(
        report.sentence.contains("2 of 3 with"),
        "{}",
        report.sentence
    );
}

#[test]
fn a_wrong_table_names_its_line() {
    let sheet = "x,X,1000,1024,TLC,,,none,4000,,K,\n";
    let refused = |drives: &str, phases: &str| of(drives, phases, "").err().expect("an error");
    let said = refused(&sheet.replace("TLC", "PLC"), "");
    assert!(
        said.contains("drives.csv:2") && said.contains("PLC"),
        "{said}"
    );
    let said = refused(sheet, "x,1,0,340,4000,K\ny,1,0,340,4000,K\n");
    assert!(
        said.contains("phases.csv:3") && said.contains("\"y\""),
        "{said}"
    );
    let said = refused(sheet, "x,1,0,340\n");
    assert!(said.contains("phases.csv:2"), "{said}");
}
