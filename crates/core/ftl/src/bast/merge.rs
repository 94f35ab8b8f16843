//! Merges: switch, partial and full, each with or without the write buffer (BAGC 2012, section 5).

use ssdlab_flash::{Media, Page, Pbn, Ppn, Role, Spare};

use super::{Bast, LOG, Log};
use crate::{Buffer, Env, FtlError, MergeKind, OpenMerge};

impl Bast {
    /// Merges the logical block of a log block, and releases the log block.
    pub(super) fn merge<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        index: u32,
    ) -> Result<(), FtlError> {
        let log = self.logs[index as usize].clone();
        if log.valid == 0 {
            self.release(index);
            // once the merge erases a block, the discards of its pages must not be lost
            env.barrier()?;
            return self.free.erase(env, log.block);
        }
        if self.can_complete(&log) {
            self.replace_data(env, buffer, index, MergeKind::Partial)
        } else {
            self.full_merge(env, buffer, index)
        }
    }

    /// Whether a log block with a valid page can be merged in place.
    pub(super) fn can_complete(&self, log: &Log) -> bool {
        self.partial_merge && log.is_in_order() && log.valid == log.next
    }

    /// Switch or partial merge: copies the missing pages into the log block, which becomes the data block.
    pub(super) fn replace_data<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        index: u32,
        kind: MergeKind,
    ) -> Result<(), FtlError> {
        let Log {
            lbn, block, next, ..
        } = self.logs[index as usize];
        let data = self.data[lbn.index()];
        let merge = env.begin_merge_of(kind, lbn, [block, data, block], |page| match kind {
            // pages that fill a whole block at once have no entries
            MergeKind::Switch => self.geometry.ppn(block, page.offset),
            _ => self.place(page),
        });
        self.copy_into(env, buffer, index, next, block, LOG)?;
        self.release(index);
        self.data[lbn.index()] = block;
        self.map.changed(env);
        if data.is_some() {
            env.barrier()?;
            self.free.erase(env, data)?;
        }
        self.end_merge(env, buffer, merge);
        Ok(())
    }

    fn full_merge<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        index: u32,
    ) -> Result<(), FtlError> {
        let Log { lbn, block, .. } = self.logs[index as usize];
        let to = self.free.take_for(lbn)?;
        let data = self.data[lbn.index()];
        let merge = env.begin_merge_of(MergeKind::Full, lbn, [block, data, to], |page| {
            self.place(page)
        });
        self.copy_into(env, buffer, index, 0, to, Role::DATA)?;
        self.release(index);
        self.data[lbn.index()] = to;
        self.map.changed(env);
        env.barrier()?;
        self.free.erase(env, block)?;
        self.free.erase(env, data)?;
        self.end_merge(env, buffer, merge);
        Ok(())
    }

    fn end_merge<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &Buffer<M::Data>,
        merge: OpenMerge,
    ) {
        let work = env.end_merge(merge);
        env.merged(buffer.decision(), &work);
        if let Some(bavbs) = &mut self.bavbs {
            bavbs.merged(&work);
        }
    }

    /// Copies the newest version of each mapped page from offset `first` on to its offset in a block.
    fn copy_into<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        index: u32,
        first: u32,
        to: Pbn,
        role: Role,
    ) -> Result<(), FtlError> {
        let page = self.geometry.page_at(self.logs[index as usize].lbn, first);
        if buffer.is_lent() {
            return self.migrate_pages(env, buffer, index, page, (to, role));
        }
        let in_log = &self.pages_in_log(index)[first as usize..];
        let to = self.geometry.ppn(to, first);
        if env.runs {
            self.copy_runs(env, page, in_log, to, role)
        } else {
            self.copy_pages(env, page, in_log, to, role)
        }
    }

    /// Moves the pages of a logical block from offset `first` on to their offsets in a block, with the pages that only
    /// the buffer holds.
    fn migrate_pages<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        index: u32,
        first: Page,
        to: (Pbn, Role),
    ) -> Result<(), FtlError> {
        for offset in first.offset..self.geometry.pages_per_block() {
            let page = first.plus(offset - first.offset);
            let in_log = self.in_log[self.slot(index, offset)];
            let from = self.newest(page.lpn, in_log, self.in_data(page));
            let spare = Spare {
                lpn: page.lpn,
                role: to.1,
            };
            let to = self.geometry.ppn(to.0, offset);
            let is_mapped = env.migrate_newest(buffer, from, to, spare)?;
            self.mapped.set(page.lpn.0, is_mapped);
        }
        Ok(())
    }

    /// Copies the mapped pages of a run, given the places of those in the log block.
    fn copy_pages<M: Media>(
        &self,
        env: &mut Env<M>,
        first: Page,
        in_log: &[Ppn],
        to: Ppn,
        role: Role,
    ) -> Result<(), FtlError> {
        let spare = Spare {
            lpn: first.lpn,
            role,
        };
        let in_data = self.in_data(first).0;
        for (i, &in_log) in (0..).zip(in_log) {
            if self.mapped.contains(first.lpn.0 + i) {
                // a selection without a branch, which would be hard to predict
                let in_data = Ppn(in_data.wrapping_add(i));
                let from = if in_log.is_some() { in_log } else { in_data };
                env.copy(from, to.plus(i), spare.plus(i))?;
            }
        }
        Ok(())
    }

    /// Like `copy_pages`, but moves pages that are physically consecutive together.
    fn copy_runs<M: Media>(
        &self,
        env: &mut Env<M>,
        first: Page,
        in_log: &[Ppn],
        to: Ppn,
        role: Role,
    ) -> Result<(), FtlError> {
        let mut done = 0;
        while let [at, ..] = in_log[done as usize..] {
            let rest = &in_log[done as usize..];
            let run = if at.is_some() {
                rest.iter()
                    .zip(at.0..)
                    .take_while(|(at, next)| at.0 == *next)
                    .count()
            } else {
                rest.iter().take_while(|at| !at.is_some()).count()
            };
            let (page, to, count) = (first.plus(done), to.plus(done), run as u32);
            if self.mapped.count(page.lpn.0, page.lpn.0 + count) == count {
                let spare = Spare {
                    lpn: page.lpn,
                    role,
                };
                let from = if at.is_some() { at } else { self.in_data(page) };
                env.copy_run(from, to, count, spare)?;
            } else {
                self.copy_pages(env, page, &rest[..run], to, role)?;
            }
            done += count;
        }
        Ok(())
    }
}
