//! The parallel model against closed forms, within 0.1 %: what bounds a device gives its throughput, and Little's law
//! ties latency, throughput and depth.
//!
//! Planted bugs that these catch: chips that wait for each other; a channel or bus that is left idle, or that moves two
//! pages at once; more requests outstanding than the depth, or fewer.

use ssdlab_device::{Device, NoData};
use ssdlab_flash::{Array, Clocked};
use ssdlab_host::{Op, Request};
use ssdlab_testkit::configs::{config, stack};

const PAGE: u64 = 4096;
const REQUESTS: u64 = 4096;

/// Serves one-page requests in ascending order. Returns the elapsed time in µs, and Little's mean number of outstanding
/// requests: mean latency × requests / elapsed time.
fn serve(op: Op, chips: u32, depth: u32, settings: &str) -> (f64, f64) {
    let common = format!(
        "timing.model=parallel flash.page_size=4096 flash.pages_per_block=64 flash.capacity=64MiB ftl.kind=page \
         buffer.policy=none timing.read_us=60 timing.program_us=800 timing.bus_mb_s=0 timing.channel_mb_s=0 \
         flash.interleave=line queue_depth={depth} precondition={}",
        if op == Op::Read { "full" } else { "empty" }
    );
    let layout = if settings.contains("one-channel") {
        format!("flash.chips_per_channel={chips}")
    } else {
        format!("flash.channels={chips}")
    };
    let settings = settings.replace("one-channel", "");
    let all = [common, layout, settings].join(" ");
    let config = config(all.split_whitespace());
    let media = |array| Ok(Clocked::<Array<()>>::new(array));
    let mut device = Device::fresh_on(&config, &stack(&config), media).expect("a device");
    for page in 0..REQUESTS {
        let request = Request::new(0, op, page * PAGE, PAGE).expect("a request");
        device.submit(&request, &mut NoData).expect("room");
    }
    device.finish().expect("an end");
    let elapsed = device.counters().elapsed_ns as f64;
    let latencies = device.take_latencies().expect("clocks");
    let of_op = match op {
        Op::Read => latencies.reads,
        _ => latencies.writes,
    };
    assert_eq!(of_op.count, REQUESTS);
    let sum = of_op.mean.expect("requests") * REQUESTS as f64;
    (elapsed / 1000.0, sum / elapsed)
}

fn is_close(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() <= 0.001
}

/// Checks elapsed time and mean depth, given the time from one completion to the next, and that from the issue to the
/// completion of a request alone, both in µs.
fn check(op: Op, chips: u32, settings: &str, step: f64, alone: f64) {
    let (elapsed, outstanding) = serve(op, chips, 1, settings);
    let expected = REQUESTS as f64 * alone;
    let what = format!("{op:?} on {chips} chips, {settings}");
    assert!(
        is_close(elapsed, expected),
        "{what}, depth 1: {elapsed} µs instead of {expected}"
    );
    assert!(is_close(outstanding, 1.0), "{what}: {outstanding} of 1");
    let depth = 4 * chips;
    let (elapsed, outstanding) = serve(op, chips, depth, settings);
    // the first request has the device to itself; chips that bound it by themselves begin together
    let together = (alone / step).round();
    let together = if together * step == alone {
        together
    } else {
        1.0
    };
    let expected = (REQUESTS as f64 - together) * step + alone;
    assert!(
        is_close(elapsed, expected),
        "{what}, saturated: {elapsed} µs instead of {expected}"
    );
    let depth = f64::from(depth);
    let at_the_ends = depth * depth / REQUESTS as f64;
    assert!(
        outstanding <= depth && outstanding >= depth - at_the_ends,
        "{what}: {outstanding} of {depth} outstanding"
    );
}

#[test]
fn chips_bound_reads_and_writes() {
    for chips in [1, 2, 4, 8] {
        let share = 1.0 / f64::from(chips);
        check(Op::Write, chips, "", 800.0 * share, 800.0);
        check(Op::Read, chips, "", 60.0 * share, 60.0);
    }
}

#[test]
fn a_channel_bounds_reads_and_writes() {
    // a page moves in 102.4 µs
    let one = "timing.channel_mb_s=40 timing.program_us=100 one-channel";
    for chips in [2, 4, 8] {
        check(Op::Write, chips, one, 102.4, 202.4);
        check(Op::Read, chips, one, 102.4, 162.4);
    }
    // a chip alone cannot read or program while its page moves
    check(Op::Write, 1, one, 202.4, 202.4);
    check(Op::Read, 1, one, 162.4, 162.4);
}

#[test]
fn the_bus_bounds_reads_and_writes() {
    // a page moves in 1000 µs
    for chips in [1, 2, 4, 8] {
        let settings = "timing.bus_mb_s=4.096";
        check(Op::Write, chips, settings, 1000.0, 1800.0);
        check(Op::Read, chips, settings, 1000.0, 1060.0);
    }
}
