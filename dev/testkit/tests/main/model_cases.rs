//! The reference model on the small cases in `tests/cases`: it must give their counters.

use std::fs::{self, File};
use std::io;

use serde_json::Value;
use ssdlab_config::Resolver;
use ssdlab_device::OF_FEW;
use ssdlab_host::Request;
use ssdlab_testkit::cases::request;
use ssdlab_testkit::model::{self, ModelConfig};

const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests");

/// The cases in a folder, by their paths without an ending.
fn cases(folder: &str) -> Vec<String> {
    let files = fs::read_dir(format!("{TESTS}/{folder}")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let names = names.filter_map(|name| name.strip_suffix(".toml").map(str::to_owned));
    names.map(|name| format!("{folder}/{name}")).collect()
}

fn config(name: &str) -> ModelConfig {
    let file = format!("{name}.toml");
    let mut resolver = Resolver::new();
    let text = read_file(&file).unwrap();
    resolver.file(&file, text.as_bytes()).unwrap();
    ModelConfig::from(&resolver.resolve().unwrap())
}

fn read_file(name: &str) -> io::Result<String> {
    fs::read_to_string(format!("{TESTS}/{name}"))
}

fn read_packed(name: &str) -> String {
    let file = File::open(format!("{TESTS}/{name}.zst")).unwrap();
    String::from_utf8(zstd::decode_all(file).unwrap()).unwrap()
}

fn trace(name: &str) -> Vec<Request> {
    let name = format!("{name}.csv");
    let text = read_file(&name).unwrap_or_else(|_| read_packed(&name));
    let lines = text.lines().skip(1);
    lines.map(|line| request(&line.replace(',', " "))).collect()
}

#[test]
fn every_counter_of_every_case_agrees() {
    let mut cases = cases("cases");
    // 37,000 pages are too many for lists
    cases.retain(|name| !name.ends_with("/drive-sheet"));
    assert_eq!(cases.len(), 58);
    for name in &cases {
        let result = model::run(&config(name), &trace(name));
        let json = read_file(&format!("{name}.json")).unwrap();
        let expected: Value = serde_json::from_str(&json).unwrap();
        let found = serde_json::to_value(&result.counters).unwrap();
        for (counter, found) in found.as_object().unwrap() {
            // the cases are older than some of these
            if OF_FEW.contains(&counter.as_str()) && expected.get(counter).is_none() {
                continue;
            }
            assert_eq!(found, &expected[counter], "{name}: {counter}");
        }
    }
}

#[test]
fn every_counter_of_every_map_agrees() {
    let mut cases = cases("maps");
    // the model has no clocks for maps
    cases.retain(|name| !name.contains("/timing-"));
    assert_eq!(cases.len(), 16);
    for name in &cases {
        let result = model::run(&config(name), &trace(name));
        let json = read_file(&format!("{name}.json")).unwrap();
        let expected: Value = serde_json::from_str(&json).unwrap();
        let found = serde_json::to_value(&result.counters).unwrap();
        for (counter, expected) in expected.as_object().unwrap() {
            assert_eq!(&found[counter], expected, "{name}: {counter}");
        }
    }
}

/// One case of each placement; the model looks everything up, so all of them take a minute. It has no log that is compacted
/// in place.
const OF_EACH_PLACEMENT: [&str; 8] = [
    "placements/2a-zones",
    "placements/dac-updates-fifo",
    "placements/fdp-ii-eager",
    "placements/fdp-mixed-one",
    "placements/future-zones",
    "placements/sepbit-uniform",
    "placements/single-dies",
    "placements/tt-zipf",
];

#[test]
fn every_count_of_every_placement_agrees() {
    for name in OF_EACH_PLACEMENT {
        let result = model::run(&config(name), &trace(name));
        let json = read_file(&format!("{name}.json")).unwrap();
        let expected: Value = serde_json::from_str(&json).unwrap();
        let found = serde_json::to_value(&result.counters).unwrap();
        for (counter, expected) in expected["counters"].as_object().unwrap() {
            assert_eq!(&found[counter], expected, "{name}: {counter}");
        }
        for (region, expected) in result
            .regions
            .iter()
            .zip(expected["regions"].as_array().into_iter().flatten())
        {
            let counts = ["host_pages", "copied_in", "copied_out", "victims"];
            let expected = counts.map(|count| expected[count].as_u64().unwrap());
            assert_eq!(region, &expected, "{name}");
        }
    }
}
