//! The estimates of BAVBS and its choices.
//!
//! Planted bugs that these tests catch: ties that go to the most recent log block; a merge that is aware at equal
//! costs, or unaware but takes dirty pages along; `candidates` that counts from the wrong end, or blocks without an
//! invalid page; a log block without a valid page that erases a data block or counts as a merge; an average over the
//! wrong merges; all logical blocks that go to one free block; pages that all go to the frontier however little is left
//! of it; a block without an invalid page that is moved; the cost of a block instead of that of each page gained.

use ssdlab_device::Reads;
use ssdlab_ftl::BufferAware;
use ssdlab_host::Request;
use ssdlab_testkit::model::{
    Choice, Event, Merge, ModelCleaning, ModelConfig, ModelFtl, ModelPolicy, ModelResult, run,
};

use super::{NO_TIME, bast, config, fast, flushed, is_mapped, moves, timing};
use crate::by_hand::{discards, page_mapping, reads, superblock, writes};

fn choosing(ftl: ModelFtl, policy: ModelPolicy, buffer_pages: u64) -> ModelConfig {
    config(ftl, BufferAware::MergeAndVictim, policy, buffer_pages)
}

fn unbuffered(ftl: ModelFtl) -> ModelConfig {
    choosing(ftl, ModelPolicy::None, 0)
}

fn lru(ftl: ModelFtl, buffer_pages: u64) -> ModelConfig {
    choosing(ftl, ModelPolicy::Lru, buffer_pages)
}

/// GC_BU of each candidate of the first choice.
fn unaware(result: &ModelResult) -> Vec<i128> {
    unaware_of(&result.choices[0])
}

fn unaware_of(choice: &Choice) -> Vec<i128> {
    let costs = choice.candidates.iter().map(|cost| cost.unaware);
    costs.map(|cost| cost / choice.divisor).collect()
}

fn page(cleaning: ModelCleaning) -> ModelFtl {
    ModelFtl::Page(Box::new(page_mapping(cleaning)))
}

fn first_merge(result: &ModelResult) -> Option<&Event> {
    let mut events = result.events.iter();
    events.find(|event| matches!(event, Event::Merged(..)))
}

/// Four copies and two erases for either log block.
#[test]
fn of_equals_the_least_recently_written_one_is_chosen() {
    for (pages, chosen) in [(&[1, 5, 9][..], 0), (&[1, 5, 1, 9], 1)] {
        let result = run(&unbuffered(bast(2)), &writes(pages));
        assert_eq!(unaware(&result), [4 * 121 + 2000; 2]);
        let merge = Event::Merged(Merge::Full, chosen);
        assert_eq!(first_merge(&result), Some(&merge));
    }
}

/// Pages 0 and 2 are dirty, page 2 without a flash copy.
#[test]
fn a_merge_that_costs_the_same_is_not_aware() {
    let mut config = lru(bast(2), 3);
    config.timing = timing(NO_TIME);
    let requests = [flushed(&[1, 5]), discards(&[2]), writes(&[9, 0, 2, 12])];
    let result = run(&config, &requests.concat());
    assert_eq!(first_merge(&result), Some(&Event::Merged(Merge::Full, 0)));
    assert_eq!(moves(&result), [0, 3, 0]);
    assert!(!is_mapped(&result, 2));
}

/// The log block of block 1 has no valid page.
#[test]
fn candidates_are_the_least_recently_written_ones() {
    let requests = [writes(&[1, 5]), discards(&[5]), writes(&[9])].concat();
    let chosen = |candidates| {
        let config = ModelConfig {
            candidates,
            ..unbuffered(bast(2))
        };
        let result = run(&config, &requests);
        (unaware(&result), first_merge(&result).cloned())
    };
    assert_eq!(chosen(0), (vec![2484, 1000], None));
    assert_eq!(chosen(2), (vec![2484, 1000], None));
    let merge = Event::Merged(Merge::Full, 0);
    assert_eq!(chosen(1), (vec![2484], Some(merge)));
}

/// Log block 4 serves block 1 and is merged into block 6, which is in the plane of page 5 alone. Pages 2 and 3 go to
/// log block 5, which is in another plane.
#[test]
fn bast_knows_its_destinations() {
    let mut config = unbuffered(bast(2));
    config.flash.planes = 2;
    config.flash.copy_back = true;
    let result = run(&config, &writes(&[5, 0, 1, 9]));
    let expected = [101 + 3 * 121 + 2000, 2 * 121 + 2000];
    assert_eq!(unaware(&result), expected);
    let blind = ModelConfig {
        weigh_copy_backs: false,
        ..config
    };
    let result = run(&blind, &writes(&[5, 0, 1, 9]));
    assert_eq!(unaware(&result), [4 * 121 + 2000, 2 * 121 + 2000]);
}

/// Two logical blocks go to two free blocks; if SW is in use, the second free block is missing.
#[test]
fn fast_has_a_destination_for_each_logical_block_while_there_are_free_ones() {
    let costs = |pages: &[u64]| {
        let mut config = unbuffered(fast(3, 1));
        config.flash.planes = 2;
        config.flash.copy_back = true;
        unaware(&run(&config, &writes(pages)))
    };
    // 0 to 3 go from blocks 0 and 4 to 6; 4, 6 and 7 go from 1 and 5 to 7, and 5 from 4
    let first = 4 * 101 + (3 * 101 + 121) + 3000;
    let second = 101 + 3 * 121 + 2000;
    assert_eq!(costs(&[1, 5, 1, 5, 6, 6, 6, 6, 9]), [first, second]);
    // to 7 goes 1 from block 5, and none of 0, 2 and 3
    let first = (101 + 3 * 121) + 4 * 121 + 3000;
    let second = 3 * 101 + 121 + 2000;
    assert_eq!(costs(&[8, 1, 5, 1, 5, 6, 6, 6, 6, 13]), [first, second]);
}

/// The frontier, block 4, has room for two of the pages 0, 2 and 3; the third one goes to block 5, in another plane.
#[test]
fn superblock_fills_the_frontier_and_then_the_next_free_block() {
    let mut config = unbuffered(superblock(1, 1, 1));
    config.flash.planes = 2;
    config.flash.copy_back = true;
    let result = run(&config, &writes(&[1, 1, 5]));
    assert_eq!(unaware(&result), [2 * 101 + 121 + 1000]);
}

/// Block 0 has no invalid page. Blocks 1 to 4 have 1, 1, 0 and 2 valid pages; the other blocks have no invalid page.
#[test]
fn page_chooses_among_blocks_with_an_invalid_page() {
    let all = [1121, 1121, 1000, 1242];
    for (candidates, victim) in [(0, 3), (1, 1), (2, 1), (3, 3)] {
        let config = ModelConfig {
            candidates,
            ..unbuffered(page(ModelCleaning::Fifo))
        };
        let pages = [4, 5, 8, 9, 12, 13, 14, 4, 6, 10, 8, 15, 0];
        let result = run(&config, &writes(&pages));
        let among = if candidates == 0 { 4 } else { candidates };
        assert_eq!(unaware(&result), all[..among as usize]);
        assert_eq!(result.events[0], Event::Cleaned(victim));
    }
}

/// Leaves one valid page, the last, in each of the blocks 0 to 3, and one free block.
const ALL_BUT_THE_LAST: [u64; 12] = [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14];

/// Page 3 of block 0 goes to block 7, the only free block. Page 7 of block 1 follows it inside its plane, although the
/// only free block is now block 0.
#[test]
fn page_goes_on_with_the_frontier_of_cleaning() {
    let mut config = unbuffered(page(ModelCleaning::Greedy));
    config.candidates = 1;
    config.flash.planes = 2;
    config.flash.copy_back = true;
    let requests = [writes(&ALL_BUT_THE_LAST), writes(&[0])];
    let result = run(&config, &requests.concat());
    let costs: Vec<_> = result.choices.iter().map(unaware_of).collect();
    assert_eq!(costs, [[121 + 1000], [101 + 1000]]);
}

/// The buffer-aware cost of the first candidate of the last choice, times `denominator`.
fn last_cost(config: &ModelConfig, requests: &[Vec<Request>], denominator: i128) -> i128 {
    let result = run(config, &requests.concat());
    let choice = result.choices.last().unwrap();
    let cost = choice.candidates[0].aware * denominator;
    assert_eq!(cost % choice.divisor, 0);
    cost / choice.divisor
}

/// One page of block 3 is dirty. Earlier there were two full merges of 484 each, a log block without a valid page (no
/// merge), and the switches.
#[test]
fn bast_averages_its_last_16_merges() {
    let cost = |switches: usize, denominator| {
        let requests = [
            flushed(&[1, 5, 9]),
            discards(&[9]),
            flushed(&[13]),
            writes(&[0, 1, 2, 3]).repeat(switches),
            flushed(&[5]),
            writes(&[21, 14, 22]),
        ];
        let mut config = lru(bast(2), 2);
        config.flash.capacity = 6 * 4;
        last_cost(&config, &requests, denominator)
    };
    // 3 * 121 + 110 + 2000 - (110 + C_avg / 4) / 2, where C_avg is 968 / 3, 968 / 16, 484 / 16 and 0
    assert_eq!(cost(1, 3), 7133);
    assert_eq!(cost(14, 16), 38_567);
    assert_eq!(cost(15, 32), 77_255);
    assert_eq!(cost(16, 1), 2418);
}

/// The merge of block 0, whose log block is full, copies three pages and takes page 2 from the buffer, once with a
/// valid flash copy of page 2 and once without.
#[test]
fn the_average_holds_what_came_from_the_buffer() {
    for discarded in [&[][..], &[2]] {
        let requests = [
            discards(discarded),
            flushed(&[1, 1, 1, 1]),
            writes(&[1, 2, 5]),
            flushed(&[5]),
            writes(&[9, 3, 10]),
        ];
        // 3 * 121 + 110 + 2000 - (110 + 473 / 4) / 2
        let cost = last_cost(&lru(bast(2), 2), &requests, 8);
        assert_eq!(cost, 18_871, "{discarded:?}");
    }
}

/// First a reclaim of two logical blocks (968), one of a block without a valid page (no merge), and two switches. Then
/// seven pages are copied and one is dirty.
#[test]
fn fast_averages_reclaims_and_merges_of_its_sequential_block() {
    let mut config = lru(fast(3, 1), 2);
    config.flash.capacity = 6 * 4;
    let requests = [
        flushed(&[1, 5, 1, 5, 9, 13, 9, 13]),
        flushed(&[17, 17, 17, 17]),
        discards(&[17]),
        flushed(&[21, 21, 21, 21]),
        writes(&[0, 1, 2, 3, 0, 1, 2, 3]),
        writes(&[22, 14, 23]),
    ];
    // 7 * 121 + 110 + 3000 - (110 + 968 / 3 / 4) / 2
    assert_eq!(last_cost(&config, &requests, 3), 11_585);
}

/// No page is moved from the first victim, and one page from the second: C_avg is 121 / 2. Then one of the pages 1, 2
/// and 3 is dirty.
#[test]
fn superblock_averages_all_victims() {
    let requests = [
        flushed(&[0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0]),
        writes(&[0, 2, 8]),
    ];
    // 2 * 121 + 110 + 1000 - (110 + 121 / 8) / 2
    assert_eq!(
        last_cost(&lru(superblock(2, 1, 1), 2), &requests, 16),
        20_631
    );
}

/// One page is moved from each of the blocks 0 and 1, and none from block 4: C_avg is 242 / 3. Then page 11, the only
/// one of block 2, is dirty.
#[test]
fn page_averages_all_victims() {
    let requests = [
        flushed(&ALL_BUT_THE_LAST),
        flushed(&[0, 1, 2, 4, 5, 6, 8, 9]),
        writes(&[10, 11, 12]),
    ];
    // 110 + 1000 - (110 + 242 / 3 / 4) / 2
    let cost = last_cost(&lru(page(ModelCleaning::Greedy), 2), &requests, 12);
    assert_eq!(cost, 12_539);
}

/// All pages of block 0 are valid and held clean, so moving it is cheaper than moving the two pages of any other block.
/// Yet it is no candidate, not even as the first block.
#[test]
fn superblock_moves_no_block_without_an_invalid_page() {
    for candidates in [0, 1] {
        let mut config = lru(superblock(2, 2, 1), 5);
        config.buffer.reads = Reads::Cache;
        config.timing.read_ns = 1000;
        config.candidates = candidates;
        let requests = [
            flushed(&[4, 5, 4, 5]),
            writes(&[4]),
            reads(&[0, 1, 2, 3]),
            writes(&[8]),
        ];
        let result = run(&config, &requests.concat());
        assert_eq!(moves(&result), [0, 2, 0]);
        let mut events = result.events.iter();
        let last = events.rfind(|event| matches!(event, Event::Cleaned(_)));
        assert_eq!(last, Some(&Event::Cleaned(1)));
    }
}

/// Cleaning block 0, whose three valid pages are dirty, costs less than cleaning block 1, but block 1 gains two pages
/// and block 0 only one.
#[test]
fn cleaning_weighs_the_cost_of_each_page_gained() {
    let mut config = lru(page(ModelCleaning::Greedy), 4);
    config.flash.capacity = 16 * 4;
    let one_of_each = [8, 12, 16, 20, 24, 28, 32, 36, 40];
    let requests = [
        flushed(&[0, 4, 5]),
        flushed(&one_of_each),
        writes(&[60, 1, 2, 3, 61]),
    ];
    let result = run(&config, &requests.concat());
    let choice = &result.choices[0];
    let cost = |at: usize| choice.candidates[at].aware / choice.divisor;
    assert_eq!([cost(0), cost(1)], [3 * 55 + 1000, 2 * 121 + 1000]);
    assert_eq!((choice.chosen, choice.aware), (1, false));
    let mut events = result.events.iter();
    let cleaned = events.find(|event| matches!(event, Event::Cleaned(_)));
    assert_eq!(cleaned, Some(&Event::Cleaned(1)));
}
