//! Paced cleaning: a victim is cleaned in portions behind the pages that come from outside, as drives do, and not as a
//! whole before the write that needs a block. It begins half a block earlier, so that it is done in time.
//!
//! A page from outside is each page that the FTL programs other than by cleaning. It takes the last free block only if
//! cleaning has just gained another one; so between two calls a block is always free, and a mount can undo the copies of a
//! victim that is not erased.

use ssdlab_flash::{Media, Payload};
use ssdlab_policy::{Choice, Count, Number, prefetch};

use super::PageMapping;
use crate::{Buffer, Env, FtlError};

/// How a victim is cleaned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// As a whole, before the write that needs a block.
    #[default]
    Whole,
    /// In portions, behind the writes.
    Paced,
}

/// `ftl.pace`.
pub const PACE: Choice<Pace> = Choice::new(
    "ftl.pace",
    &["whole", "paced"],
    &[Pace::Whole, Pace::Paced],
    "clean a victim as a whole before a write, or in portions behind the writes, as drives do",
);

/// `ftl.idle_cleaning_us`.
pub const IDLE_CLEANING_US: Number = Number::new(
    "ftl.idle_cleaning_us",
    [0.0, 1e12],
    0.0,
    "clean in gaps between requests, this long after the last work, in µs; 0: never",
);

/// `ftl.gc_high`.
pub const GC_HIGH: Count = Count::open(
    "ftl.gc_high",
    [2, 1 << 32],
    "free blocks at which cleaning in gaps ends; default gc_low + 2, at most spare blocks - frontiers",
)
.if_value(IDLE_CLEANING_US.key.path, |settings| {
    IDLE_CLEANING_US.of(settings) > 0.0
});

/// The default of `ftl.gc_high`: two blocks more than `gc_low`, but not more than the spare blocks without frontiers.
pub fn default_gc_high(gc_low: u32, spare_blocks: u32, frontiers: u32) -> u32 {
    let most = spare_blocks.saturating_sub(frontiers).max(gc_low + 1);
    most.min(gc_low + 2)
}

/// With `ftl.pace = "paced"`, a page from outside takes a block only while more than this many are free.
pub(super) const FLOOR: u32 = 1;

impl<P: Payload> PageMapping<P> {
    /// The portion behind a page from outside: it begins with a victim if pages run short, moves some of its valid pages,
    /// and erases it behind the last one.
    #[inline]
    pub(super) fn clean_portion<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
    ) -> Result<(), FtlError> {
        if !self.victim.is_some()
            && (self.pages_before_cleaning() > 0 || !self.begin_victim(env, buffer))
        {
            return Ok(());
        }
        let pages = self.victim.valid.div_ceil(self.victim.budget);
        self.victim.budget -= 1;
        self.clean_some(env, buffer, pages)?;
        self.foresee_portion(pages);
        Ok(())
    }

    /// Prefetches what the next portion changes.
    fn foresee_portion(&self, pages: u32) {
        if self.victim.is_some() && self.copy_order.is_by_page() {
            let first = self.geometry.ppn(self.victim.block, 0);
            let end = first.plus(self.geometry.pages_per_block());
            self.valid
                .for_first_in(first.0 + self.victim.next, end.0, pages, |at| {
                    prefetch(&self.map, self.holds[at as usize].index());
                });
        }
    }

    /// A step of cleaning in a gap between requests. Returns whether there was anything to do.
    pub(super) fn clean_step<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
    ) -> Result<bool, FtlError> {
        if self.free.len() >= self.gc_high
            || !self.victim.is_some() && !self.begin_victim(env, buffer)
        {
            return Ok(false);
        }
        self.clean_some(env, buffer, self.geometry.chips())?;
        Ok(true)
    }

    /// Moves pages of the victim in progress, and erases it if none is left.
    fn clean_some<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        pages: u32,
    ) -> Result<(), FtlError> {
        if self.victim.valid > 0 {
            self.move_first_pages(env, buffer, pages)?;
        }
        if self.victim.valid == 0 {
            self.erase_victim(env)?;
        }
        Ok(())
    }

    /// The pages that can be programmed until cleaning begins: those of `gc_low` blocks and a half stay.
    pub(super) fn pages_before_cleaning(&self) -> u32 {
        let block = u64::from(self.geometry.pages_per_block());
        let stay = u64::from(self.gc_low) * block + block / 2;
        let pages = self.programmable().saturating_sub(stay);
        u32::try_from(pages).unwrap_or(u32::MAX)
    }

    /// The pages that can be written in one step: only the last one may have a portion behind it.
    pub(super) fn pages_before_portion(&self) -> u32 {
        if self.victim.is_some() {
            return 1;
        }
        self.pages_before_cleaning().max(1)
    }

    /// The number of pages that can be programmed.
    pub(super) fn programmable(&self) -> u64 {
        let open: u32 = self.frontiers.iter().map(|frontier| frontier.room()).sum();
        u64::from(self.free.len()) * u64::from(self.geometry.pages_per_block()) + u64::from(open)
    }

    /// Chooses a victim, if some full block has an invalid page, and the number of portions in which it is cleaned: what it
    /// gains, or an eighth of what can be programmed above `gc_low - 1` blocks, if that is more.
    fn begin_victim<M: Media>(&mut self, env: &mut Env<M>, buffer: &mut Buffer<M::Data>) -> bool {
        if !self.choose_victim(env, buffer) {
            return false;
        }
        let block = i64::from(self.geometry.pages_per_block());
        let kept = i64::from(self.victim.valid) + (i64::from(self.gc_low) - 1) * block;
        let left = self.programmable() as i64 - kept;
        let portions = (left - block / 2).max((left + 7).div_euclid(8)).max(1);
        self.victim.budget = u32::try_from(portions).unwrap_or(u32::MAX);
        true
    }
}
