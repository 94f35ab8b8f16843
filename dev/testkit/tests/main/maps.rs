//! Devices with a map in flash, checked after every request: what is cached against recounts, what is counted against the
//! same device with its map in RAM, and hits and programs against closed forms.
//!
//! Planted bugs that these catch: a map that changes where data go; an entry that stays dirty behind its program; an entry of
//! the list that is cached too; a cache that holds more than it may, or evicts although all fits; a larger cache that misses
//! more; a hit that does not count as a use; a checkpoint that leaves a map page out.

use ssdlab_device::{Counters, Device, NoData, RequestBytes};
use ssdlab_flash::{Array, Bytes};
use ssdlab_host::{Op, Request};
use ssdlab_policy::SplitMix64;
use ssdlab_testkit::against_model::compare;
use ssdlab_testkit::cases::Case;
use ssdlab_testkit::checked::Checked;
use ssdlab_testkit::configs::{config, stack};
use ssdlab_testkit::recorder::Recorder;
use ssdlab_testkit::tally::Tally;

use crate::timing::agrees;

const PAGE: u64 = 512;

/// One of these.
fn any<'a>(random: &mut SplitMix64, of: &[&'a str]) -> &'a str {
    of[random.below(of.len())]
}

/// A random device, settings of its map, and random requests.
fn case(random: &mut SplitMix64) -> (String, String, String) {
    let buffer = any(
        random,
        &[
            "none",
            "none",
            "lru",
            "fab",
            "bplru",
            "three-region",
            "cflru",
        ],
    );
    let placement = any(random, &["single", "single", "dac", "sepbit"]);
    let awareness: &[&str] = match (buffer, placement) {
        ("none", _) | (_, "dac" | "sepbit") => &["off"],
        _ => &["off", "merge", "merge+victim", "skip"],
    };
    let (chips, interleave) =
        [(1, "line"), (2, "line"), (2, "page"), (2, "block")][random.below(4)];
    let pages = 2 * (1 + random.below(6) as u64);
    let blocks = 2 * (3 + random.below(5) as u64);
    let step = if interleave == "line" { chips } else { 1 };
    let size = blocks * pages * step;
    let mut settings = vec![
        format!(
            "flash.page_size={PAGE} flash.pages_per_block={pages} flash.capacity={}",
            size * PAGE
        ),
        format!("flash.channels={chips} flash.interleave={interleave} ftl.kind=page"),
        format!("ftl.spare_blocks={}", 14 + random.below(6)),
        format!(
            "ftl.cleaning={}",
            any(random, &["greedy", "cat", "cost-benefit", "fifo"])
        ),
        format!(
            "ftl.placement={placement} ftl.pace={}",
            any(random, &["whole", "paced"])
        ),
        format!(
            "buffer.policy={buffer} buffer.size={}",
            PAGE * (2 + random.below(9) as u64)
        ),
        format!("ftl.buffer_aware={}", any(random, awareness)),
        format!("precondition={}", any(random, &["empty", "full"])),
        format!("partial_writes={}", any(random, &["whole", "rmw"])),
        format!(
            "flash.copy_back={} timing.model=serial",
            any(random, &["true", "false"])
        ),
    ];
    if buffer != "none" {
        settings.push(format!(
            "buffer.flush_age_s={}",
            any(random, &["0", "0.00002"])
        ));
    }
    let block = pages * step;
    let kind = any(random, &["dftl", "tpftl", "pages", "leaftl"]);
    let cache = match kind {
        "pages" => PAGE * (1 + random.below(3) as u64),
        _ => 14 + random.below(120) as u64,
    };
    let ftls = if step == 1 { chips } else { 1 };
    let mut map = vec![
        format!("ftl.map={kind} ftl.map_cache={}", cache * ftls),
        format!("ftl.map_entry={}", any(random, &["16", "64", "33"])),
        format!("ftl.map_sync={}", any(random, &["0", "0", "7", "50"])),
        format!("ftl.map_list={}", block + random.below(20) as u64),
        format!("ftl.map_host={}", ftls * PAGE * random.below(3) as u64),
    ];
    match kind {
        "dftl" => map.push(format!(
            "ftl.map_protected={} ftl.map_batch={}",
            any(random, &["0", "0.5", "1"]),
            any(random, &["true", "false"])
        )),
        "tpftl" => map.push(format!(
            "ftl.map_prefetch={}",
            any(random, &["both", "request", "none"])
        )),
        "leaftl" => map.push(format!(
            "ftl.map_gamma={}",
            any(random, &["0", "1", "4", "255"])
        )),
        _ => {}
    }
    let mut time = 0;
    let requests = (0..150).map(|_| {
        time += 1000;
        let first = random.below(size as usize) as u64;
        let count = (1 + random.below(9) as u64).min(size - first);
        let cut = (random.below(3) * 100) as u64;
        let op = any(random, &["W", "W", "W", "W", "R", "R", "D", "F"]);
        match op {
            "F" => format!("{time} F 0 0"),
            _ => format!("{time} {op} {} {}", first * PAGE, count * PAGE - cut),
        }
    });
    let requests: Vec<String> = requests.collect();
    (settings.join(" "), map.join(" "), requests.join(","))
}

/// What a map in flash adds.
fn without_map(counters: &Counters) -> Vec<(&'static str, u64)> {
    let mut counters = counters.clone();
    counters.flash_reads -= counters.table_reads;
    let entries = counters.entries().into_iter();
    let is_other = |name: &str| {
        name != "elapsed_ns" && !name.starts_with("table_") && !name.starts_with("map_")
    };
    entries.filter(|(name, _)| is_other(name)).collect()
}

/// The same cases each time, unless a run asks for others as it does of proptest.
fn seed() -> u64 {
    let given = std::env::var("PROPTEST_RNG_SEED").ok();
    given.and_then(|seed| seed.parse().ok()).unwrap_or(0xD0F71)
}

// planted bugs: a read that does not wait for its map page, or for the load of another request; a write that does; a
// write-back that the host waits for; an erase of a victim before the programs of its map pages
#[test]
fn every_time_of_a_map_in_flash_is_that_of_the_model() {
    let mut random = SplitMix64(seed() ^ 0x71ED);
    for _ in 0..600 {
        let (settings, map, requests) = case(&mut random);
        let clocks = [
            ("timing.map_host_us", ["0", "3", "700"]),
            ("timing.read_us", ["60", "25.3", "4"]),
            ("timing.bus_mb_s", ["0", "80", "1000"]),
            ("timing.channel_mb_s", ["0", "7", "300"]),
            ("timing.read_suspends", ["true", "true", "false"]),
            ("timing.spare_slots", ["0", "1", "5"]),
            ("queue_depth", ["1", "3", "16"]),
            ("replay", ["closed", "closed", "timed"]),
            ("speedup", ["1", "0.013", "0.1"]),
        ];
        let clocks = clocks.map(|(key, values)| format!("{key}={}", any(&mut random, &values)));
        let is_timed = clocks.contains(&"replay=timed".into());
        let mut settings = format!(
            "{settings} {map} timing.model=parallel {}",
            clocks.join(" ")
        );
        if is_timed && settings.contains("ftl.pace=paced") {
            let idle = any(&mut random, &["0", "0.001", "40"]);
            settings += &format!(" ftl.idle_cleaning_us={idle}");
        }
        let case = Case::replay(&settings, false, &requests);
        agrees(&case).unwrap_or_else(|what| panic!("{what}"));
    }
}

#[test]
fn a_map_in_flash_counts_as_its_model_and_decides_nothing() {
    let tally = Tally::default();
    let mut random = SplitMix64(seed());
    for _ in 0..400 {
        let (settings, map, requests) = case(&mut random);
        let in_flash = Case::replay(&format!("{settings} {map}"), false, &requests);
        compare(&in_flash).unwrap_or_else(|what| panic!("{in_flash:?}: {what}"));
        let both = [map.as_str(), "ftl.map=ram"].map(|map| {
            let case = Case::replay(&format!("{settings} {map}"), false, &requests);
            Checked::run(&case).unwrap_or_else(|what| panic!("{case:?}: {what}"))
        });
        let [c, in_ram] = &both;
        assert_eq!(without_map(c), without_map(in_ram), "{settings} {map}");
        for (what, happened) in [
            ("hits", c.map_read_hits > 0),
            ("dirty evictions", c.map_dirty_evictions > 0),
            ("clean hits", c.map_clean_hits > 0),
            ("cleaning", c.map_clean_programs > 0),
            ("checkpoints", c.map_sync_programs > 0),
            ("prefetched", c.map_prefetched > 0),
            ("mispredicted", c.map_mispredictions > 0),
            ("from the host", c.map_host_reads > 0),
            ("copied", c.table_copies > 0),
            ("the area is cleaned", c.table_erases > 0),
        ] {
            tally.note(what, happened);
        }
    }
    tally.require(5);
}

/// A mount by the last checkpoint reads fewer spare areas, and finds what a mount by all of them finds.
///
/// Planted bugs: a block that was filled behind the checkpoint, of which one page is read; an entry of a map page that counts
/// as newer than a page programmed behind it; the place of a page in the last place of a block.
#[test]
fn a_checkpoint_says_what_a_scan_finds() {
    let tally = Tally::default();
    let mut random = SplitMix64(0xC4EC);
    for number in 0..300 {
        let (settings, map, requests) = case(&mut random);
        let settings = format!("{settings} {map} ftl.buffer_aware=off");
        let of =
            |sync: u32| Case::replay(&format!("{settings} ftl.map_sync={sync}"), false, &requests);
        let sync = 5 + number % 40;
        let (with, without) = (of(sync), of(0));
        let config = with.config();
        let new = |array| Ok(Recorder::new(array));
        let device = Device::<Recorder<Array<Bytes>>>::fresh_on(&config, &stack(&config), new);
        let mut device = device.expect("a device");
        for request in with.legal_requests() {
            let mut bytes = vec![7; request.size() as usize];
            let served = device.submit(&request, &mut RequestBytes(&mut bytes));
            served.expect("room");
        }
        let checkpoints = device.counters().map_sync_programs > 0;
        let media = device.into_media();
        let [by_checkpoint, by_scan] = [&with, &without].map(|case| {
            let config = case.config();
            let before: u64 = media.iter().map(Recorder::spares_read).sum();
            let mounted = Device::mount(&config, &stack(&config), media.clone());
            let mut device = mounted.unwrap_or_else(|(_, error)| panic!("{settings}: {error}"));
            let spares: u64 = device.media().map(Recorder::spares_read).sum();
            device
                .check()
                .unwrap_or_else(|what| panic!("{settings}, {sync}: {what}"));
            let places: Vec<_> = device.media().flat_map(Recorder::places).copied().collect();
            (spares - before, places, device.erase_counts())
        });
        assert_eq!(by_checkpoint.1, by_scan.1, "{settings}");
        assert_eq!(by_checkpoint.2, by_scan.2, "{settings}");
        tally.note("checkpoints", checkpoints);
        tally.note("fewer spare areas", by_checkpoint.0 < by_scan.0);
        tally.note("not half of them", 2 * by_checkpoint.0 < by_scan.0);
    }
    tally.require(20);
}

/// The device of the closed forms: 4096 pages, 32 map pages of 128 entries.
const LARGE: &str = "flash.page_size=512 flash.pages_per_block=64 flash.capacity=2MiB ftl.kind=page buffer.policy=none \
     timing.model=serial ftl.map_entry=4 drain=false";
const PAGES: u64 = 4096;
const MAP_PAGES: u64 = 32;

/// Serves requests for random pages, so many to warm up, and counts the others.
fn count(
    settings: &str,
    warm: u64,
    then: u64,
    mut op: impl FnMut(&mut SplitMix64) -> Op,
) -> Counters {
    let all = format!("{LARGE} {settings}");
    let config = config(all.split_whitespace());
    let mut device = Device::<Array<()>>::fresh(&config, &stack(&config)).expect("a device");
    let mut random = SplitMix64(7);
    let mut before = Counters::default();
    for number in 0..warm + then {
        if number == warm {
            before = device.counters();
        }
        let op = op(&mut random);
        let page = random.below(PAGES as usize) as u64;
        let request = Request::new(0, op, page * PAGE, PAGE).expect("a request");
        device.submit(&request, &mut NoData).expect("room");
    }
    device.finish().expect("an end");
    device.counters().since(&before)
}

fn assert_near(found: f64, expected: f64, within: f64, what: &str) {
    let off = (found / expected - 1.0).abs();
    assert!(off <= within, "{what}: {found} instead of {expected}");
}

/// No cleaning: more spare blocks than the writes fill.
const NO_CLEANING: &str = "ftl.spare_blocks=4000";

#[test]
fn uniform_references_hit_the_share_that_is_cached() {
    for protected in ["0", "0.5", "0.8"] {
        for cached in [256, 1024] {
            let settings = format!(
                "ftl.map=dftl ftl.map_cache={} ftl.map_protected={protected}",
                8 * cached
            );
            let c = count(&settings, 20_000, 200_000, |_| Op::Read);
            let hits = c.map_read_hits as f64 / 200_000.0;
            let expected = cached as f64 / PAGES as f64;
            assert_near(hits, expected, 0.03, &settings);
        }
    }
    let c = count("ftl.map=pages ftl.map_cache=4096", 1_000, 100_000, |_| {
        Op::Read
    });
    let expected = 8.0 / MAP_PAGES as f64;
    assert_near(c.map_read_hits as f64 / 100_000.0, expected, 0.02, "pages");
}

#[test]
fn changed_entries_are_written_when_they_leave() {
    // the entries leave one by one, and each write has made one of them dirty
    for (cached, share) in [(512.0, 1.0), (1024.0, 0.3)] {
        let settings = format!(
            "{NO_CLEANING} ftl.map=dftl ftl.map_protected=0 ftl.map_batch=false ftl.map_cache={}",
            8.0 * cached
        );
        let (warm, then) = (20_000, 200_000);
        let c = count(&settings, warm, then, |random| {
            match (random.below(10) as f64) < share * 10.0 {
                true => Op::Write,
                false => Op::Read,
            }
        });
        let h = cached / PAGES as f64;
        let expected = (1.0 - h) * share / (1.0 - h * (1.0 - share));
        let found = c.map_dirty_evictions as f64 / then as f64;
        assert_near(found, expected, 0.02, &settings);
    }
    // a map page waits for the next write to one of its pages, and until that entry is evicted
    let cached = 512.0;
    let settings = format!(
        "{NO_CLEANING} ftl.map=dftl ftl.map_protected=0 ftl.map_cache={}",
        8.0 * cached
    );
    let c = count(&settings, 20_000, 200_000, |_| Op::Write);
    let time = -(PAGES as f64) * (1.0 - cached / PAGES as f64).ln();
    let expected = 1.0 / (MAP_PAGES as f64 + time) * MAP_PAGES as f64;
    let found = c.table_programs as f64 / 200_000.0;
    assert_near(found, expected, 0.02, &settings);
}

#[test]
fn each_victim_writes_the_map_pages_of_what_it_moved() {
    let settings = "ftl.spare_blocks=20 ftl.map=dftl ftl.map_cache=8";
    let c = count(settings, 40_000, 100_000, |_| Op::Write);
    let moved = c.flash_copies as f64 / c.gc_victims as f64;
    let m = MAP_PAGES as f64;
    // the mean over victims is near the value of the mean victim
    let expected = m * (1.0 - (1.0 - 1.0 / m).powf(moved));
    let found = c.map_clean_programs as f64 / c.gc_victims as f64;
    assert_near(found, expected, 0.02, settings);
}

#[test]
fn a_cache_for_all_evicts_nothing() {
    for (settings, entries) in [
        (format!("ftl.map=dftl ftl.map_cache={}", 8 * PAGES), PAGES),
        (
            format!("ftl.map=tpftl ftl.map_cache={}", 6 * PAGES + 8 * MAP_PAGES),
            PAGES,
        ),
        (
            format!("ftl.map=pages ftl.map_cache={}", MAP_PAGES * PAGE),
            MAP_PAGES,
        ),
        (
            format!("ftl.map=leaftl ftl.map_cache={}", 8 * MAP_PAGES + 4 * PAGES),
            MAP_PAGES,
        ),
    ] {
        let c = count(&settings, 0, 20_000, |random| match random.below(2) {
            0 => Op::Write,
            _ => Op::Read,
        });
        assert_eq!(c.map_evictions, 0, "{settings}");
        assert!(c.map_loads + c.map_prefetched <= entries, "{settings}");
        assert!(c.map_loads > 0, "{settings}");
    }
}

#[test]
fn a_larger_cache_misses_no_more() {
    for (kind, unit) in [("dftl ftl.map_protected=0", 8), ("pages", PAGE)] {
        let misses = [1, 2, 3, 5, 9, 17, 30].map(|size| {
            let settings = format!(
                "ftl.spare_blocks=20 ftl.map={kind} ftl.map_cache={}",
                size * unit
            );
            let c = count(&settings, 0, 20_000, |random| match random.below(3) {
                0 => Op::Read,
                _ => Op::Write,
            });
            c.map_read_misses + c.map_write_misses
        });
        assert!(misses.is_sorted_by(|less, more| less >= more), "{misses:?}");
        assert!(misses[6] < misses[0], "{misses:?}");
    }
}
