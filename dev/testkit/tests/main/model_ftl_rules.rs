//! The FTLs of the reference model on examples worked out by hand, for rules that the counters of the cases do not
//! show: which block is chosen, and the order of erases. Blocks have 4 pages.
//!
//! Planted bugs that these tests catch: `fast` that erases SW before the data block in a reclaim, or that takes offset
//! 1 after SW for a random write; a fold of the chain that was written last; a shrink that counts the write under way;
//! a replacement block that counts as copied though nothing was; ages that a discard does not renew.

use ssdlab_testkit::model::{
    BlockKind, Event, Merge, ModelCleaning, ModelConfig, ModelFtl, ModelPolicy, ModelResult, run,
};

use crate::by_hand::{blocks, discards, page_mapping, superblock, writes};

fn config(ftl: ModelFtl, logical_blocks: u64) -> ModelConfig {
    ModelConfig::with_pages_of_a_byte(4, logical_blocks, ftl, ModelPolicy::None)
}

/// The result of single-page writes on a full device.
fn written(ftl: &ModelFtl, logical_blocks: u64, pages: &[u64]) -> ModelResult {
    run(&config(ftl.clone(), logical_blocks), &writes(pages))
}

fn merged(kind: Merge, blocks: &[u64]) -> Vec<Event> {
    let event = |&lbn: &u64| Event::Merged(kind, lbn);
    blocks.iter().map(event).collect()
}

/// Figure 1 of the BAGC paper, except that page 0 is in SW: eight migrations and four erases.
#[test]
fn fast_reclaims_as_in_figure_1_of_the_bagc_paper() {
    let ftl = blocks(BlockKind::Fast, 3, 2);
    // L0 is block 2, SW block 3, L1 block 4; the last write finds both random log blocks full
    let result = written(&ftl, 2, &[1, 6, 2, 3, 0, 7, 5, 7, 5, 6]);
    assert_eq!(result.events, merged(Merge::Full, &[0, 1]));
    assert_eq!(result.counters.flash_copies, 8);
    assert_eq!(result.counters.erases, 4);
    // data block 0 and SW, data block 1, L0; the new random log block was data block 0
    assert_eq!(result.free, [[3, 1, 2]]);
}

#[test]
fn fast_completes_or_switches_its_sequential_log_block() {
    let ftl = blocks(BlockKind::Fast, 2, 1);
    let sequential = written(&ftl, 2, &[0, 1, 2, 3]);
    assert_eq!(sequential.events, merged(Merge::Switch, &[0]));
    let interrupted = written(&ftl, 2, &[0, 1, 4]);
    assert_eq!(interrupted.events, merged(Merge::Partial, &[0]));
    assert_eq!(interrupted.counters.flash_copies, 2);
    // page 1 goes to a random log block, because SW is past it, and a page of SW becomes invalid
    let rewritten = written(&ftl, 2, &[0, 1, 1, 4]);
    assert_eq!(rewritten.events, merged(Merge::Full, &[0]));
    // SW is erased before the data block
    assert_eq!(rewritten.free, [[0]]);
    assert_eq!(rewritten.counters.flash_copies, 4);
}

#[test]
fn block_closes_what_a_write_has_passed() {
    let ftl = blocks(BlockKind::Block, 1, 0);
    let sequential = written(&ftl, 2, &[0, 1, 2, 3]);
    assert_eq!(sequential.events, merged(Merge::Switch, &[0]));
    // pages 0, 2 and 3 are copied in turn: 0 when the block opens, 2 in between
    let gaps = written(&ftl, 2, &[1, 3]);
    assert_eq!(gaps.events, merged(Merge::Partial, &[0]));
    assert_eq!(gaps.counters.flash_copies, 2);
    // page 1 again: pages 2 and 3 close the first replacement block, page 0 opens the second
    let again = written(&ftl, 2, &[1, 1]);
    assert_eq!(again.events, merged(Merge::Partial, &[0]));
    assert_eq!(again.counters.flash_copies, 1 + 2 + 1);
    // block 1 takes the only slot
    let other = written(&ftl, 2, &[1, 4]);
    assert_eq!(other.events, merged(Merge::Partial, &[0]));
}

/// If no page is valid, none is copied: this is a switch, even with a hole.
#[test]
fn block_switches_if_nothing_was_copied() {
    let ftl = blocks(BlockKind::Block, 1, 0);
    let requests = [discards(&[0]), writes(&[1, 2, 3])];
    let result = run(&config(ftl, 2), &requests.concat());
    assert_eq!(result.events, merged(Merge::Switch, &[0]));
}

#[test]
fn replacement_folds_the_longest_chain_or_the_least_recently_written_one() {
    let ftl = blocks(BlockKind::Replacement, 2, 1);
    // chains of two blocks each; page 1 finds room in the chain of block 0, so block 1 was written less recently
    let result = written(&ftl, 3, &[0, 4, 1, 8]);
    assert_eq!(result.events, merged(Merge::Full, &[1]));
    // the data block is erased before the replacement block, which then serves block 2
    assert_eq!(result.free, [[4]]);
    let longest = written(&ftl, 3, &[4, 4, 0]);
    assert_eq!(longest.events, merged(Merge::Full, &[1]));
    assert_eq!(longest.counters.erases, 3);
}

#[test]
fn superblock_shrinks_the_least_recently_written_one() {
    let ftl = superblock(2, 1, 2);
    // superblocks 0 and 1 fill an update block each; then 0 needs a second one, and is itself the least recent
    let result = written(&ftl, 3, &[0, 1, 2, 3, 4, 5, 6, 7, 0]);
    assert_eq!(result.events, [Event::Cleaned(0)]);
    assert_eq!(result.counters.switch_merges, 1);
    assert_eq!(result.counters.gc_victims, 1);
}

#[test]
fn superblock_compacts_before_it_asks_for_the_pool() {
    let ftl = superblock(2, 1, 1);
    // the pool is exhausted too; superblock 0 was written less recently; data block 1 has one valid page left, update
    // block 4 has all others
    let result = written(&ftl, 3, &[0, 4, 5, 6, 6, 4]);
    assert_eq!(result.events, [Event::Cleaned(1)]);
    assert_eq!(result.counters.full_merges, 1);
    assert_eq!(result.counters.flash_copies, 1);
}

/// The first victim, after 12 writes have filled three blocks and left one free.
fn first_victim(cleaning: ModelCleaning, discard: Option<u64>) -> Option<Event> {
    let discarded: Vec<u64> = discard.into_iter().collect();
    let requests = [
        writes(&[4, 5, 0, 8, 12, 13, 1, 4, 12, 13, 14, 9]),
        discards(&discarded),
        writes(&[2]),
    ];
    let ftl = ModelFtl::Page(Box::new(page_mapping(cleaning)));
    let events = run(&config(ftl, 4), &requests.concat()).events;
    events.into_iter().next()
}

/// At time 12 the blocks 0 to 6 have 2, 2, 2, 1, 3, 2 and 4 valid pages, and last changed at 6, 1, 11, 10, 7, 9 and 11.
#[test]
fn cleaning_policies_choose_by_their_rules() {
    let victims = [
        (ModelCleaning::Greedy, 3),
        (ModelCleaning::Jffs2, 3),
        (ModelCleaning::Fifo, 0),
        // 11 * 2/4 / (2 * 2/4)
        (ModelCleaning::CostBenefit, 1),
        (ModelCleaning::Cat, 1),
    ];
    for (cleaning, victim) in victims {
        let first = first_victim(cleaning, None);
        assert_eq!(first, Some(Event::Cleaned(victim)), "{cleaning:?}");
    }
}

/// A discard leaves block 1 one valid page, but makes it as young as possible. Blocks 0 and 3 are then equal under
/// either policy, and block 0 was filled first.
#[test]
fn a_discard_renews_a_block() {
    for cleaning in [ModelCleaning::CostBenefit, ModelCleaning::Cat] {
        let first = first_victim(cleaning, Some(6));
        assert_eq!(first, Some(Event::Cleaned(0)), "{cleaning:?}");
    }
}
