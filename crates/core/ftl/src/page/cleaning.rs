//! Cleaning: the valid pages of a victim move to the frontier that the placement names, and the victim is erased, as a
//! whole before a write or in portions behind the writes (`pace.rs`).

use alloc::vec::Vec;
use core::ops::Range;

use ssdlab_flash::{Lpn, Media, Note, Payload, Pbn, Ppn};
use ssdlab_policy::placement::Decides;
use ssdlab_policy::prefetch;

use super::map::Io;
use super::victims::Chooser;
use super::{Frontier, PageMapping};
use crate::aware::Decision;
use crate::cleaned::{Cleaned, HeldOfBlock};
use crate::{Buffer, Env, FtlError, Work};

/// The victim in progress.
#[derive(Clone, Debug)]
pub(super) struct Victim {
    /// None if there is no victim in progress.
    pub block: Pbn,
    /// All valid pages are at or behind this place of the order of copies.
    pub next: u32,
    /// The number of its valid pages.
    pub valid: u32,
    /// The pages that have moved.
    pub moved: u32,
    /// The portions in which its valid pages move; see `pace.rs`.
    pub budget: u32,
    /// The decision for its cleaning.
    pub decision: Decision,
    /// The work for it so far.
    pub work: Work,
}

impl Victim {
    pub const NONE: Self = Self {
        block: Pbn::NONE,
        next: 0,
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
        if !self.victim.is_some() && !self.choose_victim(env, buffer) {
            return Err(FtlError::OverFilled);
        }
        self.move_first_pages(env, buffer, u32::MAX)?;
        self.erase_victim(env)
    }

    /// Begins with a new victim; false if no full block has an invalid page.
    pub(super) fn choose_victim<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
    ) -> bool {
        if self.slc.is_some() {
            return self.choose_victim_cached(env, buffer);
        }
        if self.invalid_in_full_blocks() == 0 {
            return false;
        }
        let (block, decision) = self.pick(env, buffer);
        self.begin(env, buffer, block, decision);
        true
    }

    /// Begins with this victim, which the buffer may help to clean.
    pub(super) fn begin_with<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        block: Pbn,
    ) {
        self.begin(env, buffer, block, Decision::AWARE);
    }

    pub(super) fn begin<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        block: Pbn,
        decision: Decision,
    ) {
        let valid = self.valid_in(block);
        env.begin_cleaning(block, valid);
        let (region, now) = (self.region_of_block(block), self.placed_now(env));
        self.tallies[region as usize].cleaned();
        self.placement.cleaned(block, region, now);
        self.victim = Victim {
            block,
            valid,
            decision: buffer.decided(decision).decision(),
            ..Victim::NONE
        };
    }

    pub(super) fn valid_in(&self, block: Pbn) -> u32 {
        let first = self.geometry.ppn(block, 0).0;
        self.valid
            .count(first, first + self.geometry.pages_per_block())
    }

    /// Erases the victim in progress, whose pages have all moved.
    pub(super) fn erase_victim<M: Media>(&mut self, env: &mut Env<M>) -> Result<(), FtlError> {
        let block = self.victim.block;
        if self.is_slc(block) {
            return self.erase_slc(env, block, |counts| &mut counts.folds_space);
        }
        if let Some(maps) = &mut self.maps {
            maps.before_erase(&mut Io::new(env, &self.map))?;
        }
        self.end_victim(env);
        // once the block is erased, its copies and the discards of its pages must not be lost
        env.barrier()?;
        env.erase_victim(block)?;
        self.free.give_back(block);
        Ok(())
    }

    /// Ends the cleaning of the victim in progress and returns it.
    pub(super) fn end_victim<M: Media>(&mut self, env: &mut Env<M>) -> Pbn {
        let Victim {
            block,
            work,
            decision,
            ..
        } = core::mem::replace(&mut self.victim, Victim::NONE);
        if let Chooser::Weighed(bavbs, _) = &mut self.victims.chooser {
            bavbs.merged(&work);
        }
        let erase = Work { erases: 1, ..work };
        env.merged(decision, &erase);
        self.victims.erased(block);
        block
    }

    /// The block to clean, and the decision for its cleaning.
    pub(super) fn pick<M: Media>(
        &mut self,
        env: &Env<M>,
        buffer: &Buffer<M::Data>,
    ) -> (Pbn, Decision) {
        let (now, placed_now) = (self.now(env), self.placed_now(env));
        match &mut self.victims.chooser {
            Chooser::Policy(policy) => {
                let block = policy.pick(now);
                return (self.fitting(block), Decision::AWARE);
            }
            Chooser::Grouped(groups) => {
                let group = self.placement.group_to_clean(groups.sizes(), placed_now);
                let block = groups.pick(group, self.geometry.pages_per_block());
                return (self.fitting(block), Decision::AWARE);
            }
            Chooser::Weighed(bavbs, candidates) => candidates.list(bavbs.candidates(), |held| {
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

    /// The victim, or the emptiest full block if the valid pages of the victim do not fit into what can be programmed. Only a
    /// power cut can leave so little.
    fn fitting(&self, victim: Pbn) -> Pbn {
        if self.in_place || u64::from(self.valid_in(victim)) <= self.programmable() {
            return victim;
        }
        let blocks = (0..self.geometry.physical_blocks()).map(Pbn);
        let full = blocks.filter(|&block| {
            !self.is_slc(block)
                && !self.is_frontier(block)
                && self.free.iter().all(|free| free != block)
        });
        full.min_by_key(|&block| self.valid_in(block))
            .unwrap_or(victim)
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
        let region = region.expect("copies of one block go to one region where cleaning is aware");
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
        let (in_slc, slc_pages) = self.slc.as_ref().map_or((0, 0), |slc| slc.out_of_pool());
        let mut blocks = self.geometry.physical_blocks() - self.free.len() - in_slc;
        let mut valid = self.mapped - slc_pages;
        for frontier in self.frontiers.iter().filter(|f| f.room() > 0) {
            blocks -= 1;
            valid -= self.valid_in_frontier(*frontier);
        }
        blocks * self.geometry.pages_per_block() - valid
    }

    /// Moves the first `most` valid pages of the victim in progress to the regions that the placement chooses. If this takes
    /// the last free block, moves all of them: the next one is free only behind the erase.
    pub(super) fn move_first_pages<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        most: u32,
    ) -> Result<(), FtlError> {
        let mut moved = core::mem::take(&mut self.moved);
        moved.clear();
        let mut buffer = buffer.decided(self.victim.decision);
        let before = env.counts.work();
        self.list_pages(env, &buffer, most, &mut moved)?;
        let folds = self.is_slc(self.victim.block);
        let one = if folds {
            Some(self.host)
        } else {
            self.placement
                .of_copies(self.region_of_block(self.victim.block))
        };
        let folded = folds.then(|| env.begin_fold_copies());
        let mut done = 0;
        if one.is_none() {
            self.parted.clear();
            self.part(env, &moved);
            done = self.copy_by_region(env, &mut buffer, &moved)?;
        }
        while done < moved.len() {
            let (region, pages) = self.next_copies(one, &moved, done);
            if self.free.len() == 1 && pages as u32 > self.frontiers[region as usize].room() {
                // nothing if they are listed already
                self.list_pages(env, &buffer, u32::MAX, &mut moved)?;
                if one.is_none() {
                    self.part(env, &moved);
                }
            }
            let now = self.placed_now(env);
            let end = done + pages;
            while done < end {
                let region = self.region_with_room(region);
                let frontier = self.frontier_as_is(region, now)?;
                let some = (end - done).min(frontier.room() as usize);
                let (some, behind) = moved[done..].split_at(some);
                let behind = self.copy_order.is_by_page().then_some(behind);
                self.copy_to(env, &mut buffer, region, frontier, some, behind)?;
                done += some.len();
            }
        }
        if let Some(before) = folded {
            let (block, pages) = (self.victim.block, moved.len() as u32);
            env.end_fold_copies(before, pages);
            if let Some(slc) = &mut self.slc {
                slc.lost(block, pages);
            }
        }
        self.victim.work.add(&env.counts.work().since(&before));
        self.moved = moved;
        Ok(())
    }

    /// Copies pages of the victim to a frontier with room for them. `behind`: all listed pages that move later, if all are
    /// in ascending order.
    pub(super) fn copy_to<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        region: u32,
        frontier: Frontier,
        pages: &[(Ppn, Lpn)],
        behind: Option<&[(Ppn, Lpn)]>,
    ) -> Result<(), FtlError> {
        match env.group_pages() {
            _ if self.maps.is_some() => {
                self.move_mapped(env, buffer, region, frontier.next, pages)?;
            }
            1 => self.move_pages(env, buffer, region, frontier.next, pages)?,
            group => {
                let to = (region, frontier.next);
                self.move_by_group(env, buffer, to, group, pages, behind)?;
            }
        }
        if self.decides == Decides::Page {
            self.placement.copied(pages, frontier.next);
        }
        let count = pages.len() as u32;
        self.tally_moved(self.region_of_block(self.victim.block), region, count);
        self.advance(region, count, self.now(env));
        Ok(())
    }

    pub(super) fn move_pages<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        region: u32,
        to: Ppn,
        pages: &[(Ppn, Lpn)],
    ) -> Result<(), FtlError> {
        env.migrate_pages(buffer, pages, to, self.role(region))?;
        self.moved_to(to, pages);
        Ok(())
    }

    /// These pages have moved to consecutive places.
    #[inline]
    fn moved_to(&mut self, to: Ppn, pages: &[(Ppn, Lpn)]) {
        for (&(_, lpn), to) in pages.iter().zip(to.0..) {
            self.map[lpn.index()] = Ppn(to);
            self.holds[to as usize] = lpn;
        }
    }

    /// The same with notes for clocks, where neighbouring pages are sensed together: how many of a group are valid.
    #[inline(never)]
    fn move_by_group<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        (region, mut to): (u32, Ppn),
        group: u32,
        mut pages: &[(Ppn, Lpn)],
        behind: Option<&[(Ppn, Lpn)]>,
    ) -> Result<(), FtlError> {
        // a page that comes from the buffer is not valid any more when its neighbours are sensed
        let alone = buffer.is_lent();
        let behind = behind.filter(|_| !alone);
        let together = !alone && env.notes_copies();
        let all = (pages, to);
        while let Some(&(Ppn(at), _)) = pages.first() {
            let first = at - at % group;
            let is_of_group = |(at, _): &&(Ppn, Lpn)| (first..first + group).contains(&at.0);
            let count = match alone {
                true => 1,
                false => pages.iter().take_while(is_of_group).count(),
            };
            let (some, others) = pages.split_at(count);
            let valid = match behind {
                // the listed ones do not count as valid
                Some(behind) => {
                    let mut listed = count;
                    if others.is_empty() {
                        listed += behind.iter().take_while(is_of_group).count();
                    }
                    self.valid.count(first, first + group) + listed as u32
                }
                None => self.valid_in_group(first, group),
            };
            debug_assert_eq!(valid, self.valid_in_group(first, group), "from {first}");
            env.note(Note::Group { valid });
            if together {
                env.note_copies(some, to);
            } else {
                self.move_pages(env, buffer, region, to, some)?;
            }
            to = to.plus(count as u32);
            pages = others;
        }
        if together {
            let (pages, to) = all;
            env.copy_together(pages, to, self.role(region))?;
            self.moved_to(to, pages);
        }
        Ok(())
    }

    /// The valid pages of a group, page by page.
    fn valid_in_group(&self, first: u32, group: u32) -> u32 {
        let is_valid = |at: &u32| {
            let lpn = self.holds[*at as usize];
            lpn.index() < self.map.len() && self.map[lpn.index()] == Ppn(*at)
        };
        (first..first + group).filter(is_valid).count() as u32
    }

    /// The region of the first page that is not `done`, and how many pages go there together: in ascending order. `one`: the
    /// region of all pages.
    fn next_copies(&self, one: Option<u32>, moved: &[(Ppn, Lpn)], done: usize) -> (u32, usize) {
        let pages = &moved[done..];
        if let Some(region) = one
            && self.copy_order.is_by_page()
        {
            return (region, pages.len());
        }
        let region_of = |place| one.unwrap_or_else(|| self.parted.region(place));
        let region = region_of(done);
        let pairs = (done + 1..).zip(pages.windows(2));
        let together =
            pairs.take_while(|&(place, pair)| pair[0].0 < pair[1].0 && region_of(place) == region);
        (region, 1 + together.count())
    }

    /// This region if a page can be programmed there, or else any other with room. Only a power cut can leave so few free
    /// blocks.
    fn region_with_room(&self, region: u32) -> u32 {
        if self.frontiers[region as usize].room() > 0 || self.free.len() > 0 {
            return region;
        }
        let other = self.frontiers.iter().position(|other| other.room() > 0);
        other.map_or(region, |other| other as u32)
    }

    /// Lists the next `most` valid pages of the victim, behind those that are listed, without those that cleaning skips.
    /// They count as moved.
    fn list_pages<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &Buffer<M::Data>,
        most: u32,
        moved: &mut Vec<(Ppn, Lpn)>,
    ) -> Result<(), FtlError> {
        let before = moved.len();
        let Victim { block, next, .. } = self.victim;
        let first = self.geometry.ppn(block, 0);
        // folds are in page order, whatever the stripes of cleaning
        let next = if self.copy_order.is_by_page() || self.is_slc(block) {
            let pages = first.0 + next..first.0 + self.geometry.pages_per_block();
            let rest = self.take_first(pages.clone(), most, moved);
            self.valid.remove_range(pages.start, rest);
            rest - first.0
        } else {
            self.take_striped(first, next, most, moved)
        };
        let listed = (moved.len() - before) as u32;
        self.victim.next = next;
        self.victim.valid -= listed;
        self.victim.moved += listed;
        self.victims.moved(block, listed);
        if buffer.is_lent() {
            let mut own = moved.split_off(before);
            self.skip_pages(env, buffer, &mut own)?;
            moved.append(&mut own);
        }
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

    /// The same in stripes, from this place of the order on; they are valid no longer. Returns the place behind the last one.
    fn take_striped(
        &mut self,
        first: Ppn,
        from: u32,
        most: u32,
        moved: &mut Vec<(Ppn, Lpn)>,
    ) -> u32 {
        let mut left = most;
        for (place, at) in self.copy_order.from(first, from) {
            if left == 0 {
                return place;
            }
            if self.valid.contains(at.0) {
                let lpn = self.holds[at.index()];
                prefetch(&self.map, lpn.index());
                moved.push((at, lpn));
                self.valid.remove(at.0);
                left -= 1;
            }
        }
        self.geometry.pages_per_block()
    }

    /// Drops the versions in flash of those of these pages of which the buffer holds newer ones, if cleaning skips them.
    fn skip_pages<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &Buffer<M::Data>,
        pages: &mut Vec<(Ppn, Lpn)>,
    ) -> Result<(), FtlError> {
        let mut skipped = Ok(());
        pages.retain(|&(from, lpn)| {
            let skips = skipped.is_ok() && buffer.skips(lpn);
            if skips {
                skipped = env.skip(lpn);
                self.map[lpn.index()] = Ppn::NONE;
                self.mapped -= 1;
                if let (Some(maps), Ok(())) = (&mut self.maps, skipped) {
                    skipped = maps.skipped(&mut Io::new(env, &self.map), lpn, from);
                }
            }
            !skips
        });
        Ok(skipped?)
    }

    /// Calls `take` for each valid page of a full block, in order, with its logical page.
    #[inline]
    pub(super) fn for_each_valid(&self, block: Pbn, mut take: impl FnMut(Ppn, Lpn)) {
        let first = self.geometry.ppn(block, 0).0;
        let end = first + self.geometry.pages_per_block();
        self.valid
            .for_each_in(first, end, |at| take(Ppn(at), self.holds[at as usize]));
    }
}
