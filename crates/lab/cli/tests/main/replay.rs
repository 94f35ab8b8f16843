//! The options of a replay: `--loops`, `--compact`, `--limit`, `--drop-flushes`, `--trace-memory`, and its memory.
//!
//! Planted bugs that these catch: a fresh device for each loop; a clock that restarts with each loop; the counters of
//! all loops reported as those of the last; a discard or a hole that moves the data after it; a streamed trace that
//! starts in its middle; a run that keeps the trace in memory.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::common::{self, HEADER, Lab, binary, trace};
use serde_json::Value;

const SMALL: [&str; 2] = ["--config", "small.toml"];

/// Scattered writes over the 20 pages of the small device, with reads, flushes and discards, from page `shift` on.
fn requests(shift: u64) -> Vec<String> {
    let line = |i: u64| {
        let page = (i * 7 + i * i % 5) % 20 + shift;
        match i % 13 {
            12 => format!("{i},F,0,0"),
            7 => format!("{i},R,{},512", page * 512),
            9 => format!("{i},D,{},1024", page.min(18 + shift) * 512),
            _ => format!("{i},W,{},512", page * 512),
        }
    };
    (0..500).map(line).collect()
}

fn write(lab: &Lab, name: &str, lines: &[String]) {
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    lab.write(name, trace(&lines));
}

fn run(lab: &Lab, options: &[&str], file: &str) -> Value {
    lab.json(&[&["run", "--json"], &SMALL[..], options, &[file]].concat())
}

fn counter(report: &Value, name: &str) -> u64 {
    report["counters"][name].as_u64().expect("a counter")
}

/// The counts of each loop of one run are the differences between runs of one, two and three times the trace.
#[test]
fn each_loop_goes_on_where_the_last_one_ended() {
    let lab = Lab::small();
    write(&lab, "once.csv", &requests(0));
    for policy in ["none", "lru", "cflru", "fab", "bplru"] {
        let policy = format!("buffer.policy={policy}");
        // the buffer is drained after each loop, as after a run; a flush at the end of the trace has the same effect
        let mut long = Vec::new();
        let mut totals = Vec::new();
        for _ in 0..3 {
            long.extend(requests(0));
            long.push("500,F,0,0".into());
            write(&lab, "long.csv", &long);
            totals.push(run(&lab, &["--set", &policy], "long.csv"));
        }
        let report = run(&lab, &["--set", &policy, "--loops", "3"], "once.csv");
        let loops = report["loops"].as_array().expect("loops");
        assert_eq!(loops.len(), 3);
        assert_eq!(loops[2]["counters"], report["counters"]);
        assert_eq!(loops[2]["derived"], report["derived"]);
        let names = report["counters"].as_object().unwrap().keys();
        for name in names.filter(|name| *name != "host_flushes") {
            for (round, one) in loops.iter().enumerate() {
                let before = match round {
                    0 => 0,
                    round => counter(&totals[round - 1], name),
                };
                let expected = counter(&totals[round], name) - before;
                assert_eq!(
                    counter(one, name),
                    expected,
                    "{policy}: {name}, loop {round}"
                );
            }
        }
        let mean = report["derived"]["erase_count"]["mean"].as_f64().unwrap();
        // 5 logical blocks, 2 log blocks, 2 spare blocks
        assert_eq!((mean * 9.0).round() as u64, counter(&report, "erases"));
    }
    let streamed = lab.command(&[&["run", "--json", "--loops=3"], &SMALL[..], &["-"]].concat());
    let mut streamed = streamed;
    let streamed = common::ended(streamed.write_stdin(lab.read("once.csv"))).success();
    let streamed: Value = serde_json::from_str(&streamed).unwrap();
    let file = run(&lab, &["--loops=3"], "once.csv");
    assert_eq!(streamed["loops"], file["loops"]);
    let text = lab.ok(&[&["run", "--loops=3"], &SMALL[..], &["once.csv"]].concat());
    assert!(
        text.contains("3, the last reported; write amplification "),
        "{text}"
    );
}

/// A second loop is the same trace at later times. Without a drain, pages that are dirty at the end of the first loop
/// are flushed by age in the second, and the old blocks have a larger age.
#[test]
fn time_goes_on_from_loop_to_loop() {
    let lab = Lab::small();
    let once = requests(0);
    let later = once.iter().map(|line| {
        let (time, rest) = line.split_once(',').unwrap();
        // the last request comes at 499
        format!("{},{rest}", time.parse::<u64>().unwrap() + 499)
    });
    let twice: Vec<String> = once.iter().cloned().chain(later).collect();
    write(&lab, "once.csv", &once);
    write(&lab, "twice.csv", &twice);
    let ageing =
        "buffer.policy=lru buffer.size=10240 buffer.protected=true buffer.flush_age_s=100e-9";
    let cleaning = "buffer.policy=none clock=trace ftl.kind=page ftl.cleaning=cost-benefit \
                    ftl.gc_frontier=shared ftl.gc_low=1 ftl.spare_blocks=3";
    for settings in [ageing, cleaning] {
        let settings = settings.split(' ').chain(["drain=false"]);
        let settings: Vec<&str> = settings.flat_map(|set| ["--set", set]).collect();
        let [single, double] = ["once.csv", "twice.csv"].map(|file| run(&lab, &settings, file));
        let looped = run(&lab, &[&settings[..], &["--loops=2"]].concat(), "once.csv");
        for name in looped["counters"].as_object().unwrap().keys() {
            let expected = counter(&double, name) - counter(&single, name);
            assert_eq!(counter(&looped, name), expected, "{name}: {settings:?}");
        }
        let moved = ["aged_pages", "flash_copies"].map(|name| counter(&looped, name));
        assert!(moved.iter().any(|&count| count > 0), "{settings:?}");
    }
}

/// The same trace at higher addresses, with a hole in it, compacts to the trace at the start.
#[test]
fn compaction_leaves_no_hole_and_moves_nothing() {
    let lab = Lab::small();
    write(&lab, "near.csv", &requests(0));
    // blocks of 4 pages: the five touched blocks move to 1000, 1001 and from 5000 on
    let far: Vec<String> = requests(0)
        .iter()
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let [time, op, offset, size] = fields[..] else {
                panic!("four fields")
            };
            let offset: u64 = offset.parse().unwrap();
            let size: u64 = size.parse().unwrap();
            let place = |byte: u64| match byte / 2048 {
                block @ 0..2 => byte + (1000 - block) * 2048 + block * 2048,
                _ => byte + 4998 * 2048,
            };
            match op {
                "F" => line.clone(),
                // a discard over the hole finds no data in it
                "D" => format!(
                    "{time},D,{},{}",
                    place(offset),
                    place(offset + size - 1) + 1 - place(offset)
                ),
                _ => format!("{time},{op},{},{size}", place(offset)),
            }
        })
        .collect();
    write(&lab, "far.csv", &far);
    lab.refused(
        &[&["run"], &SMALL[..], &["far.csv"]].concat(),
        &["past flash.capacity"],
    );
    let (near, far) = (
        run(&lab, &[], "near.csv"),
        run(&lab, &["--compact"], "far.csv"),
    );
    let mut counters = [near, far.clone()].map(|report| report["counters"].clone());
    for counters in &mut counters {
        // the discards over the hole are longer
        counters["host_discard_pages"] = Value::Null;
    }
    assert_eq!(counters[0], counters[1]);
    let report = serde_json::json!({"block_bytes": 2048, "touched_blocks": 5, "span_blocks": 5003});
    assert_eq!(far["compact"], report);
    let auto = ["--compact", "--set", "flash.capacity=auto"];
    assert_eq!(
        run(&lab, &auto, "far.csv")["config"]["flash"]["capacity"],
        10240
    );
    let compare = [
        "compare",
        "--no-html",
        "--compact",
        "--size=2KiB",
        "--buffer=lru",
    ];
    let text = lab.ok(&[&compare, &SMALL[..], &["far.csv"]].concat());
    let message = "compacted: 5 touched blocks of 2 KiB, out of 5003\n";
    assert!(text.contains(message), "{text}");
    // beyond any device, unless compacted
    let end = u64::MAX / 2 / 2048 * 2048;
    write(
        &lab,
        "end.csv",
        &[format!("0,W,{end},512"), "1,W,0,512".into()],
    );
    let auto = [
        "compare",
        "--compact",
        "--set=flash.capacity=auto",
        "--size=1KiB",
        "end.csv",
    ];
    lab.ok(&[&auto[..], &SMALL].concat());
    let html = lab.read("end.compare.html");
    assert!(html.contains("capacity = \"4KiB\"") || html.contains("capacity = &quot;4KiB&quot;"));
    // other block sizes give another compaction
    let vary = [
        "--vary=flash.pages_per_block=4,2",
        "--set=flash.capacity=auto",
        "--json=c.json",
    ];
    lab.ok(&[&compare, &SMALL[..], &vary, &["far.csv"]].concat());
    let rows: Value = serde_json::from_str(&lab.read("c.json")).unwrap();
    let sizes: Vec<&Value> = rows["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["compact"]["block_bytes"])
        .collect();
    assert!(
        sizes.contains(&&Value::from(2048)) && sizes.contains(&&Value::from(1024)),
        "{sizes:?}"
    );
}

#[test]
fn a_trace_too_large_for_memory_is_read_for_each_run() {
    let lab = Lab::small();
    write(&lab, "long.csv", &vec![requests(0); 20].concat());
    let compare = |memory: &str, file: &str| {
        let args = [
            "compare",
            "--no-html",
            "--size=1KiB,2KiB",
            "--trace-memory",
            memory,
            file,
        ];
        let mut command = lab.command(&[&args[..], &SMALL].concat());
        let text = lab.read("long.csv");
        common::ended(if file == "-" {
            command.write_stdin(text)
        } else {
            &mut command
        })
    };
    let (kept, streamed) = (compare("1GiB", "long.csv"), compare("100KiB", "long.csv"));
    assert!(!kept.stderr.contains("--trace-memory"), "{}", kept.stderr);
    assert!(
        streamed
            .stderr
            .contains("long.csv needs more memory than --trace-memory"),
        "{}",
        streamed.stderr
    );
    assert_eq!(kept.stdout, streamed.stdout);
    assert!(kept.stdout.contains("serves best"));
    let refused = compare("100KiB", "-");
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("save the trace in a file"),
        "{}",
        refused.stderr
    );
    // either way, the message about a request that cannot be served has its line
    let mut bad = vec![requests(0); 20].concat();
    bad[7000] = "5,W,10240,512".into();
    write(&lab, "bad.csv", &bad);
    for memory in ["--trace-memory=1GiB", "--trace-memory=1000"] {
        let options = ["compare", "--no-html", "--size=2KiB", memory];
        let ended = lab.run(&[&options, &SMALL[..], &["bad.csv"]].concat());
        assert_eq!((ended.code, &*ended.stdout), (Some(2), ""));
        let message = "error: bad.csv, line 7002: the request ends at byte 10752, past";
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
    }
    let args = [&["compare", "--trace-memory=1Gb"], &SMALL[..], &["bad.csv"]].concat();
    lab.refused(&args, &["--trace-memory", "1GiB"]);
}

// planted bug: runs that start whatever memory there is
#[test]
fn runs_wait_for_memory() {
    let lab = Lab::small();
    write(&lab, "long.csv", &vec![requests(0); 20].concat());
    let compare = |memory: &str| {
        let args = ["compare", "--no-html", "--size=1KiB,2KiB", "--jobs=4"];
        lab.run(&[&args[..], &SMALL, &["--memory", memory, "long.csv"]].concat())
    };
    let (much, little) = (compare("1GiB"), compare("1000"));
    assert!(!much.stderr.contains("memory:"), "{}", much.stderr);
    let message =
        "memory: runs waited for others to end: one takes up to 1 MiB, and there are 1 MiB for all";
    assert!(little.stderr.contains(message), "{}", little.stderr);
    assert_eq!(much.stdout, little.stdout);
    assert!(much.stdout.contains("serves best"));
}

/// 32 MiB and 16 bytes for each physical page, for a trace of any length.
#[test]
fn a_run_takes_constant_memory() {
    const CAPACITY: u64 = 1 << 30;
    let limit_kib = (32 << 10) + CAPACITY / 2048 * 16 / 1024;
    let mut child = Command::new(binary())
        .args([
            "run",
            "--set=buffer.policy=cflru",
            "--set=buffer.flush_age_s=1",
            "-",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("ssdlab starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut page = 1u64;
    let mut text = format!("{HEADER}\n");
    // in memory these requests would take 24 bytes each, 36 MB
    for i in 0..1_500_000 {
        page = page
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let offset = (page >> 33) % (CAPACITY / 4096) * 4096;
        text += &format!("{i},W,{offset},4096\n");
        if text.len() > 1 << 16 {
            input.write_all(text.as_bytes()).expect("ssdlab reads");
            text.clear();
        }
    }
    input.write_all(text.as_bytes()).expect("ssdlab reads");
    // the program has read everything except the contents of the pipe
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("Linux");
    drop(input);
    assert!(child.wait().expect("it ends").success());
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .expect("a peak");
    let peak: u64 = peak
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .expect("a number");
    assert!(peak < limit_kib, "{peak} KiB of {limit_kib} KiB");
}

#[test]
fn limit_and_dropped_flushes_change_what_is_read() {
    let lab = Lab::small();
    let all = requests(0);
    write(&lab, "all.csv", &all);
    let without: Vec<String> = all
        .iter()
        .filter(|line| !line.contains('F'))
        .cloned()
        .collect();
    write(&lab, "without.csv", &without);
    write(&lab, "first.csv", &without[..100]);
    let counters = |options: &[&str], file| run(&lab, options, file)["counters"].clone();
    assert_eq!(
        counters(&["--drop-flushes"], "all.csv"),
        counters(&[], "without.csv")
    );
    let both = ["--drop-flushes", "--limit=100"];
    assert_eq!(counters(&both, "all.csv"), counters(&[], "first.csv"));
    assert_eq!(
        counters(&["--drop-flushes", "--limit=100", "--repeat=2"], "all.csv"),
        counters(&[], "first.csv")
    );
}
