//! d-choices (Van Houdt 2013): cleans the block with the fewest valid pages among `ftl.d` full blocks that are drawn at
//! random, uniformly and with replacement. Among equals, the block that was drawn first.
//!
//! As in the paper, a victim may hold only valid pages; cleaning it frees nothing. So that cleaning ends, this happens
//! at most as many times in a row as there are full blocks. After that, a search for a block with an invalid page
//! begins at the drawn block.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Pbn};

use super::{Cleaning, CleaningKind};
use crate::{About, Count, Entry, Settings, Source, SplitMix64, papers};

/// The place of a block that is not full.
const OPEN: u32 = u32::MAX;

/// `ftl.d`.
pub const D: Count = Count::new("ftl.d", [1, 65535], 10, "blocks drawn for each victim");

/// `ftl.seed`.
pub const SEED: Count = Count::new("ftl.seed", [0, i64::MAX], 1, "seed of the random draws");

/// The parameters of d-choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DChoicesConfig {
    /// `ftl.d`: blocks drawn for each victim, at least 1.
    pub d: u32,
    /// `ftl.seed`: the seed of the random draws.
    pub seed: u64,
}

impl Default for DChoicesConfig {
    fn default() -> Self {
        Self { d: 10, seed: 1 }
    }
}

/// The full blocks, and the state of the random generator.
pub struct DChoices {
    pages_per_block: u32,
    d: u32,
    random: SplitMix64,
    /// The full blocks in no particular order.
    full: Vec<Pbn>,
    /// For each block, its place in `full`.
    places: Vec<u32>,
    /// For each full block, its valid pages.
    valid: Vec<u32>,
    /// The number of victims in a row that held only valid pages.
    in_vain: usize,
}

impl CleaningKind for DChoices {
    const ENTRY: Entry = Entry {
        name: "d-choices",
        rule: "cleans the block with the fewest valid pages among d full blocks drawn at random",
        source: Source::of("{}", &[&papers::D_CHOICES]),
        keys: &[D.key, SEED.key],
        about: About {
            file: file!(),
            lines: [
                "`ftl.d` full blocks are drawn at random, uniformly and with replacement.",
                "The block with the fewest valid pages is cleaned; among equals, the one drawn first.",
                "With d = 1 the victim is a random block; with a large d it is nearly always the victim of greedy.",
            ],
            cost: "O(1) for each page, d draws for each victim; 12 bytes for each block.",
            wins: "Uniform random writes on very large devices: with d = 10 it comes within a few per cent of greedy, \
                   and blocks need not be kept in order.",
            loses: "Few blocks with many invalid pages among many full ones, as after sequential writes: d draws \
                    seldom hit these blocks, and other blocks are copied for little gain.",
        },
    };

    type Config = DChoicesConfig;

    fn configure(settings: &dyn Settings) -> DChoicesConfig {
        DChoicesConfig {
            d: D.of(settings) as u32,
            seed: SEED.of(settings),
        }
    }

    fn new(geometry: &Geometry, config: &DChoicesConfig) -> Self {
        let blocks = geometry.physical_blocks() as usize;
        Self {
            pages_per_block: geometry.pages_per_block(),
            d: config.d,
            random: SplitMix64(config.seed),
            full: Vec::with_capacity(blocks),
            places: vec![OPEN; blocks],
            valid: vec![0; blocks],
            in_vain: 0,
        }
    }
}

impl DChoices {
    fn is_in_vain(&self, block: Pbn) -> bool {
        self.valid[block.index()] == self.pages_per_block
    }

    fn best_of_d(&mut self) -> Pbn {
        let Self { random, full, .. } = self;
        let drawn = (0..self.d).map(|_| full[random.below(full.len())]);
        let best = drawn.min_by_key(|block| self.valid[block.index()]);
        best.expect("d is at least 1")
    }

    /// The first block with an invalid page, searched from a random place on.
    fn next_to_any(&mut self) -> Pbn {
        let from = self.random.below(self.full.len());
        let (behind, from) = self.full.split_at(from);
        let mut blocks = from.iter().chain(behind);
        let found = blocks.find(|&&block| self.valid[block.index()] < self.pages_per_block);
        *found.expect("some full block has an invalid page")
    }
}

impl Cleaning for DChoices {
    fn filled(&mut self, block: Pbn, valid: u32, _: u64) {
        self.places[block.index()] = self.full.len() as u32;
        self.valid[block.index()] = valid;
        self.full.push(block);
    }

    fn invalidated(&mut self, block: Pbn, _: u64) {
        if self.places[block.index()] != OPEN {
            self.valid[block.index()] -= 1;
        }
    }

    fn erased(&mut self, block: Pbn) {
        let place = core::mem::replace(&mut self.places[block.index()], OPEN);
        self.full.swap_remove(place as usize);
        if let Some(moved) = self.full.get(place as usize) {
            self.places[moved.index()] = place;
        }
    }

    fn pick(&mut self, _: u64) -> Pbn {
        let mut victim = self.best_of_d();
        if self.is_in_vain(victim) && self.in_vain >= self.full.len() {
            victim = self.next_to_any();
        }
        self.in_vain = if self.is_in_vain(victim) {
            self.in_vain + 1
        } else {
            0
        };
        victim
    }

    fn check(&self, full: &[(Pbn, u32)]) -> Result<(), String> {
        let state = |&block: &Pbn| (block, self.valid[block.index()], self.places[block.index()]);
        let mut kept: Vec<_> = self.full.iter().map(state).collect();
        kept.sort();
        let place = |block: Pbn| self.full.iter().position(|&other| other == block);
        let mut truth: Vec<_> = full
            .iter()
            .map(|&(block, valid)| {
                (
                    block,
                    valid,
                    place(block).map_or(OPEN, |place| place as u32),
                )
            })
            .collect();
        truth.sort();
        super::check::same(&kept, &truth)
    }
}
