//! BAST (log-block FTL, Kim et al. 2002): each write is appended to a log block that serves one logical block. When log
//! blocks run out, the least recently written one is merged with its data block.
//!
//! A log block written in order from its first page to its last replaces the data block (switch merge). A log block
//! that is a prefix of its logical block can be completed with copies (partial merge). All others are copied with the
//! data block into a free block (full merge).

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

mod check;
mod merge;
mod mount;
mod victim;

use ssdlab_flash::{Geometry, Lbn, Lpn, Media, Note, Page, Pbn, Ppn, Role, Spare};
use ssdlab_policy::{About, BitSet, Entry, Lists, Source, Switch, papers};

use crate::bavbs::Bavbs;
use crate::free_list::FreeList;
use crate::kind::too_few_spare;
use crate::map_log::MapLog;
use crate::{
    AVERAGED_MERGES, Aware, BUFFER_AWARE, Buffer, CANDIDATES, Capacity, Env, FREE_LISTS, Found,
    FreeLists, Ftl, FtlError, FtlKind, Impossible, Inputs, LOG_BLOCKS, Lookup, MAP_UPDATES,
    Mapping, MergeKind, Needs, OVER_PROVISIONING, SPARE_BLOCKS, Tables, UPDATE_PROBABILITY,
    WEIGH_COPY_BACKS,
};

/// `ftl.partial_merge`.
pub const PARTIAL_MERGE: Switch = Switch::new(
    "ftl.partial_merge",
    true,
    "complete a log block in place if it is a prefix of its logical block",
);

/// The parameters of BAST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BastConfig {
    /// `ftl.log_blocks`: log blocks in use at the same time, at least 1.
    pub log_blocks: u32,
    /// Spare erase blocks, at least 1.
    pub spare_blocks: u32,
    /// `ftl.partial_merge`: a log block that is a prefix of its logical block is completed in place instead of copied.
    pub partial_merge: bool,
    /// `ftl.map_updates`: changes of the block map are written to flash.
    pub map_updates: bool,
    /// How merges use the write buffer.
    pub aware: Aware,
    /// How free blocks are kept.
    pub free_lists: FreeLists,
}

impl FtlKind for Bast {
    const ENTRY: Entry = Entry {
        name: "bast",
        rule: "each log block serves one logical block; merges the least recently written log block when they run out",
        source: Source::of("{}, section 2.3 ({})", &[&papers::BPLRU, &papers::BAST]),
        keys: &[
            LOG_BLOCKS.key,
            SPARE_BLOCKS.key,
            FREE_LISTS.key,
            OVER_PROVISIONING.key,
            PARTIAL_MERGE.key,
            MAP_UPDATES.key,
            BUFFER_AWARE.key,
            CANDIDATES.key,
            WEIGH_COPY_BACKS.key,
            UPDATE_PROBABILITY.key,
            AVERAGED_MERGES.key,
        ],
        about: About {
            file: file!(),
            lines: [
                "A write is appended to a log block that serves only its logical block.",
                "When log blocks run out, the least recently written one is merged with its data block.",
                "If it was written in order from the first page to the last, it replaces the data block (switch \
                 merge). If it is a prefix, it is completed with copies (partial merge). Otherwise all pages are \
                 copied into a free block (full merge).",
            ],
            cost: "O(1) for each page, plus the copies; 8 bytes for each logical block, one bit for each page, 4 bytes \
                   for each page of a log block.",
            wins: "Sequential writes in a few streams, and buffers that evict whole blocks, such as BPLRU.",
            loses: "Random writes: each one takes a log block from another logical block, so a whole block is merged \
                    for a single page.",
        },
    };

    const MAPPING: Option<Mapping> = Some(Mapping::Hybrid);

    type Config = BastConfig;

    fn configure(inputs: &Inputs) -> BastConfig {
        BastConfig {
            log_blocks: LOG_BLOCKS.of(inputs.settings) as u32,
            spare_blocks: inputs.spare_blocks,
            partial_merge: PARTIAL_MERGE.of(inputs.settings),
            free_lists: FreeLists::configure(inputs.settings),
            map_updates: MAP_UPDATES.of(inputs.settings),
            aware: Aware::configure(inputs),
        }
    }

    fn needs(config: &BastConfig, capacity: &Capacity) -> Result<Needs, Impossible> {
        if config.spare_blocks == 0 {
            return Err(too_few_spare("bast", 1, "a full merge needs it"));
        }
        let size = capacity.over(config.log_blocks, config.spare_blocks);
        let logs = u64::from(config.log_blocks).min(size.logical_blocks) + 1;
        // the mapped bits; the data block (twice, while the table is built) and the log block of each logical block; the
        // log blocks and their page tables
        let tables = 2 * size.logical_pages / 8
            + 12 * size.logical_blocks
            + (4 * size.pages_per_block + 48) * logs
            + size.free_list();
        Ok(Needs {
            aware: config.aware,
            tables: Some(
                Tables::by_block(&size)
                    .with_logs(&size, config.log_blocks, 1)
                    .with_map_in_flash(config.map_updates, capacity),
            ),
            ..size.needs(tables)
        })
    }

    fn fresh<M: Media>(config: &BastConfig, geometry: &Geometry, full: bool) -> Box<dyn Ftl<M>> {
        Box::new(Bast::new(config, geometry, full))
    }

    fn mount<M: Media>(config: &BastConfig, media: &mut M) -> Result<Box<dyn Ftl<M>>, FtlError> {
        Ok(Box::new(Bast::from_flash(config, media)?))
    }
}

/// The role of log blocks. A switch or partial merge turns a log block into a data block, but its role stays.
const LOG: Role = Role(1);

const NO_LOG: u32 = u32::MAX;

/// The spare area of a page in a log block.
const fn spare(page: Page) -> Spare {
    Spare {
        lpn: page.lpn,
        role: LOG,
    }
}

/// A log block in use.
#[derive(Clone, Debug)]
struct Log {
    lbn: Lbn,
    /// The first page of its logical block.
    first: Lpn,
    block: Pbn,
    /// The number of pages programmed; the position of the next one.
    next: u32,
    /// The number of newest versions.
    valid: u32,
    /// The number of positions that hold the page of the same offset.
    in_place: u32,
}

impl Log {
    /// Whether each position holds the page of the same offset.
    fn is_in_order(&self) -> bool {
        self.in_place == self.next
    }
}

/// The log-block FTL. It has no map of all pages: the newest version of a mapped page is in the log block of its
/// logical block, if `in_log` lists it there, and otherwise at its own offset of the data block.
pub struct Bast {
    geometry: Geometry,
    partial_merge: bool,
    /// The LPNs with a version.
    mapped: BitSet,
    /// For each LBN, its data block.
    data: Vec<Pbn>,
    /// For each LBN, the index of its log block in `logs`.
    log_of: Vec<u32>,
    logs: Vec<Log>,
    /// For each log block and offset, the newest version if it is in the log block. Rows of unused log blocks are all
    /// none. The row after the last one serves the logical blocks without a log block.
    in_log: Vec<Ppn>,
    /// The index of the log block written last; none if it was released.
    last: u32,
    unused_logs: Vec<u32>,
    /// The used entries of `logs`, most recently written first.
    recent: Lists,
    /// Chooses victims; without it, the least recently written log block is the victim.
    bavbs: Option<Bavbs>,
    free: FreeList,
    map: MapLog,
}

impl Bast {
    fn new(config: &BastConfig, geometry: &Geometry, full: bool) -> Self {
        let mut ftl = Self::empty(config, geometry);
        let mut used = 0;
        if full {
            used = geometry.logical_blocks();
            ftl.mapped = BitSet::new(geometry.logical_pages(), true);
            ftl.data = (0..used).map(Pbn).collect();
        }
        ftl.free = FreeList::from_block(used, geometry).by(config.free_lists, geometry);
        ftl
    }

    /// Tables without mapped pages and without free blocks.
    fn empty(config: &BastConfig, geometry: &Geometry) -> Self {
        let unused = Log {
            lbn: Lbn::NONE,
            first: Lpn::NONE,
            block: Pbn::NONE,
            next: 0,
            valid: 0,
            in_place: 0,
        };
        // each log block serves a different logical block, so more can never be in use
        let logs = config.log_blocks.min(geometry.logical_blocks());
        Self {
            partial_merge: config.partial_merge,
            mapped: BitSet::new(geometry.logical_pages(), false),
            data: vec![Pbn::NONE; geometry.logical_blocks() as usize],
            log_of: vec![NO_LOG; geometry.logical_blocks() as usize],
            logs: vec![unused; logs as usize],
            in_log: vec![Ppn::NONE; ((logs + 1) * geometry.pages_per_block()) as usize],
            last: NO_LOG,
            unused_logs: (0..logs).rev().collect(),
            recent: Lists::new(logs, 1),
            bavbs: Bavbs::new(&config.aware, geometry.pages_per_block()),
            free: FreeList::empty(geometry),
            map: MapLog::new(config.map_updates, geometry),
            geometry: geometry.clone(),
        }
    }

    /// The log block written last and the offset of a page in it, if it can take the page. Consecutive pages of one
    /// logical block thus need no look-up.
    #[inline]
    fn last_log(&self, lpn: Lpn) -> Option<(u32, u32)> {
        let log = self.logs.get(self.last as usize)?;
        let offset = lpn.0.wrapping_sub(log.first.0);
        let all = self.geometry.pages_per_block();
        (offset < all && log.next < all).then_some((self.last, offset))
    }

    /// The log block that takes the next page of this logical block. It becomes the log block written last.
    fn log_for<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        lbn: Lbn,
    ) -> Result<u32, FtlError> {
        let mut index = self.log_of[lbn.index()];
        let takes = |index: u32| self.logs[index as usize].next < self.geometry.pages_per_block();
        if index == NO_LOG || !takes(index) {
            index = self.new_log(env, buffer, lbn)?;
        }
        self.recent.move_to_front(0, index);
        self.last = index;
        Ok(index)
    }

    /// Opens a log block. Merges one first if all are in use.
    fn new_log<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        lbn: Lbn,
    ) -> Result<u32, FtlError> {
        let full = self.log_of[lbn.index()];
        if full != NO_LOG {
            self.merge(env, buffer, full)?;
        }
        if self.unused_logs.is_empty() {
            let (victim, decision) = self.victim(env, buffer);
            self.merge(env, &mut buffer.decided(decision), victim)?;
        }
        let block = self.free.take_for(lbn)?;
        Ok(self.open(Log {
            lbn,
            first: self.geometry.page_at(lbn, 0).lpn,
            block,
            next: 0,
            valid: 0,
            in_place: 0,
        }))
    }

    fn open(&mut self, log: Log) -> u32 {
        let index = self
            .unused_logs
            .pop()
            .expect("a merge released a log block");
        self.log_of[log.lbn.index()] = index;
        self.logs[index as usize] = log;
        self.recent.push_front(0, index);
        index
    }

    fn release(&mut self, index: u32) {
        self.log_of[self.logs[index as usize].lbn.index()] = NO_LOG;
        let pages = self.slot(index, 0)..self.slot(index + 1, 0);
        self.in_log[pages].fill(Ppn::NONE);
        self.recent.remove(index);
        self.unused_logs.push(index);
        self.last = NO_LOG;
    }

    /// The place of the newest version of a page.
    #[inline(always)]
    fn place(&self, page: Page) -> Ppn {
        let in_log = self.in_log_of(page.lbn)[page.offset as usize];
        self.newest(page.lpn, in_log, self.in_data(page))
    }

    /// The place of the newest version of a page, given its entry in the log block and its place in the data block.
    #[inline(always)]
    fn newest(&self, lpn: Lpn, in_log: Ppn, in_data: Ppn) -> Ppn {
        if in_log.is_some() {
            in_log
        } else if self.mapped.contains(lpn.0) {
            in_data
        } else {
            Ppn::NONE
        }
    }

    /// The place of a page in its data block; none if there is no data block.
    #[inline(always)]
    fn in_data(&self, page: Page) -> Ppn {
        let block = self.data[page.lbn.index()];
        if block.is_some() {
            self.geometry.ppn(block, page.offset)
        } else {
            Ppn::NONE
        }
    }

    /// The entries of a log block for each offset.
    #[inline]
    fn pages_in_log(&self, index: u32) -> &[Ppn] {
        &self.in_log[self.slot(index, 0)..self.slot(index + 1, 0)]
    }

    /// The entries of the log block of a logical block for each offset; all none if it has no log block.
    #[inline]
    fn in_log_of(&self, lbn: Lbn) -> &[Ppn] {
        self.pages_in_log(self.log_of[lbn.index()].min(self.logs.len() as u32))
    }

    /// The index in `in_log` of an offset of a log block.
    #[inline]
    fn slot(&self, index: u32, offset: u32) -> usize {
        (index * self.geometry.pages_per_block() + offset) as usize
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

    /// Programs a page into a log block with room.
    #[inline(always)]
    fn append<M: Media>(
        &mut self,
        env: &mut Env<M>,
        index: u32,
        lpn: Lpn,
        offset: u32,
        data: &M::Data,
    ) -> Result<(), FtlError> {
        let Log { block, next, .. } = self.logs[index as usize];
        let to = self.geometry.ppn(block, next);
        env.program(to, Spare { lpn, role: LOG }, data)?;
        self.mapped.insert(lpn.0);
        let slot = self.slot(index, offset);
        let before = core::mem::replace(&mut self.in_log[slot], to);
        self.appended(env, index, offset, 1, u32::from(before.is_some()))
    }

    /// The rare case is a function of its own, so that the common case saves no registers for it.
    #[inline(never)]
    fn append_elsewhere<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        lpn: Lpn,
        data: &M::Data,
    ) -> Result<(), FtlError> {
        let page = self.geometry.page(lpn);
        let index = self.log_for(env, buffer, page.lbn)?;
        self.append(env, index, lpn, page.offset, data)
    }

    /// The log block that takes the next pages of a logical block, the place of the first one, and the most it takes.
    fn room_for<M: Media>(
        &mut self,
        env: &mut Env<M>,
        page: Page,
    ) -> Result<(u32, Ppn, u32), FtlError> {
        let index = self.log_for(env, &mut Buffer::none(), page.lbn)?;
        let Log { block, next, .. } = self.logs[index as usize];
        let room = self.geometry.pages_per_block() - next;
        Ok((index, self.geometry.ppn(block, next), room))
    }

    /// Lists consecutive pages that were programmed into a log block.
    fn list<M: Media>(
        &mut self,
        env: &mut Env<M>,
        index: u32,
        first: Page,
        to: Ppn,
        pages: u32,
    ) -> Result<(), FtlError> {
        self.mapped.insert_range(first.lpn.0, first.lpn.0 + pages);
        let mut rewritten = 0;
        // a new log block that takes a whole block is switched at once, so its pages need no entries
        if pages < self.geometry.pages_per_block() {
            let slot = self.slot(index, first.offset);
            for (at, to) in self.in_log[slot..][..pages as usize].iter_mut().zip(to.0..) {
                rewritten += u32::from(at.is_some());
                *at = Ppn(to);
            }
        }
        self.appended(env, index, first.offset, pages, rewritten)
    }

    /// Updates the counts after consecutive pages were programmed into a log block; the newest versions of `rewritten`
    /// of them were already there.
    #[inline(always)]
    fn appended<M: Media>(
        &mut self,
        env: &mut Env<M>,
        index: u32,
        offset: u32,
        pages: u32,
        rewritten: u32,
    ) -> Result<(), FtlError> {
        let log = &mut self.logs[index as usize];
        log.in_place += if offset == log.next { pages } else { 0 };
        log.next += pages;
        log.valid += pages - rewritten;
        if log.in_place == self.geometry.pages_per_block() {
            self.replace_data(env, &mut Buffer::none(), index, MergeKind::Switch)
        } else {
            Ok(())
        }
    }
}

impl<M: Media> Ftl<M> for Bast {
    #[inline(always)]
    fn write(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        lpn: Lpn,
        data: &M::Data,
    ) -> Result<(), FtlError> {
        match self.last_log(lpn) {
            Some((index, offset)) => self.append(env, index, lpn, offset, data),
            None => self.append_elsewhere(env, buffer, lpn, data),
        }
    }

    #[inline(always)]
    fn read(&mut self, env: &mut Env<M>, lpn: Lpn, page: &mut M::Data) -> Result<Found, FtlError> {
        env.read(self.place(self.geometry.page(lpn)), page)
    }

    fn log_room(&self) -> u32 {
        self.unused_logs.len() as u32 * self.geometry.pages_per_block()
    }

    fn free_blocks(&self) -> Option<u32> {
        Some(self.free.len())
    }

    fn has_pure_reads(&self) -> bool {
        true
    }

    fn is_mapped(&self, lpn: Lpn) -> bool {
        self.mapped.contains(lpn.0)
    }

    fn discard(&mut self, env: &mut Env<M>, lpn: Lpn) -> Result<(), FtlError> {
        if !self.mapped.contains(lpn.0) {
            return Ok(());
        }
        env.record_discard(lpn)?;
        self.mapped.remove(lpn.0);
        let page = self.geometry.page(lpn);
        let index = self.log_of[page.lbn.index()];
        if index != NO_LOG {
            let slot = self.slot(index, page.offset);
            let before = core::mem::replace(&mut self.in_log[slot], Ppn::NONE);
            self.logs[index as usize].valid -= u32::from(before.is_some());
        }
        Ok(())
    }

    fn check(&self, media: &mut M) -> Result<(), String> {
        self.check_against(media)
    }

    fn write_run(
        &mut self,
        env: &mut Env<M>,
        first: Page,
        count: u32,
        data: &M::Data,
    ) -> Result<(), FtlError> {
        let mut done = 0;
        while done < count {
            let page = first.plus(done);
            let (index, to, room) = self.room_for(env, page)?;
            let pages = room.min(count - done);
            env.program_run(to, pages, spare(page), data)?;
            self.list(env, index, page, to, pages)?;
            done += pages;
        }
        Ok(())
    }

    fn write_each(
        &mut self,
        env: &mut Env<M>,
        first: Page,
        pages: &[Lookup<M::Data>],
    ) -> Result<(), FtlError> {
        let mut at = 0;
        while let Some(missing) = pages[at..].iter().position(Lookup::is_found) {
            at += missing;
            let page = first.plus(at as u32);
            env.note(Note::Call);
            let (index, to, room) = self.room_for(env, page)?;
            let found = pages[at..].iter().take_while(|page| page.is_found());
            let data = found.take(room as usize).map(|page| &page.page);
            let count = env.program_each(to, spare(page), data)?;
            self.list(env, index, page, to, count)?;
            at += count as usize;
        }
        Ok(())
    }

    fn count_mapped(&self, first: Lpn, count: u32) -> u32 {
        self.mapped.count(first.0, first.0 + count)
    }

    fn read_each(
        &mut self,
        env: &mut Env<M>,
        first: Page,
        pages: &mut [Lookup<M::Data>],
    ) -> Result<(), FtlError> {
        let in_log = &self.in_log_of(first.lbn)[first.offset as usize..];
        let in_data = self.in_data(first).0;
        let places = in_log.iter().enumerate().map(|(i, &in_log)| {
            let i = i as u32;
            let in_data = Ppn(in_data.wrapping_add(i));
            self.newest(first.lpn.plus(i), in_log, in_data)
        });
        env.read_each(first.lpn, places, pages)
    }
}
