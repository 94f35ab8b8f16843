//! Power cuts at every flash operation, and again after each mount, for each FTL.
//!
//! Planted bugs that these tests catch: a mount that takes a torn block for a free one; sequence numbers that start
//! anew after a mount; the destination of an unfinished merge taken for a data block; erases that overtake the copies
//! they depend on; a discard that is not recorded; a mount whose own erases are not made durable; a
//! replacement block, or a chain, that goes on past a torn page; a fold that takes blocks of the pool for its own; a
//! merge that erases its sources before its pages from the buffer are durable; a merge that skips dirty pages without
//! being told to, or that writes them although it should skip them.

mod bast;
mod block;
mod fast;
mod maps;
mod page;
mod placements;
mod regions;
mod replacement;
mod slc;
mod superblock;

use std::ops::Range;

use ssdlab_config::Config;
use ssdlab_device::registry::{Entry, built_in};
use ssdlab_device::{Device, Family};
use ssdlab_flash::Cut;
use ssdlab_ftl::ideal::Ideal;
use ssdlab_ftl::{FtlError, FtlKind};
use ssdlab_host::{Op, Request};
use ssdlab_testkit::configs::{config, stack, stoppable};
use ssdlab_testkit::flash::Flash;
use ssdlab_testkit::power_cut::{Durable, Scenario, Seen, WAYS};
use ssdlab_testkit::versions::Versions;
use ssdlab_testkit::workload::Workload;

const PAGE_SIZE: u64 = 512;

/// A small device with further settings. Its text has the logical blocks, the pages of a block, and `key=value` settings.
fn small(device: &str, more: &str) -> Config {
    let mut parts = device.splitn(3, ' ');
    let mut part = || parts.next().expect("blocks, pages, settings");
    let (blocks, pages_per_block, settings) = (part(), part(), part());
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let shape = format!(
        "flash.page_size={PAGE_SIZE} flash.pages_per_block={pages_per_block} flash.capacity={} buffer.size={}",
        number(blocks) * number(pages_per_block) * PAGE_SIZE,
        6 * PAGE_SIZE
    );
    config([&shape, settings, more].join(" ").split_whitespace())
}

/// Writes these pages one after another, with a µs between them.
fn write(device: &mut Device<Flash>, time_us: &mut u64, pages: &[u64]) {
    for page in pages {
        let write = Request::new(*time_us * 1000, Op::Write, page * PAGE_SIZE, PAGE_SIZE);
        let write = write.expect("within the device");
        device
            .submit(&write, &mut Versions::default())
            .expect("a legal request");
        *time_us += 1;
    }
}

/// Stops a device and mounts it with other settings and the image of the battery-backed RAM.
fn mounted(device: Device<Flash>, config: &Config) -> Result<Device<Flash>, FtlError> {
    let ram = device.ram();
    let arrays = device.into_media().into_iter().map(Flash::restarted);
    let mounted = Device::mount_with(config, &stack(config), arrays.collect(), &ram);
    mounted.map_err(|(_, error)| error)
}

/// Random requests for a seed.
type Requests = fn(&Config, u64) -> Vec<Request>;

fn requests(config: &Config, seed: u64) -> Vec<Request> {
    Workload::of(config, 65).requests(seed)
}

/// Requests that leave dirty pages in the buffer until merges take them.
fn requests_rarely_flushed(config: &Config, seed: u64) -> Vec<Request> {
    let workload = Workload {
        flushes: 3,
        discards: 5,
        ..Workload::of(config, 150)
    };
    workload.requests(seed)
}

// Planted bug: an FTL whose power no test cuts.
#[test]
fn each_ftl_with_flash_has_a_file_of_power_cuts() {
    let declared = include_str!("mod.rs");
    for Entry { name, .. } in built_in(Family::Ftl) {
        let is_cut = declared.contains(&format!("\nmod {};", name.replace('-', "_")));
        assert!(
            is_cut || *name == Ideal::ENTRY.name,
            "no power cuts of {name}"
        );
    }
}

/// Cuts everywhere in a run over each seed's requests; see [`Scenario::cut_everywhere`].
fn cut_everywhere(
    config: &Config,
    (requests, seeds): (Requests, Range<u64>),
    durable: Durable,
    loses: bool,
) -> Seen {
    let stack = stack(config);
    let mut all = Seen::default();
    for seed in seeds {
        let scenario = Scenario {
            config,
            stack: &stack,
            requests: &requests(config, seed),
            durable,
        };
        let aware = config.needs.aware.mode;
        let seen = scenario.cut_everywhere(loses);
        let seen = seen.unwrap_or_else(|what| panic!("{what}, aware {aware:?}, seed {seed}"));
        all.cuts += seen.cuts;
        all.operations += seen.operations;
        all.merge_programs += seen.merge_programs;
    }
    all
}

/// Each device keeps its promise, full and new, with and without a buffer if it can have one (four take turns); at
/// least this many cuts take place.
fn keeps_what_it_promised(devices: &[&str], least: usize) {
    let mut cuts = 0;
    let mut buffers = ["bplru", "cbb", "blru", "three-region"].into_iter().cycle();
    for device in devices {
        for precondition in ["precondition=full", "precondition=empty"] {
            let with = |buffer| small(device, &format!("{precondition} buffer.policy={buffer}"));
            let mut cut = |buffer, durable| {
                let loses = durable == Durable::OnFlush;
                cuts += cut_everywhere(&with(buffer), (requests, 0..2), durable, loses).cuts;
            };
            cut("none", Durable::OnReturn);
            cut("none", Durable::OnFlush);
            if let Some(buffer) = buffers.next().filter(|_| !with("none").reads("ftl.ram")) {
                cut(buffer, Durable::OnFlush);
            }
        }
    }
    assert!(cuts > least, "only {cuts} cuts came");
}

/// Each device with buffer-aware merges keeps its promise, with every buffer, with and without BAVBS. At least this
/// many cuts take place, and merges do take pages from the buffer.
fn keeps_it_when_merges_ask(devices: &[&str], least: usize) {
    let (mut cuts, mut chosen) = (0, 0);
    for device in devices {
        let mut merge_programs = 0;
        for buffer in ["lru", "cbb", "bplru", "three-region"] {
            for (precondition, loses) in [("full", false), ("empty", true)] {
                let seen = ["merge", "merge+victim"].map(|aware| {
                    let asks = format!(
                        "buffer.policy={buffer} buffer.reads=bypass ftl.buffer_aware={aware} \
                         precondition={precondition}"
                    );
                    let config = small(device, &asks);
                    let seed = u64::from(loses);
                    let requests = (requests_rarely_flushed as _, seed..seed + 1);
                    cut_everywhere(&config, requests, Durable::OnFlush, loses)
                });
                cuts += seen[0].cuts + seen[1].cuts;
                merge_programs += seen[0].merge_programs + seen[1].merge_programs;
                chosen += u32::from(seen[0].operations != seen[1].operations);
            }
        }
        assert!(merge_programs > 25, "only {merge_programs} from the buffer");
    }
    assert!(cuts > least, "only {cuts} cuts came");
    assert!(chosen > 5, "BAVBS made a difference {chosen} times");
}

/// Merges that drop the flash copies of dirty pages lose data that a flush had made safe, at some cut with each of these
/// devices; the same requests lose nothing with the other ways.
fn loses_what_merges_skip(devices: &[&str]) {
    for device in devices {
        let outcome = |aware: &str| {
            let config = small(
                device,
                &format!("buffer.policy=lru ftl.buffer_aware={aware}"),
            );
            let stack = stack(&config);
            let mut seeds = 0..3;
            seeds.try_for_each(|seed| {
                let scenario = Scenario {
                    config: &config,
                    stack: &stack,
                    requests: &requests_rarely_flushed(&config, seed),
                    durable: Durable::OnFlush,
                };
                // without a cut, everything is there
                scenario.run(&[]).expect("no page is lost");
                scenario.cut_everywhere(false).map(|_| ())
            })
        };
        for aware in ["off", "watch", "merge", "merge+victim"] {
            assert_eq!(outcome(aware), Ok(()), "{device}, {aware}");
        }
        let lost = outcome("skip").expect_err("a page that a flush had written");
        // it is unmapped
        let gone = format!("holds version {}, allowed: ", u64::MAX);
        assert!(lost.contains(&gone), "{device}: {lost}");
    }
}

/// The second cut comes at every operation after the first mount; more than 1000 pairs take place.
fn survives_every_pair_of_cuts(device: &str) {
    let config = small(device, "buffer.policy=none");
    let scenario = Scenario {
        config: &config,
        stack: &stack(&config),
        requests: &requests(&config, 5)[..30],
        durable: Durable::OnReturn,
    };
    cuts_in_pairs(&scenario);
}

/// As `survives_every_pair_of_cuts`, with buffer-aware merges.
fn survives_every_pair_when_merges_ask(device: &str) {
    let aware = "buffer.policy=lru buffer.size=2KiB ftl.buffer_aware=merge+victim";
    let config = small(device, aware);
    let idle = Scenario {
        config: &config,
        stack: &stack(&config),
        requests: &[],
        durable: Durable::OnFlush,
    };
    // BAVBS avoids pages that the buffer holds clean or may still change: most short runs take none from it
    let uses_the_buffer = |requests: &[Request]| {
        let seen = Scenario { requests, ..idle }.run(&[]);
        seen.unwrap_or_else(|what| panic!("{what}")).merge_programs > 1
    };
    let mut short = (5..1000).map(|seed| requests_rarely_flushed(&config, seed)[..50].to_vec());
    let requests = short.find(|requests| uses_the_buffer(requests));
    let requests = requests.expect("requests for which merges take pages from the buffer");
    let requests = &requests;
    cuts_in_pairs(&Scenario { requests, ..idle });
}

fn cuts_in_pairs(scenario: &Scenario) {
    let seen = scenario.cut_in_pairs();
    let seen = seen.unwrap_or_else(|what| panic!("{what}"));
    assert!(seen.cuts > 1000, "only {} pairs of cuts came", seen.cuts);
}

/// One cut after another, so soon that cleaning seldom finishes: the waste of mounts must not add up.
fn survives_rows_of_cuts(devices: &[&str]) {
    let mut random = fastrand::Rng::with_seed(1);
    let mut longest = 0;
    for round in 0..1500 {
        let device = devices[round % devices.len()];
        let config = small(device, "buffer.policy=none");
        let lose = round % 2 == 0;
        let mut cut = |most| Cut {
            at: random.u64(1..=most),
            in_flight: WAYS[random.usize(0..3)],
            lose: lose.then(|| random.u64(..)),
        };
        let mut cuts = vec![cut(300)];
        cuts.extend((0..30).map(|_| cut(12)));
        let scenario = Scenario {
            config: &config,
            stack: &stack(&config),
            requests: &requests(&config, round as u64),
            durable: if lose {
                Durable::OnFlush
            } else {
                Durable::OnReturn
            },
        };
        let seen = scenario.run(&cuts);
        let seen = seen.unwrap_or_else(|what| panic!("{what}, seed {round}"));
        longest = longest.max(seen.cuts);
    }
    assert!(longest > 25, "only {longest} cuts came");
}

/// A clean stop is a cut after the last operation: a preconditioned device mounts to its fresh state.
fn fresh_and_mounted_agree(devices: &[&str]) {
    for device in devices {
        let config = small(device, "buffer.policy=none");
        let requests = requests(&config, 1);
        let fresh = || stoppable(&config).expect("a legal device");
        let mut mounted = mounted(fresh(), &config).expect("what was written");
        let mut fresh = fresh();
        for device in [&mut fresh, &mut mounted] {
            let mut versions = Versions::default();
            for request in &requests {
                device
                    .submit(request, &mut versions)
                    .expect("a legal request");
            }
        }
        assert_eq!(fresh.counters(), mounted.counters());
        assert_eq!(fresh.erase_counts(), mounted.erase_counts());
    }
}
