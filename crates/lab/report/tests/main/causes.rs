//! The bars of real runs, in which together every cause has its part.

use std::collections::BTreeSet;

use ssdlab_config::Resolver;
use ssdlab_device::{Bytes, Divided, Time};
use ssdlab_host::{Op, Request};
use ssdlab_report::html;
use ssdlab_sim::{CompareOptions, Comparison, Lab, Trace, compare};

use crate::common;

/// 64 blocks of 4 pages; pages are written in part, and dirty pages grow old.
const DEVICE: &str = "
[flash]
page_size = 512
pages_per_block = 4
capacity = \"128KiB\"

[buffer]
flush_age_s = 0.00001

[timing]
buffer_us = 0.1
";

fn compared(set: &[&str], buffers: &[&str]) -> Comparison {
    let mut resolver = Resolver::new();
    let file = resolver.file("device.toml", DEVICE.as_bytes());
    file.expect("a valid file");
    for setting in set {
        resolver.set(setting).expect("a valid setting");
    }
    let mut options = CompareOptions::new(&Lab::new(), resolver);
    options.buffers = buffers.iter().map(|&name| name.into()).collect();
    options.sizes = vec![4096];
    options.bounds = false;
    let request = |number: u64| {
        let page = number * number * 7919 % 200;
        Request::new(number * 1000, Op::Write, page * 512 + 100, 300).expect("a request")
    };
    let trace = Trace::made("made", (0..3000).map(request).collect());
    compare(&trace, &options, |_| {}).expect("a valid comparison")
}

// planted bugs: bars without the programs and the time of tables in flash; padding taken from another count; a cause that
// the page does not list
#[test]
fn the_bars_of_real_runs_add_up() {
    let mut seen: BTreeSet<(&str, String)> = BTreeSet::new();
    let merging = ["ftl.kind=bast", "ftl.map_updates=written"];
    let folding = [
        "ftl.kind=page",
        "ftl.spare_blocks=16",
        "flash.cell_bits=2",
        "ftl.slc=static",
        "ftl.slc_static=8KiB",
        "ftl.slc_full=fold",
    ];
    let [merges, cleans, folds] = [
        compared(&merging, &["lru", "bplru"]),
        compared(&["ftl.kind=page"], &["lru"]),
        compared(&folding, &["lru"]),
    ];
    for comparison in [merges, cleans, folds] {
        let data = common::data(&html(&comparison, &common::about()));
        let runs = data["runs"].as_array().expect("runs").iter();
        for (run, row) in runs.zip(&comparison.rows) {
            let outcome = &row.outcome;
            let totals = [
                ("time", outcome.counters.elapsed_ns as f64 / 1e9),
                ("programs", outcome.derived.waf.expect("the host wrote")),
                ("bytes", outcome.endurance.flash_bytes.total() as f64 / 1e9),
            ];
            for (stack, total) in totals {
                let parts = data["stacks"][stack].as_array().expect("parts").iter();
                let keys = parts.map(|part| part[0].as_str().expect("a key"));
                let value = |key: &str| run[stack][key].as_f64().expect("a value");
                let sum: f64 = keys.clone().map(value).sum();
                assert!(
                    (sum / total - 1.0).abs() < 1e-9,
                    "{stack}: {sum} of {total}"
                );
                let some = keys.filter(|key| value(key) > 0.0);
                seen.extend(some.map(|key| (stack, key.to_owned())));
            }
        }
    }
    let of_time = Time::CAUSES.iter().map(|cause| ("time", cause.key()));
    let of_bytes = Bytes::CAUSES.iter().map(|cause| ("bytes", cause.key()));
    for (stack, key) in of_time.chain(of_bytes) {
        assert!(
            seen.contains(&(stack, key.to_owned())),
            "{stack} {key}: {seen:?}"
        );
    }
}
