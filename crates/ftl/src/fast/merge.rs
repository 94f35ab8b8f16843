//! Merges: of the sequential log block, and of all logical blocks that a random log block holds valid pages of.

use ssdlab_flash::{Lbn, Lpn, Media, Page, Pbn, Ppn, Role, Spare};

use super::{Fast, SEQUENTIAL};
use crate::{Env, FtlError, MergeKind, OpenMerge};

impl Fast {
    /// Merges the sequential log block; afterwards there is none.
    pub(super) fn merge_sequential<M: Media>(&mut self, env: &mut Env<M>) -> Result<(), FtlError> {
        if self.sequential_is_intact() {
            self.complete_sequential(env)
        } else {
            let (lbn, block) = (self.sequential.lbn, self.sequential.block);
            let (data, merge) = self.full_merge(env, lbn, block)?;
            self.sequential.lbn = Lbn::NONE;
            self.free.erase(env, block)?;
            self.free.erase(env, data)?;
            env.end_merge(merge);
            Ok(())
        }
    }

    /// Switch and partial merge: what the sequential log block lacks is copied in, and it becomes the data block.
    fn complete_sequential<M: Media>(&mut self, env: &mut Env<M>) -> Result<(), FtlError> {
        let (lbn, block, next) = (
            self.sequential.lbn,
            self.sequential.block,
            self.sequential.next,
        );
        let kind = match next == self.geometry.pages_per_block() {
            true => MergeKind::Switch,
            false => MergeKind::Partial,
        };
        let data = self.data[lbn.index()];
        let merge = env.begin_merge_of(kind, lbn, block, data, block);
        self.copy_into(env, lbn, next, block, SEQUENTIAL)?;
        self.sequential.lbn = Lbn::NONE;
        self.data[lbn.index()] = block;
        env.media.barrier()?;
        self.free.erase(env, data)?;
        env.end_merge(merge);
        Ok(())
    }

    /// Merges every logical block that has a valid page in a random log block, in the order of the first such pages,
    /// and erases it.
    pub(super) fn reclaim<M: Media>(
        &mut self,
        env: &mut Env<M>,
        victim: u32,
    ) -> Result<(), FtlError> {
        let block = self.random.block(victim);
        let mut last = None;
        for (position, at) in (0..).zip(self.geometry.pages_of(block)) {
            let lpn = self.random.pages(victim)[position];
            if self.is_logged_at(lpn, at) {
                if let Some(merge) = last.take() {
                    env.end_merge(merge);
                }
                let lbn = self.geometry.page(lpn).lbn;
                last = Some(self.merge_for(env, block, lbn)?);
            }
        }
        // a discard that voided a page here must not be lost once the page is
        env.media.barrier()?;
        self.random.release(victim);
        self.free.erase(env, block)?;
        // its erase is work of the last merge that it caused
        if let Some(merge) = last {
            env.end_merge(merge);
        }
        Ok(())
    }

    /// Merges a logical block because of a random log block.
    fn merge_for<M: Media>(
        &mut self,
        env: &mut Env<M>,
        log: Pbn,
        lbn: Lbn,
    ) -> Result<OpenMerge, FtlError> {
        let (data, merge) = self.full_merge(env, lbn, log)?;
        self.free.erase(env, data)?;
        if self.sequential.lbn == lbn {
            self.sequential.lbn = Lbn::NONE;
            self.free.erase(env, self.sequential.block)?;
        }
        Ok(merge)
    }

    /// Copies the newest versions of a logical block into a free block, which becomes its data block. Returns the old
    /// one, to be erased.
    fn full_merge<M: Media>(
        &mut self,
        env: &mut Env<M>,
        lbn: Lbn,
        log: Pbn,
    ) -> Result<(Pbn, OpenMerge), FtlError> {
        let to = self.free.take()?;
        let data = self.data[lbn.index()];
        let merge = env.begin_merge_of(MergeKind::Full, lbn, log, data, to);
        self.copy_into(env, lbn, 0, to, Role::DATA)?;
        self.data[lbn.index()] = to;
        env.media.barrier()?;
        Ok((data, merge))
    }

    /// Copies the newest version of each mapped offset from `first` on to its place in a block. From then on none of
    /// them lies in a random log block.
    fn copy_into<M: Media>(
        &mut self,
        env: &mut Env<M>,
        lbn: Lbn,
        first: u32,
        to: Pbn,
        role: Role,
    ) -> Result<(), FtlError> {
        let start = self.geometry.page_at(lbn, 0);
        let end = start.lpn.0 + self.geometry.pages_per_block();
        let mut at = start.lpn.0 + first;
        loop {
            at = self.mapped.member_in(at, end);
            if at == end {
                break;
            }
            let page = start.plus(at - start.lpn.0);
            let (from, count) = match env.runs {
                true => self.run_from(page, end),
                false => (self.place(page), 1),
            };
            let spare = Spare {
                lpn: page.lpn,
                role,
            };
            env.copy_run(from, self.geometry.ppn(to, page.offset), count, spare)?;
            at += count;
        }
        self.logged.remove_range(start.lpn.0 + first, end);
        Ok(())
    }

    /// Where the newest version of a mapped page lies, and of how many pages from it on, up to the page `end`, the
    /// newest versions follow each other in one block.
    fn run_from(&self, page: Page, end: u32) -> (Ppn, u32) {
        let lpn = page.lpn.0;
        let end = self.mapped.gap_in(lpn, end);
        if self.logged.contains(lpn) {
            let from = self.in_log[page.lpn.index()];
            let room = self.geometry.pages_per_block() - self.geometry.place(from).1;
            let end = self.logged.gap_in(lpn, end.min(lpn + room));
            let places = self.in_log[lpn as usize..end as usize].iter().zip(from.0..);
            let run = places.take_while(|(at, next)| at.0 == *next).count();
            return (from, run as u32);
        }
        let mut count = self.logged.member_in(lpn, end) - lpn;
        let block = self.block_in_place(page);
        if self.sequential.lbn == page.lbn {
            let same = |&i: &u32| self.block_in_place(page.plus(i)) == block;
            count = (0..count).take_while(same).count() as u32;
        }
        (self.geometry.ppn(block, page.offset), count)
    }

    #[inline]
    fn is_logged_at(&self, lpn: Lpn, at: Ppn) -> bool {
        lpn.is_some() && self.logged.contains(lpn.0) && self.in_log[lpn.index()] == at
    }
}
