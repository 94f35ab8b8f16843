//! A small drive that stands for a large one (`--scale-to`), under the bursts of a recorded trace.

use std::path::Path;

use ssdlab_config::Resolver;
use ssdlab_sim::{Lab, Outcome, RunOptions, run};
use ssdlab_trace::ReadOptions;

/// The first requests of the recorded trace, at their times, on a new drive.
fn recorded(scaled_to: Option<u64>) -> Outcome {
    let mut resolver = Resolver::new();
    resolver.preset("nvme-tlc");
    for set in [
        "flash.capacity=113GiB",
        "precondition=empty",
        "replay=timed",
    ] {
        resolver.set(set).expect("a key");
    }
    if let Some(size) = scaled_to {
        resolver.scale_to(size, "small");
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../traces");
    let read = ReadOptions {
        limit: Some(100_000),
        ..ReadOptions::default()
    };
    let trace = folder.join("w11-ntfs-postmark-large.csv.zst");
    let config = resolver.resolve().expect("a drive");
    run(config, &trace, &read, RunOptions::new(&Lab::new())).expect("a run")
}

// Planted bug: a buffer that becomes smaller with the drive, though a burst does not: its slowest writes then wait 7 to 20 % longer.
#[test]
fn bursts_take_as_long_on_the_small_drive() {
    let (large, small) = (recorded(None), recorded(Some(4 << 30)));
    let near = |what: &str, [large, small]: [f64; 2]| {
        let apart = (small / large - 1.0).abs();
        assert!(
            apart < 0.03,
            "{what}: {small} on the small drive, {large} on the large one"
        );
    };
    near(
        "write amplification",
        [&large, &small].map(|run| run.derived.waf.expect("writes")),
    );
    let latencies = [&large, &small].map(|run| run.latency_ns.clone().expect("clocks"));
    for of in ["p50", "p99", "p99.9", "longest"] {
        for (op, reads) in [("reads", true), ("writes", false)] {
            let times = latencies.each_ref().map(|all| {
                let these = if reads { &all.reads } else { &all.writes };
                let ns = match of {
                    "p50" => these.p50,
                    "p99" => these.p99,
                    "p99.9" => these.p99_9,
                    _ => these.max,
                };
                ns.expect("requests") as f64
            });
            near(&format!("{of} of {op}"), times);
        }
    }
    assert!(
        latencies[0].writes.p99 > latencies[0].writes.p50.map(|ns| 10 * ns),
        "there are bursts"
    );
}
