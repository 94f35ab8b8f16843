//! Folding: valid pages of a block of the cache move to the frontier of host writes; a block without valid pages is erased.

use ssdlab_flash::{Media, Payload, Pbn};

use super::super::pace::FLOOR;
use super::super::{PageMapping, Victim};
use super::{Among, Reason};
use crate::{Buffer, Env, FtlError, Pace};

impl<P: Payload> PageMapping<P> {
    /// Begins with a new victim: the dynamic block of the cache to fold, or the block that the cleaning policy names if it
    /// has fewer valid pages. False if there is neither.
    pub(in super::super) fn choose_victim_cached<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
    ) -> bool {
        let folded = self.slc().to_fold(Among::Dynamic, Pbn::NONE);
        let cleaned = (self.invalid_in_full_blocks() > 0).then(|| self.pick(env, buffer));
        match (folded, cleaned) {
            (None, None) => return false,
            (Some(fold), None) => self.begin_fold(env, fold),
            (Some(fold), Some((clean, _))) if self.pages_in(fold) <= self.valid_in(clean) => {
                self.victims.passed_over();
                self.begin_fold(env, fold);
            }
            (_, Some((clean, decision))) => {
                self.begin(env, buffer, clean, decision);
                self.victims.set_aside(clean);
            }
        }
        true
    }

    fn begin_fold<M: Media>(&mut self, env: &mut Env<M>, block: Pbn) {
        env.begin_folding(block);
        self.victim = Victim {
            block,
            valid: self.pages_in(block),
            ..Victim::NONE
        };
    }

    /// The valid pages of a block of the cache.
    fn pages_in(&self, block: Pbn) -> u32 {
        self.slc().valid[block.index()]
    }

    /// Whether blocks are so short that one must be cleaned first.
    fn is_short(&self) -> bool {
        let keep = match self.pace {
            Pace::Whole => self.gc_low,
            Pace::Paced => FLOOR,
        };
        self.free.len() <= keep
    }

    /// Whether so many pages need a block in a region.
    fn needs_block(&self, region: u32, pages: u32) -> bool {
        self.frontiers[region as usize].room() < pages
    }

    /// Moves the first so many valid pages of a block, which need not be the victim in progress.
    fn move_out<M: Media>(
        &mut self,
        env: &mut Env<M>,
        block: Pbn,
        valid: u32,
        pages: u32,
    ) -> Result<(), FtlError> {
        if pages == 0 {
            return Ok(());
        }
        let mut buffer = Buffer::none();
        if block == self.victim.block {
            return self.move_first_pages(env, &mut buffer, pages);
        }
        let other = Victim {
            block,
            valid,
            ..Victim::NONE
        };
        let in_progress = core::mem::replace(&mut self.victim, other);
        let moved = self.move_first_pages(env, &mut buffer, pages);
        self.victim = in_progress;
        moved
    }

    /// Folds a block as a whole, to have room in the cache.
    pub(super) fn fold_for_room<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
    ) -> Result<(), FtlError> {
        let Some(block) = self.slc().to_fold(Among::All, self.victim.block) else {
            return Ok(());
        };
        if self.needs_block(self.host, self.pages_in(block)) {
            while self.is_short() {
                self.clean(env, buffer)?;
            }
            // a victim may have been this block
            if !self.slc().is_full(block) {
                return Ok(());
            }
        }
        let pages = self.pages_in(block);
        self.move_out(env, block, pages, pages)?;
        self.erase_slc(env, block, |counts| &mut counts.folds_room)
    }

    /// Pages of a line that move together, one for each chip; else 1.
    fn stripe(&self) -> u32 {
        self.geometry.chips()
    }

    /// The block of which a stripe is folded beside or in a gap, its valid pages, and how many of them move.
    fn stripe_to_fold(&self) -> Option<(Pbn, u32, u32)> {
        let slc = self.slc();
        let block = slc.to_fold(Among::All, self.victim.block)?;
        let valid = self.pages_in(block);
        let is_more = slc.full.len() as u32 > slc.config.rest;
        is_more.then_some((block, valid, valid.min(self.stripe())))
    }

    /// Folds a stripe; a block without valid pages is erased.
    fn fold_stripe<M: Media>(
        &mut self,
        env: &mut Env<M>,
        (block, valid, pages): (Pbn, u32, u32),
        reason: Reason,
    ) -> Result<(), FtlError> {
        self.move_out(env, block, valid, pages)?;
        match pages == valid {
            true => self.erase_slc(env, block, reason),
            false => Ok(()),
        }
    }

    /// Whether so many pages need a block in a region, while blocks are short.
    fn has_no_block(&self, region: u32, pages: u32) -> bool {
        self.needs_block(region, pages) && self.is_short()
    }

    /// Folds what one direct page asks for.
    pub(super) fn fold_beside<M: Media>(&mut self, env: &mut Env<M>) -> Result<(), FtlError> {
        let least = 1000 * u64::from(self.stripe());
        let slc = self.slc_mut();
        slc.debt += slc.config.beside;
        while self.slc().debt >= least {
            let next = self.stripe_to_fold();
            let next = next.filter(|&(_, _, pages)| !self.has_no_block(self.host, pages));
            let Some(next) = next else {
                self.slc_mut().debt = 0;
                break;
            };
            self.slc_mut().debt -= 1000 * u64::from(next.2);
            self.fold_stripe(env, next, |counts| &mut counts.folds_beside)?;
        }
        Ok(())
    }

    /// A step in a gap between requests. Returns whether there was anything to do.
    pub(in super::super) fn fold_step<M: Media>(
        &mut self,
        env: &mut Env<M>,
    ) -> Result<bool, FtlError> {
        let Some(next) = self.stripe_to_fold() else {
            return self.reclaim_step(env);
        };
        match self.has_no_block(self.host, next.2) {
            true => self.clean(env, &mut Buffer::none())?,
            false => self.fold_stripe(env, next, |counts| &mut counts.folds_idle)?,
        }
        Ok(true)
    }

    /// Cleans a part of a nearly empty native block, so that the cache finds erased ones.
    fn reclaim_step<M: Media>(&mut self, env: &mut Env<M>) -> Result<bool, FtlError> {
        let slc = self.slc();
        let Some(most) = slc.reclaimed else {
            return Ok(false);
        };
        let wanted = slc.cap(self.native_pages()).saturating_sub(slc.used);
        if self.free.len() >= slc.config.keep.saturating_add(wanted) {
            return Ok(false);
        }
        let emptiest = self.victims.fewest_valid();
        let Some((block, valid)) = emptiest.filter(|&(_, valid)| valid <= most) else {
            return Ok(false);
        };
        let region = self.placement.of_copies(self.region_of_block(block));
        let region = region.unwrap_or(self.host);
        let pages = valid.min(self.stripe());
        if self.has_no_block(region, pages) {
            return Ok(false);
        }
        self.move_out(env, block, valid, pages)?;
        let now = self.now(env);
        (0..pages).for_each(|_| self.victims.invalidated(block, now));
        if pages == valid {
            self.erase_native(env, block)?;
            env.counts.slc_reclaims += 1;
        }
        Ok(true)
    }
}
