//! Page mapping in a log, with cleaning (LFSS, sections 2 and 3): any logical page can be at any physical page. Pages
//! are appended to the frontier of their region, its open block. When free blocks run short, the valid pages of a full
//! block are copied to a frontier and the block is erased.
//!
//! A cleaning policy chooses the block, and a placement chooses the regions. A write does as little work as possible:
//! all valid bits of a frontier are set when it is opened, so a program sets none; the overwritten version clears one.
//! If the placement needs to know the page, `clusters.rs` handles the pages one by one.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

mod check;
mod cleaning;
mod clusters;
mod config;
mod eager;
mod groups;
mod in_place;
mod map;
mod mount;
mod order;
mod pace;
mod parted;
mod ram;
mod slc;
mod tally;
mod victims;

use core::hint::black_box;

use ssdlab_flash::{Geometry, Lpn, Media, Note, Page, Payload, Pbn, Ppn, Role, Spare};
use ssdlab_policy::buffer::Future;
use ssdlab_policy::placement::{Decides, Placement};
use ssdlab_policy::{BitSet, CLOCK};

use self::cleaning::Victim;
use self::eager::Eager;
use self::map::{Access, Io, Maps};
use self::order::CopyOrder;
use self::pace::FLOOR;
use self::parted::Parted;
use self::ram::Ram;
use self::slc::Slc;
use self::tally::Tally;
use self::victims::Victims;
use crate::free_list::FreeList;
use crate::{
    AHEAD, Buffer, Clock, Env, Found, Ftl, FtlError, LearnedMap, Lookup, RamImage, RegionCounts,
    SlcState,
};

pub use self::config::{
    CLEANING, COPY_STRIPES, EAGER, EAGER_FREE, GC_LOW, PLACEMENT, PageConfig, UNIT_BLOCKS,
};
pub use self::map::{
    LISTED, MAP, MAP_BATCH, MAP_BLOCKS, MAP_CACHE, MAP_ENTRY, MAP_GAMMA, MAP_HOST, MAP_LIST,
    MAP_PREFETCH, MAP_PROTECTED, MAP_SYNC, MapConfig, MapKind, Prefetch, has_map, has_map_host,
};
pub use self::pace::{GC_HIGH, IDLE_CLEANING_US, PACE, Pace, default_gc_high};
pub use self::slc::ALL as ALL_BLOCKS;
pub use self::slc::{
    CELL_BITS, SLC, SLC_BESIDE, SLC_DYNAMIC, SLC_FULL, SLC_GONE_AT, SLC_IDLE_US, SLC_KEEP,
    SLC_RECLAIM, SLC_REST, SLC_STATIC, SLC_VICTIM, SlcConfig, SlcKind, WhenFull, has_slc,
    slc_withheld,
};

/// The open block of a region, if there is one. The next writes go to its pages from `next` to `end`.
#[derive(Clone, Copy, Debug)]
struct Frontier {
    next: Ppn,
    end: Ppn,
}

impl Frontier {
    /// No block is open.
    const NONE: Self = Self {
        next: Ppn(0),
        end: Ppn(0),
    };

    #[inline]
    fn room(self) -> u32 {
        self.end.0 - self.next.0
    }
}

/// The page-mapping FTL.
pub struct PageMapping<P = ()> {
    geometry: Geometry,
    gc_low: u32,
    gc_high: u32,
    pace: Pace,
    clock: Clock,
    /// The clock of the placement.
    placed_by: Clock,
    /// Pages written so far by the host or as padding.
    written: u64,
    victims: Victims,
    victim: Victim,
    copy_order: CopyOrder,
    eager: Option<Eager>,
    /// The victim keeps its valid pages and becomes the frontier.
    in_place: bool,
    placement: Box<dyn Placement>,
    /// What decides the region of a page that the host writes.
    decides: Decides,
    /// The region of the pages of a preconditioned device.
    first_region: u32,
    /// The region of all pages from outside, if there is one.
    host: u32,
    /// The SLC cache, if there is one. Its pages are written one by one, as if the placement had to know each.
    slc: Option<Box<Slc>>,
    /// For each LPN, the place of its newest version in flash.
    map: Vec<Ppn>,
    /// The map in flash, if it is there; `map` has all of it all the same.
    maps: Option<Box<Maps>>,
    /// The number of LPNs with a version in flash.
    mapped: u32,
    /// For each valid PPN, the LPN whose newest version it holds.
    holds: Vec<Lpn>,
    /// The valid PPNs. In a frontier, pages that are not programmed yet count as valid; in free blocks the bits are
    /// undefined.
    valid: BitSet,
    /// For each region, its frontier.
    frontiers: Vec<Frontier>,
    /// For each region, what was written and cleaned.
    tallies: Vec<Tally>,
    /// For each block in use, the region that it was opened for.
    regions: Vec<u8>,
    /// Pages in RAM have no version in flash.
    ram: Ram<P>,
    free: FreeList,
    /// The valid pages of a victim and their LPNs, used only while it is cleaned: room for one block.
    moved: Vec<(Ppn, Lpn)>,
    /// The regions of the copies of a victim whose pages part, used only while it is cleaned.
    parted: Parted,
}

impl<P: Payload> PageMapping<P> {
    fn new(config: &PageConfig, geometry: &Geometry, full: bool) -> Self {
        let map = vec![Ppn::NONE; geometry.logical_pages() as usize];
        let mut ftl = Self::empty(config, geometry, map);
        let mut used = 0;
        if full {
            used = geometry.logical_blocks();
            ftl.mapped = geometry.logical_pages();
            ftl.valid.insert_range(0, ftl.mapped);
            for page in 0..ftl.mapped {
                ftl.map[page as usize] = Ppn(page);
                ftl.holds[page as usize] = Lpn(page);
            }
            ftl.placement.preconditioned();
            let region = ftl.first_region;
            for block in (0..used).map(Pbn) {
                let pages = geometry.pages_per_block();
                ftl.regions[block.index()] = region as u8;
                ftl.victims.opened(block, region);
                ftl.victims.programmed(region, pages);
                ftl.victims.filled(block, pages, 0);
            }
        }
        ftl.adopt_erased(FreeList::from_block(used, geometry));
        ftl.maps = config
            .map
            .as_ref()
            .map(|map| Box::new(Maps::new(map, geometry, &ftl.map, &ftl.holds, full)));
        ftl
    }

    /// Takes all erased blocks: those of the cache, and the others.
    fn adopt_erased(&mut self, erased: FreeList) {
        self.free = match &mut self.slc {
            None => erased,
            Some(slc) => slc.take_fixed(erased, &self.geometry),
        };
    }

    /// Tables without mapped pages and without free blocks, with this map.
    fn empty(config: &PageConfig, geometry: &Geometry, map: Vec<Ppn>) -> Self {
        let placement = config.placement.build(geometry);
        let regions = config.placement.regions() as usize;
        let reads_clock = config.placement.entry().reads(CLOCK.key.path);
        Self {
            gc_low: config.gc_low,
            gc_high: config.gc_high,
            pace: config.pace,
            clock: config.clock,
            placed_by: if reads_clock {
                config.clock
            } else {
                Clock::Writes
            },
            written: 0,
            victims: Victims::new(config, geometry),
            victim: Victim::NONE,
            copy_order: CopyOrder::new(config.copy_stripes, geometry),
            eager: Eager::new(config, geometry),
            in_place: config.placement.wants().in_place,
            decides: match config.slc {
                None => placement.decides(),
                Some(_) => Decides::Page,
            },
            host: match placement.decides() {
                Decides::Nothing(region) => region,
                Decides::Stream(_) | Decides::Page => 0,
            },
            slc: config
                .slc
                .as_ref()
                .map(|slc| Box::new(Slc::new(slc, geometry))),
            first_region: placement.of_preconditioned(),
            ram: Ram::new(config.placement.ram_pages(), geometry),
            map,
            maps: None,
            mapped: 0,
            holds: vec![Lpn::NONE; geometry.physical_pages() as usize],
            valid: BitSet::new(geometry.physical_pages(), false),
            frontiers: vec![Frontier::NONE; regions],
            tallies: vec![Tally::default(); regions],
            regions: vec![0; geometry.physical_blocks() as usize],
            free: FreeList::empty(geometry),
            moved: Vec::with_capacity(geometry.pages_per_block() as usize),
            parted: Parted::new(&*placement, regions as u32, geometry),
            placement,
            geometry: geometry.clone(),
        }
    }

    /// The time in the unit of ages.
    #[inline]
    fn now<M: Media>(&self, env: &Env<M>) -> u64 {
        self.time_by(self.clock, env)
    }

    /// The time of the placement.
    #[inline]
    fn placed_now<M: Media>(&self, env: &Env<M>) -> u64 {
        self.time_by(self.placed_by, env)
    }

    #[inline]
    fn time_by<M: Media>(&self, clock: Clock, env: &Env<M>) -> u64 {
        match clock {
            Clock::Writes => self.written,
            Clock::Trace => env.now_ns,
        }
    }

    /// The region of all pages that the host writes now; `None` if it depends on the page.
    #[inline]
    fn host_region<M: Media>(&self, env: &mut Env<M>, pages: u32) -> Option<u32> {
        match self.decides {
            Decides::Nothing(region) => Some(region),
            Decides::Stream(streams) => {
                let stream = u32::from(env.stream);
                if stream < streams {
                    return Some(stream);
                }
                env.counts.invalid_streams += u64::from(pages);
                Some(0)
            }
            Decides::Page => None,
        }
    }

    /// The frontier of a region, with room. Cleans first if free blocks are short.
    #[inline]
    fn frontier<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        region: u32,
    ) -> Result<Frontier, FtlError> {
        match self.frontiers[region as usize] {
            frontier if frontier.room() > 0 => Ok(frontier),
            _ => self.new_frontier(env, buffer, region),
        }
    }

    #[inline(never)]
    fn new_frontier<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        region: u32,
    ) -> Result<Frontier, FtlError> {
        if self.in_place {
            return self.frontier_in_place(env, region);
        }
        let keep = match self.pace {
            Pace::Whole => self.gc_low,
            Pace::Paced => FLOOR,
        };
        while self.free.len() <= keep {
            self.clean(env, buffer)?;
        }
        // cleaning may already have opened a frontier for this region
        let now = self.placed_now(env);
        self.frontier_as_is(region, now)
    }

    /// The frontier of a region, with room. Takes a free block if there is no frontier.
    #[inline]
    fn frontier_as_is(&mut self, region: u32, now: u64) -> Result<Frontier, FtlError> {
        if self.frontiers[region as usize].room() == 0 {
            let block = self.free.take()?;
            self.open(block, region, now);
        }
        Ok(self.frontiers[region as usize])
    }

    /// Makes an erased block the frontier of a region.
    fn open(&mut self, block: Pbn, region: u32, now: u64) {
        let next = self.geometry.ppn(block, 0);
        let end = next.plus(self.geometry.pages_per_block());
        self.frontiers[region as usize] = Frontier { next, end };
        self.regions[block.index()] = region as u8;
        self.tallies[region as usize].opened(self.geometry.pages_per_block());
        self.valid.insert_range(next.0, end.0);
        self.victims.opened(block, region);
        self.placement.opened(block, region, now);
    }

    fn valid_in_frontier(&self, Frontier { next, end }: Frontier) -> u32 {
        let first = end.0 - self.geometry.pages_per_block();
        self.valid.count(first, next.0)
    }

    fn is_frontier(&self, block: Pbn) -> bool {
        let end = self.geometry.ppn(block.plus(1), 0);
        self.frontiers.iter().any(|f| f.room() > 0 && f.end == end)
    }

    /// The role of the blocks of a region: that of the pages of a preconditioned device is 0.
    #[inline]
    fn role(&self, region: u32) -> Role {
        let regions = self.frontiers.len() as u32;
        let first = self.first_region;
        Role(if region >= first {
            region - first
        } else {
            region + regions - first
        } as u8)
    }

    /// The region of a role; the last one if there were more regions when the block was opened.
    fn region_of_role(&self, role: Role) -> u32 {
        let regions = self.frontiers.len() as u32;
        (u32::from(role.0).min(regions - 1) + self.first_region) % regions
    }

    #[inline]
    fn region_of_block(&self, block: Pbn) -> u32 {
        u32::from(self.regions[block.index()])
    }

    /// Writes a page to a region.
    #[inline]
    fn write_to<M: Media<Data = P>>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<P>,
        region: u32,
        lpn: Lpn,
        data: &P,
    ) -> Result<(), FtlError> {
        let to = self.frontier(env, buffer, region)?.next;
        if self.maps.is_some() {
            return self.write_mapped(env, buffer, (region, to), lpn, data);
        }
        self.program_page(env, region, to, lpn, data)?;
        self.clean_behind(env, buffer)
    }

    /// Programs a page at the next place of a frontier.
    #[inline(always)]
    fn program_page<M: Media<Data = P>>(
        &mut self,
        env: &mut Env<M>,
        region: u32,
        to: Ppn,
        lpn: Lpn,
        data: &P,
    ) -> Result<(), FtlError> {
        let role = self.role(region);
        env.program(to, Spare { lpn, role }, data)?;
        let older = self.programmed(env, region, lpn, to);
        if self.decides == Decides::Page {
            let now = self.placed_now(env);
            self.placement.written(lpn, older, to, now);
        }
        Ok(())
    }

    /// Cleans behind a page from outside, if cleaning is paced.
    #[inline]
    fn clean_behind<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
    ) -> Result<(), FtlError> {
        match self.pace {
            Pace::Whole => Ok(()),
            Pace::Paced => self.clean_portion(env, buffer),
        }
    }

    /// Updates the tables after the newest version of a page was programmed to the frontier of a region. Returns the place
    /// of the one before it.
    #[inline(always)]
    fn programmed<M: Media>(
        &mut self,
        env: &Env<M>,
        region: u32,
        lpn: Lpn,
        to: Ppn,
    ) -> Option<Ppn> {
        let now = self.now(env);
        let older = self.supersede(lpn, to, now);
        self.advance(region, 1, now);
        older
    }

    /// A page of the host is done.
    #[inline]
    fn page_written<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
    ) -> Result<(), FtlError> {
        self.written += 1;
        if self.eager.is_some() {
            self.clean_eagerly(env, buffer)?;
        }
        Ok(())
    }

    /// Advances a frontier by the pages that were programmed.
    #[inline]
    fn advance(&mut self, region: u32, pages: u32, now: u64) {
        self.victims.programmed(region, pages);
        let frontier = &mut self.frontiers[region as usize];
        frontier.next.0 += pages;
        if frontier.room() == 0 {
            let full = *frontier;
            self.filled(full, now);
        }
    }

    /// A frontier became full and is now a full block.
    #[inline(never)]
    fn filled(&mut self, full: Frontier, now: u64) {
        let valid = self.valid_in_frontier(full);
        let last = Ppn(full.end.0 - 1);
        let block = self.geometry.block_of(last);
        self.victims.filled(block, valid, now);
    }

    /// Maps a page to its newest version. Returns the place of the one before it.
    #[inline]
    fn supersede(&mut self, lpn: Lpn, to: Ppn, now: u64) -> Option<Ppn> {
        let before = core::mem::replace(&mut self.map[lpn.index()], to);
        self.holds[to.index()] = lpn;
        if before.is_some() {
            self.invalidate(before, now);
            Some(before)
        } else {
            self.mapped += 1;
            None
        }
    }

    /// Invalidates the version of a page in flash, if any. The record of it survives a mount.
    fn void<M: Media>(&mut self, env: &mut Env<M>, lpn: Lpn) -> Result<(), FtlError> {
        let at = self.map[lpn.index()];
        if at.is_some() {
            env.record_discard(lpn)?;
            self.map[lpn.index()] = Ppn::NONE;
            self.mapped -= 1;
            self.invalidate(at, self.now(env));
        }
        Ok(())
    }

    #[inline]
    fn invalidate(&mut self, at: Ppn, now: u64) {
        self.valid.remove(at.0);
        let block = self.geometry.block_of(at);
        if block == self.victim.block {
            self.victim.valid -= 1;
        }
        self.victims.invalidated(block, now);
        if let Some(slc) = &mut self.slc {
            slc.invalidated(block);
        }
    }
}

impl<M: Media> Ftl<M> for PageMapping<M::Data> {
    fn write(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        lpn: Lpn,
        data: &M::Data,
    ) -> Result<(), FtlError> {
        let Some(region) = self.host_region(env, 1) else {
            return self.write_clustered(env, buffer, lpn, data);
        };
        self.write_to(env, buffer, region, lpn, data)?;
        self.page_written(env, buffer)
    }

    fn read(&mut self, env: &mut Env<M>, lpn: Lpn, page: &mut M::Data) -> Result<Found, FtlError> {
        if self.ram.contains(lpn) {
            page.copy_from(self.ram.data(lpn));
            return Ok(Found::Ram);
        }
        if self.maps.is_some() {
            self.look_up(env, lpn)?;
        }
        let at = self.map[lpn.index()];
        if self.slc.is_some() && self.is_in_slc(at) {
            return env.read_slc(at, page);
        }
        env.read(at, page)
    }

    fn free_blocks(&self) -> Option<u32> {
        Some(self.free.len())
    }

    fn has_pure_reads(&self) -> bool {
        // reads of an SLC cache are counted, and a map in flash is read
        self.slc.is_none() && self.maps.is_none()
    }

    fn is_mapped(&self, lpn: Lpn) -> bool {
        self.map[lpn.index()].is_some() || self.ram.contains(lpn)
    }

    fn discard(&mut self, env: &mut Env<M>, lpn: Lpn) -> Result<(), FtlError> {
        if self.ram.contains(lpn) {
            self.ram.remove(lpn);
            env.note(Note::RamExit(lpn));
            return Ok(());
        }
        let at = self.map[lpn.index()];
        if let Some(maps) = &mut self.maps {
            maps.access(&mut Io::new(env, &self.map), lpn, Access::Discard)?;
        }
        if at.is_some() {
            self.placement.discarded(lpn);
        }
        self.void(env, lpn)?;
        if let (Some(maps), true) = (&mut self.maps, at.is_some()) {
            maps.dropped(&mut Io::new(env, &self.map), lpn, at)?;
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
        let Some(region) = self.host_region(env, count) else {
            let mut lpns = (0..count).map(|i| first.lpn.plus(i));
            return lpns
                .try_for_each(|lpn| self.write_clustered(env, &mut Buffer::none(), lpn, data));
        };
        let mut done = 0;
        while done < count {
            let frontier = self.frontier(env, &mut Buffer::none(), region)?;
            let mut pages = frontier.room().min(count - done);
            if self.pace == Pace::Paced {
                pages = pages.min(self.pages_before_portion());
            }
            if self.eager.is_some() {
                pages = pages.min(Eager::pages_before(self.written));
            }
            let (lpn, to) = (first.lpn.plus(done), frontier.next);
            let role = self.role(region);
            env.program_run(to, pages, Spare { lpn, role }, data)?;
            for i in 0..pages {
                self.supersede(lpn.plus(i), to.plus(i), self.now(env));
                self.written += 1;
            }
            // what follows belongs to the write of the last page
            self.written -= 1;
            self.advance(region, pages, self.now(env));
            self.clean_behind(env, &mut Buffer::none())?;
            self.page_written(env, &mut Buffer::none())?;
            done += pages;
        }
        Ok(())
    }

    fn read_each(
        &mut self,
        env: &mut Env<M>,
        first: Page,
        pages: &mut [Lookup<M::Data>],
    ) -> Result<(), FtlError> {
        if self.ram.room() > 0 || self.slc.is_some() || self.maps.is_some() {
            return crate::ftl::read_one_by_one(self, env, first.lpn, pages);
        }
        let places = self.map[first.lpn.index()..].iter().copied();
        env.read_each(first.lpn, places, pages)
    }

    fn foresee(&self, pages: &[Lpn]) {
        // the values do not matter; the look-ups only bring the data into the cache in parallel
        let mut places = [Ppn(0); AHEAD];
        for (at, lpn) in places.iter_mut().zip(pages) {
            *at = self.map[lpn.index()];
        }
        if self.decides == Decides::Page {
            self.placement.foresee(&places[..pages.len()]);
        }
        let mut blocks = [Pbn(0); AHEAD];
        let mut valid = 0;
        for (block, at) in blocks.iter_mut().zip(places) {
            if at.is_some() {
                *block = self.geometry.block_of(at);
                valid += u32::from(self.valid.contains(at.0));
            }
        }
        black_box(valid);
        self.victims.foresee(&blocks);
    }

    fn clean_in_gap(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
    ) -> Result<bool, FtlError> {
        self.clean_step(env, buffer)
    }

    fn fold_in_gap(&mut self, env: &mut Env<M>) -> Result<bool, FtlError> {
        match self.slc {
            None => Ok(false),
            Some(_) => self.fold_step(env),
        }
    }

    fn slc(&self) -> Option<SlcState> {
        let slc = self.slc.as_ref()?;
        Some(slc.state(self.native_pages(), self.free.len()))
    }

    fn slc_erases(&self) -> &[u32] {
        self.slc.as_ref().map_or(&[], |slc| slc.erases())
    }

    fn learned(&self) -> Option<LearnedMap> {
        self.maps.as_ref()?.learned(&self.map)
    }

    fn regions(&self) -> Vec<RegionCounts> {
        self.region_counts()
    }

    fn mapped_pages(&self) -> Option<u64> {
        Some(self.mapped.into())
    }

    fn foretell(&mut self, writes: &Future) {
        self.placement.foretold(writes, &self.map, self.written);
    }

    fn is_in_ram(&self, lpn: Lpn) -> bool {
        self.ram.contains(lpn)
    }

    fn drain(&mut self, env: &mut Env<M>) -> Result<(), FtlError> {
        self.write_back(env, &mut Buffer::none(), 0, |p, lpn, now| {
            p.of_drain(lpn, now)
        })?;
        if let Some(maps) = &mut self.maps {
            maps.checkpoint(&mut Io::new(env, &self.map))?;
        }
        Ok(())
    }

    fn ram_image(&self, env: &Env<M>) -> RamImage<M::Data> {
        self.image(env)
    }

    fn restore_ram(&mut self, env: &mut Env<M>, image: &RamImage<M::Data>) -> Result<(), FtlError> {
        self.restore(env, image)
    }
}
