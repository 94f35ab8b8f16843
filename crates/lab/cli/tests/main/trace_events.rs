//! The file of `run --trace-events`, as Perfetto reads it.
//!
//! Planted bugs that these catch: a slice of another chip; a read that suspends drawn over what it interrupts, or over another one; a
//! program drawn where it was before a read moved it; times cut to
//! microseconds; a request left out; a slice from outside the window, or one that reaches into it left out; a comma
//! too many; a number left out behind each batch of `--latencies`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::Lab;

const DEVICE: &str = "--set=timing.model=parallel --set=flash.capacity=4MiB --set=flash.interleave=page \
                      --set=ftl.kind=page --set=timing.channel_mb_s=333 --set=timing.bus_mb_s=777 --set=flash.channels=2 \
                      --set=flash.chips_per_channel=2 --set=queue_depth=8 --set=buffer.size=64KiB";

fn made() -> Lab {
    let lab = Lab::new();
    lab.ok("trace generate mixed --requests=2000 --reads=0.4 --capacity=4MiB --seed=9 --output=made.csv");
    lab
}

/// A report without its row, which has the command.
fn without_row(mut report: Value) -> Value {
    report["row"] = Value::Null;
    report
}

fn drawn(lab: &Lab, options: &str) -> (Value, Vec<Value>) {
    let report =
        lab.json(format!("run --json {DEVICE} {options} made.csv --trace-events t.json").as_str());
    let report = without_row(report);
    let file = lab.read_json("t.json");
    let records = file["traceEvents"].as_array().expect("a list");
    (report, records.clone())
}

/// A time in ns, from microseconds with three decimals.
#[track_caller]
fn ns(value: &Value) -> u64 {
    (value.as_f64().expect("a time") * 1000.0).round() as u64
}

type Track = (u64, u64);

/// The slices of each track: start and end.
fn slices(records: &[Value]) -> BTreeMap<Track, Vec<(u64, u64)>> {
    let mut tracks = BTreeMap::<_, Vec<_>>::new();
    for record in records.iter().filter(|record| record["ph"] == "X") {
        let track = (
            record["pid"].as_u64().unwrap(),
            record["tid"].as_u64().unwrap(),
        );
        let start = ns(&record["ts"]);
        tracks
            .entry(track)
            .or_default()
            .push((start, start + ns(&record["dur"])));
    }
    tracks
}

/// The tracks by name.
fn names(records: &[Value]) -> BTreeMap<Track, String> {
    let named = records
        .iter()
        .filter(|record| record["name"] == "thread_name");
    named
        .map(|record| {
            let track = (
                record["pid"].as_u64().unwrap(),
                record["tid"].as_u64().unwrap(),
            );
            (track, record["args"]["name"].as_str().unwrap().to_owned())
        })
        .collect()
}

/// Start and end of each request, by number.
fn requests(records: &[Value]) -> BTreeMap<u64, [Option<u64>; 2]> {
    let mut requests = BTreeMap::<_, [Option<u64>; 2]>::new();
    for record in records {
        let end = match record["ph"].as_str().unwrap() {
            "b" => 0,
            "e" => 1,
            _ => continue,
        };
        let known = requests.entry(record["id"].as_u64().unwrap()).or_default();
        assert_eq!(
            known[end].replace(ns(&record["ts"])),
            None,
            "twice: {record}"
        );
    }
    requests
}

#[test]
fn all_work_and_all_requests_are_drawn() {
    let lab = made();
    let today = "--set=timing.model=drive --set=timing.program_pages=4 --set=timing.sense_pages=2 \
                 --set=timing.reads_at_once=2 --set=ftl.pace=paced";
    let devices = [
        ("", false),
        ("--set=timing.read_suspends=true", true),
        (today, true),
    ];
    for (set, suspends) in devices {
        let (report, records) = drawn(&lab, &format!("{set} --latencies l.csv"));
        let command = format!("run --json {DEVICE} {set} made.csv");
        let plain = without_row(lab.json(command.as_str()));
        assert_eq!(plain, report, "drawing changes the run");
        let (tracks, names) = (slices(&records), names(&records));
        let mut busy = [0_u64; 4];
        for (track, slices) in &tracks {
            let mut slices = slices.clone();
            slices.sort_unstable();
            let name = &names[track];
            for pair in slices.windows(2) {
                assert!(pair[0].1 <= pair[1].0, "{name}: {pair:?}");
            }
            if let Some(chip) = name.strip_prefix("chip ") {
                let chip: usize = chip.split(':').next().unwrap().parse().unwrap();
                busy[chip] += slices.iter().map(|(start, end)| end - start).sum::<u64>();
            }
        }
        let elapsed = report["counters"]["elapsed_ns"].as_f64().unwrap();
        for (chip, busy) in busy.iter().enumerate() {
            let share = report["utilisation"]["chips"][chip].as_f64().unwrap();
            let expected = (share * elapsed).round() as u64;
            assert!(
                busy.abs_diff(expected) <= 1,
                "chip {chip}: {busy}, not {expected}"
            );
        }
        let has = |name: &str| names.values().any(|own| own == name);
        assert!(
            has("channel 1") && has("bus") && has("evictions"),
            "{names:?}"
        );
        assert_eq!(has("chip 0: reads that suspend"), suspends);
        assert_eq!(has("chip 0: reads that suspend, 2"), set == today);
        assert!(!has("chip 0: reads that suspend, 3"));
        let csv = lab.read("l.csv");
        let expected = csv.lines().skip(1).map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let number = |at: usize| fields[at].parse::<u64>().unwrap();
            (number(0), [Some(number(2)), Some(number(3))])
        });
        assert_eq!(requests(&records), expected.collect());
        let evictions = records.iter().filter(|record| record["name"] == "evict");
        let at_end = |record: &&Value| record["args"].get("request").is_none();
        let (drained, others): (Vec<_>, Vec<_>) = evictions.partition(at_end);
        assert!(!drained.is_empty());
        let evicted = (drained.len() + others.len()) as u64;
        assert_eq!(report["counters"]["evictions"], evicted);
        for counter in ["pages in the buffer", "free blocks"] {
            assert!(
                records
                    .iter()
                    .any(|record| record["ph"] == "C" && record["name"] == counter)
            );
        }
    }
}

#[test]
fn a_window_has_what_reaches_into_it() {
    let lab = made();
    let (report, all) = drawn(&lab, "");
    let elapsed = report["counters"]["elapsed_ns"].as_u64().unwrap();
    let (from, to) = (elapsed / 3, elapsed / 2);
    let (same, some) = drawn(&lab, &format!("--from {from}ns --to {to}ns"));
    assert_eq!(same, report);
    let inside = |slices: BTreeMap<Track, Vec<(u64, u64)>>| -> BTreeMap<Track, Vec<_>> {
        let keep = |&(start, end): &(u64, u64)| start < to && end > from;
        let part = |slices: Vec<_>| slices.into_iter().filter(keep).collect::<Vec<_>>();
        let tracks = slices
            .into_iter()
            .map(|(track, slices)| (track, part(slices)));
        tracks.filter(|(_, slices)| !slices.is_empty()).collect()
    };
    assert_eq!(slices(&some), inside(slices(&all)));
    let touches = |times: &[Option<u64>; 2]| {
        let [start, end] = times.map(|time| time.expect("both ends"));
        start < to && end > from || (from..to).contains(&start)
    };
    let mut expected = requests(&all);
    expected.retain(|_, times| touches(times));
    assert_eq!(requests(&some), expected);
    assert!(!expected.is_empty() && some.len() < all.len() / 2);
    for record in some
        .iter()
        .filter(|record| ["i", "C"].contains(&record["ph"].as_str().unwrap()))
    {
        assert!((from..to).contains(&ns(&record["ts"])), "{record}");
    }
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let lab = made();
    lab.refused(
        "run made.csv --trace-events t.json",
        &["--trace-events", "timing.model = \"parallel\""],
    );
    lab.refused("run made.csv --from 1s", &["--trace-events"]);
    let window = format!("run {DEVICE} made.csv --trace-events t.json --from 2s --to 2s");
    lab.refused(&window, &["--to must be later than --from"]);
    let unit = format!("run {DEVICE} made.csv --trace-events t.json --from 2");
    lab.refused(&unit, &["--from", "time with a unit"]);
}
