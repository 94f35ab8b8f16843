//! Cleaning: the valid pages of a victim move to the frontier that the placement names, and the victim is erased.

use ssdlab_flash::{Lpn, Media, Payload, Pbn, Ppn};

use super::victims::Victims;
use super::{PageMapping, role};
use crate::cleaned::{Cleaned, HeldOfBlock};
use crate::{Buffer, Env, FtlError};

impl<P: Payload> PageMapping<P> {
    /// Moves the valid pages of one block and erases it.
    pub(super) fn clean<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
    ) -> Result<(), FtlError> {
        if self.invalid_in_full_blocks() == 0 {
            return Err(FtlError::OverFilled);
        }
        let (victim, aware) = self.victim(env, buffer);
        env.begin_cleaning(victim);
        let before = env.counts.work();
        self.move_valid_pages(env, &mut buffer.lent_if(aware), victim)?;
        if let Victims::Weighed(bavbs, _) = &mut self.victims {
            bavbs.merged(&env.counts.work().since(&before));
        }
        self.victims.erased(victim);
        // once the block is erased, its copies and the discards of its pages must not be lost
        env.barrier()?;
        self.free.erase(env, victim)?;
        Ok(())
    }

    /// The block to clean, and whether its cleaning uses the buffer.
    fn victim<M: Media>(&mut self, env: &Env<M>, buffer: &Buffer<M::Data>) -> (Pbn, bool) {
        let now = self.now(env);
        match &mut self.victims {
            Victims::Policy(policy) => return (policy.pick(now), true),
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
        let free = self.free.iter().next();
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

    /// Copies the valid pages of a block to the regions that the placement chooses.
    fn move_valid_pages<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        block: Pbn,
    ) -> Result<(), FtlError> {
        let region = self.placement.of_copies(self.region_of_block(block));
        let mut moved = std::mem::take(&mut self.moved);
        moved.clear();
        self.for_each_valid(block, |at, lpn| moved.push((at, lpn)));
        let mut rest = &moved[..];
        while !rest.is_empty() {
            let frontier = self.frontier_as_is(region)?;
            let pages;
            (pages, rest) = rest.split_at(rest.len().min(frontier.room() as usize));
            env.migrate_pages(buffer, pages, frontier.next, role(region))?;
            for (&(_, lpn), to) in pages.iter().zip(frontier.next.0..) {
                self.map[lpn.index()] = Ppn(to);
                self.holds[to as usize] = lpn;
            }
            self.advance(region, pages.len() as u32, self.now(env));
        }
        self.moved = moved;
        Ok(())
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
