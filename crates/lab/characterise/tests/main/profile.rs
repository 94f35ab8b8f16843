//! Statistics of single pages, worked out by hand and against naive models.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proptest::prelude::*;
use ssdlab_characterise::{Profile, ProfileOptions, ProfileReport};
use ssdlab_host::{Op, Request};

use crate::common::request;

const OPTIONS: ProfileOptions = ProfileOptions {
    page_size: 4096,
    erase_block: 8192,
    most_pages: 1000,
};

fn profile(requests: &[Request]) -> ProfileReport {
    let mut profile = Profile::new(&OPTIONS);
    for request in requests {
        profile.add(request).expect("sizes that can be");
    }
    profile.finish()
}

/// Writes of whole pages: time, first page, pages.
fn write(time: u64, page: u64, pages: u64) -> Request {
    request(time, Op::Write, page << 12, pages << 12)
}

/// Planted bugs: a division by zero; a number from nothing.
#[test]
fn an_empty_trace() {
    let report = profile(&[]);
    let pages = report.pages.expect("no pages");
    assert_eq!((pages.hot.len(), pages.hot_curve.len()), (0, 0));
    assert_eq!((pages.rewrites.rewrites, pages.rewrites.ns), (0, None));
    assert!(pages.working_set.pages.is_empty());
    assert_eq!(report.flush_intervals.requests, None);
    assert_eq!(
        (report.info.write_runs, report.info.bytes_unique),
        (None, 0)
    );
    let json = serde_json::to_value(profile(&[])).expect("JSON");
    assert_eq!(
        (&json["requests"], &json["page_size"]),
        (&0.into(), &4096.into())
    );
}

// planted bugs: bytes rounded up to pages; a byte that two requests share counted twice
#[test]
fn unique_bytes() {
    let writes = [(0, 1000), (500, 1000), (1499, 1), (8192, 512), (8192, 512)];
    let writes = writes.map(|(offset, size)| request(0, Op::Write, offset, size));
    let info = profile(&writes).info;
    assert_eq!((info.bytes_unique, info.bytes_rewritten), (2012, 1013));
    let alignment = BTreeMap::from([(1, 1), (4, 1), (8, 1), (512, 2)]);
    assert_eq!(info.write_alignment, alignment);
}

// planted bugs: a run that a read or a flush ends; the last run left out; bytes for writes
#[test]
fn sequential_runs() {
    let requests = [
        write(0, 0, 1),
        write(0, 1, 2),
        request(0, Op::Read, 0, 4096),
        request(0, Op::Flush, 0, 0),
        write(0, 3, 1),
        write(0, 9, 1),
        write(0, 20, 1),
        write(0, 21, 1),
    ];
    let info = profile(&requests).info;
    let runs = info.write_runs.expect("writes");
    assert_eq!((runs.runs, runs.mean_writes, runs.max_writes), (3, 2.0, 3));
    assert_eq!(
        (runs.bytes.min, runs.bytes.p50, runs.bytes.max),
        (4096, 8192, 16384)
    );
    assert_eq!(runs.half_of_bytes_from, 16384);
    assert_eq!(info.sequential_write_share, Some(0.5));
}

// planted bugs: what follows the last flush counted; bytes since the start in place of those since the last flush
#[test]
fn flush_intervals() {
    let flush = |time| request(time, Op::Flush, 0, 0);
    let requests = [
        write(1000, 0, 1),
        request(1010, Op::Read, 0, 512),
        flush(1020),
        flush(1020),
        write(1100, 0, 3),
        flush(1052), // its time went back: it counts as the latest so far
        write(2000, 0, 9),
    ];
    let report = profile(&requests).flush_intervals;
    let requests = report.requests.expect("flushes");
    assert_eq!(requests.histogram, BTreeMap::from([(0, 1), (1, 1), (2, 1)]));
    assert_eq!((requests.count, requests.mean, requests.max), (3, 1.0, 2));
    let bytes = report.bytes.expect("flushes");
    assert_eq!(
        bytes.histogram,
        BTreeMap::from([(0, 1), (4096, 1), (8192, 1)])
    );
    assert_eq!(bytes.max, 12288);
    let ns = report.ns.expect("flushes");
    assert_eq!(ns.histogram, BTreeMap::from([(0, 1), (16, 1), (64, 1)]));
    assert_eq!(
        (ns.min, ns.p50_below, ns.p90_below, ns.max),
        (0, 32, 128, 80)
    );
}

// planted bugs: the bytes of one of the two writes counted as lying in between; a rewrite over a discard
#[test]
fn rewrite_intervals() {
    let requests = [
        write(0, 0, 2),
        write(5, 5, 3),
        write(9, 1, 1),                             // 3 pages in between
        write(9, 1, 1),                             // at once
        request(10, Op::Discard, 0, 4096),          // page 0
        request(10, Op::Discard, 4096, 4095),       // less than a page
        write(100, 0, 2),                           // page 0 anew, page 1 again at once
        request(100, Op::Write, (5 << 12) + 1, 10), // in page 5, 4 pages in between
    ];
    let rewrites = profile(&requests).pages.expect("few pages").rewrites;
    assert_eq!(rewrites.rewrites, 4);
    let bytes = rewrites.bytes.expect("rewrites");
    assert_eq!(
        bytes.histogram,
        BTreeMap::from([(0, 2), (8192, 1), (16384, 1)])
    );
    assert_eq!((bytes.min, bytes.max, bytes.mean), (0, 4 << 12, 7168.0));
    let ns = rewrites.ns.expect("rewrites");
    assert_eq!(ns.histogram, BTreeMap::from([(0, 1), (8, 1), (64, 2)]));
}

// planted bugs: a group of equally hot pages taken whole; the coldest pages first
#[test]
fn the_hot_set() {
    // 20 page writes: page 0 ten times, pages 1 and 2 three times, pages 3 to 6 once
    let pages = [0; 10].into_iter().chain([1, 1, 1, 2, 2, 2, 3, 4, 5, 6]);
    let writes: Vec<_> = pages.map(|page| write(0, page, 1)).collect();
    let report = profile(&writes).pages.expect("few pages");
    let hot: Vec<_> = report
        .hot
        .iter()
        .map(|hot| (hot.percent_of_writes, hot.pages))
        .collect();
    assert_eq!(hot, [(50, 1), (80, 3), (90, 5), (99, 7)]);
    assert_eq!(report.hot[1].share_of_footprint, 3.0 / 7.0);
    let curve = [(0.0, 0.0), (1.0 / 7.0, 0.5), (3.0 / 7.0, 0.8), (1.0, 1.0)];
    assert_eq!(report.hot_curve, curve);
}

/// Planted bug: windows that start at time 0.
#[test]
fn the_working_set_starts_with_the_first_request() {
    let start = 1 << 60;
    let requests = [
        write(start, 0, 2),
        write(start, 1, 2),
        write(start + 2, 9, 1),
        write(start + 3, 9, 1),
        request(start + 5, Op::Read, 0, 512),
    ];
    let set = profile(&requests).pages.expect("few pages").working_set;
    assert_eq!((set.window_ns, set.pages), (1, vec![3, 0, 1, 1, 0, 0]));
}

// planted bugs: all statistics lost for one that has no room; a curve of part of the trace
#[test]
fn too_many_pages_leave_the_rest() {
    let mut profile = Profile::new(&OPTIONS);
    profile.add(&write(0, 0, 1500)).expect("sizes that can be");
    profile.add(&write(0, 0, 1)).expect("sizes that can be");
    assert_eq!(profile.too_many().map(|error| error.unit), Some(4096));
    let report = profile.finish();
    assert_eq!((report.info.pages_written, report.pages), (1500, None));
    let blocks = report.lru_by_block.expect("750 blocks");
    assert_eq!((blocks.writes, blocks.hits.write_hits(750)), (751, 1));
}

fn any_request() -> impl Strategy<Value = Request> {
    let op = prop_oneof![8 => Just(Op::Write), 1 => Just(Op::Read), 1 => Just(Op::Discard)];
    let time = (0..36_u32, 0..1000_u64).prop_map(|(shift, time)| time << shift);
    (time, op, 0..40_u64, 1..6_u64)
        .prop_map(|(time, op, page, pages)| request(time, op, page << 12, pages << 12))
}

proptest! {
    // planted bugs: a page that was seen in the window before last counted as seen; counts that are lost or doubled when
    // windows become wider; a rewrite with the wrong one of the writes before
    #[test]
    fn each_page_is_as_one_by_one(mut requests in prop::collection::vec(any_request(), 1..120)) {
        requests.sort_by_key(|request| request.time_ns);
        let report = profile(&requests).pages.expect("few pages");
        let start = requests[0].time_ns;
        let set = &report.working_set;
        let last = requests[requests.len() - 1].time_ns - start;
        prop_assert_eq!(set.pages.len() as u64, last / set.window_ns + 1);
        prop_assert!(set.pages.len() <= 200 && (set.window_ns == 1 || set.pages.len() >= 100));
        let mut windows = vec![BTreeSet::new(); set.pages.len()];
        let (mut ns, mut bytes) = (Vec::new(), Vec::new());
        let mut seen: HashMap<u64, (u64, u64)> = HashMap::new();
        let mut written = 0;
        for request in &requests {
            let pages = (request.offset >> 12)..(request.end() >> 12);
            for page in pages {
                match request.op() {
                    Op::Write => {
                        windows[((request.time_ns - start) / set.window_ns) as usize].insert(page);
                        let now = (request.time_ns, written + request.size());
                        if let Some((time, until)) = seen.insert(page, now) {
                            ns.push(request.time_ns - time);
                            bytes.push(written - until);
                        }
                    }
                    Op::Discard => drop(seen.remove(&page)),
                    _ => {}
                }
            }
            if request.op() == Op::Write {
                written += request.size();
            }
        }
        let different: Vec<u64> = windows.iter().map(|pages| pages.len() as u64).collect();
        prop_assert_eq!(&set.pages, &different);
        for (found, expected) in [(&report.rewrites.ns, ns), (&report.rewrites.bytes, bytes)] {
            let mut histogram = BTreeMap::new();
            for number in &expected {
                let bin = number.checked_ilog2().map_or(0, |bits| 1_u64 << bits);
                *histogram.entry(bin).or_insert(0_u64) += 1;
            }
            prop_assert_eq!(found.is_some(), !expected.is_empty());
            if let Some(found) = found {
                prop_assert_eq!(&found.histogram, &histogram);
                prop_assert_eq!(Some(&found.max), expected.iter().max());
                prop_assert_eq!(Some(&found.min), expected.iter().min());
            }
        }
    }
}
