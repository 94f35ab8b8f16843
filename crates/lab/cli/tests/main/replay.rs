//! The options of a replay: `--loops`, `--compact`, `--limit`, `--drop-flushes`, `--trace-memory`, and its memory.
//!
//! Planted bugs that these catch: a fresh device for each loop; a clock that restarts with each loop; the counters of
//! all loops reported as those of the last; a discard or a hole that moves the data after it; a streamed trace that
//! starts in its middle; a run that keeps the trace in memory.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::common::{HEADER, Lab, binary, json, peak_kib, trace, words, writes};
use serde_json::Value;

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

fn run(lab: &Lab, options: &str) -> Value {
    lab.json(&format!("run --json --config small.toml {options}"))
}

fn counter(report: &Value, name: &str) -> u64 {
    report["counters"][name].as_u64().expect("a counter")
}

/// The counts of each loop of one run are the differences between runs of one, two and three times the trace.
#[test]
fn each_loop_goes_on_where_the_last_one_ended() {
    let lab = Lab::small();
    lab.write("once.csv", trace(&requests(0)));
    for policy in ["none", "lru", "cflru", "fab", "bplru"] {
        let policy = format!("--set buffer.policy={policy}");
        // the buffer is drained after each loop, as after a run; a flush at the end of the trace has the same effect
        let mut long = Vec::new();
        let mut totals = Vec::new();
        for _ in 0..3 {
            long.extend(requests(0));
            long.push("500,F,0,0".into());
            lab.write("long.csv", trace(&long));
            totals.push(run(&lab, &format!("{policy} long.csv")));
        }
        let report = run(&lab, &format!("{policy} --loops 3 once.csv"));
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
    let args = "run --json --loops=3 --config small.toml -";
    let streamed = json(&lab.piped(args, lab.read("once.csv")).success());
    let file = run(&lab, "--loops=3 once.csv");
    assert_eq!(streamed["loops"], file["loops"]);
    let text = lab.ok("run --loops=3 --config small.toml once.csv");
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
    lab.write("once.csv", trace(&once));
    lab.write("twice.csv", trace(&twice));
    let ageing = "--set buffer.policy=lru --set buffer.size=10240 --set buffer.protected=true \
                  --set buffer.flush_age_s=100e-9";
    let cleaning = "--set buffer.policy=none --set clock=trace --set ftl.kind=page --set ftl.cleaning=cost-benefit \
                    --set ftl.gc_frontier=shared --set ftl.gc_low=1 --set ftl.spare_blocks=3";
    for settings in [ageing, cleaning] {
        let [single, double, looped] = ["once.csv", "twice.csv", "once.csv --loops=2"]
            .map(|options| run(&lab, &format!("{settings} --set drain=false {options}")));
        for name in looped["counters"].as_object().unwrap().keys() {
            let expected = counter(&double, name) - counter(&single, name);
            assert_eq!(counter(&looped, name), expected, "{name}: {settings}");
        }
        let moved = ["aged_pages", "flash_copies"].map(|name| counter(&looped, name));
        assert!(moved.iter().any(|&count| count > 0), "{settings}");
    }
}

/// A request at a higher address, with a hole behind block 1. In blocks of 4 pages, the five touched blocks move to 1000,
/// 1001 and from 5000 on.
fn moved_far(line: &str) -> String {
    let fields: Vec<&str> = line.split(',').collect();
    let [time, op, offset, size] = fields[..] else {
        panic!("four fields")
    };
    let [from, length] = [offset, size].map(|field| field.parse::<u64>().unwrap());
    let place = |byte: u64| byte + if byte < 2 * 2048 { 1000 } else { 4998 } * 2048;
    let (start, end) = (place(from), place((from + length).max(1) - 1) + 1);
    match op {
        "F" => line.to_owned(),
        // a discard over the hole finds no data in it
        "D" => format!("{time},D,{start},{}", end - start),
        _ => format!("{time},{op},{start},{size}"),
    }
}

/// The same trace at higher addresses, with a hole in it, compacts to the trace at the start.
#[test]
fn compaction_leaves_no_hole_and_moves_nothing() {
    let lab = Lab::small();
    lab.write("near.csv", trace(&requests(0)));
    let far: Vec<String> = requests(0).iter().map(|line| moved_far(line)).collect();
    lab.write("far.csv", trace(&far));
    lab.refused("run --config small.toml far.csv", &["past flash.capacity"]);
    let [near, far] = ["near.csv", "--compact far.csv"].map(|options| run(&lab, options));
    let mut counters = [&near, &far].map(|report| report["counters"].clone());
    for counters in &mut counters {
        // the discards over the hole are longer
        counters["host_discard_pages"] = Value::Null;
    }
    assert_eq!(counters[0], counters[1]);
    let report = serde_json::json!({"block_bytes": 2048, "touched_blocks": 5, "span_blocks": 5003});
    assert_eq!(far["compact"], report);
    let auto = run(&lab, "--compact --set flash.capacity=auto far.csv");
    assert_eq!(auto["config"]["flash"]["capacity"], 10240);
    let compare =
        "compare --no-html --compact --config small.toml --size=2KiB --buffer=lru far.csv";
    let text = lab.ok(compare);
    let message = "compacted: 5 touched blocks of 2 KiB, out of 5003\n";
    assert!(text.contains(message), "{text}");
    // other block sizes give another compaction
    lab.ok(&format!(
        "{compare} --vary=flash.pages_per_block=4,2 --set=flash.capacity=auto --json=c.json"
    ));
    let comparison = lab.read_json("c.json");
    let rows = comparison["rows"].as_array().unwrap().iter();
    let sizes: Vec<_> = rows
        .map(|row| row["compacted"]["block_bytes"].as_u64())
        .collect();
    assert!(
        sizes.contains(&Some(2048)) && sizes.contains(&Some(1024)),
        "{sizes:?}"
    );
}

#[test]
fn what_is_beyond_any_device_is_compacted() {
    let lab = Lab::small();
    let end = u64::MAX / 2 / 2048 * 2048;
    let lines = [format!("0,W,{end},512"), "1,W,0,512".into()];
    lab.write("end.csv", trace(&lines));
    lab.ok("compare --compact --set=flash.capacity=auto --size=1KiB end.csv --config small.toml");
    let html = lab.read("end.compare.html");
    assert!(html.contains("capacity = \"4KiB\"") || html.contains("capacity = &quot;4KiB&quot;"));
}

#[test]
fn a_trace_too_large_for_memory_is_read_for_each_run() {
    let lab = Lab::small();
    lab.write("long.csv", trace(&vec![requests(0); 20].concat()));
    let compare = |memory: &str, file: &str| {
        let args = format!(
            "compare --no-html --size=1KiB,2KiB --trace-memory {memory} --config small.toml {file}"
        );
        lab.piped(&args, lab.read("long.csv"))
    };
    let (loaded, streamed) = (compare("1GiB", "long.csv"), compare("100KiB", "long.csv"));
    assert!(
        !loaded.stderr.contains("--trace-memory"),
        "{}",
        loaded.stderr
    );
    let note = "long.csv needs more memory than --trace-memory";
    assert!(streamed.stderr.contains(note), "{}", streamed.stderr);
    // a trace that is not in memory ages no drive, so what would help is tried on drives as they are given
    let judged = |stdout: &str| {
        let lines = stdout.lines().filter(|line| !line.starts_with("would "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(judged(&loaded.stdout), judged(&streamed.stdout));
    assert!(loaded.stdout.contains("serves best"));
    let refused = compare("100KiB", "-");
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let advice = "save the trace in a file";
    assert!(refused.stderr.contains(advice), "{}", refused.stderr);
    // either way, the message about a request that cannot be served has its line
    let mut bad = vec![requests(0); 20].concat();
    bad[7000] = "5,W,10240,512".into();
    lab.write("bad.csv", trace(&bad));
    for memory in ["1GiB", "1000"] {
        let ended = lab.run(&format!(
            "compare --no-html --size=2KiB --trace-memory={memory} --config small.toml bad.csv"
        ));
        assert_eq!((ended.code, &*ended.stdout), (Some(2), ""));
        let message = "error: bad.csv, line 7002: the request ends at byte 10752, past";
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
    }
    lab.refused(
        "compare --trace-memory=1Gb bad.csv",
        &["--trace-memory", "1GiB"],
    );
}

// planted bug: runs that start whatever memory there is
#[test]
fn runs_wait_for_memory() {
    let lab = Lab::small();
    // so long that runs overlap on a busy machine too
    lab.write("long.csv", trace(&vec![requests(0); 1000].concat()));
    let compare = |memory: &str| {
        lab.run(&format!(
            "compare --no-html --no-bounds --no-advice --buffer=fifo,lru --size=1MiB,2MiB --jobs=4 --memory {memory} --set=ftl.kind=bast long.csv"
        ))
    };
    let (much, little) = (compare("1GiB"), compare("4MiB"));
    assert!(!much.stderr.contains("memory:"), "{}", much.stderr);
    let message =
        "memory: runs waited for others to end: one takes up to 3 MiB, and there are 4 MiB for all";
    assert!(little.stderr.contains(message), "{}", little.stderr);
    assert_eq!(much.stdout, little.stdout);
    assert!(much.stdout.contains("serves best"));
}

// planted bugs: a run that takes more than is allowed starts alone, with a warning; the advice leaves a bound
#[test]
fn a_run_that_takes_more_memory_than_is_allowed_is_refused() {
    let lab = Lab::small();
    lab.write("long.csv", writes(&[0, 1, 2]));
    let compare = "compare --no-html --set=ftl.kind=bast --buffer=fifo,lru --size=1MiB --memory";
    lab.refused_in_a_line(
        &format!("{compare} 1M --no-bounds long.csv"),
        &["--memory 1 MiB: the device of lru 1 MiB alone takes up to 3 MiB; allow as much, or make the device smaller"],
    );
    lab.refused_in_a_line(
        "compare --no-html --set=ftl.kind=bast --buffer=none --memory 100K long.csv",
        &[
            "--memory 100 KiB: the device of unbounded buffer alone",
            "leave out the bounds with --no-bounds",
        ],
    );
    lab.ok(&format!("{compare} 4M --no-bounds long.csv"));
}

// planted bug: the way out of an address that no device reaches is not named
#[test]
fn a_trace_of_far_addresses_names_the_way_out() {
    let lab = Lab::new();
    let far = 8_u64 << 40;
    lab.write(
        "far.csv",
        trace(&[
            format!("0,W,{far},4096"),
            format!("1,W,{},4096", far + 8192),
        ]),
    );
    for command in [
        "run",
        "run --set=flash.capacity=auto",
        "run --preset=emmc",
        "compare --no-html --set=ftl.kind=bast --buffer=none",
        "compare --no-html --buffer=none --preset=emmc",
    ] {
        let way_out = "keep only the blocks that the trace touches with --compact";
        lab.refused(&format!("{command} far.csv"), &[way_out]);
        lab.ok(&format!("{command} far.csv --compact"));
    }
}

/// 32 MiB and 16 bytes for each physical page, for a trace of any length.
#[test]
fn a_run_takes_constant_memory() {
    const CAPACITY: u64 = 1 << 30;
    let limit_kib = (32 << 10) + CAPACITY / 2048 * 16 / 1024;
    let mut child = Command::new(binary())
        .args(words(
            "run --set=buffer.policy=cflru --set=buffer.flush_age_s=1 -",
        ))
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
    let peak = peak_kib(child.id());
    drop(input);
    assert!(child.wait().expect("it ends").success());
    assert!(peak < limit_kib, "{peak} KiB of {limit_kib} KiB");
}

#[test]
fn limit_and_dropped_flushes_change_what_is_read() {
    let lab = Lab::small();
    let all = requests(0);
    lab.write("all.csv", trace(&all));
    let mut without = all.clone();
    without.retain(|line| !line.contains('F'));
    lab.write("without.csv", trace(&without));
    lab.write("first.csv", trace(&without[..100]));
    let counters = |options: &str| run(&lab, options)["counters"].take();
    assert_eq!(counters("--drop-flushes all.csv"), counters("without.csv"));
    for more in ["", "--repeat=2"] {
        let both = format!("--drop-flushes --limit=100 {more} all.csv");
        assert_eq!(counters(&both), counters("first.csv"));
    }
}
