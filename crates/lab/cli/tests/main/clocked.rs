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

#[test]
fn what_happens_over_time_adds_up_to_the_run() {
    let lab = Lab::new();
    lab.ok(&[
        "trace",
        "generate",
        "mixed",
        "--requests=4000",
        "--reads=0.4",
        "--capacity=4MiB",
        "--seed=7",
        "--output=made.csv",
    ]);
    for loops in ["1", "3"] {
        let device = [
            "--set=timing.model=parallel",
            "--set=flash.capacity=4MiB",
            "--set=flash.channels=2",
            "--set=flash.chips_per_channel=1",
            "--set=flash.interleave=page",
            "--set=ftl.kind=page",
            "--set=timing.channel_mhz=100",
            "--set=timing.bus_mhz=200",
            "--set=queue_depth=8",
        ];
        let common = [
            "compare",
            "--buffer=none,lru",
            "--size=64KiB",
            "--no-html",
            "--json=all.json",
            "--loops",
            loops,
        ];
        lab.ok(&[&common[..], &device, &["made.csv"]].concat());
        let comparison: Value = serde_json::from_str(&lab.read("all.json")).expect("JSON");
        let policies = comparison["rows"].as_array().expect("rows").iter();
        let policies: Vec<&Value> = policies.filter(|row| row["kind"] == "policy").collect();
        assert_eq!(policies.len(), 2);
        // a run is not recorded, and takes steps that a recorded one does not
        for row in &policies {
            let policy = format!("--set=buffer.policy={}", row["policy"].as_str().unwrap());
            let own = [
                "run",
                "--json",
                "--set=buffer.size=64KiB",
                &policy,
                "--loops",
                loops,
            ];
            let run = lab.json(&[&own[..], &device, &["made.csv"]].concat());
            for key in ["counters", "latency_ns", "utilisation"] {
                assert_eq!(run[key], row[key], "{key} of {policy}");
            }
        }
        for row in policies {
            let (counters, time) = (&row["counters"], &row["over_time"]);
            let width = time["width_ns"].as_f64().unwrap();
            let elapsed = counters["elapsed_ns"].as_f64().unwrap();
            // the last interval ends with the run
            let sum = |key: &str| {
                let values = numbers(&time[key]);
                let last = elapsed - (values.len() - 1) as f64 * width;
                assert!((0.4..1.6).contains(&(last / width)), "{last} of {width}");
                let (end, others) = values.split_last().expect("an interval");
                others.iter().sum::<f64>() * width + end * last
            };
            let close = |found: f64, expected: f64, what: &str| {
                assert!(
                    (found / expected - 1.0).abs() < 1e-6,
                    "{what}: {found}, not {expected}"
                );
            };
            for (key, counter) in [
                ("read_mb_s", "host_read_bytes"),
                ("write_mb_s", "host_write_bytes"),
            ] {
                // 10^6 bytes a second are a byte for each 1000 ns
                close(sum(key) / 1e3, counters[counter].as_f64().unwrap(), key);
            }
            for (key, parts) in [
                ("chips", &row["utilisation"]["chips"]),
                ("channels", &row["utilisation"]["channels"]),
            ] {
                let shares = numbers(parts);
                let mean = shares.iter().sum::<f64>() / shares.len() as f64;
                close(sum(key) / elapsed, mean, key);
            }
            close(
                sum("bus") / elapsed,
                row["utilisation"]["bus"].as_f64().unwrap(),
                "bus",
            );
            for op in ["R", "W"] {
                let pairs = row["latency_histogram"][op]
                    .as_array()
                    .expect("pairs")
                    .iter();
                let pairs: Vec<Vec<f64>> = pairs.map(numbers).collect();
                let latency = &row["latency_ns"][op];
                let count: f64 = pairs.iter().map(|pair| pair[1]).sum();
                assert_eq!(Some(count), latency["count"].as_f64());
                assert_eq!(pairs.last().map(|pair| pair[0]), latency["max"].as_f64());
                let longest = match op {
                    "R" => numbers(&time["read_max_ns"]),
                    _ => numbers(&time["write_max_ns"]),
                };
                let longest = longest.into_iter().fold(0.0, f64::max);
                assert_eq!(Some(longest), latency["max"].as_f64());
            }
        }
    }
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
    let lab = Lab::new();
    lab.ok(&[
        "trace",
        "generate",
        "mixed",
        "--requests=3000",
        "--reads=0.4",
        "--capacity=4MiB",
        "--seed=3",
        "--output=made.csv",
    ]);
    let device = [
        "run",
        "--json",
        "--latencies=times.csv",
        "--set=timing.model=parallel",
        "--set=flash.capacity=4MiB",
        "--set=flash.chips_per_channel=2",
        "--set=flash.interleave=page",
        "--set=ftl.kind=page",
        "--set=buffer.policy=none",
        "--set=timing.channel_mhz=100",
        "--set=timing.bus_mhz=200",
    ];
    for depth in [1, 6] {
        let depth_set = format!("--set=queue_depth={depth}");
        let run = lab.json(&[&device[..], &[&depth_set, "made.csv"]].concat());
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
