//! Cleaning: the valid pages of a victim move to the frontier that the placement names, and the victim is erased, as a
//! whole before a write or in portions behind the writes (`pace.rs`).

use std::ops::Range;

use ssdlab_flash::{Lpn, Media, Payload, Pbn, Ppn};
use ssdlab_policy::prefetch;

use super::victims::Victims;
use super::{PageMapping, role};
use crate::aware::Decision;
use crate::cleaned::{Cleaned, HeldOfBlock};
use crate::{Buffer, Env, FtlError, Work};

/// The victim in progress.
#[derive(Clone, Debug)]
pub(super) struct Victim {
    /// None if there is no victim in progress.
    pub block: Pbn,
    /// All valid pages are at or behind this place.
    pub next: Ppn,
    /// The number of its valid pages.
    pub valid: u32,
    /// The pages that have moved.
    pub moved: u32,
    /// The portions in which its valid pages move; see `pace.rs`.
    pub budget: u32,
    /// The decision for its cleaning.
    decision: Decision,
    /// The work for it so far.
    work: Work,
}

impl Victim {
    pub const NONE: Self = Self {
        block: Pbn::NONE,
        next: Ppn::NONE,
        valid: 0,
        moved: 0,
        budget: 0,
        decision: Decision::BLIND,
        work: Work::NONE,
    };

    pub fn is_some(&self) -> bool {
        self.block.is_some()
    }
}

impl<P: Payload> PageMapping<P> {
    /// Cleans the victim in progress, or a new one, to its end.
    pub(super) fn clean<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
    ) -> Result<(), FtlError> {
        if !self.victim.is_some() {
            if self.invalid_in_full_blocks() == 0 {
                return Err(FtlError::OverFilled);
            }
            self.choose_victim(env, buffer);
        }
        self.move_first_pages(env, buffer, u32::MAX)?;
        self.erase_victim(env)
    }

    /// Begins with a new victim. Some full block must have an invalid page.
    pub(super) fn choose_victim<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
    ) {
        let (block, decision) = self.pick(env, buffer);
        let next = self.geometry.ppn(block, 0);
        let end = self.geometry.ppn(block.plus(1), 0);
        let valid = self.valid.count(next.0, end.0);
        env.begin_cleaning(block, valid);
        self.victim = Victim {
            block,
            next,
            valid,
            decision: buffer.decided(decision).decision(),
            ..Victim::NONE
        };
    }

    /// Erases the victim in progress, whose pages have all moved.
    pub(super) fn erase_victim<M: Media>(&mut self, env: &mut Env<M>) -> Result<(), FtlError> {
        let Victim {
            block,
            work,
            decision,
            ..
        } = std::mem::replace(&mut self.victim, Victim::NONE);
        if let Victims::Weighed(bavbs, _) = &mut self.victims {
            bavbs.merged(&work);
        }
        let erase = Work { erases: 1, ..work };
        env.merged(decision, &erase);
        self.victims.erased(block);
        // once the block is erased, its copies and the discards of its pages must not be lost
        env.barrier()?;
        env.erase_victim(block)?;
        self.free.give_back(block);
        Ok(())
    }

    /// The block to clean, and the decision for its cleaning.
    fn pick<M: Media>(&mut self, env: &Env<M>, buffer: &Buffer<M::Data>) -> (Pbn, Decision) {
        let now = self.now(env);
        match &mut self.victims {
            Victims::Policy(policy) => return (policy.pick(now), Decision::AWARE),
            Victims::Weighed(bavbs, candidates) => candidates.list(bavbs.candidates(), |held| {
                let block_of = |lpn: Lpn| {
                    let at = self.map[lpn.index()];
                    at.is_some().then(|| self.geometry.block_of(at))
                };
                held.count(buffer, self.geometry.logical_pages(), block_of);
            }),
        }
        self.victims
            .lightest(buffer.update_denominator(), |block, held| {
                self.cleaned(env, buffer, block, held)
            })
    }

    /// The pages that cleaning a block would move; counted page by page, unless the held pages of the block are known.
    fn cleaned<M: Media>(
        &self,
        env: &Env<M>,
        buffer: &Buffer<M::Data>,
        block: Pbn,
        held: Option<&HeldOfBlock>,
    ) -> Cleaned {
        let region = self.placement.of_copies(self.region_of_block(block));
        let frontier = self.frontiers[region as usize];
        let free = self.free.next();
        let free = free.map(|free| self.geometry.ppn(free, 0));
        let mut cleaned = Cleaned::new((frontier.next, frontier.room()), free);
        let first = self.geometry.ppn(block, 0);
        let end = self.geometry.ppn(block.plus(1), 0);
        let at_once = held.is_some_and(|held| {
            let valid = self.valid.count(first.0, end.0);
            cleaned.add_all(env, first, valid, held)
        });
        if !at_once {
            self.for_each_valid(block, |from, lpn| cleaned.add(env, buffer, from, lpn));
        }
        cleaned
    }

    /// The pages that cleaning can gain.
    pub(super) fn invalid_in_full_blocks(&self) -> u32 {
        let mut blocks = self.geometry.physical_blocks() - self.free.len();
        let mut valid = self.mapped;
        for frontier in self.frontiers.iter().filter(|f| f.room() > 0) {
            blocks -= 1;
            valid -= self.valid_in_frontier(*frontier);
        }
        blocks * self.geometry.pages_per_block() - valid
    }

    /// Moves the first `most` valid pages of the victim in progress to the region that the placement chooses. If this
    /// takes the last free block, moves all of them: the next one is free only behind the erase.
    pub(super) fn move_first_pages<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        most: u32,
    ) -> Result<(), FtlError> {
        let Victim {
            block,
            next,
            decision,
            ..
        } = self.victim;
        let region = self.placement.of_copies(self.region_of_block(block));
        let mut moved = std::mem::take(&mut self.moved);
        moved.clear();
        let end = self.geometry.ppn(block.plus(1), 0).0;
        let mut buffer = buffer.decided(decision);
        let before = env.counts.work();
        let mut rest = self.take_first(next.0..end, most, &mut moved);
        self.skip_pages(env, &buffer, &mut moved)?;
        if self.free.len() == 1 && moved.len() as u32 > self.frontiers[region as usize].room() {
            rest = self.take_first(rest..end, u32::MAX, &mut moved);
            self.skip_pages(env, &buffer, &mut moved)?;
        }
        let mut pages = &moved[..];
        while !pages.is_empty() {
            let frontier = self.frontier_as_is(region)?;
            let some;
            (some, pages) = pages.split_at(pages.len().min(frontier.room() as usize));
            env.migrate_pages(&mut buffer, some, frontier.next, role(region))?;
            for (&(_, lpn), to) in some.iter().zip(frontier.next.0..) {
                self.map[lpn.index()] = Ppn(to);
                self.holds[to as usize] = lpn;
            }
            self.advance(region, some.len() as u32, self.now(env));
        }
        let selected = self.valid.count(next.0, rest);
        self.valid.remove_range(next.0, rest);
        let victim = &mut self.victim;
        victim.next = Ppn(rest);
        victim.valid -= selected;
        victim.moved += selected;
        victim.work.add(&env.counts.work().since(&before));
        self.moved = moved;
        Ok(())
    }

    /// Lists the first `most` valid pages of these, with their logical pages. Returns the place behind the last one.
    fn take_first(&self, pages: Range<u32>, most: u32, moved: &mut Vec<(Ppn, Lpn)>) -> u32 {
        self.valid.for_first_in(pages.start, pages.end, most, |at| {
            let lpn = self.holds[at as usize];
            prefetch(&self.map, lpn.index());
            moved.push((Ppn(at), lpn));
        })
    }

    /// Drops the versions in flash of those of these pages of which the buffer holds newer ones, if cleaning skips them.
    fn skip_pages<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &Buffer<M::Data>,
        pages: &mut Vec<(Ppn, Lpn)>,
    ) -> Result<(), FtlError> {
        let mut skipped = Ok(());
        pages.retain(|&(_, lpn)| {
            let skips = skipped.is_ok() && buffer.skips(lpn);
            if skips {
                skipped = env.skip(lpn);
                self.map[lpn.index()] = Ppn::NONE;
                self.mapped -= 1;
            }
            !skips
        });
        Ok(skipped?)
    }

    /// Calls `take` for each valid page of a full block, in order, with its logical page.
    #[inline]
    fn for_each_valid(&self, block: Pbn, mut take: impl FnMut(Ppn, Lpn)) {
        let first = self.geometry.ppn(block, 0).0;
        let end = first + self.geometry.pages_per_block();
        self.valid
            .for_each_in(first, end, |at| take(Ppn(at), self.holds[at as usize]));
    }
}
