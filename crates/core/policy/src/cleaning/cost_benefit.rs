//! Cost-benefit (Kawaguchi, Nishioka and Motoda 1995; LFSS, section 2.2.2): cleans the block with the greatest
//! age · (1 − u) / 2u. A block without valid pages is always the best. Among equals, the block that was filled first.
//!
//! Age is the time since a page of the block was last programmed or became invalid, at least 1. Blocks filled
//! before a mount count as changed at time 0.

use alloc::string::String;

use ssdlab_flash::{Geometry, Pbn};

use super::by_age::ByAge;
use super::{Cleaning, CleaningKind};
use crate::{About, CLOCK, Entry, Settings, Source, papers};

/// All blocks have the same weight.
const WEIGHT: u32 = 1;

/// The full blocks.
pub struct CostBenefit(ByAge);

impl CleaningKind for CostBenefit {
    const ENTRY: Entry = Entry {
        name: "cost-benefit",
        rule: "cleans the block with the greatest age · (1 − u) / 2u, where u is its share of valid pages",
        source: Source::of(
            "{}, section 2.2.2 ({})",
            &[&papers::LFSS, &papers::COST_BENEFIT],
        ),
        keys: &[CLOCK.key],
        about: About {
            file: file!(),
            lines: [
                "u is the share of valid pages of a full block. Age is the time since a page of the block was last \
                 programmed or became invalid.",
                "The block with the greatest age · (1 − u) / 2u is cleaned; a block without valid pages goes first.",
                "Among equals, the block that was filled first.",
            ],
            cost: "O(1) for each page. A victim takes one comparison for each number of valid pages that occurs (about \
                   16 of 64). 40 bytes for each block.",
            wins: "Hot and cold data with few spare blocks: hot blocks are left alone while their pages become \
                   invalid, and old blocks with few invalid pages are cleaned too.",
            loses: "Uniform random writes, where age predicts nothing and the block with the fewest valid pages is \
                    passed over. With many spare blocks it equals greedy.",
        },
    };

    /// The valid pages and the time of the last change.
    const BLOCK_BYTES: u64 = 8;

    type Config = ();

    fn configure(_: &dyn Settings) {}

    fn new(geometry: &Geometry, (): &()) -> Self {
        Self(ByAge::new(geometry))
    }
}

impl Cleaning for CostBenefit {
    fn filled(&mut self, block: Pbn, valid: u32, now: u64) {
        self.0.filled(block, valid, WEIGHT, now);
    }

    fn invalidated(&mut self, block: Pbn, now: u64) {
        self.0.invalidated(block, now);
    }

    fn foresee(&self, blocks: &[Pbn]) {
        self.0.foresee(blocks);
    }

    fn erased(&mut self, block: Pbn) {
        self.0.erased(block);
    }

    fn pick(&mut self, now: u64) -> Pbn {
        self.0.pick(now)
    }

    fn check(&self, full: &[(Pbn, u32)]) -> Result<(), String> {
        self.0.check(full, |_| WEIGHT)
    }
}
