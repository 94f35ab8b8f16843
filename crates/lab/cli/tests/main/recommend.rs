//! `ssdlab recommend`.
//!
//! Planted bugs that these catch: the worst is recommended; a device that is not scaled with its sample; a command that runs
//! something else; work that is not counted.

use crate::common::{Lab, in_repository};

fn lab() -> (Lab, String) {
    let lab = Lab::new();
    let trace = in_repository("traces/w9-ext3-postmark.csv.zst");
    (lab, trace.display().to_string())
}

fn number(value: &serde_json::Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

#[test]
fn a_search_finds_what_running_everything_finds() {
    let (lab, trace) = lab();
    for device in [
        "--preset bplru-2008",
        "--set ftl.kind=page --set flash.page_size=4096 --set ftl.over_provisioning=0.07 --set precondition=full",
    ] {
        let args = format!("recommend {trace} --ram 8MiB {device} --json");
        let found = &lab.json(&args)["answer"];
        let all = &lab.json(&format!("{args} --exhaustive"))["answer"];
        let best = |answer: &serde_json::Value| number(&answer["finalists"][0]["mean"]);
        assert!(best(found) <= best(all) * 1.02, "{found}");
        assert!(number(&found["work"]) <= 0.25, "{}", found["work"]);
        assert_eq!(number(&all["work"]), 1.0);
        assert_eq!(found["candidates"], all["candidates"]);
        // the best first, and no worse one before a better one
        let means: Vec<f64> = all["finalists"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| number(&one["mean"]))
            .collect();
        assert!(means.is_sorted(), "{means:?}");
    }
}

#[test]
fn the_recommended_command_gives_the_figure() {
    let (lab, trace) = lab();
    let answer = lab.json(&format!("recommend {trace} --ram 4MiB --preset bplru-2008 --by throughput --buffer lru,fab,bplru --json"));
    let command = answer["command"].as_str().unwrap();
    let again = lab
        .shell(&command.replace("ssdlab run", "\"$0\" run --json"))
        .success();
    let again: serde_json::Value = serde_json::from_str(&again).unwrap();
    let value = &answer["answer"]["finalists"][0]["values"][0];
    assert_eq!(again["derived"]["throughput_mb_s"], *value);
    // more is better
    let finalists = answer["answer"]["finalists"].as_array().unwrap();
    let means: Vec<f64> = finalists.iter().map(|one| number(&one["mean"])).collect();
    assert!(means.iter().rev().is_sorted(), "{means:?}");
    let depends = answer["answer"]["depends_on"].as_array().unwrap();
    let keys: Vec<&str> = depends
        .iter()
        .map(|one| one["key"].as_str().unwrap())
        .collect();
    assert!(
        keys.contains(&"buffer.policy") && keys.contains(&"buffer.size"),
        "{keys:?}"
    );
}

#[test]
fn several_traces_are_weighed_together() {
    let (lab, trace) = lab();
    let other = in_repository("traces/w9-ext3-postmark-1000.csv.zst")
        .display()
        .to_string();
    let text = lab.ok(&format!(
        "recommend {trace} {other} --ram 2MiB --preset bplru-2008"
    ));
    assert!(
        text.contains("these 2 traces best, by write amplification"),
        "{text}"
    );
    assert!(
        text.contains("of the work of running all of them"),
        "{text}"
    );
    assert!(
        text.contains("\nRun it: ssdlab run --preset bplru-2008 --set "),
        "{text}"
    );
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let (lab, trace) = lab();
    lab.refused(&format!("recommend {trace}"), &["--ram <SIZE>"]);
    lab.refused(
        &format!("recommend {trace} --ram 1MiB --by beauty"),
        &["invalid value 'beauty'"],
    );
    lab.refused(
        &format!("recommend {trace} --ram 1MiB --buffer lro"),
        &["--buffer lro", "must be one of"],
    );
    lab.refused(
        &format!("recommend {trace} --ram 1MiB --ftl ideal"),
        &["--ftl ideal: is a bound"],
    );
    lab.refused(
        &format!("recommend {trace} --ram 1KiB --preset bplru-2008"),
        &["nothing to choose from"],
    );
    lab.refused(
        "recommend - --ram 1MiB",
        &["standard input can be read only once"],
    );
    lab.refused("recommend none.csv --ram 1MiB", &["none.csv"]);
}

// Planted bugs: a search by a latency with 32 requests in flight, without a word; a command that runs them otherwise.
#[test]
fn a_search_by_a_latency_keeps_to_the_times_of_the_trace() {
    let lab = Lab::new();
    lab.ok("trace generate zipf --theta 0.9 --capacity 4MiB --requests 3000 --interval-us 5000 -o made.csv");
    let args = "recommend made.csv --ram 512KiB --by p99 --buffer lru,none --set timing.model=parallel --set ftl.kind=page \
                --set flash.capacity=8MiB --set flash.page_size=4096 --set flash.pages_per_block=16 --set ftl.over_provisioning=0.2 \
                --exhaustive";
    let answer = lab.json(&format!("{args} --json"));
    let at_their_times = "at their times in the trace";
    assert_eq!(answer["answer"]["requests"], at_their_times);
    let command = answer["command"].as_str().unwrap();
    let again = lab.shell(&command.replace("ssdlab run", "\"$0\" run --json"));
    let again: serde_json::Value = serde_json::from_str(&again.success()).unwrap();
    assert_eq!(again["config"]["replay"], "timed", "{command}");
    // and the drive, which cleans, is one in use
    assert_eq!(again["config"]["precondition"], "workload", "{command}");
    let value = &answer["answer"]["finalists"][0]["values"][0];
    assert_eq!(again["latency_ns"]["W"]["p99"].as_f64(), value.as_f64());
    let told = lab.ok(args);
    assert!(
        told.contains(&format!("\nrequests: {at_their_times}\n")),
        "{told}"
    );
    let deep = lab.ok(&format!("{args} --set queue_depth=4"));
    assert!(
        deep.contains("\nrequests: 4 in flight, as fast as it goes\n"),
        "{deep}"
    );
}
