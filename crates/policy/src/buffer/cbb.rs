//! CBB, the cost-benefit buffer: evicts the block whose pages are oldest for the pages that must be written for them,
//! and pads it only while that costs less than the merges that it saves.
//!
//! The choice of the victim joins three ideas. LRU: what has not been used for long will not be rewritten soon. FAB: a
//! full block makes room for many pages with one merge. Cost-benefit cleaning: age is weighed against the share of the
//! work that is of use, here the pages held among all pages that flash must write when the block leaves.
//!
//! It needs no knowledge of the FTL. Merges report the pages that they move; each is charged to the last write of its
//! block. Where blocks that were not padded have cost more pages than they lacked, padding is cheaper. On page mapping
//! nothing is ever merged, so nothing is ever padded, and age alone decides.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Lbn, Page};

use super::by_held::ByHeld;
use super::{Access, Blocks, BufferKind, BufferPolicy, Forecast, Nature, Runs, Shape, Victim};
use crate::{About, Entry, Settings};

/// One in this many logical blocks is never padded, so that the cost of merges stays known.
const SAMPLED: u32 = 31;

/// When more writes than these are known of a class, all of them count half from then on. With much fewer, merges that
/// come late and in bursts make blocks look cheap.
const REMEMBERED: u64 = 4096;

/// The class of a block whose last write was padded or complete: its merges teach nothing.
const NO_CLASS: u8 = u8::MAX;

/// The influence of a block's age (`buffer.age`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Age {
    /// Four times the age counts twice.
    #[default]
    Root,
    /// Twice the age counts twice.
    Linear,
    /// None.
    None,
}

/// The parameters of CBB. All but the default are for comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// `buffer.age`.
    pub age: Age,
    /// `buffer.padding`: false means that nothing is padded.
    pub padding: bool,
    /// `buffer.feedback`: false means that merges teach nothing. All is padded, as under BPLRU.
    pub feedback: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            age: Age::default(),
            padding: true,
            feedback: true,
        }
    }
}

/// What blocks that held about as many pages have cost when they were not padded.
#[derive(Clone, Copy, Debug, Default)]
struct Learned {
    /// Writes of such blocks.
    writes: u64,
    /// The pages of these blocks that merges moved since.
    moved: u64,
}

/// Blocks sorted by pages held and last use, and what merges have taught.
pub struct Cbb {
    blocks: ByHeld,
    pages_per_block: u32,
    config: Config,
    /// For each power of two of pages held.
    learned: [Learned; 32],
    /// For each LBN, the entry of `learned` of its last write, or `NO_CLASS`.
    class: Vec<u8>,
}

impl Cbb {
    /// The pages that merges have moved for each write that was not padded: the mean, rounded down; without limit while
    /// there was no such write.
    fn mean_moved(&self) -> u64 {
        let sum = |of: fn(&Learned) -> u64| self.learned.iter().map(of).sum::<u64>();
        let writes = sum(|learned| learned.writes);
        match writes > 0 && self.config.feedback {
            true => sum(|learned| learned.moved) / writes,
            false => u64::MAX,
        }
    }

    /// The benefit of evicting a block, and its cost, by which it is to be divided; both squared if ages count by their
    /// roots. `moved` as [`Cbb::mean_moved`] gives it.
    #[inline]
    fn weigh(&self, lbn: Lbn, held: u32, moved: u64) -> (u128, u128) {
        let age = u128::from(self.blocks.age(lbn)) + 1;
        let missing = u64::from(self.pages_per_block - held);
        let written = u128::from(u64::from(held) + missing.min(moved));
        let held = u128::from(held);
        match self.config.age {
            Age::Root => (age.saturating_mul(held * held), written * written),
            Age::Linear => (age.saturating_mul(held), written),
            Age::None => (held, written),
        }
    }
}

impl BufferKind for Cbb {
    const ENTRY: Entry = Entry {
        name: "cbb",
        rule: "evicts the block with the greatest √age × pages held / pages to write for it, and pads it where that has \
               proved cheaper than the merges it saves",
        paper: "ssdlab, docs/own-buffer.md",
        keys: &[
            "buffer.size",
            "buffer.count_headers",
            "buffer.age",
            "buffer.padding",
            "buffer.feedback",
        ],
        about: About {
            file: file!(),
            lines: [
                "The age of a block is the number of pages accessed since its last use. Pages that merges move are \
                 charged to the last write of their block, if that was not padded.",
                "When room is needed, all pages of the block with the greatest √age × held / (held + extra) are evicted \
                 together; among equals, those of the least recently used one. Extra are the pages missing, but at most \
                 the mean charge of all writes.",
                "The victim is padded if it lacks fewer pages than the mean charge of blocks that held as many (by \
                 powers of two). One logical block in 31 is never padded, so that charges stay known.",
            ],
            cost: "O(1) for each page; each choice looks at one block for each different number of pages held, at most \
                   √(2 × pages of the buffer); 21 bytes for each logical block. A discard of a single page walks the \
                   blocks with equally many pages.",
            wins: "Log-block FTLs, all the more with many log blocks: under Postmark it takes a tenth to a third less time \
                   than the best policy of the papers. It never pads on page mapping, and little where flushes are \
                   frequent.",
            loses: "Page mapping with a large buffer, if blocks fill before they are rewritten: FAB, which writes the \
                    fullest, takes up to a third less time. Small writes spread over the whole disk: PLRU-BR is up to \
                    a tenth faster.",
        },
    };

    const NATURE: Nature = Nature::block_level([0, 0, ByHeld::BYTES + 1]).padding();

    type Config = Config;

    fn configure(settings: &dyn Settings) -> Config {
        Config {
            age: match settings.text("buffer.age") {
                "linear" => Age::Linear,
                "none" => Age::None,
                _ => Age::Root,
            },
            padding: settings.on("buffer.padding"),
            feedback: settings.on("buffer.feedback"),
        }
    }

    fn new(shape: &Shape, config: &Config) -> Self {
        Self {
            blocks: ByHeld::new(shape),
            pages_per_block: shape.geometry.pages_per_block(),
            config: *config,
            learned: [Learned::default(); 32],
            class: vec![NO_CLASS; shape.geometry.logical_blocks() as usize],
        }
    }
}

impl BufferPolicy for Cbb {
    #[inline]
    fn hit(&mut self, page: Page, _: Access) {
        self.blocks.hit(page.lbn, 1);
    }

    #[inline]
    fn enter(&mut self, page: Page, _: Access) {
        self.blocks.enter(page.lbn, 1);
    }

    fn left(&mut self, page: Page) {
        self.blocks.left(page.lbn);
    }

    fn victim(&mut self) -> Victim {
        // among blocks with equally many pages only the oldest can win
        let moved = self.mean_moved();
        let mut oldest = self.blocks.sizes().map(|size| {
            let lbn = self.blocks.oldest(size);
            (self.weigh(lbn, size, moved), lbn)
        });
        let first = oldest.next().expect("called only while a page is held");
        let (_, lbn) = oldest.fold(first, |best, other| {
            let ((benefit, cost), (most, least)) = (other.0, best.0);
            let (new, old) = (benefit.saturating_mul(least), most.saturating_mul(cost));
            let older = self.blocks.age(other.1) > self.blocks.age(best.1);
            match new > old || new == old && older {
                true => other,
                false => best,
            }
        });
        self.blocks.begin_to_leave(lbn);
        Victim::Block(lbn)
    }
}

impl Runs for Cbb {
    #[inline]
    fn hit_run(&mut self, first: Page, count: u32, _: Access) {
        self.blocks.hit(first.lbn, count);
    }

    #[inline]
    fn enter_run(&mut self, first: Page, count: u32, _: Access) {
        self.blocks.enter(first.lbn, count);
    }

    #[inline]
    fn left_together(&mut self, lbn: Lbn, count: u32, _: impl Iterator<Item = Page>) {
        self.blocks.left_together(lbn, count);
    }
}

impl Blocks for Cbb {
    const LEARNS: bool = true;

    fn pads(&mut self, lbn: Lbn) -> bool {
        let Config {
            padding, feedback, ..
        } = self.config;
        if !feedback {
            return padding;
        }
        let held = self.blocks.held(lbn);
        let missing = u64::from(self.pages_per_block - held);
        if missing == 0 {
            self.class[lbn.index()] = NO_CLASS;
            return padding;
        }
        let class = held.ilog2();
        let learned = &mut self.learned[class as usize];
        let is_sample = lbn.0 % SAMPLED == SAMPLED - 1;
        if padding && !is_sample && missing * learned.writes < learned.moved {
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

    fn moved(&mut self, lbn: Lbn, pages: u32) {
        if let Some(learned) = self.learned.get_mut(usize::from(self.class[lbn.index()])) {
            learned.moved += u64::from(pages);
        }
    }

    #[inline]
    fn headers(&self) -> u32 {
        self.blocks.headers()
    }

    #[inline]
    fn needs_header(&self, lbn: Lbn) -> bool {
        self.blocks.held(lbn) == 0
    }
}

impl Forecast for Cbb {}
