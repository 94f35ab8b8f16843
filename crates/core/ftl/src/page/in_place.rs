//! A log that is compacted in place (`ftl.gc_frontier = "in-place"`): while a block is free, it becomes the frontier when
//! the last one is full. After that the emptiest block does, and keeps its valid pages, in order, at its head.
//!
//! Flash has to hold these pages in RAM while the block is erased. A power cut would lose them, so this is for simulations.

use ssdlab_flash::{Media, Payload, Ppn};
use ssdlab_policy::placement::Decides;

use super::{Frontier, PageMapping};
use crate::{Buffer, Env, FtlError};

impl<P: Payload> PageMapping<P> {
    /// The next frontier of the only region.
    pub(super) fn frontier_in_place<M: Media>(
        &mut self,
        env: &mut Env<M>,
        region: u32,
    ) -> Result<Frontier, FtlError> {
        if self.free.len() > 0 {
            let now = self.placed_now(env);
            return self.frontier_as_is(region, now);
        }
        if !self.choose_victim(env, &mut Buffer::none()) {
            return Err(FtlError::OverFilled);
        }
        let block = self.victim.block;
        let mut moved = core::mem::take(&mut self.moved);
        moved.clear();
        self.for_each_valid(block, |from, lpn| moved.push((from, lpn)));
        env.compact(block, &moved, self.role(region))?;
        self.end_victim(env);
        self.open(block, region, self.placed_now(env));
        let frontier = self.frontiers[region as usize];
        for (&(_, lpn), to) in moved.iter().zip(frontier.next.0..) {
            self.map[lpn.index()] = Ppn(to);
            self.holds[to as usize] = lpn;
        }
        if self.decides == Decides::Page {
            self.placement.copied(&moved, frontier.next);
        }
        let pages = moved.len() as u32;
        self.tally_moved(region, region, pages);
        self.frontiers[region as usize].next.0 += pages;
        self.moved = moved;
        Ok(self.frontiers[region as usize])
    }
}
