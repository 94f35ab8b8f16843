//! The verdict of `compare` and its varied keys: three artificial traces on which lru, fab and bplru must win, each for
//! its own reason; baselines, FTLs and varied keys; CSV and JSON.
//!
//! Planted bugs that these catch: the loser's counters under the winner's name; merges credited with writes that the
//! buffer absorbed; a baseline of another size; a varied key that never reaches the run; a column shifted by a missing
//! field; a list of numbers split at its commas.

use crate::common::{Args, Lab, trace, words};
use serde_json::Value;

/// Pages of a block of the default device, and the size of a page.
const N: u64 = 128;
const PAGE: u64 = 2048;

/// Random numbers that are equal on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

fn write(lines: &mut Vec<String>, op: char, page: u64) {
    let time = lines.len() * 1000;
    lines.push(format!("{time},{op},{},{PAGE}", page * PAGE));
}

/// One hot page in each of 200 blocks, and a few pages of two more blocks that are rewritten soon or never. A policy
/// that keeps single pages keeps all hot pages; a policy that evicts by block or by age evicts them.
fn hot_pages() -> Vec<String> {
    let (mut lines, mut random, mut recent) = (Vec::new(), Random(1), Vec::<u64>::new());
    for _ in 0..200 {
        for block in 0..200 {
            write(&mut lines, 'W', block * N + 7);
            if block % 5 == 0 {
                let again = recent.len().min(8) as u64;
                let page = match block % 2 {
                    1 if again > 0 => recent[recent.len() - 1 - random.below(again) as usize],
                    _ => 200 * N + random.below(2 * N),
                };
                recent.push(page);
                write(&mut lines, 'W', page);
            }
            if block % 7 == 0 {
                write(&mut lines, 'R', random.below(200 * N));
            }
        }
    }
    lines
}

/// Single pages all over 300 blocks: evicting the block with the most buffered pages costs least for each page.
fn scattered() -> Vec<String> {
    let (mut lines, mut random) = (Vec::new(), Random(1));
    for _ in 0..20_000 {
        write(&mut lines, 'W', random.below(300 * N));
    }
    lines
}

/// Forty random pages of one block, then of another: padding lets the device write each block as a whole.
fn bursts() -> Vec<String> {
    let (mut lines, mut random) = (Vec::new(), Random(1));
    for _ in 0..400 {
        let block = random.below(300);
        for _ in 0..40 {
            write(&mut lines, 'W', block * N + random.below(N));
        }
    }
    lines
}

/// The JSON of a comparison at 512 KiB.
fn compared(lab: &Lab, lines: &[String], options: &(impl Args + ?Sized)) -> Value {
    lab.write("made.csv", trace(lines));
    let compare =
        "compare --no-html --json made.json --set flash.capacity=auto --size=512KiB made.csv";
    lab.ok(&[words(compare), options.list()].concat());
    lab.read_json("made.json")
}

/// All rows, in their order.
fn rows(comparison: &Value) -> &[Value] {
    comparison["rows"].as_array().expect("rows")
}

fn row<'a>(comparison: &'a Value, label: &str) -> &'a Value {
    rows(comparison)
        .iter()
        .find(|row| row["label"] == label)
        .expect("such a row")
}

/// The winner, its rival and the causes: each cause must have the values of its two runs, and all causes together the
/// whole difference in time.
fn reasons(comparison: &Value) -> (String, Vec<(String, bool)>) {
    let verdict = &comparison["verdict"];
    let [winner, against] = ["winner", "against"].map(|key| verdict[key].as_str().unwrap());
    let [ours, theirs] = [winner, against].map(|label| row(comparison, label));
    let mut saved = 0.0;
    let reasons = verdict["why"].as_array().unwrap().iter().map(|reason| {
        let counter = reason["counter"].as_str().unwrap();
        assert_eq!(reason["value"], ours[counter], "{counter}");
        assert_eq!(reason["against"], theirs[counter], "{counter}");
        saved += reason["saved_ns"].as_f64().unwrap();
        (
            counter.to_owned(),
            reason["saved_ns"].as_f64().unwrap() > 0.0,
        )
    });
    let reasons = reasons.collect();
    let [ours, theirs] = [ours, theirs].map(|counters| counters["elapsed_ns"].as_f64().unwrap());
    assert!((saved / (theirs - ours) - 1.0).abs() < 1e-6, "{saved}");
    assert!(saved > 0.0);
    (winner.into(), reasons)
}

#[test]
fn lru_wins_where_single_pages_are_hot_because_it_hits() {
    let lab = Lab::new();
    // plru-br would also keep the hot pages and evict the others by block
    let buffers = "--buffer=none,fifo,lru,cflru,sof,fab,blru,bplru";
    let comparison = compared(&lab, &hot_pages(), buffers);
    let (winner, reasons) = reasons(&comparison);
    assert_eq!(winner, "lru");
    assert!(reasons[0].1, "{reasons:?}");
    let hits = row(&comparison, "lru")["write_hit_ratio"].as_f64();
    let hits = format!("{:.1} % instead of ", hits.unwrap() * 100.0);
    let told = lab.ok(&format!(
        "compare --no-html --no-advice --size=512KiB made.csv --set=flash.capacity=auto {buffers}"
    ));
    let mut lines = told.lines();
    let why = lines.find(|line| line.starts_with("why: against "));
    assert!(why.is_some_and(|why| why.contains(&hits)), "{told}");
}

// Planted bugs: `--by` never reaches the verdict; the marks stay those of throughput; p99 of reads; the order of p99
// turned round.
#[test]
fn the_named_figure_ranks_the_rows() {
    let lab = Lab::new();
    let options = "--buffer=none,lru,fab,bplru --set=timing.model=parallel --limit=8000";
    let latency = |row: &Value| row["latency_ns"]["W"]["p99"].as_f64();
    type Figure<'a> = (&'a str, f64, &'a dyn Fn(&Value) -> Option<f64>);
    let figures: [Figure; 5] = [
        ("throughput", -1.0, &|row| row["throughput"].as_f64()),
        ("waf", 1.0, &|row| row["waf"].as_f64()),
        ("erases", 1.0, &|row| row["erases"].as_f64()),
        ("p99", 1.0, &latency),
        ("life", -1.0, &|row| row["life"].as_f64()),
    ];
    let mut winners = Vec::new();
    for (by, sign, figure) in figures {
        let comparison = compared(&lab, &scattered(), &format!("{options} --by {by}"));
        let policies = || {
            rows(&comparison)
                .iter()
                .filter(|row| row["kind"] == "policy")
        };
        let rank = |row: &&Value| sign * figure(row).expect("a figure");
        let top = policies().min_by(|a, b| rank(a).total_cmp(&rank(b)));
        let top = rank(&top.unwrap());
        let bytes = |row: &&Value| {
            let parts = ["host", "padding", "rmw", "merge", "cleaning"];
            let parts = parts.map(|part| row[format!("bytes_{part}")].as_f64().unwrap());
            parts.iter().sum::<f64>() as u64
        };
        // of those that are level with the best, the one that writes least
        let level = policies().filter(|row| (rank(row) / top - 1.0).abs() < 0.01);
        let best = level.min_by_key(bytes).unwrap();
        let verdict = &comparison["verdict"];
        assert_eq!(
            (&verdict["by"], &verdict["winner"]),
            (&by.into(), &best["label"])
        );
        assert_eq!(verdict["value"].as_f64(), figure(best), "{by}");
        let marked: Vec<_> = policies().filter(|row| row["best"] == true).collect();
        assert_eq!(marked, [best], "{by}");
        winners.push(best["label"].as_str().unwrap().to_owned());
    }
    winners.sort_unstable();
    winners.dedup();
    assert!(winners.len() > 1, "one policy wins in all: {winners:?}");
    let timed = "--buffer=lru,fab --set=timing.model=parallel --set=replay=timed";
    let timed = compared(&lab, &scattered(), timed);
    assert_eq!(timed["verdict"]["by"], "p99");
    let serial = [
        "--by p99",
        "none lacks under timing.model = \"serial\"",
        "throughput, waf, erases or life",
    ];
    lab.refused(
        "compare --no-html --by=p99 --set=ftl.kind=bast made.csv",
        &serial,
    );
}

/// A page that is rewritten every 10 ms and flushed after each write, among few others.
fn flushed() -> Vec<String> {
    let write = |i: u64| [format!("{},W,{},{PAGE}", i * 10_000_000, i % 4 * PAGE)];
    let flush = |i: u64| [format!("{},F,0,0", i * 10_000_000 + 5_000_000)];
    (0..400)
        .flat_map(|i| [write(i), flush(i)])
        .flatten()
        .collect()
}

// Planted bugs: MB/s of span and drain decide, so that the drive without power-loss protection wins; a tie of p99 that
// the better row wins by no word; MB/s ranks under timed replay; MB/s has a bound or is marked as worse there; a figure of
// flushes that is one of writes.
#[test]
fn a_tie_goes_to_the_drive_that_writes_less_to_flash() {
    let lab = Lab::new();
    let timed = "--set=timing.model=parallel --set=replay=timed --set=ftl.kind=page --buffer=lru";
    let options = format!("{timed} --vary=buffer.protected=false,true");
    let comparison = compared(&lab, &flushed(), &format!("{options} --by=p99"));
    let [unsafe_row, safe] =
        ["false", "true"].map(|on| row(&comparison, &format!("lru (protected {on})")));
    let of = |row: &Value, path: &str| row.pointer(path).and_then(Value::as_f64).unwrap();
    let p99 = "/latency_ns/W/p99";
    assert_eq!(of(unsafe_row, p99), of(safe, p99));
    let speed = "/throughput";
    assert!(of(unsafe_row, speed) > of(safe, speed));
    let verdict = &comparison["verdict"];
    assert_eq!(verdict["winner"], safe["label"]);
    assert_eq!(
        verdict["level_with"],
        serde_json::json!([unsafe_row["label"]])
    );
    assert_eq!(verdict["decided_by"], serde_json::json!(["bytes_to_flash"]));
    assert_eq!([&safe["best"], &safe["level"]], [true, false]);
    assert_eq!([&unsafe_row["best"], &unsafe_row["level"]], [false, true]);
    let sentence = comparison["sentence"].as_str().unwrap();
    let tie = ", level with protected false (fewer bytes to flash decide): ";
    assert!(sentence.contains(tie), "{sentence}");
    let bound = rows(&comparison).iter().find(|row| row["kind"] == "bound");
    assert!(bound.unwrap()["bounds"].get("throughput").is_none());
    let compare =
        format!("compare --no-html --size=512KiB --set=flash.capacity=auto {timed} made.csv");
    for by in ["throughput", "elapsed"] {
        lab.refused(
            &format!("{compare} --by={by}"),
            &[
                &format!("--by {by}: under replay = \"timed\""),
                "rank by p99",
            ],
        );
    }
    for (by, path) in [
        ("p50", "/latency_ns/W/p50"),
        ("p99_9", "/latency_ns/W/p99_9"),
        ("p99_99", "/latency_ns/W/p99_99"),
        ("p99_flush", "/latency_ns/F/p99"),
        ("p99_commit", "/latency_ns/commit/p99"),
        ("mean_commit", "/latency_ns/commit/mean"),
        ("mean_flush", "/latency_ns/F/mean"),
    ] {
        let comparison = compared(&lab, &flushed(), &format!("{options} --by {by}"));
        let winner = comparison["verdict"]["winner"].as_str().unwrap();
        let value = comparison["verdict"]["value"].as_f64();
        assert_eq!(value, Some(of(row(&comparison, winner), path)), "{by}");
    }
}

// Planted bugs: a write that is not safe yet counts for a drive without protection; a latency of requests that come as fast as
// they go, where the trace has times, or without a word; a user's `queue_depth` that is overridden; a drive that is too slow
// for the trace, and does not say so.
#[test]
fn latencies_are_those_of_requests_at_their_times() {
    let lab = Lab::new();
    let device = "--set=timing.model=parallel --set=ftl.kind=page --buffer=lru --vary=buffer.protected=false,true";
    let replay = |comparison: &Value| {
        let replays = rows(comparison).iter().map(|row| row["replay"].clone());
        let replays: Vec<Value> = replays.collect();
        assert!(replays.windows(2).all(|two| two[0] == two[1]));
        replays[0].as_str().unwrap().to_owned()
    };
    // by default commits rank under timed replay, and the drive that has them safe at once wins
    let timed = compared(&lab, &flushed(), &format!("{device} --set=replay=timed"));
    assert_eq!(timed["verdict"]["by"], "p99_commit");
    assert_eq!(timed["verdict"]["winner"], "lru (protected true)");
    let asked = compared(&lab, &flushed(), &format!("{device} --by=p99_commit"));
    assert_eq!(replay(&asked), "timed");
    assert_eq!(asked["verdict"]["value"], timed["verdict"]["value"]);
    // unless the user says how many are in flight
    let deep = compared(
        &lab,
        &flushed(),
        &format!("{device} --by=p99 --set=queue_depth=4"),
    );
    assert_eq!(
        (replay(&deep).as_str(), &deep["verdict"]["in_flight"]),
        ("closed", &4.into())
    );
    let sentence = deep["sentence"].as_str().unwrap();
    assert!(
        sentence.contains(" with 4 in flight, as fast as it goes"),
        "{sentence}"
    );
    lab.write("made.csv", trace(&flushed()));
    let told = lab.ok(&format!(
        "compare --no-html --no-advice --size=512KiB made.csv {device} --by=p99"
    ));
    assert!(
        told.contains("requests: at their times in the trace"),
        "{told}"
    );
    // the trace ends at 3.995 s; a program of 0.1 s a page takes 40 s
    let slow = "--buffer=none --set=ftl.kind=page --set=timing.model=parallel --set=timing.program_us=1e5 --by=p99";
    let slow = compared(&lab, &flushed(), slow);
    let behind = slow["verdict"]["behind_ns"].as_f64().unwrap();
    assert!((30e9..50e9).contains(&behind), "{behind}");
    let sentence = slow["sentence"].as_str().unwrap();
    assert!(
        sentence.contains(" behind the times of the trace"),
        "{sentence}"
    );
    assert!(timed["verdict"].get("behind_ns").is_none());
}

// Planted bugs: a difference of a histogram's class called a lead; equal latencies that are not said to be level.
#[test]
fn less_than_a_hundredth_is_level_in_verdict_and_marks() {
    let lab = Lab::new();
    let options = "--buffer=none,lru,fab --set=timing.model=parallel --set=replay=timed --set=ftl.kind=page \
                   --set=timing.bus_mb_s=1 --set=timing.program_us=1 --set=timing.channel_mb_s=0 --by=p99";
    let comparison = compared(&lab, &flushed(), options);
    let p99 = |label: &str| {
        row(&comparison, label)["latency_ns"]["W"]["p99"]
            .as_u64()
            .unwrap()
    };
    assert_eq!(
        p99("none").abs_diff(p99("lru")),
        1000,
        "the program of a page"
    );
    let sentence = comparison["sentence"].as_str().unwrap();
    assert!(!sentence.contains("less than"), "{sentence}");
    assert!(sentence.contains(", level with "), "{sentence}");
    lab.write("made.csv", trace(&flushed()));
    let compare =
        format!("compare --no-html --size=512KiB --set=flash.capacity=auto made.csv {options}");
    let table = lab.ok(&compare);
    let none = table
        .lines()
        .find(|line| line.starts_with(" none "))
        .unwrap();
    assert!(none.contains(" µs =") || none.contains(" ms ="), "{table}");
}

#[test]
fn fab_wins_on_scattered_pages_by_fewer_full_merges() {
    let lab = Lab::new();
    let comparison = compared(&lab, &scattered(), "");
    let (winner, reasons) = reasons(&comparison);
    assert_eq!(winner, "fab");
    let expected = [
        ("full_merges".into(), true),
        ("partial_merges".into(), true),
    ];
    assert_eq!(reasons[..2], expected);
}

#[test]
fn bplru_wins_on_bursts_by_padding_instead_of_full_merges() {
    let lab = Lab::new();
    let comparison = compared(&lab, &bursts(), "--all");
    let (winner, reasons) = reasons(&comparison);
    assert_eq!(winner, "bplru");
    let expected = [
        ("full_merges".into(), true),
        ("padding_reads".into(), false),
    ];
    assert_eq!(reasons[..2], expected);
    let sentence = comparison["sentence"].as_str().unwrap();
    assert!(sentence.contains(" faster than lru ("), "{sentence}");
    let told = lab
        .ok("compare --no-html --no-advice --set flash.capacity=auto --size=512KiB made.csv --all");
    let mut lines = told.lines();
    let why = lines.find(|line| line.starts_with("why: against lru, the baseline, "));
    assert!(why.is_some_and(|why| why.contains("costs")), "{told}");
}

/// The relative figures follow from those of a run and of its baseline.
#[test]
fn rows_are_held_against_the_baseline_of_their_size() {
    let lab = Lab::new();
    let comparison = compared(&lab, &scattered(), "--size 256KiB --baseline fab");
    assert_eq!(comparison["baseline"], "fab");
    assert_eq!(
        comparison["sizes"],
        serde_json::json!([256 << 10, 512 << 10])
    );
    let rows = rows(&comparison);
    let mut seen = 0;
    for row in rows {
        let base = rows
            .iter()
            .find(|base| base["label"] == "fab" && base["size"] == row["size"]);
        for name in words("throughput erases waf switch_merges partial_merges full_merges") {
            let expected = base.and_then(|base| {
                let base = base[name].as_f64().filter(|&base| base > 0.0)?;
                Some(row[name].as_f64()? / base - 1.0)
            });
            let found = row["relative"][name].as_f64();
            assert_eq!(found.is_some(), expected.is_some(), "{name} of {row}");
            if let (Some(found), Some(expected)) = (found, expected) {
                assert!(
                    (found - expected).abs() < 1e-9,
                    "{name}: {found}, {expected}"
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn every_varied_key_reaches_its_run() {
    let lab = Lab::new();
    let options = "--buffer none,lru,cflru --vary ftl.log_blocks=7,70 --vary=buffer.window=0.1,0.9 --ftl bast";
    let baseline = ["--baseline", "lru (log_blocks 70)"];
    let options = [&words(options), &baseline[..]].concat();
    let comparison = compared(&lab, &hot_pages()[..5000], &options);
    let labels: Vec<&str> = rows(&comparison)
        .iter()
        .map(|row| row["label"].as_str().unwrap())
        .collect();
    let expected = [
        "none (log_blocks 7)",
        "none (log_blocks 70)",
        "lru (log_blocks 7)",
        "lru (log_blocks 70)",
        "cflru (log_blocks 7, window 0.1)",
        "cflru (log_blocks 7, window 0.9)",
        "cflru (log_blocks 70, window 0.1)",
        "cflru (log_blocks 70, window 0.9)",
        "unbounded buffer (log_blocks 7)",
        "unbounded buffer (log_blocks 70)",
        "clairvoyant buffer (log_blocks 7)",
        "clairvoyant buffer (log_blocks 70)",
        "ideal FTL",
    ];
    assert_eq!(labels, expected);
    assert_eq!(comparison["baseline"], baseline[1]);
    for row in rows(&comparison) {
        let label = row["label"].as_str().unwrap();
        let varied = label.split_once(" (").map(|(_, varied)| varied);
        for value in varied
            .iter()
            .flat_map(|varied| varied.trim_end_matches(')').split(", "))
        {
            let (name, value) = value.split_once(' ').unwrap();
            let key = if name == "window" {
                "buffer.window"
            } else {
                "ftl.log_blocks"
            };
            assert_eq!(row["config"][key].to_string(), value, "{label}");
            assert_eq!(row[key.replace('.', "_")].to_string(), value, "{label}");
        }
    }
    // the same as a single run
    let single = lab.json(
        "run --json --set=flash.capacity=auto --set=buffer.size=512KiB --set=buffer.policy=cflru \
         --set=ftl.log_blocks=70 --set=buffer.window=0.9 made.csv",
    );
    let row = row(&comparison, expected[7]);
    for (name, count) in single["counters"].as_object().unwrap() {
        assert_eq!(row[name], *count, "{name}");
    }
    for (name, cell) in single["row"].as_object().unwrap() {
        let is_of_program = name == "command";
        assert_eq!(row[name] == *cell, !is_of_program, "{name}");
    }
}

// planted bug: a key that is varied by its former name is no axis, since the configuration has another name
#[test]
fn a_key_varied_by_its_former_name_is_the_same_key() {
    let lab = Lab::new();
    let options = "--buffer=none --set=timing.model=parallel --vary=timing.bus_mhz=5,50";
    let comparison = compared(&lab, &hot_pages()[..100], options);
    let values = serde_json::json!(["5", "50"]);
    assert_eq!(comparison["varied"][0]["key"], "timing.bus_mb_s");
    assert_eq!(comparison["varied"][0]["values"], values);
    let slow = row(&comparison, "none (bus_mb_s 5)");
    assert_eq!(slow["timing_bus_mb_s"], 5.0);
}

#[test]
fn a_varied_list_is_one_value() {
    let lab = Lab::new();
    let options = [
        "--buffer=none",
        "--ftl=page",
        "--set=ftl.placement=dac",
        "--vary=ftl.stable_s=[1,2,3,4],[0.1, 2, 3.5, 4]",
        "--vary=ftl.regions=4",
    ];
    let comparison = compared(&lab, &hot_pages()[..1000], &options);
    let stable = |label: &str| &row(&comparison, label)["ftl_stable_s"];
    let [one, other] =
        ["[1,2,3,4]", "[0.1, 2, 3.5, 4]"].map(|list| stable(&format!("none (stable_s {list})")));
    assert_eq!(*one, serde_json::json!([1.0, 2.0, 3.0, 4.0]));
    assert_eq!(*other, serde_json::json!([0.1, 2.0, 3.5, 4.0]));
    lab.refused(
        "compare --vary=ftl.stable_s=[1,2 made.csv",
        &["--vary ftl.stable_s=[1,2: "],
    );
}

#[test]
fn csv_holds_what_json_holds() {
    let lab = Lab::new();
    let options = "--buffer=none,lru,cflru --vary=buffer.window=0.1,0.9 --csv=made.table.csv";
    let comparison = compared(&lab, &hot_pages()[..3000], options);
    let text = lab.read("made.table.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let rows = rows(&comparison);
    let lines: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(lines.len(), rows.len());
    for (line, row) in lines.iter().zip(rows) {
        assert_eq!(line.len(), header.len(), "{line:?}");
        for (name, cell) in header.iter().zip(line) {
            let expected = match row.pointer(&format!("/{}", name.replace('.', "/"))) {
                None | Some(Value::Null) => String::new(),
                Some(Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
            };
            let is_same = |number: f64| expected.parse() == Ok(number);
            let is_same = cell == expected || cell.parse().is_ok_and(is_same);
            assert!(is_same, "{name}: {cell}, not {expected}");
        }
    }
    for name in words("label size buffer_window erases waf waf_pages relative.waf") {
        assert!(header.iter().any(|known| known == name), "{name}");
    }
}

#[test]
fn a_wrong_option_is_refused_before_anything_runs() {
    let lab = Lab::small();
    lab.write("made.csv", trace(&["0,W,0,512"]));
    let compare = "compare --config small.toml --size=1KiB made.csv";
    for (options, fragments) in [
        (
            "--baseline bplur",
            ["--baseline bplur: is not compared", "lru"],
        ),
        ("--buffer=lru --baseline=fab", ["fab", "one of: lru"]),
        ("--ftl ideal", ["--ftl ideal", "bound"]),
        ("--ftl bats", ["--ftl bats", "bast"]),
        (
            "--vary ftl.log_blocks",
            ["--vary ftl.log_blocks", "KEY=VALUE"],
        ),
        (
            "--vary ftl.log_blocks=7,",
            ["--vary ftl.log_blocks=7,: ", "a value is missing"],
        ),
        (
            "--vary ftl.log_blocks=1,0",
            ["--vary ftl.log_blocks=0", "from 1"],
        ),
        (
            "--vary ftl.lgo_blocks=1",
            ["ftl.lgo_blocks", "ftl.log_blocks"],
        ),
        ("--vary buffer.size=1KiB", ["--vary", "use --size 1KiB"]),
        ("--vary buffer.policy=lru", ["--vary", "use --buffer lru"]),
        ("--vary ftl.kind=bast", ["--vary", "use --ftl bast"]),
        (
            "--vary=ftl.log_blocks=1 --vary=ftl.log_blocks=2",
            ["--vary", "ftl.log_blocks is varied already"],
        ),
        // each value alone would be valid
        (
            "--set=flash.capacity=32KiB --vary=flash.page_size=512,1024 --vary=flash.pages_per_block=4,64",
            [
                "none (page_size 1024, pages_per_block 64) with 1 KiB: ",
                "32KiB",
            ],
        ),
        ("--json -", ["--json -", "standard output"]),
    ] {
        lab.refused(&format!("{compare} {options}"), &fragments);
    }
}

// planted bugs: a key that an option overrides without a note; a replay that is not steady reported as steady
#[test]
fn what_is_overridden_or_not_steady_is_told() {
    let lab = Lab::small();
    lab.write("few.csv", trace(&bursts()[..5]));
    let ended = lab.run(
        "compare --config=small.toml --no-html --wrap --steady=2 --set=flash.planes=2 --buffer=none,fifo \
         --size=2KiB,4KiB --ftl=page --set=ftl.spare_blocks=20 few.csv",
    );
    let expected = [
        "small.toml:14: buffer.size = \"4KiB\" is overridden by --size",
        "small.toml:8: ftl.kind = \"bast\" is overridden by --ftl",
        "small.toml:13: buffer.policy = \"lru\" is overridden by --buffer",
        "flash.planes has no effect on anything compared",
        "ftl.log_blocks has no effect on anything compared",
        "ftl.partial_merge has no effect on anything compared",
        "not steady after 2 replays",
    ];
    let expected: Vec<String> = expected.iter().map(|w| format!("warning: {w}\n")).collect();
    assert_eq!(ended.stderr, expected.concat());
    let text = ended.success();
    assert!(text.contains("steady state: host wrote "), "{text}");
}
