//! Greedy: the full block with the fewest valid pages; of equals, the one that was filled first.

use ssdlab_flash::{Geometry, Pbn};

use super::{Cleaning, Params};
use crate::{About, Entry, MinTree};

/// How far the number of valid pages is shifted in a key: it decides before the order of filling does.
const VALID: u32 = 44;

/// The full blocks by their numbers of valid pages.
pub(super) struct Greedy {
    /// Of each full block, its valid pages above how many blocks were filled before it.
    keys: MinTree,
    /// Blocks filled so far.
    filled: u64,
}

impl Greedy {
    pub(super) const ENTRY: Entry = Entry {
        name: "greedy",
        rule: "cleans the block with the fewest valid pages",
        paper: "LFSS, section 2.2.1",
        keys: &[],
        about: About {
            file: file!(),
            lines: [
                "Every full block has a number of valid pages.",
                "The block with the fewest is cleaned.",
                "Among equals, the one that was filled first.",
            ],
            cost: "A tree eight wide over the physical blocks: a step or two for each page that becomes invalid; 9 \
                   bytes for each block.",
            wins: "Uniform random writes, where nothing does better, and devices with ample spare blocks.",
            loses: "Hot and cold data with few spare blocks: hot blocks are cleaned before their last pages are \
                    written again, and cold ones keep invalid pages for ever.",
        },
    };

    pub(super) fn new(geometry: &Geometry, _: &Params) -> Self {
        Self {
            keys: MinTree::new(geometry.physical_blocks()),
            filled: 0,
        }
    }
}

impl Cleaning for Greedy {
    fn filled(&mut self, block: Pbn, valid: u32, _: u64) {
        self.keys
            .set(block.0, u64::from(valid) << VALID | self.filled);
        self.filled += 1;
    }

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
        Pbn(self.keys.first().expect("a block is full"))
    }

    fn check(&self, full: &[(Pbn, u32)]) -> Result<(), String> {
        let key = |block| (self.keys.get(block), Pbn(block));
        let mut kept: Vec<_> = (0..self.keys.items()).map(key).collect();
        kept.retain(|&(key, _)| key != MinTree::ABSENT);
        kept.sort_by_key(|&(key, _)| key % (1 << VALID));
        let counts = kept
            .into_iter()
            .map(|(key, block)| (block, (key >> VALID) as u32));
        super::same(&counts.collect::<Vec<_>>(), full)
    }
}
