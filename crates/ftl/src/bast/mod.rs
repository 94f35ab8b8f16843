//! BAST (log-block FTL, Kim et al. 2002): every write is appended to a log block that serves one logical block; when
//! log blocks run out, the least recently written one is merged with its data block.
//!
//! A log block written in order from its first page to its last simply takes the place of the data block (switch
//! merge); one that is a prefix of its block can be completed (partial merge); all others are copied together with the
//! data block into a free block (full merge).

mod check;
mod mount;

use ssdlab_flash::{Geometry, Lbn, Lpn, Media, Page, Payload, Pbn, Ppn, ProgramOrder, Role, Spare};
use ssdlab_policy::{Entry, Lists};

use crate::free_list::FreeList;
use crate::{Env, Event, Found, Ftl, FtlError, MergeKind, OpenMerge};

pub(crate) const ENTRY: Entry = Entry {
    name: "bast",
    rule: "each log block serves one logical block; merges the least recently written one when they run out",
    paper: "BPLRU 2008, section 2.3 (Kim et al. 2002)",
    keys: &[
        "ftl.log_blocks",
        "ftl.spare_blocks",
        "ftl.over_provisioning",
        "ftl.partial_merge",
    ],
};

/// The role of log blocks. A switch or partial merge makes a data block of one, and its role stays.
const LOG: Role = Role(1);

const NO_LOG: u32 = u32::MAX;

/// The parameters of BAST.
#[derive(Clone, Debug)]
pub struct BastConfig {
    /// Log blocks in use at the same time, at least 1. The device has this many blocks plus at least one spare more
    /// than logical ones.
    pub log_blocks: u32,
    /// Whether a log block that is a prefix of its logical block is completed instead of copied.
    pub partial_merge: bool,
}

/// A log block in use.
#[derive(Clone, Debug)]
struct Log {
    lbn: Lbn,
    block: Pbn,
    /// Pages programmed; the next one goes here.
    next: u32,
    /// Pages that are the newest version.
    valid: u32,
    /// Position p holds offset p for all pages so far.
    in_order: bool,
}

/// The log-block FTL.
pub struct Bast {
    geometry: Geometry,
    partial_merge: bool,
    /// Per LPN, its newest version.
    map: Vec<Ppn>,
    /// Per LBN, its data block.
    data: Vec<Pbn>,
    /// Per LBN, the index of its log block in `logs`.
    log_of: Vec<u32>,
    logs: Vec<Log>,
    unused_logs: Vec<u32>,
    /// The used entries of `logs`, the most recently written first.
    recent: Lists,
    free: FreeList,
}

impl Bast {
    /// What it needs of the flash.
    pub const PROGRAM_ORDER: ProgramOrder = ProgramOrder::Ascending;

    /// An FTL over a new array; `full`: a preconditioned one.
    pub fn fresh(config: &BastConfig, geometry: &Geometry, full: bool) -> Self {
        let mut ftl = Self::empty(config, geometry);
        let mut used = 0;
        if full {
            used = geometry.logical_blocks();
            for (page, ppn) in ftl.map.iter_mut().enumerate() {
                *ppn = Ppn(page as u32);
            }
            for (block, pbn) in ftl.data.iter_mut().enumerate() {
                *pbn = Pbn(block as u32);
            }
        }
        ftl.free = FreeList::new(
            (used..geometry.physical_blocks()).map(Pbn),
            geometry.physical_blocks(),
        );
        ftl
    }

    /// Tables that map nothing, and no free block yet.
    fn empty(config: &BastConfig, geometry: &Geometry) -> Self {
        let unused = Log {
            lbn: Lbn::NONE,
            block: Pbn::NONE,
            next: 0,
            valid: 0,
            in_order: true,
        };
        Self {
            partial_merge: config.partial_merge,
            map: vec![Ppn::NONE; geometry.logical_pages() as usize],
            data: vec![Pbn::NONE; geometry.logical_blocks() as usize],
            log_of: vec![NO_LOG; geometry.logical_blocks() as usize],
            logs: vec![unused; config.log_blocks as usize],
            unused_logs: (0..config.log_blocks).rev().collect(),
            recent: Lists::new(config.log_blocks, 1),
            free: FreeList::new(std::iter::empty(), geometry.physical_blocks()),
            geometry: geometry.clone(),
        }
    }

    /// The log block that the next page of this logical block goes to.
    #[inline]
    fn writable_log<M: Media>(&mut self, env: &mut Env<'_, M>, lbn: Lbn) -> Result<u32, FtlError> {
        let index = self.log_of[lbn.index()];
        if index != NO_LOG {
            if self.logs[index as usize].next < self.geometry.pages_per_block() {
                return Ok(index);
            }
            self.merge(env, index)?;
        }
        if self.unused_logs.is_empty() {
            let victim = self
                .recent
                .back(0)
                .expect("all log blocks are in use, and there is at least one");
            self.merge(env, victim)?;
        }
        let block = self.free.take()?;
        Ok(self.open(Log {
            lbn,
            block,
            next: 0,
            valid: 0,
            in_order: true,
        }))
    }

    fn open(&mut self, log: Log) -> u32 {
        let index = self
            .unused_logs
            .pop()
            .expect("a log block was merged if none was unused");
        self.log_of[log.lbn.index()] = index;
        self.logs[index as usize] = log;
        self.recent.push_front(0, index);
        index
    }

    fn release(&mut self, index: u32) {
        self.log_of[self.logs[index as usize].lbn.index()] = NO_LOG;
        self.recent.remove(index);
        self.unused_logs.push(index);
    }

    fn merge<M: Media>(&mut self, env: &mut Env<'_, M>, index: u32) -> Result<(), FtlError> {
        let log = self.logs[index as usize].clone();
        if log.valid == 0 {
            self.release(index);
            // a discard that voided a page here must not be lost once the page is
            env.media.barrier()?;
            return self.erase(env, log.block);
        }
        let is_prefix = log.in_order && log.valid == log.next;
        if is_prefix && self.partial_merge {
            return self.replace_data(env, index, MergeKind::Partial);
        }
        self.full_merge(env, index)
    }

    /// Switch and partial merge: what the log block lacks is copied in, and it becomes the data block.
    fn replace_data<M: Media>(
        &mut self,
        env: &mut Env<'_, M>,
        index: u32,
        kind: MergeKind,
    ) -> Result<(), FtlError> {
        let Log {
            lbn, block, next, ..
        } = self.logs[index as usize];
        let merge = self.announce(env, kind, index, block);
        self.copy_into(env, lbn, next, block, LOG)?;
        self.release(index);
        let data = std::mem::replace(&mut self.data[lbn.index()], block);
        if data.is_some() {
            env.media.barrier()?;
            self.erase(env, data)?;
        }
        env.end_merge(merge);
        Ok(())
    }

    fn full_merge<M: Media>(&mut self, env: &mut Env<'_, M>, index: u32) -> Result<(), FtlError> {
        let Log { lbn, block, .. } = self.logs[index as usize];
        let to = self.free.take()?;
        let merge = self.announce(env, MergeKind::Full, index, to);
        self.copy_into(env, lbn, 0, to, Role::DATA)?;
        self.release(index);
        let data = std::mem::replace(&mut self.data[lbn.index()], to);
        env.media.barrier()?;
        self.erase(env, block)?;
        if data.is_some() {
            self.erase(env, data)?;
        }
        env.end_merge(merge);
        Ok(())
    }

    /// Begins a merge, in the counts and for whoever listens.
    fn announce<M: Media>(
        &self,
        env: &mut Env<'_, M>,
        kind: MergeKind,
        index: u32,
        to: Pbn,
    ) -> OpenMerge {
        let Log {
            lbn, block: log, ..
        } = self.logs[index as usize];
        let data = Some(self.data[lbn.index()]).filter(|b| b.is_some());
        env.events.log(|| Event::Merge {
            kind,
            lbn,
            log,
            data,
            to,
        });
        env.begin_merge(kind)
    }

    /// Copies the newest version of each mapped offset from `first` on to its place in a block.
    fn copy_into<M: Media>(
        &mut self,
        env: &mut Env<'_, M>,
        lbn: Lbn,
        first: u32,
        to: Pbn,
        role: Role,
    ) -> Result<(), FtlError> {
        for offset in first..self.geometry.pages_per_block() {
            let lpn = self.geometry.page_at(lbn, offset).lpn;
            let from = self.map[lpn.index()];
            if from.is_some() {
                let to = self.geometry.ppn(to, offset);
                env.copy(from, to, Spare { lpn, role })?;
                self.map[lpn.index()] = to;
            }
        }
        Ok(())
    }

    fn erase<M: Media>(&mut self, env: &mut Env<'_, M>, block: Pbn) -> Result<(), FtlError> {
        env.erase(block)?;
        self.free.give_back(block);
        Ok(())
    }

    /// All data and log blocks.
    fn blocks_in_use(&self) -> impl Iterator<Item = Pbn> {
        let logs = self
            .log_of
            .iter()
            .filter(|&&index| index != NO_LOG)
            .map(|&index| self.logs[index as usize].block);
        self.data
            .iter()
            .copied()
            .filter(|block| block.is_some())
            .chain(logs)
    }

    /// Takes note of consecutive pages that went into a log block; `rewritten` of them had their newest version there.
    #[inline]
    fn appended<M: Media>(
        &mut self,
        env: &mut Env<'_, M>,
        index: u32,
        offset: u32,
        pages: u32,
        rewritten: u32,
    ) -> Result<(), FtlError> {
        let log = &mut self.logs[index as usize];
        log.in_order &= offset == log.next;
        log.next += pages;
        log.valid += pages - rewritten;
        let switches = log.in_order && log.next == self.geometry.pages_per_block();
        self.recent.move_to_front(0, index);
        if switches {
            self.replace_data(env, index, MergeKind::Switch)
        } else {
            Ok(())
        }
    }

    /// How many of these pages have their newest version in this block.
    fn count_in(&self, first: Lpn, count: u32, block: Pbn) -> u32 {
        let pages = &self.map[first.index()..][..count as usize];
        pages
            .iter()
            .map(|&at| u32::from(self.lies_in(at, block)))
            .sum()
    }

    /// Does this page lie in this block?
    #[inline]
    fn lies_in(&self, ppn: Ppn, block: Pbn) -> bool {
        ppn.0.wrapping_sub(self.geometry.ppn(block, 0).0) < self.geometry.pages_per_block()
    }
}

impl<M: Media> Ftl<M> for Bast {
    fn write(&mut self, env: &mut Env<'_, M>, lpn: Lpn, data: &M::Page) -> Result<(), FtlError> {
        let page = self.geometry.page(lpn);
        let index = self.writable_log(env, page.lbn)?;
        let Log { block, next, .. } = self.logs[index as usize];
        let to = self.geometry.ppn(block, next);
        env.program(to, Spare { lpn, role: LOG }, data)?;
        let before = std::mem::replace(&mut self.map[lpn.index()], to);
        let rewritten = u32::from(self.lies_in(before, block));
        self.appended(env, index, page.offset, 1, rewritten)
    }

    fn write_run(
        &mut self,
        env: &mut Env<'_, M>,
        first: Page,
        count: u32,
        data: &M::Page,
    ) -> Result<(), FtlError> {
        let mut done = 0;
        while done < count {
            let (lpn, offset) = (Lpn(first.lpn.0 + done), first.offset + done);
            let index = self.writable_log(env, first.lbn)?;
            let Log {
                block, next, valid, ..
            } = self.logs[index as usize];
            let pages = (count - done).min(self.geometry.pages_per_block() - next);
            let to = self.geometry.ppn(block, next);
            env.program_run(to, pages, Spare { lpn, role: LOG }, data)?;
            let rewritten = if valid == 0 {
                0
            } else {
                self.count_in(lpn, pages, block)
            };
            for (at, to) in self.map[lpn.index()..][..pages as usize]
                .iter_mut()
                .zip(to.0..)
            {
                *at = Ppn(to);
            }
            self.appended(env, index, offset, pages, rewritten)?;
            done += pages;
        }
        Ok(())
    }

    fn count_mapped(&self, first: Lpn, count: u32) -> u32 {
        self.map[first.index()..][..count as usize]
            .iter()
            .map(|at| u32::from(at.is_some()))
            .sum()
    }

    fn read(
        &mut self,
        env: &mut Env<'_, M>,
        lpn: Lpn,
        page: &mut M::Page,
    ) -> Result<Found, FtlError> {
        let at = self.map[lpn.index()];
        if !at.is_some() {
            return Ok(Found::Unmapped);
        }
        env.media.read(at, page)?;
        Ok(Found::Flash)
    }

    fn is_mapped(&self, lpn: Lpn) -> bool {
        self.map[lpn.index()].is_some()
    }

    fn discard(&mut self, env: &mut Env<'_, M>, lpn: Lpn) -> Result<(), FtlError> {
        let before = std::mem::replace(&mut self.map[lpn.index()], Ppn::NONE);
        if before.is_some() {
            env.media.record_discard(lpn)?;
            let index = self.log_of[self.geometry.page(lpn).lbn.index()];
            if index != NO_LOG && self.lies_in(before, self.logs[index as usize].block) {
                self.logs[index as usize].valid -= 1;
            }
        }
        Ok(())
    }

    fn check(&self, media: &mut M) -> Result<(), String> {
        if M::Page::NOTHING {
            return Err("a check needs media that keep spare areas".into());
        }
        self.check_against(media)
    }
}
