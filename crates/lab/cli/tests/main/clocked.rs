//! What a comparison under the parallel model says of time: sums over time are the totals of the run.
//!
//! Planted bugs: bytes of reads among those of writes; busy time of one chip for all; an interval lost; the values of
//! all replays instead of the last; a histogram that lacks requests. Little's law on what a run says of itself; planted
//! bug: a latency that leaves out a part of the wait.

use crate::common::Lab;
use serde_json::Value;

fn numbers(values: &Value) -> Vec<f64> {
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    values
        .as_array()
        .expect("a list")
        .iter()
        .map(number)
        .collect()
}

const DEVICE: &str = "--set=timing.model=parallel --set=flash.capacity=4MiB --set=flash.interleave=page \
                      --set=ftl.kind=page --set=timing.channel_mb_s=100 --set=timing.bus_mb_s=200";

fn made(requests: u32, seed: u32) -> Lab {
    let lab = Lab::new();
    lab.ok(&format!(
        "trace generate mixed --requests={requests} --reads=0.4 --capacity=4MiB --seed={seed} --output=made.csv"
    ));
    lab
}

#[test]
fn what_happens_over_time_adds_up_to_the_run() {
    let lab = made(4000, 7);
    for loops in [1, 3] {
        let device = format!(
            "{DEVICE} --set=flash.channels=2 --set=flash.chips_per_channel=1 --set=queue_depth=8 --loops {loops} made.csv"
        );
        lab.ok(&format!(
            "compare --buffer=none,lru --size=64KiB --no-html --json=all.json {device}"
        ));
        let comparison = lab.read_json("all.json");
        let policies = comparison["rows"].as_array().expect("rows").iter();
        let policies: Vec<&Value> = policies.filter(|row| row["kind"] == "policy").collect();
        assert_eq!(policies.len(), 2);
        for row in policies {
            // a run is not recorded, and takes steps that a recorded one does not
            let policy = row["buffer_policy"].as_str().expect("a name");
            let run = lab.json(&format!(
                "run --json --set=buffer.size=64KiB --set=buffer.policy={policy} {device}"
            ));
            for key in ["latency_ns", "utilisation"] {
                assert_eq!(run[key], row[key], "{key} of {policy}");
            }
            for (name, count) in run["counters"].as_object().expect("counters") {
                assert_eq!(row[name], *count, "{name} of {policy}");
            }
            assert_sums(row);
            for (op, longest) in [("R", "read_max_ns"), ("W", "write_max_ns")] {
                assert_histogram(row, op, longest);
            }
        }
    }
}

/// Checks that sums over time are the totals of a run.
#[track_caller]
fn assert_sums(row: &Value) {
    let time = &row["over_time"];
    let width = time["width_ns"].as_f64().unwrap();
    let elapsed = row["elapsed_ns"].as_f64().unwrap();
    // the last interval ends with the run
    let sum = |key: &str| {
        let values = numbers(&time[key]);
        let last = elapsed - (values.len() - 1) as f64 * width;
        assert!((0.4..1.6).contains(&(last / width)), "{last} of {width}");
        let (end, others) = values.split_last().expect("an interval");
        others.iter().sum::<f64>() * width + end * last
    };
    let close = |found: f64, expected: f64, what: &str| {
        let share = found / expected - 1.0;
        assert!(share.abs() < 1e-6, "{what}: {found}, not {expected}");
    };
    for (key, counter) in [
        ("read_mb_s", "host_read_bytes"),
        ("write_mb_s", "host_write_bytes"),
    ] {
        // 10^6 bytes a second are a byte for each 1000 ns
        close(sum(key) / 1e3, row[counter].as_f64().unwrap(), key);
    }
    let utilisation = &row["utilisation"];
    for key in ["chips", "channels"] {
        let shares = numbers(&utilisation[key]);
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        close(sum(key) / elapsed, mean, key);
    }
    let bus = utilisation["bus"].as_f64().unwrap();
    close(sum("bus") / elapsed, bus, "bus");
}

/// Checks that the histogram of an operation has all requests, and ends with the slowest, as the values over time do.
#[track_caller]
fn assert_histogram(row: &Value, op: &str, longest: &str) {
    let pairs = row["latency_histogram"][op].as_array().expect("pairs");
    let pairs: Vec<Vec<f64>> = pairs.iter().map(numbers).collect();
    let latency = &row["latency_ns"][op];
    let count: f64 = pairs.iter().map(|pair| pair[1]).sum();
    assert_eq!(Some(count), latency["count"].as_f64());
    assert_eq!(pairs.last().map(|pair| pair[0]), latency["max"].as_f64());
    let longest = numbers(&row["over_time"][longest]).into_iter();
    assert_eq!(Some(longest.fold(0.0, f64::max)), latency["max"].as_f64());
}

/// The time in which requests were outstanding, summed over them, by a look at all moments when their number changes.
fn outstanding_ns(latencies: &str) -> f64 {
    let mut moments = Vec::new();
    for line in latencies.lines().skip(1) {
        let mut times = line.split(',').skip(2).map(|time| time.parse::<u64>());
        let mut time = || times.next().expect("a time").expect("a number");
        moments.extend([(time(), 1), (time(), -1)]);
    }
    moments.sort_unstable();
    let (mut sum, mut number, mut since) = (0.0, 0, 0);
    for (at, change) in moments {
        sum += (at - since) as f64 * f64::from(number);
        (number, since) = (number + change, at);
    }
    assert_eq!(number, 0);
    sum
}

#[test]
fn the_law_of_little_holds_for_the_figures_of_a_run() {
    let lab = made(3000, 3);
    for depth in [1, 6] {
        let run = lab.json(&format!(
            "run --json --latencies=times.csv {DEVICE} --set=flash.chips_per_channel=2 --set=buffer.policy=none \
             --set=queue_depth={depth} made.csv"
        ));
        let latency = |op: &str, key: &str| run["latency_ns"][op][key].as_f64().unwrap_or(0.0);
        let ops = ["R", "W", "F", "D"].iter();
        let sum: f64 = ops
            .map(|op| latency(op, "mean") * latency(op, "count"))
            .sum();
        let expected = outstanding_ns(&lab.read("times.csv"));
        assert!(
            (sum / expected - 1.0).abs() < 1e-6,
            "latencies of {sum} ns, but {expected} ns outstanding"
        );
        let mean = sum / run["counters"]["elapsed_ns"].as_f64().unwrap();
        let most = f64::from(depth) * (1.0 + 1e-9);
        assert!(mean <= most && mean > 0.5 * most, "{mean} of {depth}");
    }
}

// Planted bugs: `run --latencies` with all requests at once, though the trace has times; a depth of the user that gives way; a
// refusal of a trace without times, of which nobody has asked for them.
#[test]
fn latencies_are_asked_for_at_the_times_of_the_trace() {
    let lab = Lab::new();
    let lines = |gap: u64| -> String {
        let lines = (0..200).map(|at| format!("{},W,{},4096\n", at * gap, at % 50 * 4096));
        "time_ns,op,offset_bytes,size_bytes\n".to_owned() + &lines.collect::<String>()
    };
    lab.write("timed.csv", lines(10_000_000));
    lab.write("timeless.csv", lines(0));
    let last_issue = |options: &str| -> u64 {
        let run = lab.json(&format!(
            "run --json --latencies=times.csv {DEVICE} {options}"
        ));
        let times = lab.read("times.csv");
        let last = times.lines().last().expect("a request");
        let issued = last.split(',').nth(2).expect("a time").parse().expect("ns");
        assert_eq!(
            run["config"]["replay"] == "timed",
            issued == 199 * 10_000_000,
            "{options}"
        );
        issued
    };
    assert_eq!(last_issue("timed.csv"), 199 * 10_000_000);
    assert!(last_issue("--set=queue_depth=2 timed.csv") < 1_000_000_000);
    assert!(last_issue("timeless.csv") < 1_000_000_000);
}

// planted bug: the key is taken and does nothing
#[test]
fn drives_of_today_have_no_spread() {
    let lab = made(100, 1);
    let device = "--set=timing.spread=0.1 --set=flash.capacity=4MiB --set=ftl.kind=page made.csv";
    let why = ["--set timing.spread = 0.1: must be 0 with timing.model \"drive\""];
    lab.refused(&format!("run --set=timing.model=drive {device}"), &why);
    let elapsed = |set: &str| {
        let report = lab.json(&format!("run --json {device} {set}"));
        report["counters"]["elapsed_ns"].as_u64().expect("a time")
    };
    for model in ["serial", "parallel"] {
        let times = [
            "timing.spread=0",
            "timing.spread_seed=1",
            "timing.spread_seed=2",
        ]
        .map(|set| elapsed(&format!("--set=timing.model={model} --set={set}")));
        assert!(times[0] != times[1] && times[1] != times[2], "{times:?}");
    }
}
