//! The clustering placements of the reference model on examples worked out by hand. Pages have one byte; times are
//! nanoseconds of the trace, unless a test says otherwise. The block of a page shows its region, as blocks come from
//! the free list one after another.
//!
//! Each test names the planted bugs that it catches.

use ssdlab_device::{Interleave, PartialWrites, Precondition, Timing};
use ssdlab_ftl::Clock;
use ssdlab_host::{Op, Request};
use ssdlab_testkit::model::{
    Event, ModelCleaning, ModelConfig, ModelFtl, ModelMap, ModelPage, ModelPlacement, ModelPolicy,
    ModelResult, run,
};

use crate::by_hand::{page_mapping, victims};

/// The fewest spare blocks, and region boundaries at 10, 20 and so on.
fn page(placement: ModelPlacement, regions: u64, ram_bytes: u64) -> ModelPage {
    let mut page = ModelPage {
        placement,
        stable: (1..=regions).map(|region| 10 * region).collect(),
        ram_bytes,
        clock: Clock::Trace,
        ..page_mapping(ModelCleaning::Greedy)
    };
    page.spare_blocks = page.gc_low + page.frontiers() + 1;
    page
}

/// A full device that keeps the pages in RAM at the end. Only accesses to RAM take time.
fn device(page: ModelPage, pages_per_block: u32, logical_blocks: u64) -> ModelConfig {
    let (ftl, policy) = (ModelFtl::Page(Box::new(page)), ModelPolicy::None);
    let mut config =
        ModelConfig::with_pages_of_a_byte(pages_per_block, logical_blocks, ftl, policy);
    config.drain = false;
    config.timing = Timing {
        read_ns: 0,
        program_ns: 0,
        erase_ns: 0,
        transfer_ns: 0,
        buffer_ns: 1,
        ..config.timing.clone()
    };
    config
}

/// One logical block of 16 pages, and so many spare blocks that none is cleaned.
fn one_block(placement: ModelPlacement, ram_bytes: u64) -> ModelConfig {
    device(page(placement, 3, ram_bytes), 16, 1)
}

fn request(time: u64, op: Op, page: u64) -> Request {
    Request::new(time, op, page, 1).unwrap()
}

fn writes(pages: &[(u64, u64)]) -> Vec<Request> {
    let write = |&(time, page): &(u64, u64)| request(time, Op::Write, page);
    pages.iter().map(write).collect()
}

/// Discards some pages at time 0, then writes pages.
fn discarded_and_written(discarded: &[u64], pages: &[(u64, u64)]) -> Vec<Request> {
    let discard = |&page: &u64| request(0, Op::Discard, page);
    let discards = discarded.iter().map(discard);
    discards.chain(writes(pages)).collect()
}

fn place(result: &ModelResult, lpn: u64) -> Option<(u64, u64)> {
    let ModelMap::Places(places) = &result.map else {
        panic!("page mapping has places");
    };
    places[lpn as usize]
}

/// The block of each of the first pages; `None`: in RAM.
fn blocks<const PAGES: usize>(result: &ModelResult) -> [Option<u64>; PAGES] {
    std::array::from_fn(|lpn| place(result, lpn as u64).map(|(pbn, _)| pbn))
}

fn evicted(result: &ModelResult) -> Vec<u64> {
    victims(result).concat()
}

/// Planted bugs: an update at the longest time of a region that fits; one at the shortest that is fast; a page that
/// leaves the hottest region for one above, or that is never slow there; a negative stable time that is huge.
#[test]
fn dac_moves_pages_by_half_open_intervals() {
    let config = one_block(ModelPlacement::Dac, 0);
    // fast in region 1: all but the last two go to region 2, block 1; those two fit and are slow, in region 1, block 2
    let first = [(19, 0), (19, 1), (19, 2), (19, 3), (19, 4), (19, 5)];
    let later = [
        (20, 6),
        (30, 7),
        // after 9: fast, to region 3, block 3; after 10 and 19: fits; after 20: slow
        (28, 0),
        (28, 4),
        (29, 1),
        (38, 2),
        (39, 3),
        // in region 3 after 9 and 10: one fits, one is slow
        (37, 0),
        (38, 4),
        // after -14, that is 0: fast
        (5, 5),
    ];
    let result = run(&config, &writes(&[&first[..], &later].concat()));
    let expected = [3, 1, 1, 2, 1, 3, 2, 2];
    assert_eq!(blocks(&result), expected.map(Some));
    assert_eq!(result.counters.buffer_write_misses, 0);
    assert_eq!(result.counters.elapsed_ns, 0);
}

/// Planted bug: a discarded page that goes on where it was.
#[test]
fn a_page_that_was_discarded_is_new() {
    let config = |placement| one_block(placement, 4);
    let requests = discarded_and_written(&[0], &[(1, 1), (2, 0)]);
    // page 1 is in region 2, and page 0, as if it were slow, in region 1
    let result = run(&config(ModelPlacement::Dac), &requests);
    assert_eq!(blocks(&result), [Some(2), Some(1)]);
    let result = run(&config(ModelPlacement::DacPlus), &requests);
    assert_eq!(blocks(&result), [Some(2), Some(1)]);
    let result = run(&config(ModelPlacement::Deb), &requests);
    assert_eq!(blocks(&result), [None, Some(1)]);
    // in region 2, then discarded: the next update does not count as the second fast one
    let requests = [(1, Op::Write), (2, Op::Discard), (3, Op::Write)];
    let requests = requests.map(|(time, op)| request(time, op, 0));
    let result = run(&config(ModelPlacement::Dac), &requests);
    assert_eq!(blocks(&result), [Some(2)]);
}

/// Before the last write the blocks 3 (of region 2), 4, 5 and 6 (of region 3) hold page 8, 0, 4 and 1; one block is
/// free. Planted bugs: the region of an update looked up after the cleaning that it causes, which moves the page down;
/// copies that stay in their region; a frontier opened by cleaning that is passed over.
#[test]
fn cleaning_moves_pages_to_the_next_colder_region() {
    let mut config = device(page(ModelPlacement::Dac, 3, 0), 4, 3);
    config.precondition = Precondition::Empty;
    let new: Vec<_> = (0..12).map(|page| (1, page)).collect();
    let second = [(2, 0), (2, 1), (2, 4), (2, 8)];
    let third = [(3, 0), (3, 1), (3, 4), (3, 4)];
    let further = [(4, 1), (4, 4), (4, 1), (4, 1)];
    let last = [(5, 1), (5, 1), (5, 1), (5, 1), (30, 0)];
    let written = [&new[..], &second, &third, &further, &last].concat();
    let result = run(&config, &writes(&written));
    assert_eq!(result.events, [3, 4, 5].map(Event::Cleaned));
    // region 1 has taken block 7, region 2 block 3, which page 0 joins twice: copied, then as slow in region 3
    assert_eq!(place(&result, 8), Some((7, 0)));
    assert_eq!(place(&result, 4), Some((3, 1)));
    assert_eq!(place(&result, 0), Some((3, 2)));
    assert_eq!(result.counters.flash_copies, 3);
}

/// Planted bugs: RAM in order of entry; a slow page that leaves RAM; a page that enters RAM from the coldest region.
#[test]
fn dac_plus_keeps_the_hottest_region_in_ram() {
    let config = device(page(ModelPlacement::DacPlus, 3, 2), 16, 1);
    // the first three pass region 2; page 0 is updated once more, so page 1 makes room for page 2
    let warm = [(1, 0), (1, 1), (1, 2)];
    let hot = [(2, 0), (3, 1), (4, 0), (5, 2), (99, 0)];
    let result = run(&config, &writes(&[&warm[..], &hot].concat()));
    assert_eq!(evicted(&result), [1]);
    assert_eq!(blocks(&result), [None, Some(1), None]);
    assert_eq!(place(&result, 1), Some((1, 3)));
    assert_eq!(result.counters.buffer_write_hits, 2);
    assert_eq!(result.counters.buffer_write_misses, 6);
    assert_eq!(result.counters.flash_programs, 3 + 1);
    // three entries and two hits; pages that go to flash take no buffer access
    assert_eq!(result.counters.elapsed_ns, 5);
}

/// Pages 0, 4, 8 and 12 share block 4, and all but 0 have left it for RAM and then for block 5, when page 0 asks for
/// room in RAM and so for a further block. Planted bug: it enters before there is room, so that its old copy need not
/// be moved.
#[test]
fn dac_plus_makes_room_before_a_page_enters() {
    let config = device(page(ModelPlacement::DacPlus, 2, 1), 4, 4);
    let slow = [(50, 0), (50, 4), (50, 8), (50, 12)];
    let fast = [(51, 4), (51, 8), (51, 12)];
    let last = [(51, 1), (51, 5), (52, 0)];
    let result = run(&config, &writes(&[&slow[..], &fast, &last].concat()));
    let cleaned = [4, 0].map(Event::Cleaned);
    let evicted = [4, 8, 12].map(|page| Event::Evicted(vec![page]));
    assert_eq!(result.events, [&evicted[..], &cleaned].concat());
    assert_eq!(result.counters.flash_copies, 3);
    assert_eq!(place(&result, 12), Some((6, 3)));
    assert_eq!(place(&result, 0), None);
}

/// Planted bugs: the EBR after a single fast update; an update that fits, is slow, or happens in the EBR, and leaves
/// the page fast; a fast update in the hottest region.
#[test]
fn deb_takes_pages_updated_fast_twice() {
    let config = one_block(ModelPlacement::Deb, 8);
    let pages = [
        // region 2, then the EBR, where it stays
        (1, 0),
        (2, 0),
        (33, 0),
        // region 2, fits there, then region 3 and nothing hotter
        (1, 1),
        (12, 1),
        (13, 1),
        (14, 1),
        // region 2, slow to region 1, then region 2
        (1, 2),
        (22, 2),
        (23, 2),
        // region 2, and so block 1
        (1, 3),
    ];
    let result = run(&config, &writes(&pages));
    assert_eq!(blocks(&result), [None, Some(2), Some(1), Some(1)]);
    assert!(evicted(&result).is_empty());
    assert_eq!(result.counters.buffer_write_hits, 1);
    assert_eq!(result.counters.elapsed_ns, 2);
}

/// Planted bugs: the region of a page by how long it was in RAM, or one off at a boundary; write-backs in order of
/// entry, down to `ram`, or to less than half; an old page that is lost or that goes to the hottest region.
#[test]
fn deb_writes_the_oldest_half_back() {
    let config = one_block(ModelPlacement::Deb, 5);
    let pages = [
        (5, 3),
        (9, 0),
        (20, 1),
        (30, 2),
        (31, 3),
        (40, 4),
        // six pages; two of them stay
        (40, 5),
    ];
    let result = run(&config, &discarded_and_written(&[0, 1, 2, 3, 4, 5], &pages));
    assert_eq!(evicted(&result), [0, 1, 2, 3]);
    // after 31 and 20: region 1; 10: region 2; 9: region 3
    let expected = [Some(1), Some(1), Some(2), Some(3), None, None];
    assert_eq!(blocks(&result), expected);
    let counters = &result.counters;
    assert_eq!(counters.evictions, 4);
    assert_eq!(counters.evicted_dirty_pages, 4);
    assert_eq!(counters.flash_programs, 4);
}

/// Planted bug: the earliest time decides, or among equal times the lowest page.
#[test]
fn the_oldest_page_is_the_least_recently_updated_whatever_the_times() {
    let config = one_block(ModelPlacement::Deb, 4);
    let pages = [(7, 2), (7, 1), (3, 3), (9, 0), (9, 4)];
    let result = run(&config, &discarded_and_written(&[0, 1, 2, 3, 4], &pages));
    assert_eq!(evicted(&result), [2, 1, 3]);
}

/// Pages 0 and 1 reach the EBR after two fast updates, page 2 as a new one; page 1 is updated there once more. All are
/// written back to region 2, as 13 or 12 have gone by. Then time goes back, so that a fast update of them is possible.
/// Planted bugs: a write-back that counts as an update, or that forgets that the last one was fast; an update in the
/// EBR, or a first write, that is fast.
#[test]
fn a_write_back_is_no_update() {
    let config = one_block(ModelPlacement::Deb, 3);
    let warm = [(1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 1)];
    let back = [(15, 9), (8, 0), (8, 1), (8, 2)];
    let pages = [&warm[..], &back].concat();
    let result = run(&config, &discarded_and_written(&[2, 9], &pages));
    assert_eq!(evicted(&result), [0, 2, 1]);
    // pages 1 and 2 go to region 3
    assert_eq!(blocks(&result), [None, Some(2), Some(2)]);
}

/// A block of 4 pages: pages 0, 1 and 2 go to region 2 at time 1, where 1 and 2 fill the blocks 1 to 4 in turn.
fn fill_region_2() -> Vec<(u64, u64)> {
    let mut pages = vec![(1, 0), (1, 1), (1, 2)];
    for round in 0..4 {
        pages.push((11 * round + 11, 1));
        pages.push((11 * round + 12, 2));
    }
    pages.extend([(55, 1), (56, 2), (66, 1), (67, 2), (77, 1)]);
    pages
}

fn fifo(ram_bytes: u64) -> ModelConfig {
    let page = ModelPage {
        cleaning: ModelCleaning::Fifo,
        ..page(ModelPlacement::Deb, 3, ram_bytes)
    };
    device(page, 4, 1)
}

/// Cleaning moves page 3 from block 0 to block 5, of region 1, and page 0 from block 1 after it. Planted bugs: a copy
/// that counts as an update, or that forgets that the last one was fast.
#[test]
fn cleaning_is_no_update() {
    let pages = [&fill_region_2()[..], &[(78, 2), (79, 3), (15, 0)]].concat();
    let result = run(&fifo(4), &writes(&pages));
    assert_eq!(result.events, [0, 1].map(Event::Cleaned));
    assert_eq!(result.counters.flash_copies, 2);
    // slow after 79; fast after 14, for the second time
    assert_eq!(place(&result, 3), Some((5, 2)));
    assert_eq!(place(&result, 0), None);
}

/// Page 0 is written back at once, which cleans block 1 where its old copy lies. Planted bugs: room made before the
/// page enters, while the copy is still to be moved; RAM for less than a page that holds one.
#[test]
fn deb_makes_room_after_a_page_has_entered() {
    let pages = [&fill_region_2()[..], &[(5, 0)]].concat();
    let result = run(&fifo(0), &writes(&pages));
    let cleaned = [0, 1].map(Event::Cleaned);
    assert_eq!(
        result.events,
        [&[Event::Evicted(vec![0])][..], &cleaned].concat()
    );
    assert_eq!(result.counters.flash_copies, 1);
    assert_eq!(place(&result, 0), Some((0, 0)));
}

/// RAM has room for eight pages; above three, all but one leave. Planted bugs: pages that leave only when RAM is full, or
/// until half of its size is left.
#[test]
fn deb_writes_back_from_its_threshold_to_half_of_it() {
    let mut page = page(ModelPlacement::Deb, 3, 8);
    page.ram_threshold = Some(3);
    let pages = [(1, 0), (2, 1), (3, 2), (4, 3)];
    let mut config = device(page, 16, 1);
    config.precondition = Precondition::Empty;
    assert!(evicted(&run(&config, &writes(&pages[..3]))).is_empty());
    assert_eq!(evicted(&run(&config, &writes(&pages))), [0, 1, 2]);
}

/// Pages 0 and 1 pass region 2, block 1, into RAM, where page 0 is updated last at 3 and page 1 at 2; page 2 opens
/// region 1, block 2, at 40. Planted bugs: a drain in order of entry; one of `dac+` that ignores the intervals, or that
/// seeks the region in RAM; one by the clock of the latest request and not of the last.
#[test]
fn the_end_drains_by_the_intervals() {
    let pages = [(1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (40, 2)];
    let drained = |placement, last| {
        let mut config = one_block(placement, 8);
        config.drain = true;
        let last = Request::new(last, Op::Flush, 0, 0).unwrap();
        let result = run(&config, &[&writes(&pages)[..], &[last]].concat());
        assert_eq!(evicted(&result), [1, 0]);
        assert_eq!(result.counters.evicted_dirty_pages, 2);
        blocks(&result)
    };
    let dac_plus = |last| drained(ModelPlacement::DacPlus, last);
    assert_eq!(dac_plus(2), [Some(1), Some(1)]);
    assert_eq!(dac_plus(12), [Some(1), Some(1)]);
    assert_eq!(dac_plus(22), [Some(1), Some(2)]);
    let deb = |last| drained(ModelPlacement::Deb, last);
    assert_eq!(deb(2), [Some(3), Some(3)]);
    assert_eq!(deb(12), [Some(3), Some(1)]);
    assert_eq!(deb(22), [Some(1), Some(2)]);
}

/// Planted bugs: a flush that writes RAM; a discard that leaves the page in RAM or counts; a page in RAM that is read
/// to be modified; read misses that take a buffer access without a buffer.
#[test]
fn pages_in_ram_count_as_buffer_pages() {
    let mut config = one_block(ModelPlacement::Deb, 80);
    config.flash.page_size = 10;
    config.flash.capacity *= 10;
    config.partial_writes = PartialWrites::Rmw;
    config.drain = true;
    config.precondition = Precondition::Empty;
    let whole = |op, page: u64| Request::new(0, op, 10 * page, 10).unwrap();
    let requests = [
        whole(Op::Write, 0),
        Request::new(0, Op::Write, 3, 2).unwrap(),
        whole(Op::Read, 0),
        Request::new(0, Op::Flush, 0, 0).unwrap(),
        whole(Op::Discard, 0),
        whole(Op::Read, 0),
    ];
    let counters = run(&config, &requests).counters;
    assert_eq!(counters.buffer_write_misses, 1);
    assert_eq!(counters.buffer_write_hits, 1);
    assert_eq!(counters.buffer_read_hits, 1);
    assert_eq!(counters.buffer_read_misses, 1);
    assert_eq!(counters.unmapped_reads, 1);
    assert_eq!(counters.flash_reads + counters.flash_programs, 0);
    assert_eq!(counters.evictions + counters.evicted_dirty_pages, 0);
    assert_eq!(counters.elapsed_ns, 3);
    // a read buffer beside it takes the pages that are read from flash, not those in RAM
    let config = ModelConfig {
        read_policy: ModelPolicy::Lru,
        ..config
    };
    let reads = [whole(Op::Read, 0), whole(Op::Read, 0)];
    let counters = run(&config, &[&requests[..], &reads].concat()).counters;
    assert_eq!(counters.buffer_read_hits, 1 + 2);
    assert_eq!(counters.buffer_read_misses, 1);
    assert_eq!(counters.elapsed_ns, 3 + 1 + 2);
}

/// Planted bugs: RAM shared out between the chips; a page that leaves RAM under its number on the chip.
#[test]
fn each_chip_has_its_ram() {
    let mut config = one_block(ModelPlacement::Deb, 2);
    config.flash.channels = 2;
    config.flash.interleave = Interleave::Page;
    config.flash.capacity *= 2;
    config.precondition = Precondition::Empty;
    let result = run(&config, &writes(&[(1, 0), (2, 1), (3, 2), (4, 3)]));
    assert!(evicted(&result).is_empty());
    let result = run(
        &config,
        &writes(&[(1, 0), (2, 1), (3, 2), (4, 3), (5, 5), (6, 5)]),
    );
    assert_eq!(evicted(&result), [1, 3]);
    assert_eq!(result.counters.buffer_write_hits, 1);
}

/// Pages 8 and 9 leave RAM as soon as both are there; page 10 stays and is written again. So four pages are written
/// before page 0, and five before page 1. Planted bugs: a clock that stands still in RAM, or that runs with
/// write-backs.
#[test]
fn the_clock_of_writes_counts_those_in_ram_but_no_write_backs() {
    let page = ModelPage {
        stable: vec![2, 5, 7],
        clock: Clock::Writes,
        ..page(ModelPlacement::Deb, 3, 1)
    };
    let pages = [8, 9, 10, 10, 0, 1].map(|page| (0, page));
    let requests = discarded_and_written(&[8, 9, 10], &pages);
    let result = run(&device(page, 16, 1), &requests);
    assert_eq!(evicted(&result), [8, 9]);
    // fast, to region 2; fits in region 1
    assert_eq!(blocks(&result), [Some(2), Some(3)]);
}
