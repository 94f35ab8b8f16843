//! Requests and FTLs for examples of the model that are worked out by hand. Pages have one byte, so the bytes of a
//! request are its pages.

use ssdlab_ftl::Clock;
use ssdlab_ftl::page::Pace;
use ssdlab_host::{Op, Request};
use ssdlab_policy::placement::single::GcFrontier;
use ssdlab_testkit::model::{
    BlockKind, Event, ModelBlocks, ModelCleaning, ModelFtl, ModelPage, ModelPlacement, ModelResult,
};

pub fn request(op: Op, page: u64, pages: u64) -> Request {
    Request::new(0, op, page, pages).unwrap()
}

fn requests(op: Op, pages: &[u64]) -> Vec<Request> {
    pages.iter().map(|&page| request(op, page, 1)).collect()
}

pub fn writes(pages: &[u64]) -> Vec<Request> {
    requests(Op::Write, pages)
}

pub fn reads(pages: &[u64]) -> Vec<Request> {
    requests(Op::Read, pages)
}

pub fn discards(pages: &[u64]) -> Vec<Request> {
    requests(Op::Discard, pages)
}

pub fn flush() -> Request {
    request(Op::Flush, 0, 0)
}

/// An FTL that maps blocks.
pub fn blocks(kind: BlockKind, log_blocks: u64, spare_blocks: u64) -> ModelFtl {
    ModelFtl::Blocks(ModelBlocks {
        kind,
        log_blocks,
        spare_blocks,
        map_is_written: false,
    })
}

/// `superblock` with one spare block, and at most `updates` update blocks of each superblock.
pub fn superblock(log_blocks: u64, blocks_per_superblock: u64, updates: u64) -> ModelFtl {
    let kind = BlockKind::Superblock {
        blocks_per_superblock,
        max_update_blocks: updates,
    };
    blocks(kind, log_blocks, 1)
}

/// Page mapping with separate frontiers and four spare blocks, one of them always free.
pub fn page_mapping(cleaning: ModelCleaning) -> ModelPage {
    ModelPage {
        spare_blocks: 4,
        cleaning,
        placement: ModelPlacement::Single,
        gc_frontier: GcFrontier::Separate,
        stable: Vec::new(),
        ram_bytes: 0,
        ram_threshold: None,
        gc_low: 1,
        pace: Pace::Whole,
        idle_cleaning_ns: 0,
        gc_high: 3,
        clock: Clock::Writes,
        regions: 2,
        isolated: vec![false],
        heads: 2,
        copy_stripes: 1,
        eager: 0,
        eager_free: 0,
        slc: None,
        map: None,
    }
}

/// The pages of each victim of a buffer or of RAM.
pub fn victims(result: &ModelResult) -> Vec<Vec<u64>> {
    let victim = |event: &Event| match event {
        Event::Evicted(pages) => Some(pages.clone()),
        _ => None,
    };
    result.events.iter().filter_map(victim).collect()
}
