//! The characterisation of small traces, worked out by hand.

use crate::common::request;
use proptest::prelude::*;
use ssdlab_characterise::{Info, InfoReport, TooMany};
use ssdlab_host::{Op, Request};
use std::collections::BTreeMap;

fn characterise(page_size: u64, requests: &[Request]) -> InfoReport {
    let mut info = Info::new(page_size);
    for request in requests {
        info.add(request).unwrap();
    }
    info.finish()
}

/// Planted bug: dividing by zero, or a minimum that starts at 0.
#[test]
fn an_empty_trace_has_no_ratios() {
    let r = characterise(4096, &[]);
    assert_eq!((r.requests, r.end, r.span_s), (0, 0, 0.0));
    assert_eq!([r.rewrite_ratio, r.sequential_write_share], [None; 2]);
    assert_eq!((r.read_sizes, r.write_sizes), (None, None));
}

/// Planted bugs: a discard counted as touched, a flush that ends a sequence of writes, a span that takes the order of
/// requests for the order of times, a read page that is written only later counted as never written.
#[test]
fn a_small_trace() {
    let requests = [
        request(4_000_000_000, Op::Read, 2500, 1000), // pages 2 and 3
        request(2_000_000_000, Op::Write, 0, 2000),   // 0 and 1
        request(2_000_000_000, Op::Flush, 0, 0),
        request(3_000_000_000, Op::Write, 2000, 500), // 2, in sequence, not aligned
        request(3_500_000_000, Op::Write, 900, 200),  // 0 and 1, not aligned
        request(3_600_000_000, Op::Write, 1000, 1000), // 1
        request(3_700_000_000, Op::Discard, 8000, 1000),
    ];
    let r = characterise(1000, &requests);
    let counts = [r.requests, r.reads, r.writes, r.flushes, r.discards];
    assert_eq!(counts, [7, 1, 4, 1, 1]);
    let bytes = [r.bytes_read, r.bytes_written, r.bytes_discarded];
    assert_eq!(bytes, [1000, 3700, 1000]);
    let pages = [r.pages_read, r.pages_written, r.pages_touched];
    assert_eq!(pages, [2, 3, 4]);
    assert_eq!([r.pages_read_never_written, r.page_writes], [1, 6]);
    assert_eq!([r.hottest_page_writes, r.unaligned_writes], [3, 2]);
    let shares = [r.rewrite_ratio, r.sequential_write_share];
    assert_eq!(shares, [Some(2.0), Some(0.25)]);
    assert_eq!((r.span_s, r.end), (2.0, 9000));
}

/// Unaligned writes, touched units and units in part of each mapping unit, 4 KiB first.
fn units(requests: &[Request]) -> Vec<[u64; 3]> {
    let units = characterise(4096, requests).mapping_units;
    let sizes = units.iter().map(|of| of.unit >> 10).collect::<Vec<_>>();
    assert_eq!(sizes, [4, 8, 16, 32, 64]);
    let counts = units.iter();
    counts
        .map(|of| [of.unaligned_writes, of.units_touched, of.units_in_part])
        .collect()
}

/// Planted bugs: only the start of a write looked at; one unit in part for a write whose two ends lie inside different
/// units, or two for one that lies inside a single unit; a unit too many behind a write that ends on a bound; reads
/// and discards counted.
#[test]
fn mapping_units_of_single_writes() {
    let write = |first_kib: u64, kib: u64| request(0, Op::Write, first_kib << 10, kib << 10);
    // all of a unit of every size
    assert_eq!(
        units(&[write(64, 64)]),
        [[0, 16, 0], [0, 8, 0], [0, 4, 0], [0, 2, 0], [0, 1, 0]]
    );
    // inside a single unit of 8 KiB or more
    assert_eq!(
        units(&[write(4, 4)]),
        [[0, 1, 0], [1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]]
    );
    // 60 to 68 KiB: over a bound of every size
    assert_eq!(
        units(&[write(60, 8)]),
        [[0, 2, 0], [1, 2, 2], [1, 2, 2], [1, 2, 2], [1, 2, 2]]
    );
    // 0 to 12 KiB and a half: starts on a bound
    assert_eq!(
        units(&[request(0, Op::Write, 0, 12_800)]),
        [[1, 4, 1], [1, 2, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]]
    );
    // 30 to 64 KiB: ends on a bound
    assert_eq!(
        units(&[write(30, 34)]),
        [[1, 9, 1], [1, 5, 1], [1, 3, 1], [1, 2, 1], [1, 1, 1]]
    );
    let others = [
        request(0, Op::Read, 512, 512),
        request(0, Op::Discard, 512, 512),
        request(0, Op::Flush, 0, 0),
    ];
    assert_eq!(units(&others), [[0; 3]; 5]);
}

/// Planted bugs: units counted once for the whole trace; a ratio to units or pages in place of bytes.
#[test]
fn mapping_units_of_a_small_trace() {
    let writes = [(0, 8192), (4096, 4096), (6144, 4096), (4096, 4096)];
    let writes = writes.map(|(offset, size)| request(0, Op::Write, offset, size));
    let report = characterise(4096, &writes).mapping_units;
    // 4 KiB: 2 + 1 + 2 + 1 units for 20 KiB, two of them in part; 8 KiB: 1 + 1 + 2 + 1, four in part
    let ratios = report.iter().map(|of| {
        let ratios = [
            of.unaligned_write_share,
            of.touched_over_written,
            of.in_part_over_written,
        ];
        ratios.map(Option::unwrap)
    });
    let ratios: Vec<_> = ratios.collect();
    assert_eq!(ratios[0], [0.25, 1.2, 0.4]);
    assert_eq!(ratios[1], [0.75, 2.0, 1.6]);
    assert_eq!(ratios[4], [1.0, 12.8, 12.8]);
    for of in characterise(4096, &[]).mapping_units {
        assert_eq!(of.unaligned_write_share, None);
        assert_eq!(
            (of.touched_over_written, of.in_part_over_written),
            (None, None)
        );
    }
}

/// Planted bugs: a percentile one rank off, a size that is a power of two counted below it.
#[test]
fn sizes_of_requests() {
    let sizes = [1, 2, 3, 4, 7, 8, 512, 513, 1023, 4096];
    let writes: Vec<Request> = sizes.map(|size| request(0, Op::Write, 0, size)).into();
    let report = characterise(512, &writes).write_sizes.unwrap();
    assert_eq!(
        (report.min, report.p50, report.p90, report.max),
        (1, 7, 1023, 4096)
    );
    assert_eq!(report.mean, 616.9);
    assert_eq!(
        report.histogram,
        BTreeMap::from([(1, 1), (2, 2), (4, 2), (8, 1), (512, 3), (4096, 1)])
    );
}

/// Planted bug: counting only the first group of pages of a long write, or one page too many at its end.
#[test]
fn the_hottest_page_of_long_writes() {
    for first in 0..40 {
        for pages in 1..40 {
            let long = request(0, Op::Write, first * 512, pages * 512);
            let last = request(0, Op::Write, (first + pages - 1) * 512, 512);
            let behind = request(0, Op::Write, (first + pages) * 512, 512);
            assert_eq!(
                characterise(512, &[long, last, last]).hottest_page_writes,
                3
            );
            assert_eq!(characterise(512, &[long, behind]).hottest_page_writes, 1);
        }
    }
}

/// Planted bug: work or memory that follows the size of a request.
#[test]
fn requests_of_any_size() {
    let sizes = [33, 40, 46].map(|bits| (1 << bits) - 512);
    let requests = (0..7).flat_map(|i| sizes.map(|size| request(0, Op::Read, i * 512, size)));
    let report = characterise(512, &requests.collect::<Vec<_>>());
    assert_eq!(report.pages_read, (1 << 37) + 5);
    let writes: Vec<_> = (0..300)
        .map(|i| request(0, Op::Write, i * 4096, 8 << 30))
        .collect();
    let report = characterise(4096, &writes);
    assert_eq!(report.pages_written, (2 << 20) + 299);
    assert_eq!(report.page_writes, 300 * (2 << 20));
    assert_eq!(report.hottest_page_writes, 300);
}

/// Planted bug: a sum that wraps around or saturates.
#[test]
fn sums_that_cannot_be() {
    for (op, what) in [
        (Op::Read, "bytes read"),
        (Op::Write, "bytes written"),
        (Op::Discard, "bytes discarded"),
    ] {
        let mut info = Info::new(512);
        for _ in 0..1 << 18 {
            info.add(&request(0, op, 0, Request::MAX_SIZE)).unwrap();
        }
        info.add(&request(0, op, 0, (1 << 18) - 1)).unwrap();
        let error = info.add(&request(0, op, 0, 1)).unwrap_err();
        assert_eq!(error, TooMany { what });
        assert!(error.to_string().contains("check the unit of size_bytes"));
        let report = info.finish();
        let bytes = report.bytes_read + report.bytes_written + report.bytes_discarded;
        assert_eq!((report.requests, bytes), ((1 << 18) + 1, u64::MAX));
    }
}

proptest! {
    // planted bugs: a page too many or too few at the bounds of ranges that touch, overlap or lie inside others;
    // changes of several ranges at one page, or of both kinds, taken for one
    #[test]
    fn pages_are_counted_as_one_by_one(
        requests in prop::collection::vec((any::<bool>(), 0..60_u64, 1..25_u64), 0..60),
    ) {
        let (mut read, mut written) = (BTreeMap::new(), BTreeMap::<u64, u64>::new());
        let mut all = Vec::new();
        for (is_read, offset, size) in requests {
            let op = if is_read { Op::Read } else { Op::Write };
            all.push(request(0, op, offset, size));
            let pages = if is_read { &mut read } else { &mut written };
            for page in offset / 4..=(offset + size - 1) / 4 {
                *pages.entry(page).or_default() += 1;
            }
        }
        let report = characterise(4, &all);
        let never_written = read.keys().filter(|page| !written.contains_key(page)).count();
        prop_assert_eq!(report.pages_read, read.len() as u64);
        prop_assert_eq!(report.pages_written, written.len() as u64);
        prop_assert_eq!(report.pages_read_never_written, never_written as u64);
        prop_assert_eq!(report.pages_touched, (written.len() + never_written) as u64);
        prop_assert_eq!(report.page_writes, written.values().sum::<u64>());
        prop_assert_eq!(report.hottest_page_writes, written.values().copied().max().unwrap_or(0));
    }
}

/// Planted bug: settled changes counted twice, or unsettled ones left out, when there are many ranges.
#[test]
fn many_ranges() {
    let writes = |n: u64| (0..n).map(|i| request(0, Op::Write, i * 7919 % 100_003 * 4, 8));
    let writes: Vec<_> = writes(300_000).collect();
    let mut pages = vec![0_u64; 100_005];
    for write in &writes {
        pages[write.offset as usize / 4] += 1;
        pages[write.offset as usize / 4 + 1] += 1;
    }
    let report = characterise(4, &writes);
    let written = pages.iter().filter(|&&count| count > 0).count();
    assert_eq!(report.pages_written, written as u64);
    assert_eq!(Some(&report.hottest_page_writes), pages.iter().max());
}
