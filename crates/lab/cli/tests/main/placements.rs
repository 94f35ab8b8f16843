//! Placements with handles and regions: exact cases from an independent model, and what reports say of them.
//!
//! Planted bugs that these catch: copies that are asked for in the order of pages although they move in stripes; a handle that
//! does not own the units of its copies; the common unit counted for a handle; a unit that is erased at the cost of one
//! block; a stream that a write buffer forgets; a warning for each page; a sum that leaves out the open blocks; a picture of one
//! run only, or of bounds; an empty picture where no run counts; times or levels that stay behind when a page moves.

use std::fs;

use serde_json::Value;

use crate::cases::{self, configs};
use crate::common::{Lab, json};

/// Whether all that is expected was found; other keys may be there.
fn assert_holds(found: &Value, expected: &Value, what: &str) {
    match expected {
        Value::Object(parts) => parts
            .iter()
            .for_each(|(key, part)| assert_holds(&found[key], part, &format!("{what} {key}"))),
        Value::Array(items) => {
            assert_eq!(found.as_array().map(Vec::len), Some(items.len()), "{what}");
            for (at, item) in items.iter().enumerate() {
                assert_holds(&found[at], item, &format!("{what} {at}"));
            }
        }
        value => assert_eq!(found, value, "{what}"),
    }
}

#[test]
fn every_count_of_every_case() {
    let configs = configs("tests/placements");
    for config in &configs {
        let expected = fs::read(config.with_extension("json")).expect("what is expected");
        let expected: Value = serde_json::from_slice(&expected).expect("JSON");
        let name = format!("{config:?}");
        for plain in [false, true] {
            let report = cases::run(config, &config.with_extension("csv.zst"), &[], plain);
            assert_holds(&report, &expected, &name);
            sums_are_those_of_the_counters(&report, &name);
        }
    }
    assert_eq!(configs.len(), 24, "all cases ran");
}

fn sums_are_those_of_the_counters(report: &Value, name: &str) {
    let count = |name: &str| report["counters"][name].as_u64().unwrap_or(0);
    let sum = |rows: &Value, key: &str| -> u64 {
        let rows = rows.as_array().expect("a list").iter();
        rows.map(|row| row[key].as_u64().expect("a count")).sum()
    };
    let common = |key: &str| report["common"][key].as_u64().unwrap_or(0);
    let copies = count("flash_copies");
    let (rows, copied) = if report["handles"].is_null() {
        let regions = &report["regions"];
        assert_eq!(sum(regions, "copied_in"), copies, "{name}");
        (regions, sum(regions, "copied_out"))
    } else {
        let handles = &report["handles"];
        (
            handles,
            sum(handles, "copied_pages") + common("copied_pages"),
        )
    };
    assert_eq!(copied, copies, "{name}");
    assert_eq!(sum(rows, "host_pages"), count("flash_programs"), "{name}");
    let victims = sum(rows, "victims") + common("victims");
    assert_eq!(victims, count("gc_victims"), "{name}");
}

/// A device of 1 MiB in blocks of 16 pages, and its options for a placement.
fn small(lab: &Lab, options: &str, trace: &str) -> Value {
    let device = "run --json --set=flash.capacity=1MiB --set=flash.page_size=4096 --set=flash.pages_per_block=16 \
                  --set=ftl.kind=page --set=buffer.policy=none";
    lab.json(&format!("{device} {options} {trace}"))
}

/// Writes of single pages, with their streams.
fn streams(writes: impl Iterator<Item = (u64, u64)>) -> String {
    let line = |(page, stream): (u64, u64)| format!("0,W,{},4096,{stream}\n", page * 4096);
    let lines: String = writes.map(line).collect();
    format!("time_ns,op,offset_bytes,size_bytes,stream\n{lines}")
}

/// A number below `all` that is as good as random.
fn scattered(i: u64, all: u64) -> u64 {
    (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) % all
}

#[test]
fn a_unit_is_a_block_of_as_many_pages() {
    let lab = Lab::new();
    let pages = (0..4000).map(|i| (scattered(i, 256), 0));
    lab.write("some.csv", streams(pages));
    let spare = "--set=ftl.spare_blocks=7 --set=timing.erase_us=500";
    let units = small(
        &lab,
        &format!("{spare} --set=ftl.unit_blocks=2"),
        "some.csv",
    );
    let blocks = small(
        &lab,
        "--set=ftl.spare_blocks=7 --set=flash.pages_per_block=32 --set=timing.erase_us=1000",
        "some.csv",
    );
    assert_eq!(units["counters"], blocks["counters"]);
    assert!(units["counters"]["erases"].as_u64() > Some(50));
    assert_eq!(units["regions"], blocks["regions"]);
}

#[test]
fn handles_own_their_units() {
    let lab = Lab::new();
    // stream 0 writes its quarter in order, stream 1 the rest at random
    let writes = (0..8000).map(|i| match i % 4 {
        0 => (i / 4 % 64, 0),
        _ => (64 + scattered(i, 192), 1),
    });
    lab.write("two.csv", streams(writes));
    let options = "--set=ftl.spare_blocks=16 --set=ftl.placement=fdp --set=ftl.handles=2 --set=precondition=empty";
    let isolated = small(
        &lab,
        &format!("{options} --set=ftl.handle_types=pi"),
        "two.csv",
    );
    let handles = &isolated["handles"];
    assert!(isolated["common"].is_null(), "{isolated}");
    // what is written in order dies in order
    assert_eq!(handles[0]["copied_pages"], 0, "{handles}");
    assert!(handles[1]["copied_pages"].as_u64() > Some(500), "{handles}");
    assert_eq!(handles[0]["valid_pages"], 64, "{handles}");
    let mixed = small(&lab, options, "two.csv");
    let copied = mixed["common"]["copied_in"].as_u64();
    assert_eq!(copied, mixed["counters"]["flash_copies"].as_u64());
    assert!(copied > Some(500), "{mixed}");
}

#[test]
fn a_stream_that_is_no_handle_uses_handle_0_and_is_told_of_once() {
    let lab = Lab::new();
    lab.write("some.csv", streams((0..100).map(|i| (i, i % 5))));
    let options = "--set=ftl.spare_blocks=16 --set=ftl.placement=fdp --set=ftl.handles=3";
    let report = small(&lab, options, "some.csv");
    assert_eq!(report["counters"]["invalid_streams"], 40);
    assert_eq!(report["handles"][0]["host_pages"], 20 + 40);
    let warnings = report["warnings"].as_array().expect("a list");
    let told = |warning: &&Value| warning.to_string().contains("ftl.handles");
    assert_eq!(warnings.iter().filter(told).count(), 1, "{warnings:?}");
}

/// The stream of a page is that of the request that last wrote it, however late the buffer writes it.
#[test]
fn a_write_buffer_keeps_the_streams_of_its_pages() {
    let lab = Lab::new();
    let first = (0..8u64).map(|page| (page, 1));
    let then = (0..4u64).map(|page| (page, 2));
    lab.write("some.csv", streams(first.chain(then)));
    let options = "--set=ftl.spare_blocks=16 --set=ftl.placement=fdp --set=ftl.handles=3 --set=buffer.policy=lru";
    let report = small(&lab, options, "some.csv");
    let host = |handle: usize| report["handles"][handle]["host_pages"].as_u64();
    assert_eq!([host(0), host(1), host(2)], [Some(0), Some(4), Some(4)]);
}

// planted bugs: a file of which the capacity is not known yet, and a pipe, of which the writes to come are asked for too early
#[test]
fn the_future_is_known_whatever_the_capacity_and_the_input() {
    let lab = Lab::new();
    // three of four writes go to a block of pages, the others anywhere
    let page = |i| match i % 4 {
        0 => 16 + scattered(i, 240),
        _ => scattered(i, 16),
    };
    let text = streams((0..4000).map(|i| (page(i), 0)));
    lab.write("some.csv", &text);
    let options = "--set=ftl.placement=future --set=ftl.regions=3 --set=ftl.spare_blocks=12";
    let known = small(&lab, options, "some.csv");
    let auto = small(
        &lab,
        &format!("{options} --set=flash.capacity=auto"),
        "some.csv",
    );
    assert_eq!(known["counters"], auto["counters"]);
    let single = small(&lab, "--set=ftl.spare_blocks=12", "some.csv");
    let copies = |report: &Value| report["counters"]["flash_copies"].as_u64();
    assert!(copies(&known) < copies(&single), "{known} {single}");
}

/// The options of a comparison of two placements on a small device.
const COMPARED: &str = "compare some.csv --buffer=none --no-html --no-advice --set=flash.capacity=1MiB --set=flash.page_size=4096 \
                        --set=flash.pages_per_block=16 --set=ftl.spare_blocks=24";

#[test]
fn the_picture_shows_the_counts() {
    let lab = Lab::new();
    let writes = (0..8000).map(|i| match i % 4 {
        0 => (i / 4 % 64, 0),
        _ => (64 + scattered(i, 192), 1),
    });
    lab.write("some.csv", streams(writes));
    let vary = "--ftl=page --vary=ftl.placement=single,fdp,dac";
    lab.ok(&format!(
        "{COMPARED} {vary} --json=all.json --placed=all.svg"
    ));
    lab.ok(&format!("{COMPARED} {vary} --placed=picture.csv"));
    let all = json(&lab.read("all.json"));
    let rows = all["rows"].as_array().expect("rows").iter();
    let mut expected = Vec::new();
    for row in rows.filter(|row| row["kind"] == "policy") {
        let placed = &row["placed"];
        let handles = placed["handles"]
            .as_array()
            .map(|all| (all, "handle", "copied_pages"));
        let regions = || {
            placed["regions"]
                .as_array()
                .map(|all| (all, "region", "copied_out"))
        };
        let (parts, name, out) = handles.or_else(regions).expect("counts");
        let named = (0..)
            .zip(parts)
            .map(|(at, part)| (format!("{name} {at}"), part));
        let common = [("common copies".to_owned(), &placed["common"])];
        let common = common.into_iter().filter(|(_, part)| !part.is_null());
        for (name, part) in named.chain(common) {
            let count = |key: &str| part[key].as_u64().unwrap_or(0);
            let out = part[out].as_u64().unwrap_or_else(|| count("copied_pages"));
            let counts = [count("host_pages"), out, count("copied_in")];
            if counts.iter().any(|count| *count > 0) {
                expected.push((name, counts));
            }
        }
    }
    assert!(expected.len() >= 7, "{expected:?}");
    let text = lab.read("picture.csv");
    let mut found: Vec<(String, [u64; 3])> = Vec::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let (kind, name) = (fields[1], fields[2]);
        let count: u64 = fields[3].parse().expect("a count");
        match kind {
            "written by the host" => found.push((name.to_owned(), [count, 0, 0])),
            "copied out by cleaning" => found.last_mut().expect("a bar").1[1] = count,
            "copied in by cleaning" => found.last_mut().expect("a bar").1[2] = count,
            other => panic!("{other}"),
        }
    }
    assert_eq!(found, expected);
    let svg = lab.read("all.svg");
    assert!(
        svg.contains(">WAF 1.") && svg.contains(">common copies</text>"),
        "{svg}"
    );
    assert!(svg.contains("<title>What each handle and region costs, in 3 runs</title>"));
}

#[test]
fn a_picture_needs_an_ending_and_counts() {
    let lab = Lab::new();
    lab.write("some.csv", streams((0..100).map(|i| (i, 0))));
    lab.refused(
        &format!("{COMPARED} --ftl=page --placed=all.png"),
        &["--placed all.png: must end in .svg, .pdf, .pgf or .csv"],
    );
    let ended = lab.run(&format!("{COMPARED} --ftl=block --placed=all.svg"));
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    let message = "error: --placed all.svg: no run has counts by handle or region; must have ftl.kind = \"page\"\n";
    assert!(ended.stderr.ends_with(message), "{}", ended.stderr);
    // the results are not lost
    assert!(ended.stdout.contains("none"), "{}", ended.stdout);
    assert!(!lab.path("all.svg").exists());
}
