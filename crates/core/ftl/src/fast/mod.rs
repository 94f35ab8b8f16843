//! FAST (fully associative log blocks, Lee et al. 2007): all logical blocks share the log blocks.
//!
//! A write to offset 0 opens the sequential log block (SW). It takes the pages of its logical block as long as they
//! come in order, and then becomes the data block, like the log blocks of `bast`. All other writes are appended to the
//! random log blocks (RW). When these run out, the one filled first is reclaimed: each logical block with a valid page
//! in it is copied from all places of its pages into a free block (full merge).

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

mod check;
mod chooser;
mod merge;
mod mount;
mod random;
mod victim;

use ssdlab_flash::{Geometry, Lbn, Lpn, Media, Page, Pbn, Ppn, Role, Spare};
use ssdlab_policy::{About, BitSet, Entry, Source, papers};

use crate::free_list::FreeList;
use crate::kind::too_few_spare;
use crate::map_log::MapLog;
use crate::{
    AVERAGED_MERGES, Aware, BUFFER_AWARE, Buffer, BufferAware, CANDIDATES, Capacity, Env,
    FREE_LISTS, Found, FreeLists, Ftl, FtlError, FtlKind, Impossible, Inputs, LOG_BLOCKS,
    MAP_UPDATES, Mapping, Needs, OVER_PROVISIONING, SPARE_BLOCKS, Tables, UPDATE_PROBABILITY,
    WEIGH_COPY_BACKS,
};
use chooser::Chooser;
use random::RandomLog;

/// The parameters of FAST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FastConfig {
    /// `ftl.log_blocks`: log blocks in use at the same time, at least 2.
    pub log_blocks: u32,
    /// Spare erase blocks, at least 1.
    pub spare_blocks: u32,
    /// `ftl.map_updates`: changes of the block map are written to flash.
    pub map_updates: bool,
    /// How merges use the write buffer.
    pub aware: Aware,
    /// How free blocks are kept.
    pub free_lists: FreeLists,
}

impl FtlKind for Fast {
    const ENTRY: Entry = Entry {
        name: "fast",
        rule: "log blocks serve all logical blocks, one of them only sequential writes; reclaims the log block filled first",
        source: Source::of(
            "{}, section 2 and figure 1 ({})",
            &[&papers::BAGC, &papers::FAST],
        ),
        keys: &[
            LOG_BLOCKS.key,
            SPARE_BLOCKS.key,
            FREE_LISTS.key,
            OVER_PROVISIONING.key,
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
                "A write to the first page of a block opens the sequential log block. It takes the following pages in \
                 order and is switched when it is full.",
                "All other writes are appended to the random log blocks, which all logical blocks share.",
                "When these run out, the one filled first is reclaimed: each logical block with a valid page in it is \
                 merged.",
            ],
            cost: "O(1) for each page, plus the copies; 4 bytes and two bits for each page.",
            wins: "Random writes with many log blocks: a log block is reclaimed only when it is full, and pages that \
                   were rewritten in the meantime cost nothing.",
            loses: "Parallel sequential streams, as when an archive is unpacked: there is only one sequential log \
                    block, so the blocks of all other streams are copied. One reclaim may merge as many logical blocks \
                    as a log block has pages, which causes long pauses.",
        },
    };

    const MAPPING: Option<Mapping> = Some(Mapping::Hybrid);

    type Config = FastConfig;

    fn configure(inputs: &Inputs) -> FastConfig {
        FastConfig {
            log_blocks: LOG_BLOCKS.of(inputs.settings) as u32,
            spare_blocks: inputs.spare_blocks,
            free_lists: FreeLists::configure(inputs.settings),
            map_updates: MAP_UPDATES.of(inputs.settings),
            aware: Aware::configure(inputs),
        }
    }

    fn needs(config: &FastConfig, capacity: &Capacity) -> Result<Needs, Impossible> {
        if config.log_blocks < 2 {
            return Err(Impossible {
                key: LOG_BLOCKS.key.path,
                why: "must be at least 2 with ftl.kind \"fast\": one for sequential writes, the others \
                      for all other writes"
                    .into(),
            });
        }
        if config.spare_blocks == 0 {
            return Err(too_few_spare("fast", 1, "a full merge needs it"));
        }
        let size = capacity.over(config.log_blocks, config.spare_blocks);
        let logs = u64::from(config.log_blocks);
        let weighed = match config.aware.mode {
            BufferAware::MergeAndVictim => Chooser::table_bytes(config.log_blocks, &size),
            _ => 0,
        };
        // the place in the log and three bits of each page; the data blocks (twice, while the table is built); the pages
        // of the log blocks
        let tables = 5 * size.logical_pages
            + 8 * size.logical_blocks
            + (4 * size.pages_per_block + 24) * logs
            + size.pages_per_block / 8
            + size.free_list()
            + weighed;
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

    fn fresh<M: Media>(config: &FastConfig, geometry: &Geometry, full: bool) -> Box<dyn Ftl<M>> {
        Box::new(Fast::new(config, geometry, full))
    }

    fn mount<M: Media>(config: &FastConfig, media: &mut M) -> Result<Box<dyn Ftl<M>>, FtlError> {
        Ok(Box::new(Fast::from_flash(config, media)?))
    }
}

/// The role of the sequential log block. A switch or partial merge turns it into a data block, but its role stays.
const SEQUENTIAL: Role = Role(1);

/// The role of random log blocks.
const RANDOM: Role = Role(2);

/// The sequential log block.
struct Sequential {
    /// The logical block that it serves; `Lbn::NONE` if there is no sequential log block.
    lbn: Lbn,
    block: Pbn,
    /// The number of pages programmed, from offset 0 on; the offset of the next one.
    next: u32,
    /// The offsets whose newest version is here.
    valid: BitSet,
}

/// The fully associative FTL. A mapped page is in a random log block if `logged` contains it. Otherwise it is at its
/// own offset of the sequential log block, if that serves its logical block and has the page, or else of the data
/// block. A merge therefore only removes pages from `logged` and writes no page map.
pub struct Fast {
    geometry: Geometry,
    /// The LPNs with a version.
    mapped: BitSet,
    /// The LPNs whose newest version is in a random log block.
    logged: BitSet,
    /// For each LPN in `logged`, the place of its newest version. Stale for others.
    in_log: Vec<Ppn>,
    /// For each LBN, its data block.
    data: Vec<Pbn>,
    sequential: Sequential,
    random: RandomLog,
    /// Chooses victims; without it, the random log block filled first is the victim.
    chooser: Option<Box<Chooser>>,
    free: FreeList,
    map: MapLog,
}

impl Fast {
    fn new(config: &FastConfig, geometry: &Geometry, full: bool) -> Self {
        let mut ftl = Self::empty(config, geometry);
        let mut used = 0;
        if full {
            used = geometry.logical_blocks();
            ftl.mapped = BitSet::new(geometry.logical_pages(), true);
            ftl.data = (0..used).map(Pbn).collect();
        }
        if let Some(chooser) = &mut ftl.chooser {
            (0..used).for_each(|b| chooser.gathered(Lbn(b), Pbn(b)));
        }
        ftl.free = FreeList::from_block(used, geometry).by(config.free_lists, geometry);
        ftl
    }

    /// Tables without mapped pages and without free blocks.
    fn empty(config: &FastConfig, geometry: &Geometry) -> Self {
        let (pages, pages_per_block) = (geometry.logical_pages(), geometry.pages_per_block());
        Self {
            mapped: BitSet::new(pages, false),
            logged: BitSet::new(pages, false),
            in_log: vec![Ppn::NONE; pages as usize],
            data: vec![Pbn::NONE; geometry.logical_blocks() as usize],
            sequential: Sequential {
                lbn: Lbn::NONE,
                block: Pbn::NONE,
                next: 0,
                valid: BitSet::new(pages_per_block, false),
            },
            random: RandomLog::new(config.log_blocks - 1, pages_per_block),
            chooser: Chooser::new(&config.aware, config.log_blocks, geometry),
            free: FreeList::empty(geometry),
            map: MapLog::new(config.map_updates, geometry),
            geometry: geometry.clone(),
        }
    }

    /// Whether this is the next page of the sequential log block.
    #[inline]
    fn continues(&self, page: Page) -> bool {
        self.sequential.lbn == page.lbn && self.sequential.next == page.offset
    }

    /// Writes the first of these pages of one logical block, and the following pages that go to the same log block.
    /// Returns the number of pages written.
    fn write_some<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        first: Page,
        count: u32,
        data: &M::Data,
    ) -> Result<u32, FtlError> {
        if first.offset == 0 {
            self.open_sequential(env, buffer, first.lbn)?;
        }
        if self.continues(first) {
            self.append_sequential(env, first, count, data)?;
            return Ok(count);
        }
        if self.random.room() == 0 {
            self.open_random(env, buffer)?;
        }
        let mut pages = count.min(self.random.room());
        if self.is_in_sequential(first) {
            // pages after those of the sequential log block belong there
            pages = pages.min(self.sequential.next - first.offset);
        }
        self.append_random(env, buffer, first, pages, data)?;
        Ok(pages)
    }

    /// Opens a sequential log block; merges the current one first.
    fn open_sequential<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        lbn: Lbn,
    ) -> Result<(), FtlError> {
        if self.sequential.lbn.is_some() {
            self.merge_sequential(env, buffer)?;
        }
        let sequential = &mut self.sequential;
        sequential.lbn = lbn;
        sequential.block = self.free.take_for(lbn)?;
        if let Some(chooser) = &mut self.chooser {
            chooser.placed(lbn, sequential.block);
        }
        sequential.next = 0;
        sequential
            .valid
            .remove_range(0, self.geometry.pages_per_block());
        Ok(())
    }

    /// Programs the next pages of the sequential log block. It is switched at once if it is full and all its pages are
    /// valid.
    fn append_sequential<M: Media>(
        &mut self,
        env: &mut Env<M>,
        first: Page,
        count: u32,
        data: &M::Data,
    ) -> Result<(), FtlError> {
        let to = self.geometry.ppn(self.sequential.block, first.offset);
        let spare = Spare {
            lpn: first.lpn,
            role: SEQUENTIAL,
        };
        env.program_run(to, count, spare, data)?;
        let (start, end) = (first.lpn.0, first.lpn.0 + count);
        self.mapped.insert_range(start, end);
        self.leave_log(start, end);
        let sequential = &mut self.sequential;
        sequential.next += count;
        sequential.valid.insert_range(first.offset, sequential.next);
        // if blocks have one page, no page continues it, and it waits for its merge
        let filled = sequential.next == self.geometry.pages_per_block() && sequential.next > 1;
        if filled && self.sequential_is_intact() {
            self.merge_sequential(env, &mut Buffer::none())?;
        }
        Ok(())
    }

    /// Whether all pages of the sequential log block are the newest versions.
    fn sequential_is_intact(&self) -> bool {
        self.sequential.valid.count(0, self.sequential.next) == self.sequential.next
    }

    /// Opens a random log block; reclaims one first if all are in use.
    #[inline(never)]
    fn open_random<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
    ) -> Result<(), FtlError> {
        if self.random.is_full() {
            let (victim, decision) = self.victim(env, buffer);
            self.reclaim(env, &mut buffer.decided(decision), victim)?;
        }
        let block = self.free.take()?;
        self.begin_random(block);
        Ok(())
    }

    /// Makes an erased block the current random log block.
    fn begin_random(&mut self, block: Pbn) {
        let index = self.random.open(block);
        if let Some(chooser) = &mut self.chooser {
            chooser.opened(index, block);
        }
    }

    /// Programs pages into the current random log block, which must have room for them.
    #[inline(always)]
    fn append_random<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &Buffer<M::Data>,
        first: Page,
        count: u32,
        data: &M::Data,
    ) -> Result<(), FtlError> {
        let to = self.random.frontier();
        let spare = Spare {
            lpn: first.lpn,
            role: RANDOM,
        };
        env.program_run(to, count, spare, data)?;
        if buffer.is_lent() {
            env.counts.random_log_programs += u64::from(count);
        }
        if self.is_in_sequential(first) {
            let valid = &mut self.sequential.valid;
            valid.remove_range(first.offset, first.offset + count);
        }
        if self.chooser.is_some() {
            self.tell_logged(first, count, to);
        }
        let (start, end) = (first.lpn.0, first.lpn.0 + count);
        self.mapped.insert_range(start, end);
        self.logged.insert_range(start, end);
        for (at, ppn) in self.in_log[first.lpn.index()..][..count as usize]
            .iter_mut()
            .zip(to.0..)
        {
            *at = Ppn(ppn);
        }
        self.random.append(first.lpn, count);
        Ok(())
    }

    /// The newest versions of these pages are no longer in a random log block.
    #[inline]
    fn leave_log(&mut self, first: u32, end: u32) {
        if self.chooser.is_some() {
            self.tell_superseded(first, end);
        }
        self.logged.remove_range(first, end);
    }

    /// Informs the chooser that pages of a logical block have new versions in a random log block.
    #[inline(never)]
    fn tell_logged(&mut self, first: Page, count: u32, to: Ppn) {
        self.tell_superseded(first.lpn.0, first.lpn.0 + count);
        if let Some(chooser) = &mut self.chooser {
            chooser.placed(first.lbn, self.geometry.block_of(to));
        }
    }

    /// Informs the chooser that versions of pages in random log blocks are outdated.
    #[inline(never)]
    fn tell_superseded(&mut self, first: u32, end: u32) {
        if let Some(chooser) = &mut self.chooser {
            let superseded = |lpn| chooser.superseded(self.in_log[lpn as usize]);
            self.logged.for_each_in(first, end, superseded);
        }
    }

    /// Whether a version of this page was programmed into the sequential log block.
    #[inline]
    fn is_in_sequential(&self, page: Page) -> bool {
        self.sequential.lbn == page.lbn && page.offset < self.sequential.next
    }

    /// The place of the newest version of a page.
    #[inline]
    fn place(&self, page: Page) -> Ppn {
        if self.logged.contains(page.lpn.0) {
            self.in_log[page.lpn.index()]
        } else if self.mapped.contains(page.lpn.0) {
            self.geometry.ppn(self.block_in_place(page), page.offset)
        } else {
            Ppn::NONE
        }
    }

    /// The block with the newest version of a page at its own offset. The page must be mapped and in no random log
    /// block.
    #[inline]
    fn block_in_place(&self, page: Page) -> Pbn {
        let sequential = &self.sequential;
        if sequential.lbn == page.lbn && sequential.valid.contains(page.offset) {
            sequential.block
        } else {
            self.data[page.lbn.index()]
        }
    }

    /// All data and log blocks.
    fn blocks_in_use(&self) -> impl Iterator<Item = Pbn> {
        let sequential = self
            .sequential
            .lbn
            .is_some()
            .then_some(self.sequential.block);
        self.data
            .iter()
            .copied()
            .filter(|block| block.is_some())
            .chain(sequential)
            .chain(self.random.in_use().map(|index| self.random.block(index)))
    }
}

impl<M: Media> Ftl<M> for Fast {
    fn write(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        lpn: Lpn,
        data: &M::Data,
    ) -> Result<(), FtlError> {
        let page = self.geometry.page(lpn);
        if page.offset > 0 && !self.continues(page) && self.random.room() > 0 {
            return self.append_random(env, buffer, page, 1, data);
        }
        self.write_some(env, buffer, page, 1, data)?;
        Ok(())
    }

    fn read(&mut self, env: &mut Env<M>, lpn: Lpn, page: &mut M::Data) -> Result<Found, FtlError> {
        env.read(self.place(self.geometry.page(lpn)), page)
    }

    fn log_room(&self) -> u32 {
        self.random.unfilled()
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
        self.leave_log(lpn.0, lpn.0 + 1);
        let page = self.geometry.page(lpn);
        if self.sequential.lbn == page.lbn {
            self.sequential.valid.remove(page.offset);
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
            let (first, count) = (first.plus(done), count - done);
            done += self.write_some(env, &mut Buffer::none(), first, count, data)?;
        }
        Ok(())
    }

    fn count_mapped(&self, first: Lpn, count: u32) -> u32 {
        self.mapped.count(first.0, first.0 + count)
    }
}
