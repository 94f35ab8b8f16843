//! The rule of BABM: merges and cleaning take pages from the buffer.
//!
//! Planted bugs that these tests catch: a page being written or aged that counts as held; later pages of a victim that
//! are no longer seen, or written although a merge has cleaned them (and not written although they are padded); a page
//! cleaned by a merge that is aged all the same; the offsets of a partial merge taken for those of the block, or only
//! pages with a valid flash copy taken along; a switch, superblock or page mapping that take pages along; the read
//! buffer asked; the numbers of a chip's pages taken for the buffer's.

use ssdlab_device::{Interleave, Precondition, Reads};
use ssdlab_ftl::BufferAware;
use ssdlab_host::{Op, Request};
use ssdlab_policy::buffer::Padding;
use ssdlab_testkit::model::{ModelCleaning, ModelConfig, ModelFtl, ModelPolicy, run};

use super::{NO_TIME, bast, config, fast, flushed, is_mapped, moves, timing};
use crate::by_hand::{discards, page_mapping, reads, superblock, writes};

fn aware(ftl: ModelFtl, policy: ModelPolicy, buffer_pages: u64) -> ModelConfig {
    config(ftl, BufferAware::Merge, policy, buffer_pages)
}

fn lru(ftl: ModelFtl, buffer_pages: u64) -> ModelConfig {
    aware(ftl, ModelPolicy::Lru, buffer_pages)
}

/// The log block of block 0 is full and out of order, so that its next write merges it.
fn full_log() -> Vec<Request> {
    flushed(&[1, 1, 1, 1])
}

/// Pages 1 to 3 of block 0 are the least recent; 1 is written, 2 held clean and 3 dirty when block 0 is merged.
#[test]
fn a_merge_takes_from_the_buffer_what_cannot_be_copied_back() {
    let moved = |copy_back| {
        let mut config = lru(bast(2), 3);
        config.flash.copy_back = copy_back;
        config.buffer.reads = Reads::Cache;
        let requests = [
            full_log(),
            writes(&[1]),
            reads(&[2]),
            writes(&[3, 8]),
            // page 2 goes, then page 3, which is clean
            writes(&[9, 10]),
        ];
        let result = run(&config, &requests.concat());
        assert_eq!(result.counters.evicted_clean_pages, 2);
        moves(&result)
    };
    assert_eq!(moved(false), [2, 2, 0]);
    assert_eq!(moved(true), [1, 0, 3]);
}

/// Page 2 was discarded, so a read of it brings in a blank page.
#[test]
fn a_clean_page_without_a_flash_copy_is_not_moved() {
    let mut config = lru(bast(2), 3);
    config.buffer.reads = Reads::Cache;
    let requests = [
        discards(&[2]),
        full_log(),
        writes(&[1]),
        reads(&[2]),
        writes(&[3, 8]),
    ];
    let result = run(&config, &requests.concat());
    assert_eq!(moves(&result), [1, 2, 0]);
    assert!(!is_mapped(&result, 2));
}

/// Page 2 is in the read buffer.
#[test]
fn the_read_buffer_holds_nothing() {
    let mut config = lru(bast(2), 2);
    config.read_policy = ModelPolicy::Lru;
    config.read_buffer_size = 4;
    let requests = [full_log(), writes(&[1]), reads(&[2]), writes(&[3, 8])];
    let result = run(&config, &requests.concat());
    assert_eq!(moves(&result), [1, 3, 0]);
}

/// Page 1 of the victim (pages 1 and 2) causes the merge, which takes page 2 too, although it has no flash copy.
#[test]
fn later_pages_of_a_victim_are_seen() {
    let padded = ModelPolicy::Bplru {
        padding: Padding::Mapped,
        compensation: false,
    };
    for (policy, programs) in [(ModelPolicy::Blru, 5), (padded, 6)] {
        let mut config = aware(bast(2), policy, 4);
        config.precondition = Precondition::Empty;
        let requests = [full_log(), writes(&[1, 2, 4, 5, 8])];
        let result = run(&config, &requests.concat());
        assert_eq!(moves(&result), [1, 1, 0]);
        assert_eq!(result.counters.evicted_dirty_pages, 5);
        assert_eq!(result.counters.evicted_clean_pages, 1);
        assert_eq!(result.counters.flash_programs, programs);
    }
}

/// Page 1 is written because of its age and so copied; the merge cleans page 2 before its turn comes.
#[test]
fn a_page_being_aged_is_not_held() {
    let mut config = lru(bast(2), 8);
    config.drain = true;
    config.buffer.flush_age_ns = 10;
    let late = Request::new(10, Op::Read, 15, 1).unwrap();
    let requests = [full_log(), writes(&[1, 2]), vec![late]];
    let result = run(&config, &requests.concat());
    assert_eq!(moves(&result), [1, 3, 0]);
    assert_eq!(result.counters.aged_pages, 1);
    assert_eq!(result.counters.evicted_dirty_pages, 4);
}

/// The log block holds pages 0 and 1. Page 1 is dirty again and stays so; page 3 has no flash copy, and the merge takes
/// it too.
#[test]
fn a_partial_merge_takes_what_it_fills() {
    let mut config = lru(bast(1), 3);
    config.precondition = Precondition::Empty;
    let requests = [flushed(&[0, 1]), writes(&[4, 1, 3, 8])];
    let result = run(&config, &requests.concat());
    assert_eq!(result.counters.partial_merges, 1);
    assert_eq!(moves(&result), [1, 0, 0]);
    assert!(is_mapped(&result, 3));
    config.drain = true;
    let result = run(&config, &requests.concat());
    assert_eq!(result.counters.evicted_clean_pages, 1);
}

/// Page 1, discarded and dirty again, is a hole when its block is switched.
#[test]
fn a_switch_takes_nothing() {
    let requests = [flushed(&[0, 1, 2]), discards(&[1]), writes(&[3, 1, 8])];
    let result = run(&lru(bast(2), 2), &requests.concat());
    assert_eq!(result.counters.switch_merges, 1);
    assert_eq!(moves(&result), [0, 0, 0]);
    assert!(!is_mapped(&result, 1));
}

/// SW holds pages 0 and 1 when page 8 needs SW. Its merge uses the buffer even if BAVBS prefers no buffer-aware merge.
#[test]
fn fast_completes_its_sequential_block_from_the_buffer() {
    for aware in [BufferAware::Merge, BufferAware::MergeAndVictim] {
        let mut config = lru(fast(3, 1), 2);
        config.aware = aware;
        config.timing = timing(NO_TIME);
        let requests = [flushed(&[0, 1]), writes(&[8, 3, 12])];
        let result = run(&config, &requests.concat());
        assert_eq!(result.counters.partial_merges, 1);
        assert_eq!(moves(&result), [1, 1, 0]);
    }
}

/// Page 1 was written again, so SW cannot be completed.
#[test]
fn fast_merges_its_sequential_block_with_all_that_is_dirty() {
    let requests = [flushed(&[0, 1, 1]), discards(&[2]), writes(&[8, 2, 3, 12])];
    for aware in [BufferAware::Merge, BufferAware::MergeAndVictim] {
        let mut config = lru(fast(3, 1), 3);
        config.aware = aware;
        config.timing = timing(NO_TIME);
        let result = run(&config, &requests.concat());
        assert_eq!(result.counters.full_merges, 1);
        assert_eq!(moves(&result), [2, 2, 0]);
        assert!(is_mapped(&result, 2));
    }
}

/// A full log block that was not chosen.
#[test]
fn bast_merges_a_full_log_block_aware_whatever_bavbs_thinks() {
    let mut config = lru(bast(2), 2);
    config.aware = BufferAware::MergeAndVictim;
    config.timing = timing(NO_TIME);
    let requests = [full_log(), writes(&[1, 3, 8])];
    let result = run(&config, &requests.concat());
    assert_eq!(moves(&result), [1, 3, 0]);
    assert_eq!(result.choices, []);
}

/// The data block has only page 3 left, which is dirty; page 1 has no flash copy.
#[test]
fn superblock_takes_nothing_along() {
    let requests = [
        discards(&[1]),
        flushed(&[0, 2, 0, 2]),
        writes(&[0, 1, 3, 8]),
    ];
    let result = run(&lru(superblock(2, 1, 1), 3), &requests.concat());
    assert_eq!(result.counters.gc_victims, 1);
    assert_eq!(moves(&result), [1, 0, 0]);
    assert!(!is_mapped(&result, 1));
}

/// Block 1 has only page 7 left, which is dirty; page 5 has no flash copy. Then pages 1 (the current write) and 3 are
/// copied from block 0.
#[test]
fn page_takes_nothing_along() {
    let page = page_mapping(ModelCleaning::Greedy);
    let requests = [
        discards(&[5]),
        flushed(&[4, 6, 8, 10, 12, 14, 0, 2, 4, 8, 12, 0]),
        writes(&[1, 5, 7, 9]),
    ];
    let result = run(&lru(ModelFtl::Page(Box::new(page)), 3), &requests.concat());
    assert_eq!(result.counters.gc_victims, 2);
    assert_eq!(moves(&result), [1, 2, 0]);
    assert!(!is_mapped(&result, 5));
}

/// Chip 0 merges pages 0, 2, 4 and 6; page 2 is being written and 4 is dirty. Chip 1 has pages 1 and 3.
#[test]
fn each_chip_sees_its_own_pages() {
    let mut config = lru(bast(2), 4);
    config.flash.channels = 2;
    config.flash.interleave = Interleave::Page;
    config.drain = true;
    let requests = [flushed(&[2, 2, 2, 2]), writes(&[2, 1, 3, 4, 15])];
    let result = run(&config, &requests.concat());
    assert_eq!(moves(&result), [1, 3, 0]);
    assert_eq!(result.counters.evicted_clean_pages, 1);
}
