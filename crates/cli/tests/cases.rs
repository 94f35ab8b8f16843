//! The shared cases: configuration, trace and all expected counters, from a model independent of this program.
//!
//! Planted bugs that these catch: a merge that copies a stale version; `--repeat` that reports the sum over its
//! repetitions, or goes on with a used device; a shortcut (`SSDLAB_PLAIN`) that changes what happens.

use std::fs;
use std::path::PathBuf;

use crate::common::{Lab, ended, in_repository, json};
use serde_json::{Map, Value};

/// The cases whose systems are implemented.
const RUNNABLE: usize = 26;

struct Case {
    name: String,
    config: PathBuf,
    trace: PathBuf,
    expected: Map<String, Value>,
}

fn cases() -> Vec<Case> {
    let entries = fs::read_dir(in_repository("tests/cases")).expect("the folder of cases");
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut configs: Vec<PathBuf> = paths
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    configs.sort();
    let case = |config: &PathBuf| Case {
        name: config.file_stem().unwrap().to_string_lossy().into_owned(),
        config: config.clone(),
        trace: ["csv", "csv.zst"]
            .map(|extension| config.with_extension(extension))
            .into_iter()
            .find(|trace| trace.exists())
            .expect("a trace"),
        expected: serde_json::from_slice(&fs::read(config.with_extension("json")).unwrap())
            .unwrap(),
    };
    configs.iter().map(case).collect()
}

/// The JSON of `run`, with more options and with or without the shortcuts.
fn run(case: &Case, options: &[&str], plain: bool) -> Value {
    let lab = Lab::new();
    let mut command = lab.command(&["run", "--json", "--config"]);
    command.arg(&case.config).arg(&case.trace).args(options);
    if plain {
        command.env("SSDLAB_PLAIN", "1");
    }
    json(&ended(&mut command).success())
}

#[test]
fn every_counter_of_every_case() {
    let cases = cases();
    for case in &cases {
        for plain in [false, true] {
            let report = run(case, &[], plain);
            // compared as maps: the order in the file does not matter; a missing or extra counter does
            let counters = report["counters"].as_object().unwrap();
            assert_eq!(
                sorted(counters),
                sorted(&case.expected),
                "{}, plain {plain}",
                case.name
            );
        }
    }
    assert_eq!(cases.len(), RUNNABLE, "all cases ran");
}

fn sorted(counters: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut pairs: Vec<_> = counters.iter().collect();
    pairs.sort_by_key(|(name, _)| *name);
    pairs
}

#[test]
fn repetitions_describe_one_run() {
    for case in &cases() {
        let once = run(case, &[], false);
        let mut twice = run(case, &["--repeat", "2"], false);
        let timing = twice.as_object_mut().unwrap().shift_remove("timing");
        let timing = timing.unwrap_or_else(|| panic!("{}: no timing", case.name));
        for key in ["decode_ns", "simulate_ns_best", "simulate_ns_median"] {
            assert!(
                timing[key].as_u64().is_some_and(|ns| ns > 0),
                "{key}: {timing}"
            );
        }
        assert_eq!(once, twice, "{}", case.name);
    }
}
