//! Foreign systems in a comparison: called as a library, and in a program of three lines.
//!
//! Planted bugs that these tests catch: a second chance without a second turn; a program that lists or compares only the
//! built-in systems; a report without the row of a foreign policy, or without a foreign figure; a key
//! that only the command line knows, and an image forgets.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use own_policy::Own;
use ssdlab_device::Device;
use ssdlab_flash::Array;
use ssdlab_host::{Op, Request};
use ssdlab_sim::{CompareOptions, Lab, Trace};
use ssdlab_testkit::configs::{config_with, stack_with};
use ssdlab_testkit::versions::Versions;

use crate::{PAGE, write};

/// Every second write goes to one of 8 hot pages; the others go over 4000 pages in turn.
fn requests() -> Vec<Request> {
    (0..4000).flat_map(|n| [n % 8, 8 + n]).map(write).collect()
}

#[test]
fn second_chance_is_compared_with_lru() {
    let lab = Lab::with(&Own);
    let trace = Trace::made("hot pages", requests());
    let options = CompareOptions {
        buffers: ["fifo", "lru", "second-chance"].map(str::to_owned).to_vec(),
        sizes: vec![32 * PAGE],
        ..CompareOptions::new(&lab, lab.resolver())
    };
    let comparison = lab.compare(&trace, options).expect("a legal comparison");
    let hits = |label: &str| {
        let mut rows = comparison.rows.iter();
        let row = rows.find(|row| row.label == label);
        row.expect("a row for each policy")
            .outcome
            .counters
            .buffer_write_hits
    };
    // a hot page stays in both; under fifo it leaves after 32 misses
    assert_eq!(hits("lru"), 4000 - 8);
    assert_eq!(hits("second-chance"), 4000 - 8);
    assert!(hits("fifo") < 4000 - 8);
}

/// Reads alone, so the read buffer has all hits.
#[test]
fn second_chance_serves_a_read_buffer() {
    let hits = |policy: &str| {
        let settings = ["buffer.policy=none".into(), "read_buffer.size=64KiB".into()];
        let policy = format!("read_buffer.policy={policy}");
        let config = config_with(&Own, settings.into_iter().chain([policy]));
        let device = Device::<Array<u64>>::fresh(&config, &stack_with(&Own, &config));
        let mut device = device.expect("a legal device");
        let mut versions = Versions::new(true);
        for write in requests() {
            let read = Request::new(0, Op::Read, write.offset, write.size()).expect("a page");
            device.submit(&read, &mut versions).expect("a legal read");
        }
        device.counters().buffer_read_hits
    };
    // a hot page stays in both; under fifo it leaves after 32 misses
    assert_eq!(hits("lru"), 4000 - 8);
    assert_eq!(hits("second-chance"), 4000 - 8);
    assert!(hits("fifo") < 4000 - 8);
}

#[test]
fn the_program_lists_and_compares_them() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let line = |r: &Request| format!("0,W,{},{}\n", r.offset, r.size());
    let lines: String = requests().iter().map(line).collect();
    let trace = "time_ns,op,offset_bytes,size_bytes\n".to_owned() + &lines;
    fs::write(folder.join("hot.csv"), trace).expect("a trace");

    let list = run(folder, "list");
    for name in [
        "second-chance",
        "most-invalid",
        "streams",
        "copy-on-write",
        "absorbed",
    ] {
        assert!(list.contains(name), "no {name} in {list}");
    }
    let printed = run(
        folder,
        "compare hot.csv --set ftl.kind=bast --buffer lru,second-chance --size 64KiB --html report.html",
    );
    assert!(printed.contains("\n second-chance "), "{printed}");
    let report = fs::read_to_string(folder.join("report.html")).expect("a report");
    assert!(report.contains("second-chance"));
    assert!(report.contains("Absorbed by the buffer<small>%"));
    let ranked = run(
        folder,
        "compare hot.csv --set ftl.kind=bast --buffer fifo,lru --size 64KiB --by absorbed --columns erases,absorbed --no-html",
    );
    // 4000 pages are written once; 8 stay in the buffer for the other 4000 writes
    assert!(
        ranked.contains("share that the buffer absorbed 49."),
        "{ranked}"
    );
    assert!(ranked.contains(" absorbed "), "{ranked}");
    let ftl = "run hot.csv --set ftl.kind=copy-on-write --set buffer.policy=second-chance";
    assert!(run(folder, ftl).contains("copy-on-write"));
}

#[test]
fn a_key_of_a_policy_is_one_like_all_others() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("keys");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let folder = folder.as_path();
    let line = |r: &Request| format!("0,W,{},{}\n", r.offset, r.size());
    let lines: String = requests().iter().map(line).collect();
    let trace = "time_ns,op,offset_bytes,size_bytes\n".to_owned() + &lines;
    fs::write(folder.join("hot.csv"), trace).expect("a trace");

    let varied = run(
        folder,
        "compare hot.csv --set ftl.kind=bast --buffer second-chance --size 64KiB --vary buffer.chances=1,3 --no-html",
    );
    for label in ["second-chance (chances 1)", "second-chance (chances 3)"] {
        assert!(varied.contains(label), "{varied}");
    }
    let shown = run(
        folder,
        "config show --set buffer.policy=second-chance --set buffer.chances=7",
    );
    assert!(shown.contains("\nchances = 7 "), "{shown}");
    fs::write(folder.join("own.toml"), shown).expect("a file");
    let again = run(folder, "config show --config own.toml");
    assert!(again.contains("\nchances = 7 "), "{again}");
    let in_read_buffer = "config show --set buffer.policy=none --set read_buffer.policy=second-chance \
                          --set buffer.chances=7 --set buffer.size=1MiB";
    let output = ended(folder, in_read_buffer);
    let shown = String::from_utf8(output.stdout).expect("text");
    assert!(shown.contains("\nchances = 7 "), "{shown}");
    let warned = String::from_utf8(output.stderr).expect("text");
    assert!(!warned.contains("buffer.chances"), "{warned}");
    assert!(
        warned.contains("buffer.size has no effect with buffer.policy \"none\""),
        "{warned}"
    );
    let idle = failed(folder, "config show --set buffer.chances=0");
    assert!(
        idle.contains("buffer.chances = 0: must be from 1 to 255"),
        "{idle}"
    );
    let near = failed(folder, "config show --set buffer.chance=2");
    assert!(near.contains("did you mean buffer.chances?"), "{near}");

    let drive =
        "--set buffer.policy=second-chance --set buffer.chances=5 --set flash.capacity=16MiB";
    run(folder, &format!("drive create own.img {drive}"));
    let info = run(folder, "drive info own.img");
    assert!(info.contains("second-chance"), "{info}");
    let image = fs::read(folder.join("own.img")).expect("an image");
    let kept = |text: &str| {
        image
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    };
    assert!(kept("\nchances = 5 "), "the image forgets the key");
    run(folder, "drive check own.img");

    fs::create_dir_all(folder.join("own/p")).expect("a folder");
    fs::write(folder.join("own/p/paper.toml"), STUDY).expect("a file");
    let printed = run(folder, "reproduce --descriptions own --traces . p");
    assert!(printed.contains("1 of 1 statements agree"), "{printed}");
    let page = fs::read_to_string(folder.join("reproduce/p/README.md")).expect("a page");
    assert!(page.contains("| Absorbed, % |"), "{page}");
}

/// A paper about the policy and the figure of this crate.
const STUDY: &str = r#"
[paper]
title = "Second Chances"
authors = "Somebody"
venue = "A Venue"
preset = "bplru-2008"
buffers = ["fifo", "second-chance"]
sizes = ["64KiB"]
charts = ["absorbed"]
leave_out = []
device = "A device."

[trace.hot]
file = "hot.csv"
about = "one page between scattered ones"

[[figure]]
id = "1"
title = "Hits"
traces = ["hot"]

[[figure.statement]]
says = "It absorbs more."
section = "1"
test = { metric = "absorbed", is = "more", pairs = [["second-chance", "fifo"]] }
"#;

/// What the program prints for these arguments.
pub fn run(folder: &Path, args: &str) -> String {
    let output = ended(folder, args);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args}: {error}");
    String::from_utf8(output.stdout).expect("text")
}

/// The error of the program for these arguments.
fn failed(folder: &Path, args: &str) -> String {
    let output = ended(folder, args);
    assert!(!output.status.success(), "{args}");
    String::from_utf8(output.stderr).expect("text")
}

fn ended(folder: &Path, args: &str) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_own-policy"));
    let program = program.args(args.split(' ')).current_dir(folder);
    program.output().expect("the program")
}
