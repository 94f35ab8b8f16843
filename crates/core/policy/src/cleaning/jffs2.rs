//! JFFS2: greedy, but every hundredth victim is the block that was filled first, so that cold blocks move too.

use alloc::string::String;

use ssdlab_flash::{Geometry, Pbn};

use super::fifo::Fifo;
use super::greedy::Greedy;
use super::{Cleaning, CleaningKind};
use crate::{About, Entry, Settings, Source, papers};

/// One of this many victims is the block that was filled first.
const PERIOD: u64 = 100;

/// The full blocks in the orders of both policies.
pub struct Jffs2 {
    greedy: Greedy,
    fifo: Fifo,
    /// The number of victims so far; a mount resets it.
    victims: u64,
}

impl CleaningKind for Jffs2 {
    const ENTRY: Entry = Entry {
        name: "jffs2",
        rule: "greedy, but every hundredth victim is the block that was filled first",
        source: Source::of("{}, table 1 ({})", &[&papers::LFSS, &papers::JFFS2]),
        keys: &[],
        about: About {
            file: file!(),
            lines: [
                "Of every hundred victims, 99 are chosen by `greedy`.",
                "The hundredth is the block that was filled first, with any number of valid pages.",
                "Cold blocks therefore move too, and wear evens out over time.",
            ],
            cost: "The costs of `greedy` and `fifo` together: one or two steps for each page that becomes invalid; 17 \
                   bytes for each block.",
            wins: "Where wear matters: cold blocks are erased too, at the price of up to a tenth more time.",
            loses: "Elsewhere: it takes up to a tenth more time than `greedy`, and shares the weaknesses of `greedy`.",
        },
    };

    type Config = ();

    fn configure(_: &dyn Settings) {}

    fn new(geometry: &Geometry, (): &()) -> Self {
        Self {
            greedy: Greedy::new(geometry, &()),
            fifo: Fifo::new(geometry, &()),
            victims: 0,
        }
    }
}

impl Cleaning for Jffs2 {
    fn filled(&mut self, block: Pbn, valid: u32, now: u64) {
        self.greedy.filled(block, valid, now);
        self.fifo.filled(block, valid, now);
    }

    fn invalidated(&mut self, block: Pbn, now: u64) {
        self.greedy.invalidated(block, now);
    }

    fn foresee(&self, blocks: &[Pbn]) {
        self.greedy.foresee(blocks);
    }

    fn erased(&mut self, block: Pbn) {
        self.greedy.erased(block);
        self.fifo.erased(block);
    }

    fn pick(&mut self, now: u64) -> Pbn {
        self.victims += 1;
        if self.victims.is_multiple_of(PERIOD) {
            self.fifo.pick(now)
        } else {
            self.greedy.pick(now)
        }
    }

    fn passed_over(&mut self) {
        self.victims -= 1;
    }

    fn check(&self, full: &[(Pbn, u32)]) -> Result<(), String> {
        self.greedy.check(full)?;
        self.fifo.check(full)
    }
}
