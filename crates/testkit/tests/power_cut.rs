//! Power cuts at every flash operation, and again after each mount.
//!
//! Planted bugs that these tests catch: a mount that takes a torn block for a free one; sequence numbers that start
//! anew after a mount; the destination of an unfinished merge taken for a data block; erases that overtake the copies
//! they depend on; a discard that is not recorded; a mount whose own erases are not made durable.

use ssdlab_config::Config;
use ssdlab_flash::{Cut, InFlight};
use ssdlab_testkit::configs::config;
use ssdlab_testkit::power_cut::{Durable, Scenario};
use ssdlab_testkit::workload::Workload;

const PAGE_SIZE: u64 = 512;
/// Logical blocks, pages per block, log blocks.
const GEOMETRIES: [(u64, u64, u64); 3] = [(4, 4, 2), (6, 3, 1), (3, 8, 3)];

fn bast((blocks, pages_per_block, log_blocks): (u64, u64, u64), settings: &[&str]) -> Config {
    let common = [
        format!("flash.page_size={PAGE_SIZE}"),
        format!("flash.pages_per_block={pages_per_block}"),
        format!("flash.capacity={}", blocks * pages_per_block * PAGE_SIZE),
        format!("ftl.log_blocks={log_blocks}"),
        "ftl.spare_blocks=1".into(),
        "ftl.kind=bast".into(),
        format!("buffer.size={}", 6 * PAGE_SIZE),
    ];
    config(
        common
            .into_iter()
            .chain(settings.iter().map(|s| s.to_string())),
    )
}

fn requests(config: &Config, seed: u64) -> Vec<ssdlab_host::Request> {
    let workload = Workload {
        requests: 100,
        page_size: PAGE_SIZE,
        pages: u64::from(config.logical_pages()),
        pages_per_block: u64::from(config.flash.pages_per_block),
        flushes: 8,
        discards: 10,
        reads: 0,
    };
    workload.requests(seed)
}

/// Cuts at each operation of the run, in each way, then twice more soon after; returns how many cuts came.
fn cut_everywhere(config: &Config, durable: Durable, seed: u64) -> usize {
    let requests = requests(config, seed);
    let run = |cuts: Vec<Cut>| {
        let scenario = Scenario {
            config,
            requests: &requests,
            durable,
            cuts,
        };
        scenario
            .run()
            .unwrap_or_else(|what| panic!("{what}, seed {seed}"))
    };
    let mut cuts = 0;
    for at in 1..=run(vec![]).operations {
        for in_flight in [InFlight::NotDone, InFlight::Torn, InFlight::Done] {
            let lose = (durable == Durable::OnFlush).then_some(at * 3 + in_flight as u64);
            let cut = |at| Cut {
                at,
                in_flight,
                lose,
            };
            cuts += run(vec![cut(at), cut(1 + at % 7), cut(3 + at % 31)]).cuts;
        }
    }
    cuts
}

#[test]
fn bast_keeps_what_it_promised() {
    let mut cuts = 0;
    for geometry in GEOMETRIES {
        for precondition in ["precondition=full", "precondition=empty"] {
            for partial in ["ftl.partial_merge=true", "ftl.partial_merge=false"] {
                let without = bast(geometry, &[precondition, partial, "buffer.policy=none"]);
                let with = bast(geometry, &[precondition, partial, "buffer.policy=bplru"]);
                for seed in 0..2 {
                    cuts += cut_everywhere(&without, Durable::OnReturn, seed);
                    cuts += cut_everywhere(&without, Durable::OnFlush, seed);
                    cuts += cut_everywhere(&with, Durable::OnFlush, seed);
                }
            }
        }
    }
    assert!(cuts > 100_000, "only {cuts} cuts came");
}

/// The second cut at every operation after the first mount, for one small device.
#[test]
fn bast_survives_every_pair_of_cuts() {
    let config = bast((2, 3, 1), &["buffer.policy=none"]);
    let requests = &requests(&config, 5)[..30];
    let run = |cuts: Vec<Cut>| {
        let scenario = Scenario {
            config: &config,
            requests,
            durable: Durable::OnReturn,
            cuts,
        };
        scenario.run().unwrap_or_else(|what| panic!("{what}"))
    };
    let mut pairs = 0;
    for first in 1..=run(vec![]).operations {
        for in_flight in [InFlight::NotDone, InFlight::Torn, InFlight::Done] {
            let cut = |at| Cut {
                at,
                in_flight,
                lose: None,
            };
            let mut second = 1;
            while run(vec![cut(first), cut(second)]).cuts == 2 {
                pairs += 1;
                second += 1;
            }
        }
    }
    assert!(pairs > 1000, "only {pairs} pairs of cuts came");
}

/// A clean stop is a cut after the last operation: a preconditioned device mounts to what it was when fresh.
#[test]
fn a_fresh_device_and_a_mounted_one_agree() {
    use ssdlab_device::Device;
    use ssdlab_flash::Array;
    for geometry in GEOMETRIES {
        let config = bast(geometry, &["buffer.policy=none"]);
        let requests = requests(&config, 1);
        let fresh = Device::<Array<u64>>::fresh(&config).expect("a legal device");
        let mounted = Device::mount(&config, fresh.into_media().power_on());
        let mut mounted = mounted.unwrap_or_else(|(_, error)| panic!("{error}"));
        let mut fresh = Device::<Array<u64>>::fresh(&config).expect("a legal device");
        for device in [&mut fresh, &mut mounted] {
            let mut versions = ssdlab_testkit::versions::Versions::default();
            requests
                .iter()
                .for_each(|r| device.submit(r, &mut versions).expect("a legal request"));
        }
        assert_eq!(fresh.counters(), mounted.counters());
        assert_eq!(fresh.erase_counts(), mounted.erase_counts());
    }
}
