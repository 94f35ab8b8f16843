//! Endurance: bytes to flash by cause, cycles used, and the life of the device; on the small device by hand.
//!
//! Planted bugs that these catch: the erases of all loops instead of those of the last; the life of the worst block
//! under the name of the mean; binary terabytes; a null without a reason; columns in another order than asked for, or
//! those of another figure; a knee that no run has.

use crate::common::{Lab, cells, keys, programs, trace, words};
use serde_json::{Value, json};

const DAY: &str = "86400000000000";

fn run(lab: &Lab, more: &str) -> Value {
    lab.json(&format!("run --json --config small.toml {more}"))
}

/// Writes of one page with the small device, the last a day after the first.
fn day_of(pages: &[u64]) -> String {
    let mut lines: Vec<String> = pages
        .iter()
        .map(|p| format!("0,W,{},512", p * 512))
        .collect();
    if let Some(last) = lines.last_mut() {
        *last = last.replacen('0', DAY, 1);
    }
    trace(&lines)
}

#[track_caller]
fn close(found: &Value, expected: f64) {
    let found = found.as_f64().expect("a figure");
    assert!(
        (found / expected - 1.0).abs() < 1e-12,
        "{found}, not {expected}"
    );
}

// Four writes fill the log block of page 0; the fifth merges it: four copies and two erases among nine blocks. The nine
// programs fill 2.25 blocks of four pages, which is more.
#[test]
fn a_full_merge_by_hand() {
    let lab = Lab::small();
    lab.write("w.csv", day_of(&[0, 0, 0, 0, 0]));
    let set =
        "--set buffer.policy=none --set flash.pe_cycles=900 --set flash.rated_tbw=0.001 w.csv";
    let report = run(&lab, set);
    let found = &report["endurance"];
    let names = "flash_bytes waf largest_cause pe_cycles cycles_used tb_until_worn years \
                 drive_writes_per_day rated_tbw rated_used rated_years missing_because";
    assert_eq!(keys(found), words(names));
    let bytes =
        json!({ "host": 2560, "padding": 0, "read_modify_write": 0, "merge": 2048, "cleaning": 0 });
    assert_eq!(found["flash_bytes"], bytes);
    assert_eq!(found["waf"], 9.0 / 5.0);
    assert_eq!(found["largest_cause"], "host");
    close(&found["cycles_used"]["mean"], 2.25 / 9.0);
    assert_eq!(found["cycles_used"]["worst"], 1.0);
    let (mean, worst) = (2560.0 * 900.0 * 4.0, 2560.0 * 900.0);
    for (of, bytes) in [("mean", mean), ("worst", worst)] {
        close(&found["tb_until_worn"][of], bytes / 1e12);
        close(&found["years"][of], bytes / 2560.0 / 365.25);
        close(&found["drive_writes_per_day"][of], bytes / 10240.0 / 1826.0);
    }
    close(&found["rated_used"], 2560.0 / 1e9);
    close(&found["rated_years"], 1e9 / 2560.0 / 365.25);
    assert_eq!(found["missing_because"], Value::Null);
    let text = lab.ok(&format!("run --config small.toml {set}"));
    for line in [
        "bytes to flash      4.61 kB: host data 55.6 %, merges 44.4 %",
        "wear                0.250 of 900 P/E cycles used (worst block 1.00)",
        "rated               0.00100 TB, 0.000256 % used; reached in 1,069 years at the rate of the trace",
    ] {
        assert!(text.contains(line), "no {line:?} in {text}");
    }
}

#[test]
fn padding_and_partly_written_pages_by_hand() {
    let lab = Lab::small();
    lab.write("w.csv", day_of(&[1]));
    let padded = run(&lab, "--set buffer.policy=bplru w.csv");
    let bytes = &padded["endurance"]["flash_bytes"];
    assert_eq!([&bytes["host"], &bytes["padding"]], [512, 1536]);
    assert_eq!(padded["endurance"]["largest_cause"], "padding");
    lab.write("part.csv", trace(&["0,W,700,100"]));
    // whether the read counts or not, the whole page is programmed
    for partial in ["whole", "rmw"] {
        let part = run(&lab, &format!("--set partial_writes={partial} part.csv"));
        let bytes = &part["endurance"]["flash_bytes"];
        assert_eq!([&bytes["host"], &bytes["read_modify_write"]], [100, 412]);
        assert_eq!(part["endurance"]["largest_cause"], "read_modify_write");
    }
}

#[test]
fn what_is_unknown_says_why() {
    let lab = Lab::small();
    lab.write("one.csv", trace(&["0,W,0,512"]));
    let found = &run(&lab, "--set drain=false one.csv")["endurance"];
    let none = json!({ "mean": null, "worst": null });
    for figure in ["tb_until_worn", "years", "drive_writes_per_day"] {
        assert_eq!(found[figure], none, "{figure}");
    }
    assert_eq!(found["cycles_used"], json!({ "mean": 0.0, "worst": 0.0 }));
    assert_eq!(
        [&found["rated_tbw"], &found["rated_years"]],
        [&Value::Null; 2]
    );
    let why = "nothing was written to flash; the trace has no time span";
    assert_eq!(found["missing_because"], why);
    let text = lab.ok("run --config small.toml --set drain=false one.csv");
    assert!(
        text.contains(&format!("life unknown        {why}")),
        "{text}"
    );
    lab.write("none.csv", trace(&["0,R,0,512", "5,R,0,512"]));
    let found = &run(&lab, "--set ftl.kind=ideal none.csv")["endurance"];
    assert_eq!(found["waf"], Value::Null);
    assert_eq!(found["cycles_used"], none);
    let why = "the ideal FTL has no blocks to wear out; the host wrote nothing";
    assert_eq!(found["missing_because"], why);
}

// Planted bugs: years at a rate that the device cannot serve; a timed replay that is overloaded and still keeps up; one that
// keeps up and has no years, because the drain comes after the trace.
#[test]
fn years_need_a_device_that_keeps_up() {
    let lab = Lab::small();
    let lines =
        |step: u64| (0..400).map(move |i| format!("{},W,{},512", i * step, i * 7 % 20 * 512));
    let years = |step: u64, more: &str| {
        lab.write("w.csv", trace(&lines(step).collect::<Vec<_>>()));
        let found = run(&lab, &format!("{more} --set flash.rated_tbw=1 w.csv"));
        let found = &found["endurance"];
        assert!(found["tb_until_worn"]["mean"].is_number(), "{found}");
        let known = found["years"]["mean"].is_number();
        assert_eq!(known, found["rated_years"].is_number());
        let why = "the device did not keep up with the trace";
        assert_eq!(found["missing_because"] == why, !known, "{found}");
        known
    };
    let clocks = "--set timing.model=parallel";
    let timed = format!("{clocks} --set replay=timed");
    let slow = 100_000_000;
    for (step, more, known) in [
        (slow, "", true),
        (1000, "", false),
        (slow, clocks, true),
        (1000, clocks, false),
        (slow, &timed, true),
        (slow, &format!("{timed} --loops 3"), true),
        (1_000_000, &timed, false),
        (slow, &format!("{timed} --set speedup=100"), false),
    ] {
        assert_eq!(years(step, more), known, "{step} ns {more}");
    }
    let text = lab.ok("run --config small.toml --set timing.model=parallel --set replay=timed --set speedup=100 w.csv");
    assert!(
        text.contains("\nyears unknown       the device did not keep up"),
        "{text}"
    );
    assert!(!text.contains("at the rate of the trace"), "{text}");
}

// Planted bug: before the spare blocks are used up a device lives longer than it will, or for ever.
#[test]
fn life_is_the_same_before_and_after_the_spare_blocks_are_used_up() {
    let lab = Lab::new();
    let device = "--set ftl.kind=page --set flash.capacity=1MiB --set flash.pages_per_block=16 --set ftl.spare_blocks=40 \
                  --set buffer.policy=none";
    let life = |writes: u64| {
        let line = |i: u64| format!("{i},W,{},2048", i % 512 * 2048);
        lab.write("w.csv", trace(&(0..writes).map(line).collect::<Vec<_>>()));
        let found = lab.json(&format!("run --json {device} w.csv"));
        let tb = found["endurance"]["tb_until_worn"]["mean"]
            .as_f64()
            .unwrap();
        (tb, found["counters"]["erases"].as_u64().unwrap())
    };
    let ((none, zero), (few, some), (many, _)) = (life(400), life(1000), life(100_000));
    assert!(zero == 0 && some > 0 && some < 1000 / 16, "{zero} {some}");
    for tb in [none, few] {
        assert!((tb / many - 1.0).abs() < 1e-2, "{tb}, not {many}");
    }
}

// Planted bugs: erases of lines under the name of blocks; a verdict in chip seconds that are more than the simulated time;
// copies of cleaning told as erases.
#[test]
fn under_clocks_lines_are_lines_and_causes_are_shares() {
    let lab = Lab::new();
    let line = |i: u64| {
        format!(
            "{},W,{},2048",
            i * 1000,
            (i * 7919 + i * i % 4099) % 4096 * 2048
        )
    };
    lab.write("w.csv", trace(&(0..20_000).map(line).collect::<Vec<_>>()));
    let device = "--set timing.model=parallel --set flash.interleave=line --set flash.channels=2 --set \
                  flash.capacity=8MiB --set flash.pages_per_block=16 --set ftl.kind=page --set buffer.policy=lru";
    let text = lab.ok(&format!("run {device} w.csv"));
    for words in [
        "\nerases of lines     ",
        " (per line: mean ",
        " (worst line ",
        "\nchip time by cause  cleaning ",
    ] {
        assert!(text.contains(words), "{words} in {text}");
    }
    let text = lab.ok(&format!(
        "compare --html w.html --size 64KiB --buffer lru --baseline=lru --vary ftl.over_provisioning=0.1,0.3 {device} w.csv"
    ));
    assert!(text.contains(" line erases "), "{text}");
    let sentence = text.lines().find(|line| line.starts_with("On ")).unwrap();
    assert!(sentence.contains(" faster than "), "{sentence}");
    let mut lines = text.lines();
    let causes = lines
        .find(|line| line.starts_with("why: against "))
        .unwrap();
    assert!(causes.contains(" and its chips work "), "{causes}");
    assert!(
        causes.contains(" % less; most of that is cleaning (flash copies "),
        "{causes}"
    );
    let (_, saved) = causes.split_once("most of that").unwrap();
    assert!(
        saved.contains(": saves ") && !saved.contains(" s)"),
        "{causes}"
    );
    let html = lab.read("w.html");
    for words in [
        "Wear of the lines",
        "Worst line",
        "<h2>Chips busy, by cause</h2>",
        "What keeps the chips busy",
    ] {
        assert!(html.contains(words), "{words}");
    }
    assert!(!html.contains("<h2>Time by cause</h2>"));
}

#[test]
fn the_last_replay_is_reported() {
    let lab = Lab::small();
    let pages: Vec<u64> = (0..40).map(|i| i * 7 % 20).collect();
    lab.write("w.csv", day_of(&pages));
    for more in ["--loops 3", "--steady"] {
        let report = run(&lab, &format!("{more} w.csv"));
        let loops = report["loops"].as_array().expect("loops");
        let (first, last) = (&loops[0], &loops[loops.len() - 1]);
        let found = &report["endurance"];
        let erases = &last["derived"]["erase_count"];
        assert_eq!(found["cycles_used"]["mean"], erases["mean"]);
        // nine blocks
        let all = report["counters"]["erases"].as_f64().expect("a counter");
        close(&found["cycles_used"]["mean"], all / 9.0);
        assert_eq!(
            found["cycles_used"]["worst"].as_f64(),
            erases["max"].as_f64()
        );
        assert_ne!(
            erases["mean"], first["derived"]["erase_count"]["mean"],
            "no test"
        );
        let parts = found["flash_bytes"].as_object().expect("an object");
        let bytes: u64 = parts
            .values()
            .map(|part| part.as_u64().expect("bytes"))
            .sum();
        assert_eq!(bytes, programs(&last["counters"]) * 512);
        close(
            &found["tb_until_worn"]["mean"],
            40.0 * 512.0 * 3000.0 / erases["mean"].as_f64().unwrap() / 1e12,
        );
    }
}

#[test]
fn columns_are_those_asked_for() {
    let lab = Lab::small();
    let pages: Vec<u64> = (0..60).map(|i| i * 7 % 20).collect();
    lab.write("w.csv", day_of(&pages));
    let compare = "compare w.csv --config=small.toml --buffer=none,fab --size=1KiB --no-html";
    let columns = "--columns=years_worst,tbw,bytes_merge,waf";
    let text = lab.ok(&format!("{compare} {columns} --json=c.json --csv=c.csv"));
    let titles = [
        "policy",
        "buffer",
        "years, worst block",
        "TB until worn",
        "merges",
        "write amp.",
    ];
    assert_eq!(text.lines().nth(1).map(cells), Some(titles.to_vec()));
    let rows: Value = lab.read_json("c.json");
    let csv = lab.read("c.csv");
    let mut csv = csv::Reader::from_reader(csv.as_bytes());
    let names = csv.headers().expect("a header").clone();
    let lines = csv.records().map(|line| line.expect("a row"));
    let place = |name: &str| {
        names
            .iter()
            .position(|other| other == name)
            .expect("a column")
    };
    for (row, fields) in rows["rows"].as_array().unwrap().iter().zip(lines) {
        for name in ["life", "years_worst", "bytes_merge"] {
            let cell: Option<f64> = fields[place(name)].parse().ok();
            assert_eq!(cell, row[name].as_f64(), "{name}");
        }
        if row["kind"] == "policy" {
            let label = row["label"].as_str().unwrap();
            let mut lines = text.lines().map(cells);
            let cells = lines
                .find(|cells| cells.first() == Some(&label))
                .expect("a line");
            let bytes = row["bytes_merge"].as_f64().unwrap();
            assert_eq!(cells[4], format!("{:.0} kB", bytes / 1e3), "{text}");
            let waf = row["waf"].as_f64().unwrap();
            assert!(cells[5].starts_with(&format!("{waf:.2}")), "{text}");
        }
    }
    let wrong = format!("{compare} --columns=tbv");
    lab.refused(&wrong, &["'tbv' for '--columns", "tbw_worst", "bytes_rmw"]);
}

#[test]
fn a_knee_is_the_first_spare_that_gains_little() {
    let lab = Lab::new();
    let line = |i: u64| format!("{i},W,{},2048", (i * i * 7 + i * 13) % 8191 % 4096 * 2048);
    lab.write("w.csv", trace(&(0..30_000).map(line).collect::<Vec<_>>()));
    let text = lab.ok(
        "compare w.csv --buffer=none --ftl=page --set=flash.capacity=8MiB --no-html --json=c.json --steady \
         --set=flash.pages_per_block=16 --vary=ftl.over_provisioning=0.1,0.2,0.4,0.8,1",
    );
    let comparison: Value = lab.read_json("c.json");
    let curves = comparison["spare"].as_array().expect("curves");
    assert_eq!(curves.len(), 1);
    let rows = comparison["rows"].as_array().unwrap();
    let rows: Vec<(f64, f64)> = rows
        .iter()
        .filter(|row| row["kind"] == "policy")
        .map(|row| {
            let spare = row["ftl_over_provisioning"].as_f64();
            let life = row["life"].as_f64();
            (spare.unwrap(), life.expect("a life"))
        })
        .collect();
    assert_eq!(rows.len(), 5);
    let gain = |pair: &[(f64, f64)]| {
        let [(spare, life), (more, longer)] = [pair[0], pair[1]];
        (longer - life) / life / (100.0 * (more - spare))
    };
    let knee = rows
        .windows(2)
        .find(|pair| gain(pair) < 0.02)
        .map(|pair| pair[0].0);
    assert!(knee.is_some_and(|knee| knee > 0.1), "{rows:?}");
    assert_eq!(curves[0]["knee"].as_f64(), knee);
    assert!(text.contains("spare space: none: "), "{text}");
    assert!(
        text.contains(&format!("the knee is at {}:", knee.unwrap())),
        "{text}"
    );
}

// planted bugs: the digits of an assumption printed as if they were measured; a range for a figure that has a source
#[test]
fn an_assumed_life_is_a_range() {
    let lab = Lab::new();
    lab.write("w.csv", day_of(&[0, 8, 16, 24]));
    let life = |options: &str| {
        let text = lab.ok(&format!("run w.csv --scale-to 1GiB {options}"));
        let line = text.lines().find(|line| line.starts_with("until worn out"));
        line.unwrap_or_else(|| panic!("{text}")).to_owned()
    };
    let assumed = life("--preset nvme-tlc");
    let cycles = "for 1,000 to 3,000 P/E cycles, as makers publish none";
    assert!(assumed.contains(cycles), "{assumed}");
    assert!(
        assumed
            .split(" TB ")
            .next()
            .is_some_and(|tb| tb.contains(" to ")),
        "{assumed}"
    );
    for known in [
        "--preset nvme-qlc-16k",
        "--preset nvme-tlc --set flash.pe_cycles=1500",
    ] {
        let line = life(known);
        assert!(!line.contains("P/E cycles"), "{line}");
    }
}

// planted bugs: a card that is slower than its class, or twice as fast
#[test]
fn a_card_of_class_a1_is_as_fast_as_its_class() {
    let lab = Lab::new();
    let mut at = 1_u64;
    let mut random = |op: &str| {
        let line = |_| {
            at = at
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            format!("0,{op},{},4096", (at >> 33) % 65_536 * 4096)
        };
        (0..3000).map(line).collect::<Vec<_>>()
    };
    lab.write("reads.csv", trace(&random("R")));
    lab.write("writes.csv", trace(&random("W")));
    let sequence: Vec<String> = (0..500)
        .map(|i| format!("0,W,{},65536", i * 65_536))
        .collect();
    lab.write("sequence.csv", trace(&sequence));
    let seconds = |name: &str| {
        let run = lab.json(&format!("run --json --preset sd-a1 {name}"));
        run["counters"]["elapsed_ns"].as_f64().expect("a time") / 1e9
    };
    let per_second = 3000.0 / seconds("reads.csv");
    assert!((1500.0..1550.0).contains(&per_second), "{per_second} reads");
    let per_second = 3000.0 / seconds("writes.csv");
    assert!((500.0..550.0).contains(&per_second), "{per_second} writes");
    let mb_s = 500.0 * 65_536.0 / 1e6 / seconds("sequence.csv");
    assert!((10.0..14.0).contains(&mb_s), "{mb_s} MB/s");
}
