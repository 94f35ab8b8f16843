//! Requests that come out of order, malformed lines, volumes, and doubts about units.
//!
//! Planted bugs these catch: a request that does not wait long enough; more malformed lines than the user tolerates;
//! lines or volumes that do not move with their requests; a unit that is doubted where it is right, or is not where it
//! is wrong.

use std::fmt::Write as _;

use proptest::prelude::*;
use ssdlab_trace::{ReadOptions, TraceReader, plain};

use crate::common::{self, read, refused, with};

/// Plain lines of writes at these times; the offset tells the place in the file.
fn at(times: &[u64]) -> String {
    let mut text = format!("{}\n", plain::HEADER);
    for (place, time) in times.iter().enumerate() {
        writeln!(text, "{time},W,{},512", place * 512).unwrap();
    }
    text
}

#[test]
fn requests_wait_for_others() {
    let times = [10, 40, 20, 50, 30, 60];
    let sorted = with(|options| options.sort_ns = Some(25));
    let all = read(at(&times), &sorted).unwrap();
    let found: Vec<(u64, u64)> = all
        .requests
        .iter()
        .map(|r| (r.time_ns, r.offset / 512))
        .collect();
    assert_eq!(
        found,
        [(10, 0), (20, 2), (30, 4), (40, 1), (50, 3), (60, 5)]
    );
    assert_eq!(all.lines, [2, 4, 6, 3, 5, 7]);
    let summary = &all.summary;
    assert_eq!(
        (
            summary.backwards,
            summary.reordered,
            summary.worst_backwards
        ),
        (0, 2, 0)
    );
    let unsorted = read(at(&times), &ReadOptions::default()).unwrap().summary;
    assert_eq!(
        (
            unsorted.backwards,
            unsorted.reordered,
            unsorted.worst_backwards
        ),
        (2, 0, 20)
    );
}

#[test]
fn the_limit_counts_requests_that_wait() {
    let options = with(|options| {
        options.sort_ns = Some(1 << 40);
        options.limit = Some(3);
    });
    let all = read(at(&[9, 8, 7, 6, 5]), &options).unwrap();
    let times: Vec<u64> = all.requests.iter().map(|request| request.time_ns).collect();
    assert_eq!(times, [7, 8, 9]);
}

proptest! {
    // planted bug: a window that depends on how the trace comes in pieces
    #[test]
    fn a_window_orders_what_it_holds(
        mut steps in prop::collection::vec((0..50_u64, 0..100_u64), 1..9000),
        length in 1..5000_usize,
    ) {
        let mut time = 1000;
        for (step, back) in &mut steps {
            time += *step;
            *step = time - *back;
        }
        let times: Vec<u64> = steps.iter().map(|(time, _)| *time).collect();
        let options = with(|options| options.sort_ns = Some(100));
        let all = common::read_pieces(at(&times), &[length], &options).unwrap();
        prop_assert_eq!(all.summary.backwards, 0);
        let mut expected: Vec<(u64, u64)> = times.iter().copied().zip(0..).collect();
        expected.sort_unstable();
        let found: Vec<(u64, u64)> = all.requests.iter().map(|r| (r.time_ns, r.offset / 512)).collect();
        prop_assert_eq!(&found, &expected);
        let lines: Vec<u64> = expected.iter().map(|(_, place)| place + 2).collect();
        prop_assert_eq!(all.lines, lines);
    }

    // planted bugs: one line too many or too few; a request on the wrong line behind a malformed one
    #[test]
    fn malformed_lines_are_counted(
        good in prop::collection::vec(any::<bool>(), 1..300),
        tolerated in 0..20_u64,
        length in 1..300_usize,
    ) {
        let mut text = at(&[]);
        for (place, good) in good.iter().enumerate() {
            let size = if *good { "512" } else { "no" };
            writeln!(text, "{place},W,0,{size}").unwrap();
        }
        let options = with(|options| options.skip_malformed = tolerated);
        let bad: Vec<usize> = (0..good.len()).filter(|&place| !good[place]).collect();
        let outcome = common::read_pieces(text, &[length], &options);
        if bad.len() as u64 > tolerated {
            let place = bad[tolerated as usize] + 2;
            let message = outcome.unwrap_err().to_string();
            prop_assert!(message.starts_with(&format!("t, line {place}: size_bytes")), "{}", message);
        } else {
            let all = outcome.unwrap();
            let lines: Vec<u64> = (0..good.len()).filter(|&p| good[p]).map(|p| p as u64 + 2).collect();
            prop_assert_eq!(&all.lines, &lines);
            let reason = "malformed lines (--skip-malformed)";
            prop_assert_eq!(common::skipped(&all, reason), bad.len() as u64);
            let first = bad.first().map(|place| format!("line {}: size_bytes is not a number", place + 2));
            let told = all.summary.malformed.as_ref().map(|what| what.starts_with(first.as_deref().unwrap_or("?")));
            prop_assert_eq!(told, first.map(|_| true));
        }
    }
}

#[test]
fn empty_lines_inside_can_be_tolerated() {
    let text = format!("{}\n1,W,0,512\n\n\n2,W,0,512\n", plain::HEADER);
    let message = refused("t", text.as_str(), &ReadOptions::default());
    assert!(
        message.starts_with("t, line 3: the line is empty"),
        "{message}"
    );
    let all = read(text, &with(|options| options.skip_malformed = 1)).unwrap();
    assert_eq!(all.lines, [2, 5]);
}

#[test]
fn a_header_is_never_tolerated() {
    let options = with(|options| options.skip_malformed = 9);
    let message = refused("t", "time_ns,op\n1,W,0,512\n", &options);
    assert!(message.starts_with("t, line 1: "), "{message}");
}

/// The line is right, only the choice of a volume is missing.
#[test]
fn a_second_volume_is_no_malformed_line() {
    let line = |host: &str| format!("128166372003061629,{host},0,Write,512,512,1\n");
    let text = [line("a"), line("b")].concat();
    let options = with(|options| options.skip_malformed = 5);
    let message = refused("t", text.as_str(), &options);
    assert!(
        message.starts_with("t, line 2: a second volume"),
        "{message}"
    );
}

#[test]
fn all_volumes_are_numbered() {
    let line = |host: &str, op| format!("128166372003061629,{host},0,{op},512,512,1\n");
    let text = [
        line("b", "Read"),
        line("a", "Write"),
        line("b", "Write"),
        line("c", "Read"),
    ]
    .concat();
    let options = with(|options| {
        options.all_volumes = true;
        options.drop_reads = true;
    });
    let input = std::io::Cursor::new(text);
    let mut reader = TraceReader::from_reader("t", input, &options).unwrap();
    let mut batch = Vec::new();
    assert!(reader.next_batch(&mut batch).unwrap());
    let volumes: Vec<u32> = (0..batch.len())
        .map(|index| reader.volume_of(index))
        .collect();
    assert_eq!((volumes, reader.line_of(1)), (vec![1, 0], 3));
    assert_eq!(reader.volumes(), ["b.0", "a.0", "c.0"]);
}

/// Many requests, `step` ns apart, of this size, at multiples of it and `shift` bytes more.
fn doubts(step: u64, size: u64, shift: u64) -> String {
    let mut text = format!("{}\n", plain::HEADER);
    for place in 0..1000 {
        writeln!(text, "{},W,{},{size}", place * step, place * size + shift).unwrap();
    }
    read(text, &ReadOptions::default())
        .unwrap()
        .summary
        .remarks
        .join("\n")
}

#[test]
fn units_are_doubted() {
    for (step, size, shift, says) in [
        (100, 4096, 0, ""),
        (0, 4096, 0, ""),
        (
            1,
            512,
            0,
            "1,000 requests in 999 ns, more than 10^8 a second; check the unit of the times: taken as microseconds instead of ns, they span 999.0 µs",
        ),
        (
            20,
            1 << 20,
            0,
            "1,000 MiB in 20.0 µs, more than any bus carries; check the unit of the times: taken as microseconds instead of ns, they span 20.0 ms",
        ),
        (
            1 << 50,
            4096,
            0,
            "1,000 requests in 35 years; check the unit of the times: in a unit 1000 times smaller, they span",
        ),
        (
            1000,
            8,
            0,
            "98 % of the offsets are no multiples of 512 bytes; check the unit of the offsets; offsets and sizes look like sectors of 512 bytes, not bytes",
        ),
        (
            1000,
            4096,
            9,
            "100 % of the offsets are no multiples of 512 bytes; check the unit of the offsets; offsets look like sectors of 512 bytes or other blocks, not bytes",
        ),
    ] {
        let found = doubts(step, size, shift);
        assert!(
            found.starts_with(says) && found.is_empty() == says.is_empty(),
            "{step} {size} {shift}: {found}"
        );
    }
    let few = format!("{}\n0,W,0,512\n2,W,0,512\n", plain::HEADER);
    let few = read(few, &ReadOptions::default()).unwrap().summary.remarks;
    assert_eq!(
        few,
        [
            "2 requests in 2 ns, more than 10^8 a second; check the unit of the times: taken as microseconds instead of ns, they span 2.0 µs; if that is wrong, give --format csv --time-unit us"
        ]
    );
}
