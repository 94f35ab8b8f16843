//! Greedy: cleans the full block with the fewest valid pages. Among equals, the block that was filled first.

use alloc::string::String;
use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Pbn};

use super::{Cleaning, CleaningKind};
use crate::{About, Entry, MinTree, Settings, Source, papers};

/// The position of the valid pages in a key. They are in the high bits, above the order of filling.
const VALID: u32 = 44;

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
        Self {
            keys: MinTree::new(geometry.physical_blocks()),
            filled: 0,
        }
    }
}

impl Cleaning for Greedy {
    #[inline]
    fn filled(&mut self, block: Pbn, valid: u32, _: u64) {
        self.keys
            .set(block.0, u64::from(valid) << VALID | self.filled);
        self.filled += 1;
    }

    #[inline]
    fn invalidated(&mut self, block: Pbn, _: u64) {
        let key = self.keys.get(block.0);
        if key != MinTree::ABSENT {
            self.keys.set(block.0, key - (1 << VALID));
        }
    }

    fn foresee(&self, blocks: &[Pbn]) {
        blocks.iter().for_each(|block| self.keys.foresee(block.0));
    }

    fn erased(&mut self, block: Pbn) {
        self.keys.set(block.0, MinTree::ABSENT);
    }

    fn pick(&mut self, _: u64) -> Pbn {
        Pbn(self.keys.first().expect("at least one block is full"))
    }

    fn check(&self, full: &[(Pbn, u32)]) -> Result<(), String> {
        let key = |block| (self.keys.get(block), Pbn(block));
        let mut kept: Vec<_> = (0..self.keys.items()).map(key).collect();
        kept.retain(|&(key, _)| key != MinTree::ABSENT);
        kept.sort_by_key(|&(key, _)| key % (1 << VALID));
        let counts = kept
            .into_iter()
            .map(|(key, block)| (block, (key >> VALID) as u32));
        super::check::same(&counts.collect::<Vec<_>>(), full)
    }
}
