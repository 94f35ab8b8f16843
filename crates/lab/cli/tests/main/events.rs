//! The file of `run --events`: when, why and for which request things happen, and how many pages were valid.
//!
//! Planted bugs that these catch: a number of a request that is one too low; the drain counted as the last request; an
//! erase of a merge that blames the eviction; hits of the pages before; valid pages of the data block counted as
//! elsewhere; a victim's valid pages after they moved; the time of the request before.

use serde_json::Value;

use crate::common::{Lab, json, writes};

fn events(lab: &Lab, options: &str) -> Vec<Value> {
    lab.ok(&format!("run {options} --events events.jsonl"));
    lab.read("events.jsonl").lines().map(json).collect()
}

fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    let is_kind = |event: &&Value| event["event"] == kind;
    events.iter().filter(is_kind).collect()
}

#[track_caller]
fn sum(events: &[&Value], member: &str) -> u64 {
    let number = |event: &&Value| event[member].as_u64();
    let numbers: Option<Vec<u64>> = events.iter().map(number).collect();
    numbers.expect("numbers").iter().sum()
}

/// The paper's Table 1 under LRU: 13 is the ninth request and the first one that evicts.
#[test]
fn each_event_names_its_request_and_its_cause() {
    let lab = Lab::small();
    let order = [0, 4, 8, 12, 16, 1, 5, 9, 13, 17, 2, 6, 10, 14];
    lab.write("pages.csv", writes(&order));
    let events = events(
        &lab,
        "--config small.toml --set precondition=empty pages.csv",
    );
    let served = of_kind(&events, "write");
    let told: Vec<_> = served
        .iter()
        .map(|event| (event["request"].as_u64(), event["lpn"].as_u64()))
        .collect();
    let asked: Vec<_> = (1..)
        .zip(order)
        .map(|(n, page)| (Some(n), Some(page)))
        .collect();
    assert_eq!(told, asked);
    let evicted: Vec<_> = of_kind(&events, "evict")
        .iter()
        .map(|event| {
            let cause = event["cause"].as_str().unwrap().to_owned();
            (event["request"].as_u64(), event["dirty"][0].as_u64(), cause)
        })
        .collect();
    let victims = [0, 4, 8, 12, 16, 1];
    let expected = (9..)
        .zip(victims)
        .map(|(n, page)| (Some(n), Some(page), "room".to_owned()));
    assert_eq!(evicted[..6], expected.collect::<Vec<_>>());
    assert_eq!(evicted[6], (None, Some(5), "drain".to_owned()));
    for event in &events {
        let (kind, cause) = (
            event["event"].as_str().unwrap(),
            event["cause"].as_str().unwrap(),
        );
        let drained = event.get("request").is_none();
        let expected = match kind {
            "write" => "host",
            "erase" => "merge",
            _ if drained => "drain",
            _ => "room",
        };
        assert_eq!(cause, expected, "{event}");
    }
}

#[test]
fn flushes_ages_and_gaps_are_causes() {
    let lab = Lab::small();
    lab.write(
        "t.csv",
        "time_ns,op,offset_bytes,size_bytes\n0,W,0,1024\n5,F,0,0\n10,W,1024,512\n9000000000,R,0,2048\n9000000001,D,0,1024\n",
    );
    let events = events(&lab, "--config small.toml --set buffer.flush_age_s=2 t.csv");
    let facts = |event: &Value| {
        let number = event.get("request").and_then(Value::as_u64);
        (
            event["event"].as_str().unwrap().to_owned(),
            number,
            event["cause"].as_str().unwrap().to_owned(),
        )
    };
    let told: Vec<_> = events.iter().map(facts).collect();
    let has =
        |event: &str, number, cause: &str| told.contains(&(event.into(), number, cause.into()));
    assert!(has("evict", Some(2), "flush"), "{told:?}");
    assert!(has("flush", Some(2), "host"), "{told:?}");
    assert!(has("discard", Some(5), "host"), "{told:?}");
    let read = of_kind(&events, "read")[0];
    // page 2 stays as a clean page after it was aged
    assert_eq!(
        (&read["hits"], &read["misses"]),
        (&1.into(), &3.into()),
        "{read}"
    );
    lab.ok("trace generate uniform --capacity 4MiB --requests 3k --interval-us 20000 -o gaps.csv");
    let gaps = self::events(
        &lab,
        "--set timing.model=parallel --set ftl.kind=page --set ftl.pace=paced --set ftl.idle_cleaning_us=100 --set flash.capacity=4MiB \
         --set flash.pages_per_block=16 --set ftl.over_provisioning=0.2 --set replay=timed --set buffer.policy=none gaps.csv",
    );
    let idle: Vec<&Value> = gaps
        .iter()
        .filter(|event| event["cause"] == "idle")
        .collect();
    assert!(
        idle.iter().any(|event| event["event"] == "clean"),
        "{}",
        gaps.len()
    );
    assert!(idle.iter().all(|event| event.get("request").is_none()));
}

/// The counts of a file agree with the counters of the run, with each FTL and with both models of time.
#[test]
fn counts_of_events_are_those_of_the_run() {
    let lab = Lab::new();
    lab.ok("trace generate mixed --requests=3000 --reads=0.3 --capacity=4MiB --seed=5 --output=made.csv");
    for ftl in ["bast", "fast", "block", "replacement", "superblock", "page"] {
        for model in ["serial", "parallel"] {
            let run = format!(
                "run --json --set ftl.kind={ftl} --set timing.model={model} --set flash.capacity=4MiB --set buffer.size=64KiB \
                 --set flash.pages_per_block=32 --set buffer.policy=fab made.csv --events events.jsonl"
            );
            let report = lab.json(run.as_str());
            let counter = |name: &str| report["counters"][name].as_u64().unwrap();
            let events: Vec<Value> = lab.read("events.jsonl").lines().map(json).collect();
            let of = |kind: &str| of_kind(&events, kind);
            let case = format!("{ftl}, {model}");
            for (kind, hits) in [("write", "buffer_write_hits"), ("read", "buffer_read_hits")] {
                assert_eq!(sum(&of(kind), "hits"), counter(hits), "{case}");
                let pages = sum(&of(kind), "hits") + sum(&of(kind), "misses");
                assert_eq!(pages, sum(&of(kind), "pages"), "{case}");
            }
            assert_eq!(sum(&of("write"), "pages"), counter("host_write_pages"));
            assert_eq!(of("erase").len() as u64, counter("erases"), "{case}");
            assert_eq!(of("clean").len() as u64, counter("gc_victims"), "{case}");
            let kinds = ["switch_merges", "partial_merges", "full_merges"].map(counter);
            let merges = of("merge_end");
            assert_eq!(merges.len() as u64, kinds.iter().sum::<u64>(), "{case}");
            let copies = counter("flash_copies") + counter("copy_backs");
            if ftl == "page" || ftl == "superblock" {
                assert_eq!(sum(&of("clean"), "valid"), copies, "{case}");
            } else if ftl != "block" {
                assert_eq!(sum(&merges, "copied"), copies, "{case}");
            }
            assert!(copies > 0, "{case}");
            valid_pages_are_copied(&events, &case);
            for merge in of("merge") {
                let no_data = merge["data"].is_null();
                assert!(!no_data || merge["valid_in_data"] == 0, "{case}: {merge}");
                let two_blocks = ftl == "bast" || ftl == "block";
                assert!(
                    !two_blocks || merge["valid_elsewhere"] == 0,
                    "{case}: {merge}"
                );
            }
        }
    }
}

/// A full merge copies all valid pages, a partial one those outside the log block, a switch merge none.
#[track_caller]
fn valid_pages_are_copied(events: &[Value], case: &str) {
    let merge = ["merge", "merge_end"];
    let events: Vec<&Value> = events
        .iter()
        .filter(|event| merge.contains(&event["event"].as_str().unwrap()))
        .collect();
    for pair in events.chunks(2).filter(|pair| pair[0]["event"] == "merge") {
        let (merge, end) = (pair[0], pair[1]);
        let [log, data, elsewhere] =
            ["valid_in_log", "valid_in_data", "valid_elsewhere"].map(|name| sum(&[merge], name));
        let expected = match merge["kind"].as_str().unwrap() {
            "full" => log + data + elsewhere,
            _ => data + elsewhere,
        };
        assert_eq!(sum(&[end], "copied"), expected, "{case}: {merge} {end}");
    }
}

#[test]
fn times_are_those_of_issue() {
    let lab = Lab::new();
    lab.ok("trace generate mixed --requests=2000 --reads=0.4 --capacity=4MiB --seed=3 --output=made.csv");
    let events = events(
        &lab,
        "--set timing.model=parallel --set flash.capacity=4MiB --set queue_depth=4 --set buffer.size=64KiB made.csv \
         --latencies latencies.csv",
    );
    let latencies = lab.read("latencies.csv");
    let issued = |number: u64| {
        let line = latencies.lines().nth(number as usize).expect("a request");
        line.split(',').nth(2).expect("a time").parse::<u64>().ok()
    };
    for event in &events {
        if let Some(number) = event.get("request").and_then(Value::as_u64) {
            assert_eq!(event["time_ns"].as_u64(), issued(number), "{event}");
        }
    }
    // under the serial model it is the time of all work before
    lab.write("two.csv", writes(&[0, 0, 0]));
    let serial = self::events(&lab, "--set timing.buffer_us=7 two.csv");
    let times: Vec<_> = of_kind(&serial, "write")
        .iter()
        .map(|event| event["time_ns"].as_u64())
        .collect();
    assert_eq!(times, [Some(0), Some(7000), Some(14000)]);
}
