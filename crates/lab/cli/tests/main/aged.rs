//! What a short trace tells of a drive that it has aged, beside a long trace of the same load.

use crate::common::Lab;

const DRIVE: &str = "--set=flash.capacity=64MiB --set=flash.page_size=4096 --set=flash.pages_per_block=64 --set=ftl.kind=page \
                     --set=ftl.over_provisioning=0.1 --set=ftl.cleaning=cost-benefit --set=buffer.policy=none";

// Planted bugs: data that the trace never wrote stay cold for ever, so that cost-benefit copies far too little; they are
// written too often.
#[test]
fn a_short_trace_of_a_skewed_load_tells_the_truth_within_a_quarter() {
    let lab = Lab::new();
    let load = "zipf --theta 0.99 --shuffle --capacity 64MiB --requests 300000";
    lab.ok(&format!("trace generate {load} -o long.csv"));
    let long = lab.json(&format!(
        "run --json long.csv {DRIVE} --set=precondition=random:1"
    ));
    let windows = long["steady_state"]["settled"]["waf"].as_array().unwrap();
    let last: Vec<f64> = (windows.iter().rev().take(20))
        .map(|waf| waf.as_f64().unwrap())
        .collect();
    let truth = last.iter().sum::<f64>() / last.len() as f64;
    // the first 6,500 of 300,000 requests: two fifths of the capacity
    let short = |set: &str| {
        let run =
            format!("run --json long.csv --limit 6500 {DRIVE} --set=precondition=workload {set}");
        lab.json(&run)["derived"]["waf"].as_f64().unwrap()
    };
    let aged = short("");
    assert!((aged / truth - 1.0).abs() < 0.25, "{aged}, not {truth}");
    let without = short("--set=precondition_unseen=0");
    assert!(without / truth < 0.6, "{without}, and {truth}");
}

// Planted bug: drives that nothing has aged, without a word.
#[test]
fn a_trace_that_is_not_in_memory_says_that_it_ages_no_drive() {
    let lab = Lab::new();
    lab.ok("trace generate zipf --capacity 64MiB --requests 3000 -o made.csv");
    let compare = |more: &str| {
        let compare = format!("compare made.csv --no-html {DRIVE} --settled {more}");
        let ended = lab.piped(&compare, String::new());
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        ended.stderr
    };
    let said = "made.csv is larger than --trace-memory allows, so it ages no drive";
    let streamed = compare("--trace-memory 10KiB");
    assert!(streamed.contains(said), "{streamed}");
    let given = compare("--trace-memory 10KiB --set precondition=full");
    assert!(!given.contains(said), "{given}");
    let loaded = compare("--no-advice");
    assert!(!loaded.contains(said), "{loaded}");
}
