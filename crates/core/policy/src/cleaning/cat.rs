//! CAT, cost age times (Chiang and Chang 1999; LFSS, section 2.2.3): cleans the block with the smallest
//! u/(1 − u) · 1/age · (n + 1), where n is its number of erases. A block with only valid pages is never cleaned. Among
//! equals, the block that was filled first.
//!
//! Our reading: n + 1 instead of n, so that age and valid pages count for new blocks too. Age is defined as for
//! `cost-benefit`.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Pbn};

use super::by_age::{self, ByAge};
use super::{Cleaning, CleaningKind};
use crate::{About, CLOCK, Entry, Settings, Source, papers};

/// The full blocks.
pub struct Cat {
    by_age: ByAge,
    /// For each block, n + 1.
    weights: Vec<u32>,
}

impl CleaningKind for Cat {
    const ENTRY: Entry = Entry {
        name: "cat",
        rule: "cleans the block with the smallest u / (1 − u) / age · (erases + 1), where u is its share of valid \
               pages",
        source: Source::of("{}, section 2.2.3 ({})", &[&papers::LFSS, &papers::CAT]),
        keys: &[CLOCK.key],
        about: About {
            file: file!(),
            lines: [
                "u is the share of valid pages of a full block, n its number of erases, and age is defined as for \
                 `cost-benefit`.",
                "The block with the smallest u/(1 − u) · (n + 1) / age is cleaned; it must have an invalid page.",
                "Among equals, the block that was filled first.",
            ],
            cost: "O(1) for each page. A victim takes one comparison for each pair of erase count and valid pages that \
                   occurs. 44 bytes for each block.",
            wins: "The same workloads as `cost-benefit`; and where wear matters, because blocks with many erases are \
                   cleaned later.",
            loses: "Uniform random writes, as with `cost-benefit`. Under strong skew many pairs occur, and finding a \
                    victim takes longer.",
        },
    };

    /// The valid pages, the time of the last change and the erases.
    const BLOCK_BYTES: u64 = 12;

    type Config = ();

    fn configure(_: &dyn Settings) {}

    fn table_bytes(blocks: u64, pages_per_block: u64) -> u64 {
        // each block may have another weight
        by_age::table_bytes(blocks, pages_per_block, blocks)
    }

    fn new(geometry: &Geometry, (): &()) -> Self {
        Self {
            by_age: ByAge::new(geometry),
            weights: vec![1; geometry.physical_blocks() as usize],
        }
    }
}

impl Cleaning for Cat {
    fn worn(&mut self, block: Pbn, erases: u32) {
        self.weights[block.index()] = erases.saturating_add(1);
    }

    fn filled(&mut self, block: Pbn, valid: u32, now: u64) {
        self.by_age
            .filled(block, valid, self.weights[block.index()], now);
    }

    fn invalidated(&mut self, block: Pbn, now: u64) {
        self.by_age.invalidated(block, now);
    }

    fn foresee(&self, blocks: &[Pbn]) {
        self.by_age.foresee(blocks);
    }

    fn erased(&mut self, block: Pbn) {
        self.by_age.erased(block);
        let weight = &mut self.weights[block.index()];
        *weight = weight.saturating_add(1);
    }

    fn pick(&mut self, now: u64) -> Pbn {
        self.by_age.pick(now)
    }

    fn check(&self, full: &[(Pbn, u32)]) -> Result<(), String> {
        self.by_age.check(full, |block| self.weights[block.index()])
    }

    fn check_worn(&self, block: Pbn, erases: u32) -> Result<(), String> {
        match self.weights[block.index()] {
            weight if weight == erases.saturating_add(1) => Ok(()),
            weight => Err(format!("{block:?} weighs {weight} after {erases} erases")),
        }
    }
}
