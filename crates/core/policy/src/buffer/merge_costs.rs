//! What merges have cost for blocks that were written without padding, and whether padding is cheaper.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::Lbn;

use super::Shape;

/// One in this many logical blocks is never padded, so that the cost of merges stays known.
const SAMPLED: u32 = 31;

/// Once a class has had more writes than this, its counts are halved. A much smaller number would make blocks look
/// cheap, since merges come late and in bursts.
const REMEMBERED: u64 = 4096;

/// The class of a block whose last write was padded or complete: its merges teach nothing.
const NO_CLASS: u8 = u8::MAX;

/// What blocks that held about as many pages have cost when they were not padded.
#[derive(Clone, Copy, Debug, Default)]
struct Learned {
    /// Writes of such blocks.
    writes: u64,
    /// The pages of these blocks that merges have moved since.
    moved: u64,
}

/// What merges have taught.
#[derive(Clone, Debug)]
pub(super) struct MergeCosts {
    pages_per_block: u32,
    /// For each power of two of pages held.
    learned: [Learned; 32],
    /// For each LBN, the entry of `learned` of its last write, or `NO_CLASS`.
    class: Vec<u8>,
}

impl MergeCosts {
    /// An upper bound of its memory for each logical block, in bytes.
    pub(super) const BYTES: u64 = 1;

    pub(super) fn new(shape: &Shape) -> Self {
        Self {
            pages_per_block: shape.geometry.pages_per_block(),
            learned: [Learned::default(); 32],
            class: vec![NO_CLASS; shape.geometry.logical_blocks() as usize],
        }
    }

    /// The pages that merges have moved for each write that was not padded: the mean, rounded down; `None` while there
    /// was no such write.
    pub(super) fn mean(&self) -> Option<u64> {
        let sum = |of: fn(&Learned) -> u64| self.learned.iter().map(of).sum::<u64>();
        sum(|learned| learned.moved).checked_div(sum(|learned| learned.writes))
    }

    /// A block with `held` pages is written: whether it is padded, if it may be.
    pub(super) fn pads(&mut self, lbn: Lbn, held: u32, may: bool) -> bool {
        let missing = u64::from(self.pages_per_block - held);
        if missing == 0 {
            self.class[lbn.index()] = NO_CLASS;
            return may;
        }
        let class = held.ilog2();
        let learned = &mut self.learned[class as usize];
        let is_sample = lbn.0 % SAMPLED == SAMPLED - 1;
        if may && !is_sample && missing * learned.writes < learned.moved {
            self.class[lbn.index()] = NO_CLASS;
            return true;
        }
        self.class[lbn.index()] = class as u8;
        learned.writes += 1;
        if learned.writes > REMEMBERED {
            learned.writes /= 2;
            learned.moved /= 2;
        }
        false
    }

    /// Merges moved pages of a block.
    pub(super) fn moved(&mut self, lbn: Lbn, pages: u32) {
        if let Some(learned) = self.learned.get_mut(usize::from(self.class[lbn.index()])) {
            learned.moved += u64::from(pages);
        }
    }
}
