//! The choice of the random log block to reclaim when they run out: the one filled first, or with BAVBS (BAGC 2012,
//! section 6) the cheapest one.

use ssdlab_flash::{Lbn, Media, Pbn};

use super::Fast;
use super::chooser::{Chooser, Merge, STALE};
use crate::aware::Decision;
use crate::bavbs::{Estimate, Moves};
use crate::{Buffer, Env};

impl Chooser {
    /// The estimated cost of reclaiming a random log block.
    fn estimate<P>(
        &mut self,
        ftl: &Fast,
        copy_back: bool,
        buffer: &Buffer<P>,
        index: u32,
    ) -> Estimate {
        let first = index * self.geometry.pages_per_block();
        let end = first + self.list(ftl, index, first);
        let (mut all, mut back, mut stays) = (Moves::default(), Moves::default(), 0);
        let mut taken = core::mem::take(&mut self.taken);
        let mut free = copy_back.then(|| ftl.free.plan(&mut taken));
        for at in first..end {
            let lbn = self.lbns[at as usize];
            let merge = self.merge(ftl, buffer, lbn);
            all.add(&merge.moves);
            stays += merge.stays;
            if let Some(to) = free.as_mut().and_then(|free| free.take_for(lbn))
                && self.may_lie_in_plane_of(lbn, to)
            {
                self.add_in_plane_of(&mut back, ftl, to, lbn, buffer);
            }
        }
        self.taken = taken;
        let erases = u64::from(end - first) + 1;
        self.bavbs.merge(erases, &all, &back, stays)
    }

    /// Lists the logical blocks of a random log block, from `first` in `lbns` on, unless they are known. Returns their
    /// number.
    fn list(&mut self, ftl: &Fast, index: u32, first: u32) -> u32 {
        let length = self.lengths[index as usize];
        if length != STALE {
            return length;
        }
        let mut end = first;
        let places = self.geometry.pages_of(ftl.random.block(index));
        for (&lpn, at) in ftl.random.pages(index).iter().zip(places) {
            if !ftl.is_logged_at(lpn, at) {
                continue;
            }
            let lbn = self.geometry.page(lpn).lbn;
            let last = self.listed_at[lbn.index()];
            if !(first..end).contains(&last) || self.lbns[last as usize] != lbn {
                self.listed_at[lbn.index()] = end;
                self.lbns[end as usize] = lbn;
                end += 1;
            }
        }
        self.lengths[index as usize] = end - first;
        end - first
    }

    /// The pages that the merge of a logical block would move.
    fn merge<P>(&mut self, ftl: &Fast, buffer: &Buffer<P>, lbn: Lbn) -> Merge {
        let merge = &mut self.merges[lbn.index()];
        if merge.choice != self.choice {
            *merge = Merge {
                choice: self.choice,
                ..Merge::default()
            };
            for (first, count) in self.geometry.words_of(lbn) {
                let pages = ftl.mapped.bits(first.lpn.0, count);
                let held = buffer.held_pages(first.lpn, count);
                merge.moves.add_pages(pages, held);
                merge.stays += buffer.unchanged(first.lpn, pages & held.dirty);
            }
        }
        *merge
    }

    /// Adds the pages of a logical block that are in the plane and on the chip of their offsets in a block.
    fn add_in_plane_of<P>(
        &self,
        moves: &mut Moves,
        ftl: &Fast,
        block: Pbn,
        lbn: Lbn,
        buffer: &Buffer<P>,
    ) {
        let plane = self.planes[block.index()];
        let is_there = |block: Pbn| block.is_some() && self.planes[block.index()] == plane;
        let sequential = &ftl.sequential;
        let data = is_there(ftl.data[lbn.index()]);
        let sequential_too = sequential.lbn == lbn && is_there(sequential.block) != data;
        for (first, count) in self.geometry.words_of(lbn) {
            let mut logged = 0;
            ftl.logged
                .for_each_in(first.lpn.0, first.lpn.0 + count, |lpn| {
                    let at = ftl.in_log[lpn as usize];
                    let moves =
                        is_there(self.geometry.block_of(at)) && self.geometry.same_chip(at.0, lpn);
                    logged |= u64::from(moves) << (lpn - first.lpn.0);
                });
            let mut in_place = if data { !0 } else { 0 };
            if sequential_too {
                in_place ^= sequential.valid.bits(first.offset, count);
            }
            in_place &= !ftl.logged.bits(first.lpn.0, count);
            let pages = ftl.mapped.bits(first.lpn.0, count) & (logged | in_place);
            if pages != 0 {
                moves.add_pages(pages, buffer.held_pages(first.lpn, count));
            }
        }
    }
}

impl Fast {
    /// The random log block to reclaim when all are in use, and the decision for its merges.
    pub(super) fn victim<M: Media>(
        &mut self,
        env: &Env<M>,
        buffer: &Buffer<M::Data>,
    ) -> (u32, Decision) {
        let filled_first = self.random.in_use().next();
        let filled_first =
            filled_first.expect("all log blocks are in use, and there is at least one");
        // taken out, because it reads all other fields
        let Some(mut chooser) = self.chooser.take() else {
            return (filled_first, Decision::AWARE);
        };
        chooser.begin();
        let denominator = buffer.update_denominator();
        let candidates = self.random.in_use().take(chooser.bavbs.candidates());
        let weighed = candidates.map(|index| {
            let estimate = chooser.estimate(self, env.copy_back, buffer, index);
            (chooser.bavbs.weigh(&estimate, denominator), index)
        });
        // among equals the first, which is the one filled first
        let best = weighed.min_by_key(|&((weight, _), _)| weight);
        self.chooser = Some(chooser);
        best.map_or((filled_first, Decision::AWARE), |((_, decision), index)| {
            (index, decision)
        })
    }
}
