//! Devices of more than 2^24 pages, whose lists of held pages have other tables.
//!
//! Planted bug that this catches: a page that the table of a large device loses, or still has after it left.

use fastrand::Rng;
use ssdlab_device::{Counters, Device, NoData};
use ssdlab_flash::Array;
use ssdlab_host::{Op, Request};
use ssdlab_testkit::configs::{config, stack};

const PAGE: u64 = 512;

/// The counters after requests to the first 4000 pages of a device.
fn counters(policy: &str, pages: u64) -> Counters {
    let config = config([
        format!("flash.page_size={PAGE}"),
        "flash.pages_per_block=64".to_owned(),
        format!("flash.capacity={}", pages * PAGE),
        "ftl.kind=ideal".to_owned(),
        format!("buffer.policy={policy}"),
        format!("buffer.size={}", 500 * PAGE),
        "buffer.reads=cache".to_owned(),
    ]);
    let mut device = Device::<Array<()>>::fresh(&config, &stack(&config)).expect("a device");
    let mut random = Rng::with_seed(1);
    for _ in 0..20_000 {
        let op = [Op::Write, Op::Write, Op::Read, Op::Discard][random.usize(..4)];
        let most = [1, 8][random.usize(..2)];
        let count = random.u64(1..=most);
        let first = random.u64(..4000 - count);
        let request = Request::new(0, op, first * PAGE, count * PAGE).expect("a request");
        device.submit(&request, &mut NoData).expect("room");
    }
    device.finish().expect("an end");
    device.check().expect("a sound device");
    device.counters()
}

#[test]
fn buffers_of_large_devices_hold_the_same_pages() {
    for policy in ["fifo", "lru", "plru-br", "plru-br-2q"] {
        let (small, large) = (counters(policy, 1 << 13), counters(policy, (1 << 24) + 64));
        assert!(small.buffer_write_hits > 500, "{small:?}");
        assert_eq!(small, large, "{policy}");
    }
}
