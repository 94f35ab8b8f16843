//! The shipped traces decode to the figures published with them.
//!
//! Planted bugs these catch: counting a page once per request instead of per page; rounding the last page of an
//! unaligned request down; counting a read before the write of its page as never written.

use serde_json::Value;
use ssdlab_characterise::{Info, InfoReport};
use ssdlab_trace::{ReadOptions, TraceSummary, read_all};
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../traces")
}

fn facts() -> Value {
    let text = std::fs::read_to_string(folder().join("facts.json")).expect("facts.json is shipped");
    serde_json::from_str(&text).expect("facts.json is JSON")
}

fn characterise(file: &str) -> (InfoReport, TraceSummary) {
    let (requests, summary) = read_all(&folder().join(file), &ReadOptions::default()).unwrap();
    let mut info = Info::new(4096);
    for request in &requests {
        info.add(request).unwrap();
    }
    (info.finish(), summary)
}

/// The same number, except for the rounding of the published figure.
fn close(name: &str, key: &str, fact: &Value, value: f64, step: f64) {
    let fact = fact[key].as_f64().expect(key);
    assert!(
        (fact - value).abs() <= step * 0.51,
        "{name}: {key} is {value}, published {fact}"
    );
}

fn check(name: &str, fact: &Value, info: &InfoReport) {
    let write_sizes = info.write_sizes.as_ref().expect("every trace writes");
    for (key, value) in [
        ("reads", info.reads),
        ("writes", info.writes),
        ("flushes", info.flushes),
        ("discards", info.discards),
        ("bytes_written", info.bytes_written),
        ("bytes_read", info.bytes_read),
        ("bytes_discarded", info.bytes_discarded),
        ("unique_4k_written", info.pages_written),
        ("page_writes_4k", info.page_writes),
        ("unaligned_writes", info.unaligned_writes),
        ("largest_write", write_sizes.max),
        ("pages_read_never_written", info.pages_read_never_written),
        ("hottest_page_writes", info.hottest_page_writes),
    ] {
        assert_eq!(fact[key].as_u64(), Some(value), "{name}: {key}");
    }
    close(
        name,
        "rewrite_ratio",
        fact,
        info.rewrite_ratio.unwrap(),
        0.001,
    );
    close(
        name,
        "sequential_write_share",
        fact,
        info.sequential_write_share.unwrap(),
        0.001,
    );
    close(name, "mean_write", fact, write_sizes.mean, 1.0);
    close(name, "span_s", fact, info.span_s, 0.01);
    assert!(
        info.end <= fact["partition_bytes"].as_u64().unwrap(),
        "{name}: {}",
        info.end
    );
    assert_eq!(
        info.pages_touched,
        info.pages_written + info.pages_read_never_written,
        "{name}"
    );
}

#[test]
fn all_traces_equal_the_facts() {
    let facts = facts();
    let mut checked = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let Some(name) = file.strip_suffix(".csv.zst") else {
            continue;
        };
        let (info, summary) = characterise(&file);
        check(name, &facts[name], &info);
        assert_eq!(summary.name, file);
        assert_eq!(
            (summary.requests, summary.end),
            (info.requests, info.end),
            "{name}"
        );
        checked += 1;
    }
    assert_eq!(Some(checked), facts.as_object().map(|facts| facts.len()));
}
