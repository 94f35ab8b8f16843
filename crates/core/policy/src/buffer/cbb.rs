//! CBB, the cost-benefit buffer: evicts the block whose pages are oldest in relation to the writes that their eviction
//! costs, and pads it only while that costs less than the merges that it saves.
//!
//! The choice of the victim joins four ideas. LRU: what has not been used for long will not be rewritten soon. FAB: a
//! full block makes room for many pages with one merge. Cost-benefit cleaning: age is weighed against the share of the
//! work that is of use, here the pages held among all pages that flash must write when the block leaves. BPLRU's
//! compensation: a complete block was mostly written in sequence, and goes early; how early is learned from the uses of
//! complete blocks and of others.
//!
//! It needs no knowledge of the FTL. Merges report the pages that they move; each is charged to the last write of its
//! block. Where blocks that were not padded have cost more pages than they lacked, padding is cheaper. On page mapping
//! nothing is ever merged, so nothing is ever padded, and age alone decides.

use ssdlab_flash::{Lbn, Page};

use super::by_held::ByHeld;
use super::merge_costs::MergeCosts;
use super::{
    Access, BufferKind, BufferPolicy, COUNT_HEADERS, Nature, PADDING, Padding, SIZE, Shape, Victim,
};
use crate::{About, Choice, Entry, Settings, Source, Switch};

/// Once there were more uses and hits than this, or a greater exposure, all counts are halved.
const USES: u64 = 1 << 18;
const EXPOSURE: u64 = 1 << 40;

/// Rates and shares are multiples of one in this power of two.
const FRACTION: u32 = 20;

/// The weight of complete blocks while nothing is known of them, and the greatest weight.
const EVEN: u64 = 256;
const GREATEST: u64 = 1 << 40;

/// Greater ages count as this one, so that products fit their types.
const OLDEST: u64 = 1 << 37;

/// The influence of a block's age (`buffer.age`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Age {
    /// 16 times the age counts eight times as much: age^¾.
    #[default]
    ThreeQuarters,
    /// Four times the age counts twice as much.
    Root,
    /// Twice the age counts twice as much.
    Linear,
    /// None.
    None,
}

/// 16 × age^¾, rounded down, for ages below 1024.
static WEIGHTS: [u16; 1024] = {
    let mut weights = [0; 1024];
    let mut age = 0;
    while age < 1024 {
        // √(256 × age × √age)
        weights[age] = (age as u64 * root(age as u64)).isqrt() as u16;
        age += 1;
    }
    weights
};

/// 256 × √age, rounded down.
const fn root(age: u64) -> u64 {
    (age << 16).isqrt()
}

impl Age {
    /// The weight of an age. Only weights of one kind are compared, so each has its own unit.
    #[inline]
    fn weight(self, age: u64) -> u64 {
        match self {
            Self::ThreeQuarters => {
                // greater ages are divided by 16 until they are below 1024; each time the weight counts eight times
                let digits = u64::BITS - age.leading_zeros();
                let divisions = digits.saturating_sub(10).div_ceil(4);
                u64::from(WEIGHTS[(age >> (4 * divisions)) as usize]) << (3 * divisions)
            }
            Self::Root => root(age),
            Self::Linear => age,
            Self::None => 1,
        }
    }
}

/// The weight of blocks of which every page is held (`buffer.complete`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Complete {
    /// The less it has helped to keep them, compared with others, the earlier they go.
    #[default]
    Learned,
    /// The same as that of others.
    Equal,
    /// They go first, as under BPLRU's compensation.
    First,
}

/// `buffer.age`.
pub const AGE: Choice<Age> = Choice::new(
    "buffer.age",
    &["three-quarters", "root", "linear", "none"],
    &[Age::ThreeQuarters, Age::Root, Age::Linear, Age::None],
    "how the age of a block weighs against its pages",
);

/// `buffer.complete`.
pub const COMPLETE: Choice<Complete> = Choice::new(
    "buffer.complete",
    &["learned", "equal", "first"],
    &[Complete::Learned, Complete::Equal, Complete::First],
    "how blocks with all pages held weigh against others",
);

/// `buffer.feedback`.
pub const FEEDBACK: Switch = Switch::new(
    "buffer.feedback",
    true,
    "pad only where merges have proved to cost more; false: always",
);

/// The parameters of CBB. All but the default are for comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CbbConfig {
    /// `buffer.age`.
    pub age: Age,
    /// `buffer.complete`.
    pub complete: Complete,
    /// `buffer.padding`: pages in flash pad a block; `off` means that nothing is padded.
    pub padding: bool,
    /// `buffer.feedback`: false means that merges teach nothing. Every victim is padded, as under BPLRU.
    pub feedback: bool,
}

impl Default for CbbConfig {
    fn default() -> Self {
        Self {
            age: Age::default(),
            complete: Complete::default(),
            padding: true,
            feedback: true,
        }
    }
}

/// How much it has helped to keep the blocks of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Reuse {
    /// Uses of blocks that were held.
    uses: u64,
    /// Pages used that were held.
    hits: u64,
    /// For each stay until a use or the eviction, the pages held × their age.
    exposure: u64,
}

/// Blocks sorted by pages held and last use, and what merges and uses have taught.
pub struct Cbb {
    blocks: ByHeld,
    pages_per_block: u32,
    config: CbbConfig,
    costs: MergeCosts,
    /// Of incomplete and of complete blocks.
    reuse: [Reuse; 2],
}

impl Cbb {
    /// A stay of a block ends, by a use or by its eviction. A use that directly follows another of the same block is a
    /// part of it. `hits` of the pages used are held.
    #[inline]
    fn learn(&mut self, lbn: Lbn, is_used: bool, hits: u32) {
        let (held, age) = (self.blocks.held(lbn), self.blocks.age(lbn));
        if held == 0 {
            return;
        }
        let reuse = &mut self.reuse[usize::from(held == self.pages_per_block)];
        reuse.uses += u64::from(is_used && age > 0);
        reuse.hits += u64::from(hits);
        reuse.exposure += u64::from(held) * age.min(OLDEST);
        let sum = |of: fn(&Reuse) -> u64| self.reuse.iter().map(of).sum::<u64>();
        let (mut used, mut exposure) = (
            sum(|reuse| reuse.uses + reuse.hits),
            sum(|reuse| reuse.exposure),
        );
        while used > USES || exposure > EXPOSURE {
            (used, exposure) = (0, 0);
            for Reuse {
                uses,
                hits,
                exposure: waited,
            } in &mut self.reuse
            {
                (*uses, *hits, *waited) = (*uses / 2, *hits / 2, *waited / 2);
                used += *uses + *hits;
                exposure += *waited;
            }
        }
    }

    /// The weight of complete blocks, where others have `EVEN`: how much less it has helped to keep one of their pages.
    /// `moved` as [`Cbb::mean_moved`] gives it.
    fn advantage(&self, moved: u64) -> u64 {
        let [others, complete] = &self.reuse;
        let exposure = others.exposure + complete.exposure;
        match self.config.complete {
            Complete::First => GREATEST,
            Complete::Learned if exposure > 0 => {
                // a use saves the pages hit, and a write of its block, after which merges would move pages
                let saved = moved.clamp(1, u64::from(self.pages_per_block));
                let value = |reuse: &Reuse| reuse.hits + saved * reuse.uses;
                let all = value(others) + value(complete);
                let share = (complete.exposure << FRACTION) / exposure;
                let expected = (all * share) >> FRACTION;
                // to what would be expected if all blocks were alike
                let rate = |value: u64, expected: u64| ((value + 1) << FRACTION) / (expected + 1);
                let seldom = rate(value(complete), expected).max(1);
                (EVEN * rate(value(others), all - expected) / seldom).clamp(1, GREATEST)
            }
            _ => EVEN,
        }
    }

    /// The pages that merges have moved for each write that was not padded: the mean, rounded down; `u64::MAX` while
    /// there was no such write.
    fn mean_moved(&self) -> u64 {
        let learned = self.costs.mean().filter(|_| self.config.feedback);
        learned.unwrap_or(u64::MAX)
    }

    /// A block with `held` pages; `moved` is that of [`Cbb::mean_moved`], and `advantage` that of [`Cbb::advantage`].
    #[inline]
    fn candidate(&self, lbn: Lbn, held: u32, moved: u64, advantage: u64) -> Candidate {
        let missing = u64::from(self.pages_per_block - held);
        let factor = if missing == 0 { advantage } else { EVEN };
        Candidate {
            lbn,
            age: (self.blocks.age(lbn) + 1).min(OLDEST),
            benefit: u64::from(held) * factor,
            cost: u64::from(held) + missing.min(moved),
        }
    }
}

/// A block that may become the victim.
#[derive(Clone, Copy)]
struct Candidate {
    lbn: Lbn,
    age: u64,
    /// The pages held, weighted; below 2^57.
    benefit: u64,
    /// The pages to write; below 2^18.
    cost: u64,
}

impl Candidate {
    /// Whether this block goes before another: its age × benefit / cost is greater, or as great and it is older.
    #[inline]
    fn goes_before(&self, other: &Self, kind: Age) -> bool {
        let product = |benefit: u64, cost: u64| u128::from(benefit) * u128::from(cost);
        let this_value = product(self.benefit, other.cost);
        let other_value = product(other.benefit, self.cost);
        let is_older = self.age > other.age;
        // most comparisons need no weights, which take longer than everything else
        if (this_value >= other_value) == is_older || this_value == other_value {
            return is_older;
        }
        // below 2^38 + 57 + 18
        let this_value = this_value * u128::from(kind.weight(self.age));
        let other_value = other_value * u128::from(kind.weight(other.age));
        this_value > other_value || this_value == other_value && is_older
    }
}

impl BufferKind for Cbb {
    const ENTRY: Entry = Entry {
        name: "cbb",
        rule: "evicts the block with the greatest age^¾ × pages held / pages to write for it, and pads it where that has \
               proved cheaper than the merges it saves",
        source: Source::own("ssdlab, reproduce/own-buffer/README.md"),
        keys: &[
            SIZE.key,
            COUNT_HEADERS.key,
            AGE.key,
            COMPLETE.key,
            PADDING.key,
            FEEDBACK.key,
        ],
        about: About {
            file: file!(),
            lines: [
                "The age of a block is the number of pages accessed since its last use. Pages that merges move are \
                 charged to the last write of their block, if that write was not padded.",
                "When room is needed, all pages of the block with the greatest age^¾ × held / (held + extra) are \
                 evicted together; among equals, those of the least recently used one. Extra is the number of missing \
                 pages, but at most the mean charge of all writes. The value of a complete block is multiplied by the \
                 factor by which keeping a page of another block is more useful than keeping one of a complete block.",
                "The victim is padded if it lacks fewer pages than the mean charge of blocks that held about as many \
                 pages (by powers of two). One logical block in 31 is never padded, so that charges stay known.",
            ],
            cost: "O(1) for each page; each choice looks at one block for each different number of pages held, at \
                   most √(2 × pages of the buffer); 21 bytes for each logical block. A discard of a single page walks \
                   the blocks that hold the same number of pages.",
            wins: "Log-block FTLs, all the more with many log blocks: under Postmark it takes a tenth to a third less \
                   time than the best policy of the papers. It never pads on page mapping, and seldom where flushes \
                   are frequent.",
            loses: "Page mapping with a large buffer, if blocks fill before they are rewritten: FAB, which writes the \
                    fullest block, takes up to a fifth less time. Small writes spread over the whole disk: PLRU-BR is \
                    up to an eighth faster.",
        },
    };

    const NATURE: Nature = Nature::block_level([0, 0, ByHeld::BYTES + MergeCosts::BYTES]).padding();

    type Config = CbbConfig;

    fn configure(settings: &dyn Settings) -> CbbConfig {
        CbbConfig {
            age: AGE.of(settings),
            complete: COMPLETE.of(settings),
            padding: PADDING.of(settings) != Padding::Off,
            feedback: FEEDBACK.of(settings),
        }
    }

    fn new(shape: &Shape, config: &CbbConfig) -> Self {
        Self {
            blocks: ByHeld::new(shape),
            pages_per_block: shape.geometry.pages_per_block(),
            config: *config,
            costs: MergeCosts::new(shape),
            reuse: [Reuse::default(); 2],
        }
    }
}

impl BufferPolicy for Cbb {
    const LEARNS: bool = true;

    #[inline]
    fn hit(&mut self, page: Page, _: Access) {
        self.learn(page.lbn, true, 1);
        self.blocks.hit(page.lbn, 1);
    }

    #[inline]
    fn enter(&mut self, page: Page, _: Access) {
        self.learn(page.lbn, true, 0);
        self.blocks.enter(page.lbn, 1);
    }

    fn left(&mut self, page: Page) {
        self.blocks.left(page.lbn);
    }

    fn victim(&mut self) -> Victim {
        // among blocks with equally many pages only the oldest can win
        let moved = self.mean_moved();
        let advantage = self.advantage(moved);
        let candidates = self.blocks.sizes().map(|held| {
            let oldest = self.blocks.oldest(held);
            self.candidate(oldest, held, moved, advantage)
        });
        let kind = self.config.age;
        let first = candidates.reduce(|best, other| {
            if other.goes_before(&best, kind) {
                other
            } else {
                best
            }
        });
        let Candidate { lbn, .. } = first.expect("called only while a page is held");
        self.learn(lbn, false, 0);
        self.blocks.begin_to_leave(lbn);
        Victim::Block(lbn)
    }

    #[inline]
    fn hit_run(&mut self, first: Page, count: u32, _: Access) {
        self.learn(first.lbn, true, count);
        self.blocks.hit(first.lbn, count);
    }

    #[inline]
    fn enter_run(&mut self, first: Page, count: u32, _: Access) {
        self.learn(first.lbn, true, 0);
        self.blocks.enter(first.lbn, count);
    }

    #[inline]
    fn left_together(&mut self, lbn: Lbn, count: u32, _: impl Iterator<Item = Page>) {
        self.blocks.left_together(lbn, count);
    }

    fn pads(&mut self, lbn: Lbn) -> bool {
        let CbbConfig {
            padding, feedback, ..
        } = self.config;
        if !feedback {
            return padding;
        }
        self.costs.pads(lbn, self.blocks.held(lbn), padding)
    }

    fn moved(&mut self, lbn: Lbn, pages: u32) {
        self.costs.moved(lbn, pages);
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

#[cfg(test)]
mod tests {
    use super::*;

    // Planted bug: the weight falls where the age loses digits.
    #[test]
    fn an_age_weighs_its_power_of_three_quarters() {
        let weight = |age| Age::ThreeQuarters.weight(age);
        assert_eq!([1, 2, 16, 81, 1023].map(weight), [16, 26, 128, 432, 2894]);
        // 64 and 65 times 16
        assert_eq!([1024, 1039, 1040].map(weight), [2896, 2896, 2928]);
        assert_eq!(weight(1 << 34), weight(1 << 10) << 18);
        assert!((1..100_000).all(|age| weight(age) <= weight(age + 1)));
    }
}
