//! The cost of a page in instructions of the release build; a time would depend on the machine and its other work.
//!
//! Planted bugs that this catches: a device that serves single pages where it could serve runs; clocks that look up
//! every page in a table.

use std::fmt::Write;
use std::process::Command;

use crate::common::{HEADER, Lab, binary, ended, json};

const FAST: &str = "--set ftl.kind=fast --set ftl.log_blocks=64 --set buffer.policy=lru";

const CLOCKED: &str = "--set timing.model=parallel --set ftl.kind=page --set buffer.policy=lru";

const CLOCKED_BLOCKS: &str = "--set timing.model=parallel --preset bplru-2008";

/// Options, whether `SSDLAB_PLAIN=1` is set, and instructions for each page that the host writes, counted with Rust
/// 1.95.
const RECORDED: [(&str, bool, f64); 8] = [
    ("--set ftl.kind=ideal --set buffer.policy=lru", false, 84.0),
    ("--set ftl.kind=ideal --set buffer.policy=lru", true, 139.5),
    (FAST, false, 167.0),
    (FAST, true, 638.8),
    ("--preset bplru-2008", false, 73.4),
    ("--preset bplru-2008", true, 382.6),
    (CLOCKED, false, 603.6),
    (CLOCKED_BLOCKS, false, 768.7),
];

/// Valgrind counts each byte that a repeated instruction fills or copies; with these, the library uses vectors instead.
const WITHOUT_REP: &str =
    "glibc.cpu.x86_rep_stosb_threshold=1000000000:glibc.cpu.x86_rep_movsb_threshold=1000000000";

/// The share by which a count may differ in both directions; a change that makes it faster records the new count.
const TOLERANCE: f64 = 0.1;

#[test]
#[ignore = "counts the release build, which SSDLAB_BINARY names; `./check --all` does it"]
fn instructions_per_host_page_are_as_recorded() {
    let lab = Lab::new();
    lab.write("trace.csv", files_written_in_turn());
    let mut wrong = String::new();
    for (options, plain, recorded) in RECORDED {
        let count = instructions_per_page(&lab, options, plain);
        if (count / recorded - 1.0).abs() > TOLERANCE {
            let _ = writeln!(
                wrong,
                "{options}, plain {plain}: {count:.1}, recorded {recorded}"
            );
        }
    }
    assert!(wrong.is_empty(), "instructions per host page:\n{wrong}");
}

/// The instructions of serving writes, from the device's write buffer down.
fn instructions_per_page(lab: &Lab, options: &str, plain: bool) -> f64 {
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg("--toggle-collect=*Stage*::write")
        .arg(binary())
        .args(["run", "--json", "trace.csv"])
        .args(options.split(' '))
        .env("GLIBC_TUNABLES", WITHOUT_REP)
        .env("SSDLAB_PLAIN", if plain { "1" } else { "0" })
        .current_dir(lab.path(""));
    let ended = ended(&mut command.into());
    let count = ended
        .stderr
        .lines()
        .find_map(|line| line.split("Collected :").nth(1));
    let count = count.unwrap_or_else(|| panic!("valgrind counts nothing: {}", ended.stderr));
    let instructions: f64 = count.trim().parse().expect("a number of instructions");
    let report = json(&ended.success());
    instructions
        / report["counters"]["host_write_pages"]
            .as_f64()
            .expect("a counter")
}

/// Writes of 1 to 16 pages of 2 KiB, half of them next to the previous write, over 256 MiB: a mix of hits, single pages
/// and whole blocks.
fn files_written_in_turn() -> String {
    let mut trace = format!("{HEADER}\n");
    let mut random = 1_u64;
    let mut page = 0;
    for request in 0..4000 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let dice = random >> 33;
        let count = 1 + dice % 16;
        if dice & 16 == 0 {
            page = (dice >> 5) % (131_072 - 16);
        }
        let _ = writeln!(trace, "{request}000,W,{},{}", page * 2048, count * 2048);
        page = (page + count) % (131_072 - 16);
    }
    trace
}
