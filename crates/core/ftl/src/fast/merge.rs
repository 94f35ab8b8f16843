//! Merges of the sequential log block, and of all logical blocks with valid pages in a random log block.

use ssdlab_flash::{Lbn, Lpn, Media, Page, Pbn, Ppn, Role, Spare};

use super::{Fast, SEQUENTIAL};
use crate::{Buffer, Env, FtlError, MergeKind, OpenMerge, Work};

impl Fast {
    /// Merges the sequential log block and releases it.
    pub(super) fn merge_sequential<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
    ) -> Result<(), FtlError> {
        let work = if self.sequential_is_intact() {
            self.complete_sequential(env, buffer)?
        } else {
            self.replace_sequential(env, buffer)?
        };
        self.merged(env, buffer, &work);
        Ok(())
    }

    /// Full merge: moves its whole logical block to a free block.
    fn replace_sequential<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
    ) -> Result<Work, FtlError> {
        let (lbn, block) = (self.sequential.lbn, self.sequential.block);
        let (data, merge) = self.full_merge(env, buffer, lbn, block)?;
        self.sequential.lbn = Lbn::NONE;
        self.free.erase(env, block)?;
        self.free.erase(env, data)?;
        Ok(env.end_merge(merge))
    }

    /// Switch or partial merge: copies the missing pages into the sequential log block, which becomes the data block.
    fn complete_sequential<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
    ) -> Result<Work, FtlError> {
        let (lbn, block, next) = (
            self.sequential.lbn,
            self.sequential.block,
            self.sequential.next,
        );
        let kind = if next == self.geometry.pages_per_block() {
            MergeKind::Switch
        } else {
            MergeKind::Partial
        };
        let data = self.data[lbn.index()];
        let merge = env.begin_merge_of(kind, lbn, [block, data, block], |page| self.place(page));
        self.copy_into(env, buffer, lbn, next, (block, SEQUENTIAL))?;
        self.sequential.lbn = Lbn::NONE;
        self.data[lbn.index()] = block;
        self.map.changed(env);
        env.barrier()?;
        self.free.erase(env, data)?;
        Ok(env.end_merge(merge))
    }

    /// Reports a merge.
    fn merged<M: Media>(&mut self, env: &mut Env<M>, buffer: &Buffer<M::Data>, work: &Work) {
        env.merged(buffer.decision(), work);
        if let Some(chooser) = &mut self.chooser {
            chooser.bavbs.merged(work);
        }
    }

    /// Merges each logical block with a valid page in a random log block, in the order of their first such pages, and
    /// erases the log block.
    pub(super) fn reclaim<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        victim: u32,
    ) -> Result<(), FtlError> {
        let block = self.random.block(victim);
        let before = env.counts.work();
        let mut last = None;
        for (position, at) in (0..).zip(self.geometry.pages_of(block)) {
            let lpn = self.random.pages(victim)[position];
            if self.is_logged_at(lpn, at) {
                if let Some(merge) = last.take() {
                    env.end_merge(merge);
                }
                let lbn = self.geometry.page(lpn).lbn;
                last = Some(self.merge_for(env, buffer, block, lbn)?);
            }
        }
        // once the log block is erased, the discards of its pages must not be lost
        env.barrier()?;
        self.random.release(victim);
        self.free.erase(env, block)?;
        // the erase is work of the last merge that it caused
        if let Some(merge) = last {
            env.end_merge(merge);
            let work = env.counts.work().since(&before);
            self.merged(env, buffer, &work);
        }
        Ok(())
    }

    /// Merges a logical block to reclaim a random log block.
    fn merge_for<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        log: Pbn,
        lbn: Lbn,
    ) -> Result<OpenMerge, FtlError> {
        let (data, merge) = self.full_merge(env, buffer, lbn, log)?;
        self.free.erase(env, data)?;
        if self.sequential.lbn == lbn {
            self.sequential.lbn = Lbn::NONE;
            self.free.erase(env, self.sequential.block)?;
        }
        Ok(merge)
    }

    /// Copies the newest versions of a logical block into a free block, which becomes its data block. Returns the old
    /// data block, to be erased.
    fn full_merge<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        lbn: Lbn,
        log: Pbn,
    ) -> Result<(Pbn, OpenMerge), FtlError> {
        let to = self.free.take_for(lbn)?;
        let data = self.data[lbn.index()];
        let merge = env.begin_merge_of(MergeKind::Full, lbn, [log, data, to], |page| {
            self.place(page)
        });
        self.copy_into(env, buffer, lbn, 0, (to, Role::DATA))?;
        if let Some(chooser) = &mut self.chooser {
            chooser.gathered(lbn, to);
        }
        self.data[lbn.index()] = to;
        self.map.changed(env);
        env.barrier()?;
        Ok((data, merge))
    }

    /// Moves the newest version of each page from offset `first` on to its offset in a block. None of them is in a
    /// random log block afterwards.
    fn copy_into<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        lbn: Lbn,
        first: u32,
        to: (Pbn, Role),
    ) -> Result<(), FtlError> {
        let first = self.geometry.page_at(lbn, first);
        let end = first.lpn.0 + self.geometry.pages_per_block() - first.offset;
        if buffer.is_lent() {
            self.migrate_pages(env, buffer, first, end, to)?;
        } else {
            self.copy_pages(env, first, end, to)?;
        }
        self.leave_log(first.lpn.0, end);
        Ok(())
    }

    /// Moves the pages of a logical block from `first` up to `end`, with the pages that only the buffer holds.
    fn migrate_pages<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        first: Page,
        end: u32,
        (to, role): (Pbn, Role),
    ) -> Result<(), FtlError> {
        for page in (0..end - first.lpn.0).map(|i| first.plus(i)) {
            let spare = Spare {
                lpn: page.lpn,
                role,
            };
            let to = self.geometry.ppn(to, page.offset);
            let is_mapped = env.migrate_newest(buffer, self.place(page), to, spare)?;
            self.mapped.set(page.lpn.0, is_mapped);
        }
        Ok(())
    }

    /// Copies the mapped pages of a logical block from `first` up to `end`.
    fn copy_pages<M: Media>(
        &self,
        env: &mut Env<M>,
        first: Page,
        end: u32,
        (to, role): (Pbn, Role),
    ) -> Result<(), FtlError> {
        let mut at = first.lpn.0;
        loop {
            at = self.mapped.member_in(at, end);
            if at == end {
                return Ok(());
            }
            let page = first.plus(at - first.lpn.0);
            let (from, count) = if env.runs {
                self.run_from(page, end)
            } else {
                (self.place(page), 1)
            };
            let spare = Spare {
                lpn: page.lpn,
                role,
            };
            env.copy_run(from, self.geometry.ppn(to, page.offset), count, spare)?;
            at += count;
        }
    }

    /// The place of the newest version of a mapped page, and the number of pages from it on, up to `end`, whose newest
    /// versions follow each other in one block.
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

    /// Whether the newest version of a page is at this position of a random log block.
    #[inline]
    pub(super) fn is_logged_at(&self, lpn: Lpn, at: Ppn) -> bool {
        lpn.is_some() && self.logged.contains(lpn.0) && self.in_log[lpn.index()] == at
    }
}
