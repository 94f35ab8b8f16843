//! Page mapping in a log, with cleaning (LFSS, sections 2 and 3): any logical page can be at any physical page. Pages
//! are appended to the frontier of their region, its open block. When free blocks run short, the valid pages of a full
//! block are copied to a frontier and the block is erased.
//!
//! A cleaning policy chooses the block, and a placement chooses the regions. A write does as little work as possible:
//! all valid bits of a frontier are set when it is opened, so a program sets none; the overwritten version clears one.
//! If the placement needs to know the page, `clusters.rs` handles the pages one by one.

mod check;
mod cleaning;
mod clusters;
mod mount;
mod pace;
mod ram;
mod victims;

use std::hint::black_box;

use ssdlab_flash::{Geometry, Lpn, Media, Note, Page, Payload, Pbn, Ppn, Role, Spare};
use ssdlab_policy::placement::{self, Placement};
use ssdlab_policy::{
    About, BitSet, CLOCK, Count, Entry, Family, Key, Kind, Names, Setting, Source, papers,
};

use self::cleaning::Victim;
use self::pace::FLOOR;
use self::ram::Ram;
use self::victims::Victims;
use crate::free_list::FreeList;
use crate::kind::too_few_spare;
use crate::{
    AHEAD, AVERAGED_MERGES, Aware, BUFFER_AWARE, Buffer, BufferAware, CANDIDATES, Capacity, Clock,
    Env, Found, Ftl, FtlError, FtlKind, Impossible, Inputs, Lookup, Mapping, Needs,
    OVER_PROVISIONING, RamImage, SPARE_BLOCKS, Size, Tables, UPDATE_PROBABILITY, WEIGH_COPY_BACKS,
};

pub use self::pace::{GC_HIGH, IDLE_CLEANING_US, PACE, Pace, default_gc_high};

/// `ftl.cleaning`. Under merge+victim the FTL chooses the victims.
pub const CLEANING: Key = Key::new(
    "ftl.cleaning",
    Kind::Choice(Names::Systems(Family::Cleaning)),
    Some(Setting::Text("greedy")),
    "policy that chooses the block to clean",
)
.if_value(BUFFER_AWARE.key.path, |settings| {
    BUFFER_AWARE.of(settings) != BufferAware::MergeAndVictim
});

/// `ftl.placement`.
pub const PLACEMENT: Key = Key::new(
    "ftl.placement",
    Kind::Choice(Names::Systems(Family::Placement)),
    Some(Setting::Text("single")),
    "policy that chooses the region of each page",
);

/// `ftl.gc_low`.
pub const GC_LOW: Count = Count::open(
    "ftl.gc_low",
    [1, 65535],
    "clean when this many blocks or fewer are free; default frontiers + 1",
);

/// The parameters of page mapping.
#[derive(Clone, Debug)]
pub struct PageConfig {
    /// Spare erase blocks: at least `gc_low`, one for each region in flash, and one more.
    pub spare_blocks: u32,
    /// `ftl.gc_low`: cleaning runs when at most this many blocks are free; at least 1.
    pub gc_low: u32,
    /// `ftl.pace`.
    pub pace: Pace,
    /// `ftl.idle_cleaning_us`, in ns: cleaning runs in gaps between requests, this long after the last work; 0: it does not.
    pub idle_cleaning_ns: u64,
    /// `ftl.gc_high`: cleaning in gaps ends when this many blocks are free.
    pub gc_high: u32,
    /// The unit of ages and stable times.
    pub clock: Clock,
    /// The policy that chooses victims.
    pub cleaning: ssdlab_policy::cleaning::Chosen,
    /// The policy that chooses the region of a page.
    pub placement: placement::Chosen,
    /// How cleaning uses the write buffer.
    pub aware: Aware,
}

impl PageConfig {
    fn check(&self) -> Result<(), Impossible> {
        self.placement.check()?;
        // the region of a block takes one byte
        if !(1..=256).contains(&self.placement.regions()) {
            return Err(Impossible {
                key: PLACEMENT.path,
                why: "must have 1 to 256 regions in flash".into(),
            });
        }
        let least = least_spare_blocks(self.gc_low, &self.placement);
        if self.spare_blocks < least {
            let why = "ftl.gc_low, plus one frontier for each region, plus one block to clean";
            return Err(too_few_spare("page", least, why));
        }
        if self.idle_cleaning_ns == 0 {
            return Ok(());
        }
        if self.pace == Pace::Whole {
            return Err(Impossible {
                key: IDLE_CLEANING_US.key.path,
                why: "must be 0 with ftl.pace \"whole\"; cleaning in gaps is for \"paced\"".into(),
            });
        }
        let (least, most) = (
            self.gc_low + 1,
            self.spare_blocks - self.placement.regions(),
        );
        if !(least..=most).contains(&self.gc_high) {
            return Err(Impossible {
                key: GC_HIGH.key.path,
                why: format!(
                    "must be {least} to {most}: more than ftl.gc_low, and at most the spare blocks without frontiers"
                ),
            });
        }
        Ok(())
    }

    fn table_bytes(&self, size: &Size) -> u64 {
        let ram = match self.placement.ram_pages() {
            0 => 0,
            pages => 4 * size.logical_pages + 16 * u64::from(pages).min(size.logical_pages),
        };
        // both directions of the map, and the valid bits; the placement; the regions of blocks; the cleaning policy; the
        // pages that cleaning moves; frontiers
        4 * size.logical_pages
            + 4 * size.physical_pages
            + size.physical_pages / 8
            + self.placement.table_bytes(size.logical_pages)
            + size.physical_blocks
            + self
                .cleaning
                .table_bytes(size.physical_blocks, size.pages_per_block)
            + 8 * size.pages_per_block
            + 16 * 256
            + ram
            + size.free_list()
    }
}

impl FtlKind for PageMapping<()> {
    const ENTRY: Entry = Entry {
        name: "page",
        rule: "maps any logical page to any physical page of a log; cleaning copies the valid pages out of full blocks",
        source: Source::of("{}, sections 2 and 3", &[&papers::LFSS]),
        keys: &[
            SPARE_BLOCKS.key,
            OVER_PROVISIONING.key,
            CLEANING,
            PLACEMENT,
            GC_LOW.key,
            PACE.key,
            IDLE_CLEANING_US.key,
            GC_HIGH.key,
            BUFFER_AWARE.key,
            CANDIDATES.key,
            WEIGH_COPY_BACKS.key,
            UPDATE_PROBABILITY.key,
            AVERAGED_MERGES.key,
        ],
        about: About {
            file: file!(),
            lines: [
                "Any logical page can be at any physical page: writes are appended to the open block of their region.",
                "When free blocks run short, a full block is cleaned: its valid pages are copied, and it is erased.",
                "`ftl.cleaning` chooses the block to clean, `ftl.placement` the region of each page.",
            ],
            cost: "O(1) for each page, plus the cleaning policy; 9 bytes for each page, the most RAM of all FTLs. With \
                   `merge+victim`, every full block, or `ftl.candidates` of them, is weighed for each victim.",
            wins: "Nearly all workloads, with a few per cent of spare blocks: there are no merges that copy pages only \
                   to put them in order.",
            loses: "Very few spare blocks: each cleaning then gains only a page or two, while log-block FTLs and block \
                    mapping still use switch merges for sequential writes.",
        },
    };

    const CLEANS: bool = true;

    const MAPPING: Option<Mapping> = Some(Mapping::Page);

    type Config = PageConfig;

    fn configure(inputs: &Inputs) -> PageConfig {
        PageConfig {
            spare_blocks: inputs.spare_blocks,
            gc_low: GC_LOW.of(inputs.settings) as u32,
            pace: PACE.of(inputs.settings),
            idle_cleaning_ns: (IDLE_CLEANING_US.of(inputs.settings) * 1e3).round_ties_even() as u64,
            gc_high: GC_HIGH.of(inputs.settings) as u32,
            clock: inputs.clock,
            cleaning: inputs.cleaning.clone(),
            placement: inputs.placement.clone(),
            aware: Aware::configure(inputs),
        }
    }

    fn default_spare_blocks(inputs: &Inputs, logical_blocks: Option<u32>) -> Option<u32> {
        let share = (SPARE * f64::from(logical_blocks?)).ceil() as u32;
        let least = least_spare_blocks(GC_LOW.of(inputs.settings) as u32, &inputs.placement);
        Some(share.max(least))
    }

    fn needs(config: &PageConfig, capacity: &Capacity) -> Result<Needs, Impossible> {
        config.check()?;
        let placement = &config.placement;
        let size = capacity.over(0, config.spare_blocks);
        let reads_clock = |entry: &Entry| entry.reads(CLOCK.key.path);
        let weighs = config.aware.mode == BufferAware::MergeAndVictim;
        Ok(Needs {
            aware: config.aware,
            tables: Some(Tables {
                cleaning: config.cleaning.block_bytes() * size.physical_blocks,
                updates: placement.update_bytes(size.logical_pages),
                ..Tables::by_page(&size)
            }),
            ram_pages: placement.ram_pages(),
            idle_cleaning_ns: config.idle_cleaning_ns,
            trace_time: config.clock == Clock::Trace
                && (reads_clock(placement.entry())
                    || !weighs && reads_clock(config.cleaning.entry())),
            ..size.needs(config.table_bytes(&size))
        })
    }

    fn fresh<M: Media>(config: &PageConfig, geometry: &Geometry, full: bool) -> Box<dyn Ftl<M>> {
        Box::new(PageMapping::<M::Data>::new(config, geometry, full))
    }

    fn mount<M: Media>(config: &PageConfig, media: &mut M) -> Result<Box<dyn Ftl<M>>, FtlError> {
        Ok(Box::new(PageMapping::<M::Data>::from_flash(config, media)?))
    }
}

/// The default of `ftl.spare_blocks`, as a share of the logical blocks.
const SPARE: f64 = 0.07;

/// With this many spare blocks, some full block has an invalid page whenever cleaning runs.
fn least_spare_blocks(gc_low: u32, placement: &placement::Chosen) -> u32 {
    gc_low + placement.regions() + 1
}

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
    /// Pages written so far by the host or as padding.
    written: u64,
    victims: Victims,
    victim: Victim,
    placement: Box<dyn Placement>,
    /// The region of all host writes, unless it depends on the page.
    only_region: Option<u32>,
    /// For each LPN, the place of its newest version in flash.
    map: Vec<Ppn>,
    /// The number of LPNs with a version in flash.
    mapped: u32,
    /// For each valid PPN, the LPN whose newest version it holds.
    holds: Vec<Lpn>,
    /// The valid PPNs. In a frontier, pages that are not programmed yet count as valid; in free blocks the bits are
    /// undefined.
    valid: BitSet,
    /// For each region, its frontier.
    frontiers: Vec<Frontier>,
    /// For each block in use, the region that it was opened for.
    regions: Vec<u8>,
    /// Pages in RAM have no version in flash.
    ram: Ram<P>,
    free: FreeList,
    /// The valid pages of a victim and their LPNs, used only while it is cleaned: room for one block.
    moved: Vec<(Ppn, Lpn)>,
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
            for block in 0..used {
                ftl.victims
                    .filled(Pbn(block), geometry.pages_per_block(), 0);
            }
        }
        ftl.free = FreeList::from_block(used, geometry);
        ftl
    }

    /// Tables without mapped pages and without free blocks, with this map.
    fn empty(config: &PageConfig, geometry: &Geometry, map: Vec<Ppn>) -> Self {
        let placement = config.placement.build(geometry.logical_pages());
        Self {
            gc_low: config.gc_low,
            gc_high: config.gc_high,
            pace: config.pace,
            clock: config.clock,
            written: 0,
            victims: Victims::new(&config.cleaning, &config.aware, geometry),
            victim: Victim::NONE,
            only_region: placement.only_region(),
            ram: Ram::new(config.placement.ram_pages(), geometry),
            placement,
            map,
            mapped: 0,
            holds: vec![Lpn::NONE; geometry.physical_pages() as usize],
            valid: BitSet::new(geometry.physical_pages(), false),
            frontiers: vec![Frontier::NONE; config.placement.regions() as usize],
            regions: vec![0; geometry.physical_blocks() as usize],
            free: FreeList::empty(geometry),
            moved: Vec::with_capacity(geometry.pages_per_block() as usize),
            geometry: geometry.clone(),
        }
    }

    /// The time in the unit of ages and stable times.
    #[inline]
    fn now<M: Media>(&self, env: &Env<M>) -> u64 {
        match self.clock {
            Clock::Writes => self.written,
            Clock::Trace => env.now_ns,
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
        let keep = match self.pace {
            Pace::Whole => self.gc_low,
            Pace::Paced => FLOOR,
        };
        while self.free.len() <= keep {
            self.clean(env, buffer)?;
        }
        // cleaning may already have opened a frontier for this region
        self.frontier_as_is(region)
    }

    /// The frontier of a region, with room. Takes a free block if there is no frontier.
    #[inline]
    fn frontier_as_is(&mut self, region: u32) -> Result<Frontier, FtlError> {
        let frontier = &mut self.frontiers[region as usize];
        if frontier.room() == 0 {
            let block = self.free.take()?;
            self.regions[block.index()] = region as u8;
            let next = self.geometry.ppn(block, 0);
            let end = next.plus(self.geometry.pages_per_block());
            *frontier = Frontier { next, end };
            self.valid.insert_range(next.0, end.0);
        }
        Ok(*frontier)
    }

    fn valid_in_frontier(&self, Frontier { next, end }: Frontier) -> u32 {
        let first = end.0 - self.geometry.pages_per_block();
        self.valid.count(first, next.0)
    }

    fn is_frontier(&self, block: Pbn) -> bool {
        let end = self.geometry.ppn(block.plus(1), 0);
        self.frontiers.iter().any(|f| f.room() > 0 && f.end == end)
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
        let role = role(region);
        env.program(to, Spare { lpn, role }, data)?;
        self.programmed(env, region, lpn, to);
        self.clean_behind(env, buffer)
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

    /// Updates the tables after the newest version of a page was programmed to the frontier of a region.
    #[inline]
    fn programmed<M: Media>(&mut self, env: &Env<M>, region: u32, lpn: Lpn, to: Ppn) {
        let now = self.now(env);
        self.supersede(lpn, to, now);
        self.advance(region, 1, now);
    }

    /// Advances a frontier by the pages that were programmed.
    #[inline]
    fn advance(&mut self, region: u32, pages: u32, now: u64) {
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

    /// Maps a page to its newest version.
    #[inline]
    fn supersede(&mut self, lpn: Lpn, to: Ppn, now: u64) {
        let before = std::mem::replace(&mut self.map[lpn.index()], to);
        self.holds[to.index()] = lpn;
        if before.is_some() {
            self.invalidate(before, now);
        } else {
            self.mapped += 1;
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
    }
}

/// The role of the blocks of a region.
#[inline]
fn role(region: u32) -> Role {
    Role(region as u8)
}

impl<M: Media> Ftl<M> for PageMapping<M::Data> {
    fn write(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        lpn: Lpn,
        data: &M::Data,
    ) -> Result<(), FtlError> {
        let Some(region) = self.only_region else {
            return self.write_clustered(env, buffer, lpn, data);
        };
        self.write_to(env, buffer, region, lpn, data)?;
        self.written += 1;
        Ok(())
    }

    fn read(&mut self, env: &mut Env<M>, lpn: Lpn, page: &mut M::Data) -> Result<Found, FtlError> {
        if self.ram.contains(lpn) {
            page.copy_from(self.ram.data(lpn));
            return Ok(Found::Ram);
        }
        env.read(self.map[lpn.index()], page)
    }

    fn free_blocks(&self) -> Option<u32> {
        Some(self.free.len())
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
        self.void(env, lpn)
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
        let Some(region) = self.only_region else {
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
            let (lpn, to) = (first.lpn.plus(done), frontier.next);
            let role = role(region);
            env.program_run(to, pages, Spare { lpn, role }, data)?;
            for i in 0..pages {
                self.supersede(lpn.plus(i), to.plus(i), self.now(env));
                self.written += 1;
            }
            // what follows belongs to the write of the last page
            self.written -= 1;
            self.advance(region, pages, self.now(env));
            self.clean_behind(env, &mut Buffer::none())?;
            self.written += 1;
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
        if self.ram.room() > 0 {
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

    fn is_in_ram(&self, lpn: Lpn) -> bool {
        self.ram.contains(lpn)
    }

    fn drain(&mut self, env: &mut Env<M>) -> Result<(), FtlError> {
        self.write_back(env, &mut Buffer::none(), 0, |p, lpn, now| {
            p.of_drain(lpn, now)
        })
    }

    fn ram_image(&self, env: &Env<M>) -> RamImage<M::Data> {
        self.image(env)
    }

    fn restore_ram(&mut self, env: &mut Env<M>, image: &RamImage<M::Data>) -> Result<(), FtlError> {
        self.restore(env, image)
    }
}
