//! Devices that are aged before the trace: as if a host had discarded and overwritten their pages, without a trace of it
//! in any figure.
//!
//! Planted bugs that these tests catch: pages behind the filled share that stay mapped; overwrites of discarded pages;
//! fewer overwrites for a device that is filled in part; places that do not begin at multiples of the size; counts, erases
//! or notes for the clocks that stay from the ageing; pages left in a region in RAM; another chip's pages.

use ssdlab_device::{Counters, Device, NoData};
use ssdlab_flash::{Array, Clocked, Lpn};
use ssdlab_host::{Op, Request};
use ssdlab_policy::SplitMix64;
use ssdlab_testkit::configs::{config, stack};
use ssdlab_testkit::flash::Flash;
use ssdlab_testkit::versions::Versions;

const PAGE: u64 = 512;
const PAGES: u64 = 24 * 8;
const SHAPE: &str =
    "flash.page_size=512 flash.pages_per_block=8 flash.capacity=96KiB buffer.policy=none";

/// Devices of every kind.
const DEVICES: [&str; 12] = [
    "ftl.kind=ideal",
    "ftl.kind=block ftl.open_blocks=2",
    "ftl.kind=replacement ftl.log_blocks=3",
    "ftl.kind=bast ftl.log_blocks=3",
    "ftl.kind=fast ftl.log_blocks=3 flash.copy_back=true flash.planes=2",
    "ftl.kind=superblock ftl.log_blocks=4",
    "ftl.kind=page ftl.spare_blocks=6",
    "ftl.kind=page ftl.spare_blocks=6 ftl.cleaning=cat",
    "ftl.kind=page ftl.spare_blocks=8 ftl.buffer_aware=merge+victim",
    "ftl.kind=page ftl.spare_blocks=12 ftl.placement=dac ftl.stable_s=[9,99,300,900]",
    "ftl.kind=page ftl.spare_blocks=6 flash.channels=3 flash.interleave=page",
    "ftl.kind=page ftl.spare_blocks=6 flash.channels=2 flash.interleave=line flash.pages_per_block=4",
];

/// The share of the pages that stay, the overwrites over the capacity, the pages of each, and the keys that say so.
const PRECONDITIONS: [(f64, f64, u64, &str); 5] = [
    (1.0, 3.0, 1, "random:3"),
    (0.6, 0.0, 1, "0.6"),
    (0.6, 2.0, 1, "0.6,random:2"),
    (1.0, 1.5, 5, "random:1.5 precondition_size=2500"),
    (0.3, 1.0, 3, "0.3,random:1 precondition_size=1536"),
];

fn device(settings: &str) -> Device<Flash> {
    let config = config(format!("{SHAPE} {settings}").split_whitespace());
    Device::fresh_on(&config, &stack(&config), Flash::checked).expect("a device")
}

/// What a host does to age a full device like this.
fn by_a_host(device: &mut Device<Flash>, (filled, overwrites, size, _): (f64, f64, u64, &str)) {
    let filled = (filled * PAGES as f64) as u64;
    let serve = |device: &mut Device<Flash>, op, page: u64, pages: u64| {
        let request = Request::new(0, op, page * PAGE, pages * PAGE).expect("a request");
        device
            .submit(&request, &mut Versions::new(true))
            .expect("room");
    };
    for page in filled..PAGES {
        serve(device, Op::Discard, page, 1);
    }
    let mut random = SplitMix64(0x5EED_A6E0);
    for _ in 0..(overwrites * PAGES as f64 / size as f64).ceil() as u64 {
        let place = random.below((filled / size) as usize) as u64;
        serve(device, Op::Write, place * size, size);
    }
}

fn use_it(device: &mut Device<Flash>) {
    let mut random = SplitMix64(4);
    for _ in 0..600 {
        let pages = 1 + random.below(6) as u64;
        let page = random.below((PAGES - pages) as usize) as u64;
        let op = [Op::Write, Op::Write, Op::Write, Op::Read, Op::Discard][random.below(5)];
        let request = Request::new(0, op, page * PAGE, pages * PAGE).expect("a request");
        device
            .submit(&request, &mut Versions::new(true))
            .expect("room");
    }
}

#[test]
fn ageing_does_what_a_host_would_do_and_counts_nothing() {
    for of in DEVICES {
        for how in PRECONDITIONS {
            let what = format!("{of} {}", how.3);
            let mut aged = device(&format!("{of} precondition={}", how.3));
            let mut by_host = device(of);
            by_a_host(&mut by_host, how);
            let (before, erased) = (by_host.counters(), by_host.erase_counts());
            assert_eq!(aged.counters(), Counters::default(), "{what}");
            assert!(
                aged.erase_counts().iter().all(|&erases| erases == 0),
                "{what}"
            );
            aged.check()
                .unwrap_or_else(|error| panic!("{what}: {error}"));
            for page in (0..PAGES as u32).map(Lpn) {
                assert_eq!(aged.has_data(page), by_host.has_data(page), "{what}");
            }
            use_it(&mut aged);
            use_it(&mut by_host);
            assert_eq!(aged.counters(), by_host.counters().since(&before), "{what}");
            let since = by_host.erase_counts().into_iter().zip(erased);
            let since: Vec<u32> = since.map(|(now, before)| now - before).collect();
            assert_eq!(aged.erase_counts(), since, "{what}");
            aged.check()
                .unwrap_or_else(|error| panic!("{what}: {error}"));
        }
    }
}

#[test]
fn ageing_leaves_regions_in_ram_empty() {
    for placement in ["dac+", "deb"] {
        let settings = format!(
            "ftl.kind=page ftl.spare_blocks=14 ftl.placement={placement} ftl.ram=8KiB precondition=random:2"
        );
        let aged = device(&settings);
        assert!(
            aged.ram().iter().all(|ram| ram.pages.is_empty()),
            "{placement}"
        );
        assert_eq!(aged.counters(), Counters::default(), "{placement}");
    }
}

#[test]
fn clocks_begin_after_the_ageing() {
    let settings = format!(
        "{SHAPE} ftl.kind=page ftl.spare_blocks=8 timing.model=parallel flash.channels=2 flash.interleave=line \
         flash.pages_per_block=4 precondition=random:2"
    );
    let config = config(settings.split_whitespace());
    let media = |array| Ok(Clocked::<Array<()>>::new(array));
    let mut device = Device::fresh_on(&config, &stack(&config), media).expect("a device");
    assert_eq!(device.counters(), Counters::default());
    let read = Request::new(0, Op::Read, 0, PAGE).expect("a request");
    device.submit(&read, &mut NoData).expect("a page");
    let alone =
        config.timing.read_ns + config.timing.parallel.channel_ns + config.timing.parallel.bus_ns;
    assert_eq!(device.counters().elapsed_ns, alone);
    assert_eq!(
        device
            .take_busy()
            .expect("clocks")
            .chips_ns
            .iter()
            .sum::<u64>(),
        config.timing.read_ns
    );
}
