//! `ssdlab cliff`: the closed form by hand, beside a run.
//!
//! Planted bugs: the last phase begins as if dynamic blocks had all their pages; the speed behind the cache with the erases left
//! out of the last phase; a run that begins full; a fill level that shrinks no cache; a pause that counts before it is idle; a trial of TRIM
//! that discards what was not written; drives of other cells beside this one; a report of a drive without a cache that has its picture.

use serde_json::Value;

use crate::common::{Lab, trace, writes};

/// 240 MiB on four chips in lines: blocks of 24 pages a chip, 8 of them in SLC mode; at most 64 lines are in SLC mode.
const DRIVE: &str = "--set flash.capacity=251658240 --set flash.page_size=4096 --set flash.pages_per_block=24 --set flash.cell_bits=3 \
     --set flash.channels=2 --set flash.chips_per_channel=2 --set flash.interleave=line --set ftl.kind=page --set buffer.policy=none \
     --set timing.model=parallel --set timing.program_us=800 --set timing.slc_program_us=200 --set timing.slc_read_us=20 \
     --set timing.erase_us=3000 --set timing.channel_mb_s=0 --set timing.bus_mb_s=0 --set precondition=empty --set ftl.spare_blocks=20 \
     --set ftl.slc=dynamic --set ftl.slc_dynamic=8388608";

fn cliff(lab: &Lab, more: &str) -> Value {
    lab.json(&format!("cliff --json {DRIVE} {more}"))["cliff"].clone()
}

#[test]
fn a_fill_falls_twice() {
    let lab = Lab::new();
    let found = cliff(&lab, "");
    let phases = found["phases"].as_array().expect("phases");
    let names: Vec<&str> = phases
        .iter()
        .map(|phase| phase["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["cache", "direct", "folding"]);
    // 640 logical lines of 96 pages, 660 in all; 64 of 32 pages each in SLC mode
    let line = 96 * 4096;
    assert_eq!(phases[0]["bytes"], 64 * 32 * 4096);
    assert_eq!(phases[1]["bytes"], (660 - 64 - 3) * line);
    assert_eq!(phases[2]["bytes"], (640 - 593) * line - 64 * 32 * 4096);
    // four chips
    let speed = |phase: &Value| phase["mb_s"].as_f64().expect("a speed");
    assert!((speed(&phases[0]) / (4.0 * 4096.0 / 200.0) - 1.0).abs() < 1e-9);
    assert!((speed(&phases[1]) / (4.0 * 4096.0 / 800.0) - 1.0).abs() < 1e-9);
    let measured = found["measured"]["phases"].as_array().expect("phases");
    for (form, run) in phases.iter().zip(measured) {
        let off = speed(run) / speed(form) - 1.0;
        assert!(off.abs() < 0.15, "{form} {run}");
    }
    let (form, run) = (&found["seconds"], &found["measured"]["seconds"]);
    let off = run.as_f64().unwrap() / form.as_f64().unwrap() - 1.0;
    assert!(off.abs() < 0.05, "{form} {run}");
}

#[test]
fn a_full_drive_has_a_smaller_cache_and_a_pause_frees_it() {
    let lab = Lab::new();
    let at = |filled: &str| cliff(&lab, &format!("--no-run --filled {filled}"))["cache"].as_u64();
    assert_eq!(at("0.5"), Some(64 * 32 * 4096));
    // 608 of 660 lines are full, and four stay free
    assert_eq!(at("0.95"), Some(48 * 32 * 4096));
    let gaps = "--no-run --set replay=timed --set ftl.slc_idle_us=1000000 --after 1s";
    let found = cliff(&lab, gaps);
    assert_eq!(found["recovery"]["bytes"], 0);
    assert!(found["recovery"]["whole_s"].as_f64() > Some(1.0));
    assert!(cliff(&lab, "--no-run --after 1s")["recovery"]["whole_s"].is_null());
}

#[test]
fn what_helps_behind_a_full_cache_is_tried() {
    let lab = Lab::new();
    let gaps = "--set replay=timed --set ftl.slc_idle_us=1000 --after 1000s";
    let found = cliff(&lab, gaps);
    let speed = |phase: usize| found["phases"][phase]["mb_s"].as_f64().expect("a speed");
    let again = |how: &str| found["measured"]["again"][how].as_f64().expect("a speed");
    let near = |found: f64, expected: f64| {
        assert!((found / expected - 1.0).abs() < 0.15, "{found} {expected}")
    };
    near(again("at_once"), speed(1));
    // it erases its 64 lines first, 3 ms each
    let bytes = found["cache"].as_f64().expect("bytes");
    near(again("trimmed"), bytes / (bytes / speed(0) + 64.0 * 3000.0));
    near(again("paused"), speed(0));
    let without = cliff(&lab, "");
    assert!(without["measured"]["again"]["paused"].is_null());
    let text = lab.ok(&format!("cliff {DRIVE}"));
    assert!(
        text.contains("as much again") && text.contains("after a TRIM"),
        "{text}"
    );
    // nothing more than the cache has room
    let full = cliff(&lab, "--filled 0.98");
    assert!(full["measured"]["again"].is_null(), "{full}");
}

#[test]
fn drives_that_reviews_measured_stand_beside_it() {
    let lab = Lab::new();
    for (preset, there, not, phase) in [
        (
            "consumer-tlc-1tb",
            "Samsung 980 PRO 1 TB: 0 B to 113 GB at 4000 MB/s",
            "HP FX700",
            "direct",
        ),
        (
            "consumer-qlc-2tb",
            "HP FX700 2 TB",
            "Samsung 980 PRO",
            "cache",
        ),
    ] {
        lab.ok(&format!(
            "cliff --preset {preset} --no-run --picture beside.svg"
        ));
        let svg = lab.read("beside.svg");
        assert!(svg.contains(there) && !svg.contains(not), "{svg}");
        assert!(
            svg.contains(">cache<") && svg.contains(&format!(">{phase}<")),
            "{svg}"
        );
    }
    for format in ["pdf", "pgf", "csv"] {
        lab.ok(&format!(
            "cliff --preset consumer-tlc-1tb --no-run --picture beside.{format}"
        ));
    }
    let pgf = lab.read("beside.pgf");
    assert!(pgf.contains("gray] {direct}"), "{pgf}");
}

#[test]
fn a_report_has_the_cliff_of_a_drive_with_a_cache() {
    let lab = Lab::new();
    lab.write("t.csv", writes(&[0, 1, 2]));
    lab.ok(&format!(
        "compare t.csv {DRIVE} --no-bounds --html with.html"
    ));
    let off = DRIVE
        .replace("slc=dynamic", "slc=off")
        .replace("--set ftl.slc_dynamic=8388608", "");
    lab.ok(&format!(
        "compare t.csv {off} --no-bounds --html without.html"
    ));
    let (with, without) = (lab.read("with.html"), lab.read("without.html"));
    assert!(
        with.contains("Speed of a sequential fill")
            && with.contains("<section aria-labelledby=\"falls\">")
    );
    assert!(
        !without.contains("Speed of a sequential fill")
            && without.contains("<section aria-labelledby=\"falls\" hidden>")
    );
}

// planted bugs: no trial by `recommend`; one on a drive whose cache was never full; a label without its trace
#[test]
fn a_host_is_advised_where_a_cache_was_full() {
    let lab = Lab::new();
    let rounds = |mib: u64| {
        let twice = (0..mib).chain(0..mib).enumerate();
        let line = |(time, at): (usize, u64)| format!("{time},W,{},{}", at << 20, 1 << 20);
        trace(&twice.map(line).collect::<Vec<_>>())
    };
    lab.write("long.csv", rounds(24));
    lab.write("short.csv", rounds(3));
    let compared = |trace: &str| {
        lab.ok(&format!(
            "compare {trace} {DRIVE} --buffer none --no-bounds"
        ))
    };
    let trim = "TRIM, after each 8.39 MB written";
    let text = compared("long.csv");
    let helps = text.lines().find(|line| line.contains("would help"));
    assert!(helps.is_some_and(|line| line.contains("TRIM")), "{text}");
    assert!(!compared("short.csv").contains("TRIM"));
    let found = |more: &str| {
        format!("recommend long.csv {more} {DRIVE} --ram 64MiB --buffer none --by throughput")
    };
    let text = lab.ok(&found("short.csv"));
    assert!(text.contains("would help, on long.csv: TRIM"), "{text}");
    assert!(!text.contains("on short.csv"), "{text}");
    let answer = &lab.json(&found("--json"))["answer"];
    let [name, advice] = [0, 1].map(|part| &answer["would_help"][0][part]);
    let tried = &advice["tried"][0];
    assert_eq!(
        (name, &tried["by_host"]),
        (&"long.csv".into(), &true.into())
    );
    let change = tried["change"].as_str().expect("words");
    assert!(change.starts_with(trim), "{change}");
    let speed = |of: &Value| of["figures"]["throughput"].as_f64().expect("a speed");
    // 64 lines are erased for each 8 MiB
    assert!(speed(tried) > 1.1 * speed(advice), "{advice}");
}

#[test]
fn a_drive_without_a_cache_has_no_cliff() {
    let lab = Lab::new();
    lab.refused(
        "cliff --preset nvme-tlc",
        &["no SLC cache", "consumer-tlc-1tb"],
    );
    lab.refused("cliff --filled 1.5", &["must be a share from 0 to below 1"]);
    let text = lab.ok(&format!("cliff {DRIVE} --no-run --picture cliff.svg"));
    assert!(
        text.contains("does a pause help") && text.contains("80 % full"),
        "{text}"
    );
    let svg = lab.read("cliff.svg");
    assert!(
        svg.starts_with("<svg") && svg.contains("GB written"),
        "{svg}"
    );
}
