//! Greedy: cleans the full block with the fewest valid pages. Among equals, the block that was filled first.

use alloc::string::String;
use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Pbn};

use super::{Cleaning, CleaningKind};
use crate::{About, Entry, MinTree, Settings, Source, papers};

/// The position of the valid pages in a key. They are in the high 24 bits, above the order of filling: a block, unit or line has
/// fewer than 2^24 pages.
const VALID: u32 = 40;

/// The full blocks by number of valid pages.
pub struct Greedy {
    /// For each full block, its valid pages (high bits) and the number of blocks filled before it (low bits).
    keys: MinTree,
    /// Blocks filled so far.
    filled: u64,
}

impl CleaningKind for Greedy {
    const ENTRY: Entry = Entry {
        name: "greedy",
        rule: "cleans the block with the fewest valid pages",
        source: Source::of("{}, section 2.2.1", &[&papers::LFSS]),
        keys: &[],
        about: About {
            file: file!(),
            lines: [
                "Each full block has a count of its valid pages.",
                "The block with the fewest valid pages is cleaned.",
                "Among equals, the block that was filled first.",
            ],
            cost: "An eight-way tree over the physical blocks: one or two steps for each page that becomes invalid; 9 \
                   bytes for each block.",
            wins: "Uniform random writes, where no policy is better, and devices with many spare blocks.",
            loses: "Hot and cold data with few spare blocks: hot blocks are cleaned just before their last valid pages \
                    are overwritten, and cold blocks keep their invalid pages forever.",
        },
    };

    type Config = ();

    fn configure(_: &dyn Settings) {}

    fn new(geometry: &Geometry, (): &()) -> Self {
        Self::of_blocks(geometry.physical_blocks())
    }
}

/// The order alone, for who chooses among the blocks in another way.
impl Greedy {
    /// Without full blocks.
    pub fn of_blocks(blocks: u32) -> Self {
        Self {
            keys: MinTree::new(blocks),
            filled: 0,
        }
    }

    /// A block is full; `number` blocks were filled before it.
    #[inline]
    pub fn filled_as(&mut self, block: Pbn, valid: u32, number: u64) {
        self.keys.set(block.0, u64::from(valid) << VALID | number);
    }

    /// A page became invalid. Nothing for a block that is not full.
    #[inline]
    pub fn page_invalidated(&mut self, block: Pbn) {
        let key = self.keys.get(block.0);
        if key != MinTree::ABSENT {
            self.keys.set(block.0, key - (1 << VALID));
        }
    }

    /// A block is full no longer.
    pub fn remove(&mut self, block: Pbn) {
        self.keys.set(block.0, MinTree::ABSENT);
    }

    /// The block with the fewest valid pages, and how many; none without a full block.
    pub fn emptiest(&self) -> Option<(Pbn, u32)> {
        let block = self.keys.first()?;
        Some((Pbn(block), (self.keys.get(block) >> VALID) as u32))
    }

    /// What compares the emptiest blocks of several orders that number the filled blocks together.
    pub fn least_key(&self) -> Option<u64> {
        self.keys.first().map(|block| self.keys.get(block))
    }

    /// For each full block: the number of those filled before it, the block, and its valid pages.
    pub fn blocks(&self) -> impl Iterator<Item = (u64, Pbn, u32)> + '_ {
        let keys = (0..self.keys.items()).map(|block| (self.keys.get(block), Pbn(block)));
        keys.filter(|&(key, _)| key != MinTree::ABSENT)
            .map(|(key, block)| (key % (1 << VALID), block, (key >> VALID) as u32))
    }
}

impl Cleaning for Greedy {
    #[inline]
    fn filled(&mut self, block: Pbn, valid: u32, _: u64) {
        self.filled_as(block, valid, self.filled);
        self.filled += 1;
    }

    #[inline]
    fn invalidated(&mut self, block: Pbn, _: u64) {
        self.page_invalidated(block);
    }

    fn foresee(&self, blocks: &[Pbn]) {
        blocks.iter().for_each(|block| self.keys.foresee(block.0));
    }

    fn erased(&mut self, block: Pbn) {
        self.remove(block);
    }

    fn pick(&mut self, _: u64) -> Pbn {
        let (block, _) = self.emptiest().expect("at least one block is full");
        block
    }

    fn check(&self, full: &[(Pbn, u32)]) -> Result<(), String> {
        let mut kept: Vec<_> = self.blocks().collect();
        kept.sort_unstable();
        let kept: Vec<_> = kept
            .into_iter()
            .map(|(_, block, valid)| (block, valid))
            .collect();
        super::check::same(&kept, full)
    }
}
