//! The object of `run --json`: its keys, and its independence of how the trace arrives.
//!
//! Planted bugs that these catch: a counter or key left out or renamed; NaN or 0 for a figure without a value; a part
//! of the time counted twice or never; sizes printed as "4KiB"; values that change from run to run (a clock, the order
//! of a hash map); write amplification in pages; the last requests lost at the end of a compressed stream; standard
//! input read twice.

use std::fs;

use crate::common::{
    HEADER, Lab, ended, gz, in_repository, json, keys, programs, trace, words, writes, zst,
};
use serde_json::Value;

fn sorted(mut names: Vec<&str>) -> Vec<&str> {
    names.sort_unstable();
    names
}

/// Checks the keys of an object, in any order.
#[track_caller]
fn assert_keys(object: &Value, expected: &str) {
    assert_eq!(sorted(keys(object)), sorted(words(expected)));
}

const RUN: &str = "run --json --config small.toml";

fn run(lab: &Lab, more: &str) -> Value {
    lab.json(&format!("{RUN} {more}"))
}

/// The small device and a trace of every operation.
fn mixed() -> Lab {
    let lab = Lab::small();
    let lines = [
        "0,W,0,4096",
        "1000,R,512,512",
        "2000,W,8000,600",
        "3000,F,0,0",
        "4000,D,0,2048",
        "5000,R,0,10240",
        "6000,W,700,100",
    ];
    lab.write("mixed.csv", trace(&lines));
    lab
}

#[test]
fn exactly_the_promised_keys() {
    let report = run(&mixed(), "mixed.csv");
    assert_keys(
        &report,
        "counters derived endurance controller config trace steady_state warnings row",
    );
    assert_keys(
        &report["counters"],
        "host_reads host_writes host_flushes host_discards
         host_read_pages host_write_pages host_discard_pages host_read_bytes host_write_bytes
         buffer_write_hits buffer_write_misses buffer_read_hits buffer_read_misses
         evictions evicted_dirty_pages evicted_clean_pages padding_reads aged_pages
         flash_reads flash_programs merge_programs flash_copies copy_backs erases
         switch_merges partial_merges full_merges gc_victims unmapped_reads elapsed_ns",
    );
    let derived = &report["derived"];
    assert_keys(
        derived,
        "waf waf_pages throughput_mb_s write_hit_ratio read_hit_ratio erase_count time_ns merge_time_ns",
    );
    assert_keys(&derived["merge_time_ns"], "switch partial full");
    assert_keys(&derived["erase_count"], "min mean max stddev");
    assert_keys(
        &derived["time_ns"],
        "host padding merge cleaning ageing buffer",
    );
    assert_keys(
        &report["trace"],
        "name format format_reason requests sha256 skipped",
    );
    let counters = report["counters"].as_object().unwrap();
    assert!(counters.values().all(Value::is_u64), "{counters:?}");
}

#[test]
fn configuration_nested_as_the_file() {
    let lab = mixed();
    let report = run(&lab, "mixed.csv");
    let config = &report["config"];
    let top = "partial_writes precondition precondition_size precondition_segment precondition_limit precondition_seed drain \
               replay queue_depth speedup clock flash timing ftl buffer read_buffer drive";
    assert_keys(config, top);
    let tables = ssdlab_config::Resolver::new().resolve().unwrap().to_json();
    for (table, keys_of) in tables.as_object().unwrap() {
        if keys_of.is_object() {
            assert_keys(&config[table], &keys(keys_of).join(" "));
        }
    }
    assert_eq!(config["flash"]["capacity"], 10240);
    assert_eq!(config["buffer"]["size"], 4096);
    assert_eq!(config["ftl"]["ram"], 4 << 20);
    // keys that appear only on request
    let preset = lab.json("run --json --preset bplru-2008 mixed.csv");
    assert_keys(&preset["config"], &format!("preset {top}"));
    assert_eq!(preset["config"]["preset"], "bplru-2008");
    let fraction = run(&lab, "--set ftl.over_provisioning=0.3 mixed.csv");
    assert_eq!(fraction["config"]["ftl"]["over_provisioning"], 0.3);
}

#[test]
fn figures_follow_from_the_counters() {
    let report = run(&mixed(), "mixed.csv");
    let count = |name: &str| report["counters"][name].as_u64().unwrap();
    let names = "host_reads host_writes host_flushes host_discards host_read_pages host_write_pages \
                 host_discard_pages host_read_bytes host_write_bytes";
    // 8000..8600 lies in pages 15 and 16, 700..800 in page 1
    let counts: Vec<u64> = words(names).into_iter().map(count).collect();
    assert_eq!(counts, [2, 3, 1, 1, 1 + 20, 8 + 2 + 1, 4, 10752, 4796]);
    let derived = &report["derived"];
    let programs = programs(&report["counters"]);
    assert_eq!(derived["waf_pages"], programs as f64 / 11.0);
    assert_eq!(derived["waf"], programs as f64 * 512.0 / 4796.0);
    let bytes = count("host_read_bytes") + count("host_write_bytes");
    let speed = bytes as f64 / 1e6 / (count("elapsed_ns") as f64 / 1e9);
    let found = derived["throughput_mb_s"].as_f64().unwrap();
    assert!((found - speed).abs() < 1e-9 * speed, "{found}, not {speed}");
    assert_eq!(
        derived["write_hit_ratio"],
        count("buffer_write_hits") as f64 / 11.0
    );
    assert_eq!(
        derived["read_hit_ratio"],
        count("buffer_read_hits") as f64 / 21.0
    );
    let erases = &derived["erase_count"];
    // 5 logical blocks, 2 log blocks and 2 spare blocks
    assert_eq!(erases["mean"], count("erases") as f64 / 9.0);
    assert!(erases["min"].as_u64() <= erases["max"].as_u64());
}

/// Each write of 4 KiB programs a page of 16 KiB, of one chip or of four together.
#[test]
fn write_amplification_is_in_bytes() {
    let lab = Lab::new();
    let place = |i: u64| (i * 7919 + i * i % 4099) % 16384 * 4096;
    let line = |i| format!("{i},W,{},4096", place(i));
    lab.write(
        "small.csv",
        trace(&(0..100_000).map(line).collect::<Vec<_>>()),
    );
    for shape in [
        "--set=flash.page_size=16384",
        "--set=flash.page_size=4096 --set=flash.channels=2 --set=flash.chips_per_channel=2",
    ] {
        let report = lab.json(&format!(
            "run --json --set=ftl.kind=ideal --set=flash.capacity=64MiB --set=buffer.policy=none {shape} small.csv"
        ));
        assert_eq!(report["counters"]["flash_programs"], 100_000);
        assert_eq!(report["derived"]["waf"], 4.0, "{shape}");
        assert_eq!(report["derived"]["waf_pages"], 1.0, "{shape}");
    }
}

#[test]
fn null_where_nothing_was_measured() {
    let lab = Lab::small();
    lab.write("nothing.csv", trace::<&str>(&[]));
    let ended = lab.run(&format!("{RUN} nothing.csv"));
    let warning = "nothing.csv: the trace has no requests";
    assert_eq!(ended.stderr, format!("warning: {warning}\n"));
    let report = json(&ended.success());
    assert_eq!(report["warnings"], json(&format!("[{warning:?}]")));
    for name in words("waf waf_pages throughput_mb_s write_hit_ratio read_hit_ratio") {
        assert!(report["derived"][name].is_null(), "{name}: {report}");
    }
    let counters = report["counters"].as_object().unwrap();
    assert!(counters.values().all(|count| count == 0), "{counters:?}");
    assert_eq!(report["derived"]["erase_count"]["mean"], 0.0);
    // the ideal FTL has no blocks to erase
    lab.write("some.csv", writes(&[0, 1, 2]));
    let ideal = run(&lab, "--set ftl.kind=ideal some.csv");
    let erases = json(r#"{"min":null,"mean":null,"max":null,"stddev":null}"#);
    assert_eq!(ideal["derived"]["erase_count"], erases);
    // without a buffer there is no hit ratio
    let none = run(&lab, "--set buffer.policy=none some.csv");
    assert!(none["derived"]["write_hit_ratio"].is_null());
}

#[test]
fn the_parts_of_the_time_make_the_whole() {
    let cases = in_repository("tests/cases");
    for case in words("bast-aged-exactly bast-blru-flush bast-bplru bast-none") {
        let lab = Lab::new();
        let [config, trace] = ["toml", "csv"].map(|end| cases.join(format!("{case}.{end}")));
        for ftl in words("block replacement bast fast superblock page ideal") {
            let mut command = lab.command(&format!("run --json --set ftl.kind={ftl} --config"));
            let report = json(&ended(command.arg(&config).arg(&trace)).success());
            let parts = report["derived"]["time_ns"].as_object().unwrap();
            let sum: u64 = parts.values().map(|part| part.as_u64().unwrap()).sum();
            assert_eq!(report["counters"]["elapsed_ns"], sum, "{case} {parts:?}");
            let kinds = report["derived"]["merge_time_ns"].as_object().unwrap();
            for (kind, time) in kinds {
                let merges = &report["counters"][format!("{kind}_merges")];
                assert_eq!(merges == 0, time == 0, "{case} {kind}");
            }
            let merging: u64 = kinds.values().map(|part| part.as_u64().unwrap()).sum();
            assert!(parts["merge"].as_u64() >= Some(merging), "{case} {parts:?}");
        }
    }
}

// Planted bugs: moves over the channel, or accesses of a buffer, that count as work of the chips; the erase of a line on one
// chip; the chips of a superpage counted one by one; the work of the chips for the sums of the serial model.
#[test]
fn under_clocks_the_parts_of_the_time_make_the_work_of_the_chips() {
    let cases = in_repository("tests/cases");
    for case in words(
        "timing-line-bplru-depth64 timing-line-deb-depth8 timing-page-bplru-depth8 timing-superpage-none-timed \
         timing-superpage-three-region-depth1",
    ) {
        let lab = Lab::new();
        let [config, trace] = ["toml", "csv"].map(|end| cases.join(format!("{case}.{end}")));
        let mut command = lab.command("run --json --config");
        let report = json(&ended(command.arg(&config).arg(&trace)).success());
        let mut command =
            lab.command("run --json --set timing.model=serial --set replay=closed --config");
        let serial = json(&ended(command.arg(&config).arg(&trace)).success());
        for figure in ["time_ns", "merge_time_ns"] {
            assert_eq!(
                report["derived"][figure], serial["derived"][figure],
                "{case}: {figure}"
            );
        }
        assert!(serial["derived"].get("chips_ns").is_none());
        let parts = report["derived"]["chips_ns"].as_object().unwrap();
        let sum: f64 = parts.values().map(|part| part.as_f64().unwrap()).sum();
        let chips = report["utilisation"]["chips"].as_array().unwrap();
        let busy: f64 = chips.iter().map(|chip| chip.as_f64().unwrap()).sum();
        let worked = busy * report["counters"]["elapsed_ns"].as_f64().unwrap();
        assert!(
            (sum / worked - 1.0).abs() < 1e-9,
            "{case}: {sum}, not {worked}"
        );
    }
}

#[test]
fn the_same_bytes_every_time() {
    let lab = mixed();
    let args = format!("{RUN} mixed.csv");
    assert_eq!(lab.ok(&args), lab.ok(&args));
    for name in ["a", "b"] {
        lab.ok(&format!(
            "run --config small.toml --events {name} mixed.csv"
        ));
    }
    assert!(lab.read("a").lines().count() > 3);
    assert_eq!(lab.read("a"), lab.read("b"));
}

#[test]
fn page_numbers_modulo_the_capacity() {
    let lab = Lab::small();
    let far = [0, 4, 28, 41, 56, 1000, 63];
    lab.write("far.csv", writes(&far));
    lab.write("near.csv", writes(&far.map(|page| page % 20)));
    let far = run(&lab, "--wrap far.csv");
    assert_eq!(far["counters"], run(&lab, "near.csv")["counters"]);
}

/// More requests than fit in a batch, so that the streams below arrive in several pieces.
fn long() -> String {
    let pages: Vec<u64> = (0..10_000).map(|i| i * i % 18).collect();
    writes(&pages)
}

#[test]
fn however_the_trace_arrives() {
    let lab = Lab::small();
    let plain = long();
    let forms = [
        ("long.csv", plain.clone().into_bytes()),
        ("long.csv.gz", gz(&plain)),
        ("long.csv.zst", zst(&plain)),
        ("no-extension", zst(&plain)),
        ("return.csv", plain.replace('\n', "\r\n").into_bytes()),
        ("no-end.csv", plain.trim_end().into()),
    ];
    for setting in ["flash.capacity=10KiB", "flash.capacity=auto"] {
        let mut expected = Value::Null;
        for (name, bytes) in &forms {
            lab.write(name, bytes);
            let mut file = run(&lab, &format!("--set {setting} {name}"));
            // it has the path and the command
            file["row"] = Value::Null;
            let stream = lab.piped(&format!("{RUN} --set {setting} -"), bytes.clone());
            let mut stream = json(&stream.success());
            assert_eq!(stream["trace"]["name"], "-");
            assert_eq!(stream["row"]["trace"], "-");
            stream["row"] = Value::Null;
            stream["trace"]["name"] = (*name).into();
            for warning in stream["warnings"].as_array_mut().unwrap() {
                let text = warning.as_str().unwrap().replace("standard input", name);
                *warning = text.into();
            }
            assert_eq!(stream, file, "{name} {setting}");
            assert_eq!(file["trace"]["requests"], 10_000);
            let again = run(&lab, &format!("--set {setting} --repeat 1 {name}"));
            assert_eq!(again["counters"], file["counters"], "{name} in memory");
            if expected.is_null() {
                expected = file["counters"].clone();
            }
            assert_eq!(file["counters"], expected, "{name} {setting}");
        }
    }
}

#[test]
fn what_the_trace_was() {
    let lab = Lab::small();
    fs::create_dir(lab.path("folder")).unwrap();
    lab.write("folder/abc.csv", format!("{HEADER}\n"));
    let report = run(&lab, "folder/abc.csv");
    // of the header line with its line end
    let sha = "8a4610dd8ae2282d291657cf40820625cc9212dd50a8985e3736e5ab860335dd";
    let rest = r#""name":"abc.csv","format":"plain","requests":0,"skipped":{}"#;
    let reason = format!("line 1 is {HEADER:?}");
    let expected = format!("{{{rest},\"format_reason\":{reason:?},\"sha256\":\"{sha}\"}}");
    assert_eq!(report["trace"], json(&expected));
}

// planted bugs: faults that a simulation does not have, taken without a word; handles that no request can reach
#[test]
fn what_a_simulation_does_not_follow_is_told() {
    let lab = Lab::small();
    lab.write("w.csv", trace(&["0,W,0,512", "1,W,512,512"]));
    lab.write(
        "s.csv",
        "time_ns,op,offset_bytes,size_bytes,stream\n0,W,0,512,0\n1,W,512,512,1\n",
    );
    let told = |more: &str| lab.run(&format!("{RUN} --set ftl.kind=page {more}")).stderr;
    let faults = told("w.csv --set drive.erase_limit=3 --set drive.hold_ms=5");
    assert!(
        faults.contains("warning: drive.erase_limit has no effect in a simulation; drives"),
        "{faults}"
    );
    assert!(
        !faults.contains("drive.hold_ms has no effect in a simulation"),
        "{faults}"
    );
    let fdp = "--set ftl.placement=fdp --set ftl.handles=2 --set ftl.spare_blocks=9";
    let streams =
        "warning: the trace tells no streams, so all its writes go to handle 0 of 2; --stream-by";
    assert!(told(&format!("w.csv {fdp}")).contains(streams));
    assert!(!told(&format!("s.csv {fdp}")).contains("no streams"));
    assert!(!told(&format!("w.csv {fdp} --stream-by op")).contains("no streams"));
}

#[test]
fn time_that_runs_backwards_is_worth_a_warning() {
    let lab = Lab::small();
    lab.write(
        "back.csv",
        trace(&[
            "5000,W,0,512",
            "4000,W,0,512",
            "4000,W,0,512",
            "3000,W,0,512",
        ]),
    );
    let warning = "back.csv: 2 requests have an earlier time stamp than the previous request, by up to 2.0 µs; --sort 2us puts \
                   them in order";
    let never = "host wrote 0.20 x capacity; cleaning never started: the figures say nothing of a drive in use; let \
                 the trace age the drive first: add --set precondition=workload, or take a longer trace";
    for more in ["", "--repeat 2"] {
        let ended = lab.run(&format!("{RUN} back.csv {more}"));
        assert_eq!(
            ended.stderr,
            format!("warning: {warning}\nwarning: {never}\n")
        );
        assert_eq!(
            json(&ended.success())["warnings"],
            json(&format!("[{warning:?},{never:?}]"))
        );
    }
}

#[test]
fn a_key_without_effect_is_worth_a_warning() {
    let lab = mixed();
    let ended = lab.run(&format!("{RUN} --set buffer.window=0.5 mixed.csv"));
    assert!(ended.stderr.starts_with("warning: "), "{}", ended.stderr);
    assert!(ended.stderr.contains("buffer.window"), "{}", ended.stderr);
    let warnings = &json(&ended.success())["warnings"];
    assert_eq!(warnings.as_array().unwrap().len(), 1);
}

#[test]
fn the_capacity_that_a_trace_needs() {
    let lab = Lab::small();
    // blocks have 2048 bytes; a discard counts, a flush has no place
    for (line, capacity) in [
        ("0,W,0,1", 2048),
        ("0,R,2047,1", 2048),
        ("0,R,2048,1", 4096),
        ("0,D,20000,480", 20480),
        ("0,F,0,0", 2048),
    ] {
        lab.write("some.csv", trace(&[line]));
        let report = run(&lab, "--set flash.capacity=auto some.csv");
        assert_eq!(report["config"]["flash"]["capacity"], capacity, "{line}");
    }
}
