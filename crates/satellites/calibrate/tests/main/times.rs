//! Rates and latencies of loads: what they tell of the clocks.
//!
//! Planted bugs that these catch: a percentile of another load, or that fio did not print, is taken as it stands; a time that does not
//! approach its percentile; bursts that are taken for the processor; a figure of fio that is not read.

use crate::common::{near, of};

const FIO: &str = r#"{"jobs": [{"jobname": "ramp", "job options": {"rate_iops": "1000,1000"},
 "read": {"iops": 1000.0, "clat_ns": {"percentile": {"50.000000": 90000, "70.000000": 100000, "80.000000": 140000, "99.000000": 400000}}},
 "write": {"iops": 1000.0, "clat_ns": {"percentile": {"50.000000": 11000, "99.000000": 5000000}}}}]}"#;

const DRIVE: &str = r#"name = "d"
[sheet]
capacity = "8GiB"
[[load]]
writes = 4000
outstanding = 64
[[load]]
writes = 2000
reads = 2000
read_us = { p50 = 70, p75 = 130, p99 = 450 }
write_us = { p50 = 11, p99 = 60 }
[[load]]
fio = "f.json"
"#;

#[test]
fn each_number_is_from_one_figure_and_the_others_are_predicted() {
    let found = of(DRIVE, &[("f.json", FIO)]).expect("a valid drive");
    let clocks = found.clocks.expect("loads");
    let keys: Vec<&str> = clocks.fitted.iter().map(|one| one.key.as_str()).collect();
    let all = ["suspend_us", "suspend_window_us", "dispatch_us"].map(|key| format!("timing.{key}"));
    assert_eq!(keys, all);
    assert_eq!(clocks.fitted[2].value, 49.0);
    for one in &clocks.fitted {
        let line = format!("{} = {} # fitted to the ", &one.key[7..], one.value);
        assert!(found.configuration.contains(&line), "{line}");
    }
    let [saturated, half, ramp] = &clocks.loads[..] else {
        panic!("three loads");
    };
    let [measured, predicted] = saturated.writes.expect("a rate");
    near(predicted, measured, 0.03);
    assert!(
        found.basis.starts_with("fitted to 4000 writes/s"),
        "{}",
        found.basis
    );
    let [measured, predicted] = half.read_us;
    near(
        predicted.p75.expect("reads"),
        measured.p75.expect("it is stated"),
        0.05,
    );
    near(
        predicted.p99.expect("reads"),
        measured.p99.expect("it is stated"),
        0.05,
    );
    assert_eq!(
        [saturated.fitted, half.fitted, ramp.fitted],
        [true, true, false]
    );
    assert_eq!(
        (ramp.name.as_str(), ramp.read_us[0].p75),
        ("ramp", Some(120.0))
    );
    assert!(clocks.notes.is_empty(), "{:?}", clocks.notes);
}

#[test]
fn a_load_that_is_wrong_is_refused() {
    let load =
        |lines: &str| format!("name = \"d\"\n[sheet]\ncapacity = \"8GiB\"\n[[load]]\n{lines}\n");
    for (lines, log, why) in [
        (
            "reads = 7",
            "",
            "load: must have writes, a number a second, or fio, a file",
        ),
        (
            "writes = 0",
            "",
            "line 5: writes = 0: writes: must be at least one a second",
        ),
        (
            "writes = 9\noutstanding = 0",
            "",
            "outstanding: must be 1 to 65536",
        ),
        (
            "fio = \"f.json\"\nwrites = 9",
            FIO,
            "fio: has all figures of its loads",
        ),
        ("fio = \"f.json\"", "{}", "f.json: has no jobs"),
        ("fio = \"f.json\"", "fio-3.36", "f.json: is no JSON of fio"),
        (
            "fio = \"f.json\"",
            r#"{"jobs": [{"jobname": "r", "read": {"iops": 5}}]}"#,
            "f.json: job \"r\": write.iops is 0; must be at least one a second",
        ),
    ] {
        let error = of(&load(lines), &[("f.json", log)]).expect_err(lines);
        assert!(error.contains(why), "{error}\n{why}");
    }
}
