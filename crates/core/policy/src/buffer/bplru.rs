//! BPLRU (block padding LRU): block-level LRU that pads each victim to a whole block, so that a log-block FTL can do a
//! switch merge instead of a full merge. A block that was written completely and in order becomes the next victim (LRU
//! compensation).
//!
//! Section 3.2 "writes all sectors in the block range sequentially", so pages without a version are written, too.
//!
//! Our reading of "written sequentially": each header counts the pages written in order from offset 0. A write out of
//! order resets the count; reads do not change it.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Lbn, Page};

use super::blocks::BlockList;
use super::{
    Access, BufferKind, BufferPolicy, COUNT_HEADERS, Nature, PADDING, Padding, SIZE, Shape, Victim,
};
use crate::{About, Entry, Settings, Source, Switch, papers};

/// `buffer.compensation`.
pub const COMPENSATION: Switch = Switch::new(
    "buffer.compensation",
    true,
    "evict sequentially written blocks first",
);

/// The parameters of BPLRU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BplruConfig {
    /// `buffer.padding`.
    pub padding: Padding,
    /// `buffer.compensation`: evicts sequentially written blocks first.
    pub compensation: bool,
}

impl Default for BplruConfig {
    fn default() -> Self {
        Self {
            padding: Padding::Block,
            compensation: true,
        }
    }
}

/// Blocks in the order of their last use, each with the length of its sequential run.
pub struct Bplru {
    blocks: BlockList,
    /// For each LBN, its run; valid only while the block has a header.
    run: Vec<u32>,
    pages_per_block: u32,
    padding: Padding,
    compensation: bool,
}

impl Bplru {
    /// Updates the run of a block after a write of consecutive pages. A run is complete when it reaches the end of the
    /// block.
    #[inline]
    fn compensate(&mut self, first: Page, count: u32) {
        let run = &mut self.run[first.lbn.index()];
        *run = match first.offset {
            offset if offset == *run => *run + count,
            0 => count,
            _ => 0,
        };
        if *run == self.pages_per_block {
            *run = 0;
            self.blocks.move_to_back(first.lbn);
        }
    }
}

impl BufferKind for Bplru {
    const ENTRY: Entry = Entry {
        name: "bplru",
        rule: "evicts the least recently used block, padded to a whole block; sequentially written blocks go first",
        source: Source::of("{}, section 3", &[&papers::BPLRU]),
        keys: &[SIZE.key, COUNT_HEADERS.key, PADDING.key, COMPENSATION.key],
        about: About {
            file: file!(),
            lines: [
                "A write moves its block to the most-recent end of the list. A block written in order from its first \
                 page to its last moves to the other end (LRU compensation).",
                "When room is needed, the least recently used block is evicted.",
                "The missing pages of the victim are read from flash and written with the others (padding), so that \
                 the log block ends in a switch merge instead of a full merge. Pages without a version are written as \
                 zeros (`buffer.padding`).",
            ],
            cost: "O(1) for each page, or for each run of pages of one block; 16 bytes for each logical block.",
            wins: "Log-block FTLs with few log blocks, as in the paper: nearly every victim ends in a switch merge. \
                   Under Postmark it saves half to three quarters of the erases.",
            loses: "Page mapping: there are no merges to avoid, and padding writes whole blocks for a few pages. \
                    Random writes over log blocks: FAB is faster, though BPLRU erases less. Frequent flushes: each one \
                    pads.",
        },
    };

    const NATURE: Nature = Nature::block_level([0, 0, 20]).padding();

    type Config = BplruConfig;

    fn configure(settings: &dyn Settings) -> BplruConfig {
        BplruConfig {
            padding: PADDING.of(settings),
            compensation: COMPENSATION.of(settings),
        }
    }

    fn new(shape: &Shape, config: &Self::Config) -> Self {
        Self {
            blocks: BlockList::new(shape),
            run: vec![0; shape.geometry.logical_blocks() as usize],
            pages_per_block: shape.geometry.pages_per_block(),
            padding: config.padding,
            compensation: config.compensation,
        }
    }
}

impl BufferPolicy for Bplru {
    #[inline]
    fn hit(&mut self, page: Page, access: Access) {
        self.hit_run(page, 1, access);
    }

    #[inline]
    fn enter(&mut self, page: Page, access: Access) {
        self.enter_run(page, 1, access);
    }

    #[inline]
    fn left(&mut self, page: Page) {
        self.blocks.left(page.lbn, 1);
    }

    #[inline]
    fn victim(&mut self) -> Victim {
        Victim::Block(self.blocks.back())
    }

    fn outlook(&self, most: usize) -> Option<Vec<Victim>> {
        Some(self.blocks.outlook(most))
    }

    #[inline]
    fn hit_run(&mut self, first: Page, count: u32, access: Access) {
        self.blocks.move_to_front(first.lbn);
        if access == Access::Write && self.compensation {
            self.compensate(first, count);
        }
    }

    #[inline]
    fn enter_run(&mut self, first: Page, count: u32, access: Access) {
        if self.blocks.enter(first.lbn, count) {
            self.run[first.lbn.index()] = 0;
        }
        if access == Access::Write && self.compensation {
            self.compensate(first, count);
        }
    }

    #[inline]
    fn left_together(&mut self, lbn: Lbn, count: u32, _: impl Iterator<Item = Page>) {
        self.blocks.left(lbn, count);
    }

    #[inline]
    fn pads(&mut self, _: Lbn) -> bool {
        self.padding != Padding::Off
    }

    #[inline]
    fn pads_blanks(&self) -> bool {
        self.padding == Padding::Block
    }

    #[inline]
    fn headers(&self) -> u32 {
        self.blocks.headers()
    }

    #[inline]
    fn needs_header(&self, lbn: Lbn) -> bool {
        !self.blocks.contains(lbn)
    }
}
