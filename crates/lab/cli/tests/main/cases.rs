//! The shared cases: configuration, trace and all expected counters, from a model independent of this program.
//!
//! Planted bugs that these catch: a merge that copies a stale version; `--repeat` that reports the sum over its
//! repetitions, or goes on with a used device; a shortcut (`SSDLAB_PLAIN`) that changes what happens.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Lab, ended, in_repository, json, writes};
use serde_json::{Map, Value};
use ssdlab_device::OF_FEW;

/// The cases whose systems are implemented.
const RUNNABLE: usize = 95;

struct Case {
    name: String,
    config: PathBuf,
    trace: PathBuf,
    expected: Map<String, Value>,
    /// Under the parallel model, what else is expected: latencies, utilisation and the times of all requests.
    parallel: Option<Parallel>,
}

struct Parallel {
    latency_ns: Value,
    utilisation: Value,
    times: String,
}

/// The configurations in a folder, in the order of their names.
pub fn configs(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(in_repository(folder)).expect("the folder of cases");
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_config = |path: &PathBuf| path.extension().is_some_and(|end| end == "toml");
    let mut configs: Vec<PathBuf> = paths.filter(is_config).collect();
    configs.sort();
    configs
}

fn cases() -> Vec<Case> {
    let case = |config: &PathBuf| {
        let expected = fs::read(config.with_extension("json")).unwrap();
        let mut expected: Map<String, Value> = serde_json::from_slice(&expected).unwrap();
        let parallel = expected
            .shift_remove("latency_ns")
            .map(|latency_ns| Parallel {
                latency_ns,
                utilisation: expected.shift_remove("utilisation").unwrap(),
                times: fs::read_to_string(config.with_extension("latencies.csv")).unwrap(),
            });
        Case {
            name: config.file_stem().unwrap().to_string_lossy().into_owned(),
            config: config.clone(),
            trace: ["csv", "csv.zst"]
                .map(|extension| config.with_extension(extension))
                .into_iter()
                .find(|trace| trace.exists())
                .expect("a trace"),
            expected,
            parallel,
        }
    };
    let folders = ["tests/cases", "tests/slc", "tests/maps"]
        .map(configs)
        .into_iter()
        .flatten();
    folders.map(|config| case(&config)).collect()
}

/// The JSON of `run`, with more options and with or without the shortcuts.
pub fn run(config: &Path, trace: &Path, options: &[&str], plain: bool) -> Value {
    let lab = Lab::new();
    let mut command = lab.command("run --json --config");
    command.arg(config).arg(trace).args(options);
    if plain {
        command.env("SSDLAB_PLAIN", "1");
    }
    let mut report = json(&ended(&mut command).success());
    // it has the command
    report["row"] = Value::Null;
    report
}

#[test]
fn every_counter_of_every_case() {
    let cases = cases();
    for case in &cases {
        for plain in [false, true] {
            let report = run(&case.config, &case.trace, &[], plain);
            // compared as maps: the order in the file does not matter; a missing or extra counter does
            let mut counters = report["counters"].as_object().unwrap().clone();
            // the cases are older than some counters that few devices have
            counters.retain(|name, _| {
                case.expected.contains_key(name) || !OF_FEW.contains(&name.as_str())
            });
            assert_eq!(
                sorted(&counters),
                sorted(&case.expected),
                "{}, plain {plain}",
                case.name
            );
            if !plain {
                repetitions_describe_one_run(case, &report);
            }
        }
    }
    assert_eq!(cases.len(), RUNNABLE, "all cases ran");
}

fn sorted(counters: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut pairs: Vec<_> = counters.iter().collect();
    pairs.sort_by_key(|(name, _)| *name);
    pairs
}

// planted bugs: a percentile below its value; the bus counted with a channel; a channel that is never filled between two
// moves; a slot that is free before its page was programmed; a run of copies that is scheduled one by one
#[test]
fn every_request_of_every_case_under_the_parallel_model() {
    let cases = cases();
    let timed = cases
        .iter()
        .filter_map(|case| Some((case, case.parallel.as_ref()?)));
    let mut requests = 0;
    for (case, expected) in timed {
        let lab = Lab::new();
        let mut command = lab.command("run --json --latencies times.csv --config");
        command.arg(&case.config).arg(&case.trace);
        let report = json(&ended(&mut command).success());
        let times = fs::read_to_string(lab.path("times.csv")).unwrap();
        for (time, expected) in times.lines().zip(expected.times.lines()) {
            assert_eq!(time, expected, "{}", case.name);
            requests += 1;
        }
        assert_eq!(times.len(), expected.times.len(), "{}", case.name);
        assert_latencies(&report["latency_ns"], &expected.latency_ns, &case.name);
        assert_shares(&report["utilisation"], &expected.utilisation, &case.name);
    }
    assert!(requests > 10_000, "{requests}");
}

#[test]
fn requests_have_times_only_under_the_parallel_model() {
    let lab = Lab::new();
    lab.write("some.csv", writes(&[0, 1, 2]));
    let why = ["error: --latencies: ", "timing.model = \"parallel\""];
    lab.refused("run --latencies times.csv some.csv", &why);
}

/// Percentiles may be 0.1 % too large.
fn assert_latencies(found: &Value, expected: &Value, name: &str) {
    for (op, expected) in expected.as_object().unwrap() {
        for (figure, expected) in expected.as_object().unwrap() {
            let found = &found[op][figure];
            let near = match (found.as_u64(), expected.as_u64()) {
                (Some(found), Some(expected)) if figure.starts_with('p') => {
                    found >= expected && found - expected <= expected / 1000
                }
                _ => found == expected,
            };
            assert!(near, "{name} {op} {figure}: {found} instead of {expected}");
        }
    }
}

fn assert_shares(found: &Value, expected: &Value, name: &str) {
    match expected {
        Value::Object(parts) => parts
            .iter()
            .for_each(|(part, expected)| assert_shares(&found[part], expected, name)),
        Value::Array(shares) => {
            assert_eq!(found.as_array().map(Vec::len), Some(shares.len()), "{name}");
            for (at, expected) in shares.iter().enumerate() {
                assert_shares(&found[at], expected, name);
            }
        }
        share => {
            let difference = found.as_f64().unwrap() - share.as_f64().unwrap();
            assert!(
                difference.abs() < 1e-9,
                "{name}: {found} instead of {share}"
            );
        }
    }
}

fn repetitions_describe_one_run(case: &Case, once: &Value) {
    let mut twice = run(&case.config, &case.trace, &["--repeat", "2"], false);
    let timing = twice.as_object_mut().unwrap().shift_remove("timing");
    let timing = timing.unwrap_or_else(|| panic!("{}: no timing", case.name));
    for key in ["decode_ns", "simulate_ns_best", "simulate_ns_median"] {
        assert!(
            timing[key].as_u64().is_some_and(|ns| ns > 0),
            "{key}: {timing}"
        );
    }
    assert_eq!(*once, twice, "{}", case.name);
}
