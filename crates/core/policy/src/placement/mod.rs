//! Placements choose the region of a page-mapped device that a page goes to.
//!
//! Each region in flash has its own frontier: an open block that takes pages in order. A placement may also have one
//! region in RAM, which keeps its pages in the order of their last updates. Regions in flash are numbered from 0.

pub mod dac;
pub mod dac_plus;
pub mod dac_updates;
pub mod deb;
pub mod fdp;
pub mod future;
mod intervals;
pub mod sepbit;
pub mod single;
mod stable;
mod times;
pub mod tt;
pub mod two_a;

use alloc::boxed::Box;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::{self, Debug};

use ssdlab_flash::{Geometry, Lpn, Pbn, Ppn};

use self::fdp::Handles;
use crate::buffer::Future;
use crate::{Count, Entry, Impossible, Numbers, Settings};

/// The placements of this crate.
pub fn built_in() -> Vec<Registered> {
    vec![
        Registered::of::<single::Single>(),
        Registered::of::<dac::Dac>(),
        Registered::of::<dac_plus::DacPlus>(),
        Registered::of::<deb::Deb>(),
        Registered::of::<fdp::Fdp>(),
        Registered::of::<dac_updates::DacUpdates>(),
        Registered::of::<sepbit::SepBit>(),
        Registered::of::<tt::Tt>(),
        Registered::of::<two_a::TwoA>(),
        Registered::of::<future::Future>(),
    ]
}

/// `ftl.regions`.
pub const REGIONS: Count = Count::open(
    "ftl.regions",
    [1, 255],
    "regions in flash; with dac+, the hottest one is in RAM; default 4, with dac-updates and future 6",
);

/// The default of `ftl.regions` for a placement: there are more without stable times, which nobody must choose then.
pub fn default_regions(placement: &Entry) -> u32 {
    if placement.reads(REGIONS.key.path) && !placement.reads(STABLE_S.key.path) {
        6
    } else {
        4
    }
}

/// Requires 2 to 64 regions.
fn check_regions(placement: &str, regions: u32) -> Result<(), Impossible> {
    if (2..=64).contains(&regions) {
        return Ok(());
    }
    Err(Impossible {
        key: REGIONS.key.path,
        why: format!("must be 2 to 64 with ftl.placement {placement:?}"),
    })
}

/// `ftl.stable_s`.
pub const STABLE_S: Numbers = Numbers::new(
    "ftl.stable_s",
    [0.0, 1e9],
    &[100.0, 200.0, 300.0, 400.0],
    "ends of the regions' stable times in s, or pages (see clock), hottest first",
);

/// `ftl.ram`.
pub const RAM: Count = Count::bytes(
    "ftl.ram",
    4 << 20,
    "bytes of the RAM region, rounded down to whole pages",
);

/// `ftl.ram_threshold`.
pub const RAM_THRESHOLD: Count = Count::open_bytes(
    "ftl.ram_threshold",
    "bytes in RAM above which the oldest pages leave until half of this is left; default: ftl.ram",
);

/// The destination of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The region in flash with this number.
    Flash(u32),
    /// The region in RAM.
    Ram,
}

/// The record that a clustering placement keeps for a page. A power cut loses it, unless the page is in RAM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastUpdate {
    /// The time of the last update: pages written before it, or ns of trace time.
    pub at: u64,
    /// The last update was fast (deb).
    pub fast: bool,
}

/// What decides the region of a page that the host writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decides {
    /// Nothing: all pages go to this region.
    Nothing(u32),
    /// The stream of the request: each of so many streams has the region of its number. Other streams go to region 0.
    Stream(u32),
    /// The page: [`Placement::of_write`] is asked for each one.
    Page,
}

/// A group of regions among which a placement chooses the victims of cleaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// The blocks that were taken for its regions and not erased yet.
    pub blocks: u32,
    /// The valid pages in these blocks.
    pub valid: u64,
}

/// A placement. The pages of a preconditioned device are in region [`Placement::of_preconditioned`], last updated at
/// time 0. Times need not ascend, unless they count writes. The methods from [`Placement::updated_in_ram`] on are called
/// only if there is a region in RAM.
pub trait Placement: Send {
    /// What decides the region of a page that the host writes.
    fn decides(&self) -> Decides {
        Decides::Page
    }

    /// The place of a page that the host writes now and that is not in RAM. `from` is the region of its current
    /// version, if it has one. `stream` is that of the request; 0 without one. Called only if [`Decides::Page`].
    fn of_write(&mut self, lpn: Lpn, from: Option<u32>, now: u64, stream: u16) -> Place;

    /// The same for a page that has a version, at this place and in this region, if the placement keeps something of each
    /// version and not of each page: versions that are written together are used together, so they share cache lines, and
    /// those that cleaning copies follow each other.
    fn of_rewrite(&mut self, lpn: Lpn, (_, from): (Ppn, u32), now: u64, stream: u16) -> Place {
        self.of_write(lpn, Some(from), now, stream)
    }

    /// The region of all pages that cleaning copies out of a block of this region; `None`:
    /// [`Placement::of_copy`] is asked for each one.
    fn of_copies(&self, region: u32) -> Option<u32>;

    /// The region of a page that cleaning copies now out of a block of this region. Its version is at this place.
    fn of_copy(&mut self, _: Lpn, _at: Ppn, _region: u32, _now: u64) -> u32 {
        unreachable!("of_copies decides")
    }

    /// The regions of the valid pages of a victim, in their order, before any of them moves: [`Placement::of_copy`] of each.
    // compiled for each placement, so that a victim takes one dynamic call and not one for each page
    fn of_each_copy(&mut self, pages: &[(Ppn, Lpn)], region: u32, now: u64, to: &mut Vec<u8>) {
        let regions = pages
            .iter()
            .map(|&(at, lpn)| self.of_copy(lpn, at, region, now) as u8);
        to.extend(regions);
    }

    /// Cleaning has copied pages to consecutive places. Called only if [`Decides::Page`].
    fn copied(&mut self, _: &[(Ppn, Lpn)], _to: Ppn) {}

    /// Prefetches what is kept of versions that will soon be rewritten. Changes nothing.
    fn foresee(&self, _: &[Ppn]) {}

    /// The region of the pages of a preconditioned device.
    fn of_preconditioned(&self) -> u32 {
        0
    }

    /// Every page was written once, at time 0.
    fn preconditioned(&mut self) {}

    /// A page that the host wrote is in flash now, at this place, and its older version, if there is one, is invalid. Called
    /// only if [`Decides::Page`].
    fn written(&mut self, _: Lpn, _older: Option<Ppn>, _at: Ppn, _now: u64) {}

    /// A page with a version in flash was discarded: it is as if never written.
    fn discarded(&mut self, _: Lpn) {}

    /// A mount found the newest version of a page at this place, in a block of this region. Called behind
    /// [`Placement::mounted`].
    fn found(&mut self, _: Lpn, _at: Ppn, _region: u32) {}

    /// A block is taken from the free list for a region.
    fn opened(&mut self, _: Pbn, _region: u32, _now: u64) {}

    /// Cleaning chooses a block of this region.
    fn cleaned(&mut self, _: Pbn, _region: u32, _now: u64) {}

    /// The writes from now on are these; `map` has the place of each page's version. Only a simulation knows them.
    fn foretold(&mut self, _: &Future, _map: &[Ppn], _now: u64) {}

    /// The group whose emptiest full block is cleaned next; `None`: the emptiest of all. It is that one as well if no full
    /// block of the group has an invalid page.
    fn group_to_clean(&mut self, _: &[Group], _now: u64) -> Option<u32> {
        None
    }

    /// The host now writes a page that is in RAM and stays there.
    fn updated_in_ram(&mut self, _: Lpn, _now: u64) {}

    /// The number of `held` pages in RAM that may stay before one more enters; the others are written back first.
    fn before_entry(&self, held: u32) -> u32 {
        held
    }

    /// The number of `held` pages in RAM that stay after one has entered; the others are written back.
    fn after_entry(&self, held: u32) -> u32 {
        held
    }

    /// The region of a page that is written back to make room.
    fn of_write_back(&self, _: Lpn, _now: u64) -> u32 {
        unreachable!("there is no region in RAM")
    }

    /// The region of a page that is written back at the end of the trace.
    fn of_drain(&self, lpn: Lpn, now: u64) -> u32 {
        self.of_write_back(lpn, now)
    }

    /// The last update of a page.
    fn last_update(&self, _: Lpn) -> LastUpdate {
        LastUpdate::default()
    }

    /// The device was mounted at this time. All pages count as updated at this time, and not fast. Called on a new
    /// placement.
    fn mounted(&mut self, _now: u64) {}

    /// Restores the [`Placement::last_update`] of a page from before the power cut.
    fn remember(&mut self, _: Lpn, _: LastUpdate) {}
}

/// What a placement wants of the device around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// Cleaning does not use the write buffer.
    pub no_awareness: bool,
    /// Cleaning is greedy.
    pub greedy: bool,
    /// The victim keeps its valid pages and becomes the frontier, when no block is free: there is no copying elsewhere, and
    /// no block in reserve.
    pub in_place: bool,
    /// It knows the writes to come; see [`Placement::foretold`].
    pub future: bool,
    /// Each page comes with the stream of the request that last wrote it, through a write buffer too.
    pub streams: bool,
}

/// The inputs of a placement's parameters.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// The values of the keys.
    pub settings: &'a dyn Settings,
    /// The size of a page of the FTL in bytes.
    pub page_size: u32,
    /// Whether times are ns of trace time (`clock = "trace"`); otherwise they are pages written.
    pub traced: bool,
}

impl Inputs<'_> {
    /// `ftl.regions`, or the default of this placement.
    fn regions(&self, placement: &Entry) -> u32 {
        let given = REGIONS.get(self.settings);
        given.map_or_else(|| default_regions(placement), |regions| regions as u32)
    }

    /// `ftl.stable_s` in the unit of the clock: the products of doubles, rounded to the nearest integers, halves to even.
    fn stable_times(&self) -> Vec<u64> {
        let unit = if self.traced { 1e9 } else { 1.0 };
        let times = STABLE_S.of(self.settings).iter();
        times.map(|&time| libm::rint(time * unit) as u64).collect()
    }

    /// `ftl.ram` in whole pages. All sizes above the logical pages behave the same.
    fn ram_pages(&self) -> u32 {
        self.pages(RAM.of(self.settings))
    }

    /// `ftl.ram_threshold` in whole pages: all of `ftl.ram` if it is not given.
    fn ram_threshold_pages(&self) -> u32 {
        let given = RAM_THRESHOLD.get(self.settings);
        given.map_or_else(|| self.ram_pages(), |bytes| self.pages(bytes))
    }

    fn pages(&self, bytes: u64) -> u32 {
        let pages = bytes / u64::from(self.page_size);
        u32::try_from(pages).unwrap_or(u32::MAX)
    }
}

/// The memory that a placement may take unless it says otherwise: a time and a few bits for each page.
const PAGE_BYTES: u64 = 9;
/// The memory that it may take besides, in bytes.
const FIXED_BYTES: u64 = 1 << 10;

/// A placement for the registry. Each placement implements it once.
pub trait PlacementKind: Placement + Sized + 'static {
    /// Name, rule, source, and the keys it reads.
    const ENTRY: Entry;

    /// An upper bound of the memory of its tables, in bytes for each physical page.
    const PAGE_BYTES: u64 = PAGE_BYTES;

    /// An upper bound of its other memory, in bytes.
    const FIXED_BYTES: u64 = FIXED_BYTES;

    /// The bits that a controller keeps for each logical page, besides the map: when it was last updated, and how.
    const UPDATE_BITS: u64 = 0;

    /// Its parameters.
    type Config: Clone + Debug + PartialEq + Send + Sync + 'static;

    /// Its parameters, from the keys that [`PlacementKind::ENTRY`] lists.
    fn configure(inputs: &Inputs) -> Self::Config;

    /// Refuses parameters that cannot work.
    fn check(config: &Self::Config) -> Result<(), Impossible>;

    /// What it wants of the device around it.
    fn wants(_: &Self::Config) -> Wants {
        Wants::default()
    }

    /// The number of regions in flash, at least 1, even for refused parameters.
    fn regions(config: &Self::Config) -> u32;

    /// The number of groups among which it chooses the victims of greedy cleaning; region r belongs to group r mod groups.
    /// 0: the cleaning policy chooses.
    fn groups(_: &Self::Config) -> u32 {
        0
    }

    /// Its reclaim unit handles, if it has any.
    fn handles(_: &Self::Config) -> Option<Handles> {
        None
    }

    /// The most pages that the region in RAM ever holds; 0 means that there is no such region.
    fn ram_pages(_: &Self::Config) -> u32 {
        0
    }

    /// The placement of a new device.
    fn new(geometry: &Geometry, config: &Self::Config) -> Self;
}

type Build = dyn Fn(&Geometry) -> Box<dyn Placement> + Send + Sync;

/// A placement with its parameters.
#[derive(Clone)]
pub struct Chosen {
    entry: Entry,
    possible: Result<(), Impossible>,
    wants: Wants,
    regions: u32,
    groups: u32,
    handles: Option<Handles>,
    ram_pages: u32,
    page_bytes: u64,
    fixed_bytes: u64,
    update_bits: u64,
    build: Arc<Build>,
}

impl Chosen {
    /// A placement with these parameters.
    pub fn of<K: PlacementKind>(config: K::Config) -> Self {
        Self {
            possible: K::check(&config),
            wants: K::wants(&config),
            groups: K::groups(&config),
            handles: K::handles(&config),
            page_bytes: K::PAGE_BYTES,
            fixed_bytes: K::FIXED_BYTES,
            update_bits: K::UPDATE_BITS,
            ..Self::new(
                K::ENTRY,
                K::regions(&config),
                K::ram_pages(&config),
                move |geometry| Box::new(K::new(geometry, &config)),
            )
        }
    }

    /// A placement that `build` makes for a device. It has `regions` regions in flash, at least 1, and
    /// room for `ram_pages` pages in RAM. Its tables take at most 9 bytes for each physical page.
    pub fn new(
        entry: Entry,
        regions: u32,
        ram_pages: u32,
        build: impl Fn(&Geometry) -> Box<dyn Placement> + Send + Sync + 'static,
    ) -> Self {
        Self {
            entry,
            possible: Ok(()),
            wants: Wants::default(),
            regions,
            groups: 0,
            handles: None,
            ram_pages,
            page_bytes: PAGE_BYTES,
            fixed_bytes: FIXED_BYTES,
            update_bits: 0,
            build: Arc::new(build),
        }
    }

    /// Its description.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Refuses parameters that cannot work.
    pub fn check(&self) -> Result<(), Impossible> {
        self.possible.clone()
    }

    /// What it wants of the device around it.
    pub fn wants(&self) -> Wants {
        self.wants
    }

    /// The number of regions in flash.
    pub fn regions(&self) -> u32 {
        self.regions
    }

    /// See [`PlacementKind::groups`].
    pub fn groups(&self) -> u32 {
        self.groups
    }

    /// Its reclaim unit handles, if it has any.
    pub fn handles(&self) -> Option<&Handles> {
        self.handles.as_ref()
    }

    /// The default of `ftl.gc_low`.
    pub fn default_gc_low(&self) -> u32 {
        if self.wants.in_place {
            0
        } else {
            self.regions + 1
        }
    }

    /// The most pages that the region in RAM ever holds; 0 means that there is no such region.
    pub fn ram_pages(&self) -> u32 {
        self.ram_pages
    }

    /// An upper bound of the memory of its tables, in bytes, by the physical pages of the device.
    pub fn table_bytes(&self, physical_pages: u64) -> u64 {
        self.page_bytes * physical_pages + self.fixed_bytes
    }

    /// The bytes that a controller keeps of the last updates of this many logical pages.
    pub fn update_bytes(&self, logical_pages: u64) -> u64 {
        (self.update_bits * logical_pages).div_ceil(8)
    }

    /// The placement of a new device.
    pub fn build(&self, geometry: &Geometry) -> Box<dyn Placement> {
        (self.build)(geometry)
    }
}

impl Debug for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.name)
    }
}

type Choose = dyn Fn(&Inputs) -> Chosen + Send + Sync;

/// A placement in the registry.
#[derive(Clone)]
pub struct Registered {
    entry: Entry,
    choose: Arc<Choose>,
}

impl Registered {
    /// A placement by its type.
    pub fn of<K: PlacementKind>() -> Self {
        Self::new(K::ENTRY, |inputs| Chosen::of::<K>(K::configure(inputs)))
    }

    /// A placement that `choose` configures.
    pub fn new(entry: Entry, choose: impl Fn(&Inputs) -> Chosen + Send + Sync + 'static) -> Self {
        Self {
            entry,
            choose: Arc::new(choose),
        }
    }

    /// Its description.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// The placement with its parameters from these inputs; [`Chosen::check`] tells whether they can work.
    pub fn choose(&self, inputs: &Inputs) -> Chosen {
        (self.choose)(inputs)
    }
}

impl Debug for Registered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.name)
    }
}
