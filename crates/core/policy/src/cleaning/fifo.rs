//! FIFO: cleans the block that was filled first, whatever pages it holds.

use alloc::string::String;
use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Pbn};

use super::{Cleaning, CleaningKind};
use crate::{About, Entry, Lists, Settings, Source, papers};

/// The full blocks in the order in which they were filled.
pub struct Fifo(Lists);

impl CleaningKind for Fifo {
    const ENTRY: Entry = Entry {
        name: "fifo",
        rule: "cleans the block that was filled first",
        source: Source::of("the log as a ring ({})", &[&papers::SSD_MODELS]),
        keys: &[],
        about: About {
            file: file!(),
            lines: [
                "Full blocks are queued in the order in which they were filled.",
                "The first block in the queue is cleaned, with any number of valid pages.",
                "A block with only valid pages is copied as a whole if another block has an invalid page.",
            ],
            cost: "O(1); 8 bytes for each block.",
            wins: "Even wear without any counters, because the log is a ring. Under uniform random writes with large \
                   blocks it comes close to greedy.",
            loses: "Cold data: it is copied once in each turn of the log. With few spare blocks this is most of the \
                    work.",
        },
    };

    type Config = ();

    fn configure(_: &dyn Settings) {}

    fn new(geometry: &Geometry, (): &()) -> Self {
        Self(Lists::new(geometry.physical_blocks(), 1))
    }
}

impl Cleaning for Fifo {
    fn filled(&mut self, block: Pbn, _: u32, _: u64) {
        self.0.push_front(0, block.0);
    }

    fn invalidated(&mut self, _: Pbn, _: u64) {}

    fn erased(&mut self, block: Pbn) {
        self.0.remove(block.0);
    }

    fn pick(&mut self, _: u64) -> Pbn {
        Pbn(self.0.back(0).expect("at least one block is full"))
    }

    fn check(&self, full: &[(Pbn, u32)]) -> Result<(), String> {
        let kept = core::iter::successors(self.0.back(0), |&block| self.0.before(block));
        let kept: Vec<_> = kept.map(Pbn).collect();
        let full: Vec<_> = full.iter().map(|&(block, _)| block).collect();
        super::check::same(&kept, &full)
    }
}
