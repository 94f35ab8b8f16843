//! The reference model on examples worked out by hand: those of the BPLRU paper, then single rules.

use ssdlab_device::{PartialWrites, Precondition, Reads, Timing};
use ssdlab_host::{Op, Request};
use ssdlab_policy::buffer::Padding;
use ssdlab_policy::buffer::clairvoyant::ClairvoyantConfig;
use ssdlab_policy::buffer::three_region::Granularity;
use ssdlab_testkit::model::{
    BlockKind, Event, Merge, ModelConfig, ModelFtl, ModelMap, ModelPolicy, ModelResult, run,
};

use crate::by_hand::{blocks, discards, flush, reads, request, victims, writes};

const BLOCKS: u64 = 8;

/// Blocks of 4 pages, two log blocks, no partial merges.
fn config(policy: ModelPolicy, buffer_pages: u64) -> ModelConfig {
    let mut config = ModelConfig::with_pages_of_a_byte(4, BLOCKS, bast(false), policy);
    config.buffer.size = buffer_pages;
    config
}

fn bast(partial_merge: bool) -> ModelFtl {
    blocks(BlockKind::Bast { partial_merge }, 2, 2)
}

fn bplru(padding: Padding, compensation: bool) -> ModelPolicy {
    ModelPolicy::Bplru {
        padding,
        compensation,
    }
}

fn merges(result: &ModelResult) -> Vec<(Merge, u64)> {
    let merge = |event: &Event| match event {
        Event::Merged(kind, lbn) => Some((*kind, *lbn)),
        _ => None,
    };
    result.events.iter().filter_map(merge).collect()
}

/// The logical blocks of the merges, all of them full merges.
fn full_merges(result: &ModelResult) -> Vec<u64> {
    let merges = merges(result).into_iter();
    merges
        .inspect(|(kind, _)| assert_eq!(*kind, Merge::Full))
        .map(|(_, lbn)| lbn)
        .collect()
}

/// The evictions under `policy` up to the last request.
fn victims_of(policy: ModelPolicy, buffer_pages: u64, requests: &[Request]) -> Vec<Vec<u64>> {
    let mut config = config(policy, buffer_pages);
    config.drain = false;
    victims(&run(&config, requests))
}

const TABLE_1: [u64; 14] = [0, 4, 8, 12, 16, 1, 5, 9, 13, 17, 2, 6, 10, 14];

fn table_1(policy: ModelPolicy, pages: &[u64]) -> ModelResult {
    let mut config = config(policy, 8);
    config.precondition = Precondition::Empty;
    run(&config, &writes(pages))
}

#[test]
fn table_1_lru_step_by_step() {
    let result = table_1(ModelPolicy::Lru, &TABLE_1);
    // with two log blocks, each victim from the third on merges the block of the victim two before it
    let mut expected = Vec::new();
    for (step, page) in TABLE_1.into_iter().enumerate() {
        expected.push(Event::Evicted(vec![page]));
        if step >= 2 {
            expected.push(Event::Merged(Merge::Full, TABLE_1[step - 2] / 4));
        }
    }
    assert_eq!(result.events, expected);
    assert_eq!(result.counters.full_merges, 12);
}

#[test]
fn table_1_blru() {
    let result = table_1(ModelPolicy::Blru, &TABLE_1);
    let expected: [&[u64]; 9] = [
        &[12],
        &[16],
        &[0, 1],
        &[8, 9],
        &[17],
        &[2],
        &[4, 5, 6],
        &[10],
        &[13, 14],
    ];
    assert_eq!(victims(&result), expected);
    assert_eq!(full_merges(&result).len(), 7);
}

#[test]
fn table_1_blru_as_printed_when_16_is_older_than_12() {
    let mut pages = TABLE_1;
    pages.swap(3, 4);
    let result = table_1(ModelPolicy::Blru, &pages);
    let expected: [&[u64]; 9] = [
        &[16],
        &[0, 1],
        &[4, 5],
        &[12, 13],
        &[17],
        &[2],
        &[6],
        &[8, 9, 10],
        &[14],
    ];
    assert_eq!(victims(&result), expected);
    assert_eq!(full_merges(&result), [4, 0, 1, 3, 4, 0, 1]);
}

#[test]
fn figure_3_a_write_brings_its_block_along() {
    // block 3 is the least recent one until 15 is written, then block 1
    let mut pages = vec![12, 15, 5, 6, 0, 1, 8, 9];
    pages.push(15);
    pages.push(16);
    let victims = victims_of(ModelPolicy::Blru, 8, &writes(&pages));
    assert_eq!(victims, [[5, 6]]);
}

#[test]
fn figure_4_padding_turns_a_full_merge_into_a_switch() {
    let result = run(&config(bplru(Padding::Block, true), 8), &writes(&[12, 15]));
    assert_eq!(result.counters.padding_reads, 2);
    assert_eq!(result.counters.flash_reads, 2);
    assert_eq!(result.counters.flash_programs, 4);
    assert_eq!(merges(&result), [(Merge::Switch, 3)]);
    assert_eq!(result.counters.erases, 1);
}

#[test]
fn figure_5_a_block_written_in_sequence_goes_first() {
    let requests = writes(&[0, 8, 9, 10, 11, 16]);
    let evicted = |compensation| victims_of(bplru(Padding::Block, compensation), 5, &requests);
    assert_eq!(evicted(true), [[8, 9, 10, 11]]);
    assert_eq!(evicted(false), [[0]]);
}

#[test]
fn page_policies_choose_their_victims() {
    let requests = writes(&[3, 1, 2, 3, 5]);
    let evicted = |policy| victims_of(policy, 3, &requests);
    assert_eq!(evicted(ModelPolicy::Fifo), [[3]]);
    assert_eq!(evicted(ModelPolicy::Lru), [[1]]);
    assert_eq!(evicted(ModelPolicy::Sof), [[1]]);
    // the log ends behind page 2, which was written directly after page 1
    let requests = writes(&[3, 1, 2, 5]);
    assert_eq!(victims_of(ModelPolicy::Zone, 3, &requests), [[3]]);
}

#[test]
fn cflru_looks_for_a_clean_page_in_its_window() {
    let evicted = |window| {
        let mut config = config(ModelPolicy::Cflru { window }, 4);
        config.buffer.reads = Reads::Cache;
        config.drain = false;
        let requests = [writes(&[0, 1]), reads(&[2]), writes(&[3, 4])].concat();
        victims(&run(&config, &requests))
    };
    assert_eq!(evicted(0.75), [[2]]);
    assert_eq!(evicted(0.5), [[0]]);
}

#[test]
fn fab_takes_the_fullest_block_the_least_recent_of_equals() {
    let requests = writes(&[0, 8, 9, 4, 5, 8, 12]);
    assert_eq!(victims_of(ModelPolicy::Fab, 5, &requests), [[4, 5]]);
    let requests = writes(&[0, 8, 9, 10, 4, 12]);
    assert_eq!(victims_of(ModelPolicy::Fab, 5, &requests), [[8, 9, 10]]);
}

#[test]
fn plru_br_takes_the_block_of_the_least_recent_page() {
    let requests = writes(&[0, 4, 1, 8, 5, 0, 12, 13]);
    assert_eq!(victims_of(ModelPolicy::PlruBr, 5, &requests), [[4, 5]]);
}

#[test]
fn plru_br_2q_leaves_hot_pages_behind() {
    let evicted = |hot, pages: &[u64]| victims_of(ModelPolicy::PlruBr2q { hot }, 4, &writes(pages));
    // 0 was cold as well, but is hot again
    assert_eq!(evicted(0.5, &[0, 1, 4, 0, 5, 8]), [[1]]);
    assert_eq!(evicted(0.0, &[0, 1, 2, 3, 4]), [[0, 1, 2]]);
    assert_eq!(evicted(1.0, &[0, 1, 2, 3, 4]), [[0]]);
}

#[test]
fn three_region_moves_blocks_from_region_to_region() {
    // each region has room for one block; the victim comes from TBE, else from Init, else from TBU
    let blocks = |blocks: &[u64]| {
        blocks
            .iter()
            .map(|b| request(Op::Write, 4 * b, 4))
            .collect()
    };
    let evicted = |requests: Vec<Request>| victims_of(ModelPolicy::THREE_REGION, 12, &requests);
    assert_eq!(evicted(blocks(&[0, 1, 2, 3])), [[0, 1, 2, 3]]);
    // 0 in TBU, 1 fallen from Init
    assert_eq!(evicted(blocks(&[0, 0, 1, 2, 3])), [[4, 5, 6, 7]]);
    // 1 pushes 0 out of TBU
    assert_eq!(evicted(blocks(&[0, 0, 1, 1, 2, 3])), [[0, 1, 2, 3]]);
    // 0 comes back from TBE and stays
    assert_eq!(evicted(blocks(&[0, 1, 0, 2, 3])), [[4, 5, 6, 7]]);
}

#[test]
fn lb_clock_takes_the_fullest_block_that_the_hand_found_unused() {
    let evicted = |pages: &[u64]| victims_of(ModelPolicy::LbClock, 6, &writes(pages));
    // the hand goes once around and clears all bits; 1 has most pages
    assert_eq!(evicted(&[0, 4, 5, 6, 8, 9, 12]), [[4, 5, 6]]);
    // the fullest block, 0, is in use then, and the hand stops before it, behind 3
    let pages = [8, 4, 5, 12, 0, 1, 16, 0, 1, 2, 20];
    assert_eq!(evicted(&pages), [vec![4, 5], vec![8]]);
    // of equals, the one whose bit was cleared first
    assert_eq!(evicted(&[8, 9, 4, 5, 0, 1, 12]), [[8, 9]]);
    // a discard makes 2 the last of those with one page
    let requests = [
        writes(&[8, 9, 4, 5, 6, 0, 12, 16]),
        discards(&[9]),
        writes(&[20, 24, 25]),
    ];
    let victims = victims_of(ModelPolicy::LbClock, 6, &requests.concat());
    assert_eq!(victims, [vec![4, 5, 6], vec![0]]);
}

#[test]
fn req_block_evicts_the_coldest_tail() {
    let evicted = |requests: &[(u64, u64)]| {
        let requests = requests.iter().map(|&(p, n)| request(Op::Write, p, n));
        let requests: Vec<Request> = requests.collect();
        victims_of(ModelPolicy::ReqBlock { small: 2 }, 6, &requests)
    };
    // by request and by block
    assert_eq!(evicted(&[(2, 4), (0, 2), (8, 1)]), [[2, 3]]);
    // the small one that was used again has 2 / (1 x 7), the large one 1 / (4 x 6)
    assert_eq!(evicted(&[(8, 1), (0, 4), (8, 1), (12, 2)]), [[0, 1, 2, 3]]);
    // 1 and 2 were divided: 1 / (2 x 3); 8, the tail of IRL, has 1 / (1 x 8)
    assert_eq!(evicted(&[(8, 1), (0, 4), (1, 2), (12, 1), (13, 1)]), [[8]]);
    // 1 / (2 x 6) for {0, 1}, 1 / (1 x 11) for 8: the divided one leaves, and its origin with it
    let mut requests = vec![(8, 1), (0, 4), (0, 2)];
    requests.extend([(12, 1); 4]);
    requests.push((13, 1));
    assert_eq!(evicted(&requests), [[0, 1, 2, 3]]);
}

#[test]
fn headers_take_room_only_if_counted() {
    let evicted = |count_headers| {
        let mut config = config(ModelPolicy::Blru, 4);
        config.buffer.count_headers = count_headers;
        config.drain = false;
        victims(&run(&config, &writes(&[0, 4, 5])))
    };
    assert_eq!(evicted(true), [[0]]);
    assert!(evicted(false).is_empty());
}

fn clairvoyant(granularity: Granularity) -> ModelPolicy {
    ModelPolicy::Clairvoyant(ClairvoyantConfig {
        granularity,
        padding: false,
    })
}

#[test]
fn clairvoyant_keeps_the_page_that_is_written_first() {
    let policy = clairvoyant(Granularity::Page);
    let evicted = |requests: &[Vec<Request>]| victims_of(policy, 2, &requests.concat());
    // 4 is written after 0; then neither 0 nor 8 is written again
    assert_eq!(evicted(&[writes(&[0, 4, 8, 0, 4])]), [[4], [0]]);
    // a discard is as good as a write
    let requests = [writes(&[4, 0, 8]), discards(&[4]), writes(&[9, 0])];
    assert_eq!(evicted(&requests), [[0], [8]]);
    // 0 is written again too late: behind a flush, where both are written anyway
    let requests = [writes(&[4, 0, 8]), vec![flush()], writes(&[4, 0])];
    assert_eq!(evicted(&requests), [[0], [4], [8]]);
}

#[test]
fn clairvoyant_weighs_pages_held_by_the_time_until_the_next_write() {
    let policy = clairvoyant(Granularity::Block);
    let evicted = |pages: &[u64]| victims_of(policy, 3, &writes(pages));
    // 2 pages x 1 write for block 0, 1 x 2 for block 1: as much, so the block with more pages leaves
    assert_eq!(evicted(&[0, 1, 4, 8, 2, 5])[0], [0, 1]);
    // 2 x 1 and 1 x 3
    assert_eq!(evicted(&[0, 1, 4, 8, 2, 9, 5])[0], [4]);
    // a block that is not written again leaves, no matter how many pages it has
    assert_eq!(evicted(&[0, 1, 4, 8, 9, 9, 9, 9, 2])[0], [4]);
}

#[test]
fn unbounded_keeps_all_pages_until_a_flush() {
    let mut config = config(ModelPolicy::Unbounded, 1);
    config.ftl = ModelFtl::Ideal;
    config.buffer.reads = Reads::Cache;
    let requests = [
        writes(&[9]),
        reads(&[5]),
        writes(&[2, 9]),
        vec![flush()],
        reads(&[5]),
    ];
    let result = run(&config, &requests.concat());
    assert_eq!(victims(&result), [[2], [9]]);
    assert_eq!(result.counters.evicted_dirty_pages, 2);
    assert_eq!(result.counters.evicted_clean_pages, 0);
    assert_eq!(result.counters.buffer_read_hits, 1);
}

#[test]
fn a_protected_buffer_ignores_flushes_but_is_drained() {
    let mut config = config(ModelPolicy::Lru, 4);
    config.buffer.protected = true;
    let requests = [writes(&[0]), vec![flush()], writes(&[0])];
    let result = run(&config, &requests.concat());
    assert_eq!(result.counters.host_flushes, 1);
    assert_eq!(result.counters.buffer_write_hits, 1);
    assert_eq!(result.counters.evicted_dirty_pages, 1);
}

#[test]
fn ideal_erases_once_for_each_block_of_programs() {
    let mut config = config(ModelPolicy::None, 0);
    config.ftl = ModelFtl::Ideal;
    config.precondition = Precondition::Empty;
    let requests = [
        writes(&[0, 0, 0, 1, 2, 0, 1, 2, 3]),
        discards(&[3]),
        reads(&[3, 0]),
    ];
    let result = run(&config, &requests.concat());
    assert_eq!(result.counters.flash_programs, 9);
    assert_eq!(result.counters.erases, 2);
    assert_eq!(result.counters.unmapped_reads, 1);
    assert_eq!(result.counters.flash_reads, 1);
    let mapped = (0..4 * BLOCKS).map(|lpn| lpn < 3).collect();
    assert_eq!(result.map, ModelMap::Mapped(mapped));
}

#[test]
fn a_partial_merge_completes_the_log_block() {
    let config = ModelConfig {
        ftl: bast(true),
        ..config(ModelPolicy::None, 0)
    };
    let result = run(&config, &writes(&[0, 1, 4, 8]));
    assert_eq!(merges(&result), [(Merge::Partial, 0)]);
    assert_eq!(result.counters.flash_copies, 2);
    // blocks 8 to 10 are logs in turn; data block 0 was erased and 11 never used
    assert_eq!(result.free, [[11, 0]]);
    let ModelMap::Places(places) = &result.map else {
        panic!("bast has places");
    };
    assert_eq!(places[..4], [0, 1, 2, 3].map(|at| Some((8, at))));
    assert_eq!(places[8], Some((10, 0)));
    assert_eq!(result.erase_counts[0], 1);
}

#[test]
fn a_full_merge_erases_the_log_block_before_the_data_block() {
    let result = run(
        &config(ModelPolicy::None, 0),
        &writes(&[1, 1, 1, 1, 5, 8, 12]),
    );
    // 12 merges block 1 after 8 has merged block 0
    assert_eq!(full_merges(&result), [0, 1]);
    // 8 and 9 are logs, 10 is the merged block 0, 11 the log of block 2;
    // then 8 is the merged block 1 and 0 the log of block 3
    assert_eq!(result.free, [[9, 1]]);
    assert_eq!(result.counters.flash_copies, 8);
}

#[test]
fn a_log_block_without_a_valid_page_is_only_erased() {
    let requests = [writes(&[1]), discards(&[1]), writes(&[4, 8])];
    let result = run(&config(ModelPolicy::None, 0), &requests.concat());
    assert_eq!(merges(&result), []);
    assert_eq!(result.counters.erases, 1);
    assert_eq!(result.counters.flash_copies, 0);
}

#[test]
fn copies_inside_a_plane_are_copy_backs() {
    let mut config = config(ModelPolicy::None, 0);
    config.flash.planes = 2;
    config.flash.copy_back = true;
    config.timing = Timing {
        read_ns: 1,
        program_ns: 10,
        erase_ns: 100,
        transfer_ns: 1000,
        buffer_ns: 0,
        ..config.timing.clone()
    };
    // the merge of block 0 copies from log block 8 and data block 0 to block 10: one plane
    let result = run(&config, &writes(&[1, 4, 8]));
    assert_eq!(result.counters.copy_backs, 4);
    assert_eq!(result.counters.flash_copies, 0);
    assert_eq!(result.counters.elapsed_ns, 3 * 1010 + 4 * 11 + 2 * 100);
}

#[test]
fn a_partly_written_page_is_read_first() {
    let mut config = config(ModelPolicy::Lru, 80);
    config.flash.page_size = 10;
    config.flash.capacity *= 10;
    config.partial_writes = PartialWrites::Rmw;
    // parts of pages 0 and 2; then page 0, which the buffer holds by now
    let requests = [request(Op::Write, 5, 20), request(Op::Write, 0, 5)];
    let result = run(&config, &requests);
    assert_eq!(result.counters.flash_reads, 2);
    assert_eq!(result.counters.host_write_pages, 4);
}
