//! The choice of the log block to merge when they run out: the least recently written one, or with BAVBS (BAGC 2012,
//! section 6) the cheapest one.

use ssdlab_flash::{Media, Pbn};

use super::Bast;
use crate::aware::Decision;
use crate::bavbs::{Bavbs, Estimate, Moves};
use crate::{Buffer, Env};

impl Bast {
    /// The log block to merge when all are in use, and the decision for its merge.
    pub(super) fn victim<M: Media>(
        &self,
        env: &Env<M>,
        buffer: &Buffer<M::Data>,
    ) -> (u32, Decision) {
        let least_recent = self.recent.back(0);
        let least_recent =
            least_recent.expect("all log blocks are in use, and there is at least one");
        let Some(bavbs) = &self.bavbs else {
            return (least_recent, Decision::AWARE);
        };
        let denominator = buffer.update_denominator();
        let weighed =
            core::iter::successors(Some(least_recent), |&index| self.recent.before(index))
                .take(bavbs.candidates())
                .map(|index| {
                    let estimate = self.estimate(bavbs, env.copy_back, buffer, index);
                    (bavbs.weigh(&estimate, denominator), index)
                });
        // among equals the first, which is the least recently written
        let best = weighed.min_by_key(|&((weight, _), _)| weight);
        best.map_or((least_recent, Decision::AWARE), |((_, decision), index)| {
            (index, decision)
        })
    }

    /// The estimated cost of merging a log block.
    fn estimate<P>(
        &self,
        bavbs: &Bavbs,
        copy_back: bool,
        buffer: &Buffer<P>,
        index: u32,
    ) -> Estimate {
        let log = &self.logs[index as usize];
        let (mut all, mut back, mut stays) = (Moves::default(), Moves::default(), 0);
        if log.valid == 0 {
            return bavbs.merge(1, &all, &back, stays);
        }
        let (first, to) = if self.can_complete(log) {
            (log.next, Some(log.block))
        } else {
            (0, self.free.next_for(log.lbn))
        };
        let end = self.geometry.pages_per_block();
        for offset in (first..end).step_by(64) {
            let (lpn, count) = (log.first.plus(offset), (end - offset).min(64));
            let pages = self.mapped.bits(lpn.0, count);
            let held = buffer.held_pages(lpn, count);
            all.add_pages(pages, held);
            stays += buffer.unchanged(lpn, pages & held.dirty);
            if let Some(to) = to.filter(|_| copy_back) {
                back.add_pages(pages & self.in_plane_of(to, index, offset, count), held);
            }
        }
        bavbs.merge(2, &all, &back, stays)
    }

    /// Which of at most 64 consecutive pages of a logical block are in the plane and on the chip of their offsets in a
    /// block, as bits; unmapped pages may be included.
    fn in_plane_of(&self, block: Pbn, index: u32, offset: u32, count: u32) -> u64 {
        let log = &self.logs[index as usize];
        let data = self.data[log.lbn.index()];
        let plane = self.geometry.plane(block);
        let in_data = data.is_some() && self.geometry.plane(data) == plane;
        let in_log = self.geometry.plane(log.block) == plane;
        if in_data == in_log && !(in_log && self.geometry.chips() > 1) {
            return if in_data { !0 } else { 0 };
        }
        let places = &self.pages_in_log(index)[offset as usize..(offset + count) as usize];
        let (mut logged, mut moves) = (0, 0);
        for (at, i) in places.iter().zip(0..) {
            logged |= u64::from(at.is_some()) << i;
            moves |= u64::from(at.is_some() && self.geometry.same_chip(at.0, offset + i)) << i;
        }
        let of_log = if in_log { moves } else { 0 };
        let of_data = if in_data { !logged } else { 0 };
        of_log | of_data
    }
}
