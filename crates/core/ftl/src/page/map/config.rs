//! The keys of a map in flash, and what they may be together.

use alloc::format;
use alloc::string::String;

use ssdlab_policy::{Choice, Count, Number, Settings, Switch};

use super::super::config::PLACEMENT;
use crate::{Capacity, Impossible, Inputs, MapInFlash, NUMBER, Size, Tables};

/// Where the map of pages is, and what RAM has of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapKind {
    /// All of it is in RAM.
    #[default]
    Ram,
    /// Single entries.
    Dftl,
    /// Entries by map page, with prefetching.
    Tpftl,
    /// Whole map pages.
    Pages,
    /// What was learned of map pages.
    Leaftl,
}

/// What is prefetched with the entry of a miss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prefetch {
    /// The rest of its request, and as many entries as the cache has directly before it.
    #[default]
    Both,
    /// The rest of its request.
    Request,
    /// Nothing.
    Nothing,
}

/// `ftl.map`.
pub const MAP: Choice<MapKind> = Choice::new(
    "ftl.map",
    &["ram", "dftl", "tpftl", "pages", "leaftl"],
    &[
        MapKind::Ram,
        MapKind::Dftl,
        MapKind::Tpftl,
        MapKind::Pages,
        MapKind::Leaftl,
    ],
    "the map of pages: in RAM, or in flash with a cache of entries, of whole map pages, or of what was learned of them",
);

/// Whether the map of pages is in flash.
pub fn has_map(settings: &dyn Settings) -> bool {
    MAP.of(settings) != MapKind::Ram
}

/// Whether `ftl.map_host` gives host memory to a map in flash.
pub fn has_map_host(settings: &dyn Settings) -> bool {
    has_map(settings) && MAP_HOST.of(settings) > 0
}

/// `ftl.map_cache`.
pub const MAP_CACHE: Count = Count::bytes(
    "ftl.map_cache",
    1 << 20,
    "bytes of RAM for what is cached of a map in flash",
)
.if_value(MAP.key.path, has_map);

/// `ftl.map_entry`.
pub const MAP_ENTRY: Count = Count::new(
    "ftl.map_entry",
    [4, 64],
    4,
    "bytes of an entry in a map page",
)
.if_value(MAP.key.path, has_map);

/// `ftl.map_blocks`.
pub const MAP_BLOCKS: Count = Count::open(
    "ftl.map_blocks",
    [3, 1 << 32],
    "blocks for a map in flash; default as many as hold it twice, and one",
)
.if_value(MAP.key.path, has_map);

/// `ftl.map_protected`.
pub const MAP_PROTECTED: Number = Number::share(
    "ftl.map_protected",
    Some(0.8),
    "dftl: share of the cache for entries that were used again; 0: plain LRU",
)
.if_value(MAP.key.path, |settings| MAP.of(settings) == MapKind::Dftl);

/// `ftl.map_batch`.
pub const MAP_BATCH: Switch = Switch::new(
    "ftl.map_batch",
    true,
    "dftl: each program of a map page writes all its changed entries, not only those that cause it",
)
.if_value(MAP.key.path, |settings| MAP.of(settings) == MapKind::Dftl);

/// `ftl.map_prefetch`.
pub const MAP_PREFETCH: Choice<Prefetch> = Choice::new(
    "ftl.map_prefetch",
    &["both", "request", "none"],
    &[Prefetch::Both, Prefetch::Request, Prefetch::Nothing],
    "tpftl: entries that enter with that of a miss: of its request, and behind runs of cached ones",
)
.if_value(MAP.key.path, |settings| MAP.of(settings) == MapKind::Tpftl);

/// `ftl.map_gamma`.
pub const MAP_GAMMA: Count = Count::new(
    "ftl.map_gamma",
    [0, 255],
    0,
    "leaftl: the most pages by which what was learned may be wrong",
)
.if_value(MAP.key.path, |settings| MAP.of(settings) == MapKind::Leaftl);

/// `ftl.map_list`.
pub const MAP_LIST: Count = Count::open(
    "ftl.map_list",
    [1, 1 << 32],
    "entries of pages that cleaning moved, held in RAM until they are written; default and least: the pages of a block",
)
.if_value(MAP.key.path, has_map);

/// `ftl.map_sync`.
pub const MAP_SYNC: Count = Count::new(
    "ftl.map_sync",
    [0, 1 << 48],
    0,
    "write all changed map pages after so many pages programmed; 0: never",
)
.if_value(MAP.key.path, has_map);

/// `ftl.map_host`.
pub const MAP_HOST: Count = Count::bytes(
    "ftl.map_host",
    0,
    "bytes of the host's memory for map pages; 0: none",
)
.if_value(MAP.key.path, has_map);

/// A node with its place in an index, as in a buffer of single pages.
const NODE: u64 = 5 * NUMBER;

/// Bytes of RAM for an entry of the list: 8, and 12 to find it.
pub const LISTED: u64 = 5 * NUMBER;

/// A map in flash, of one FTL.
#[derive(Clone, Debug, PartialEq)]
pub struct MapConfig {
    /// What RAM has of it; not [`MapKind::Ram`].
    pub kind: MapKind,
    /// Bytes of the cache.
    pub cache: u64,
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Bytes of an entry.
    pub entry: u64,
    /// Blocks of the map area, if they are given.
    pub blocks: Option<u64>,
    /// The share of the protected segment.
    pub protected: f64,
    /// Each program writes all changed entries.
    pub batch: bool,
    /// See [`Prefetch`].
    pub prefetch: Prefetch,
    /// The error bound.
    pub gamma: u32,
    /// The most entries of moved pages, if they are given.
    pub list: Option<u64>,
    /// Pages programmed between two checkpoints; 0: there are none.
    pub sync: u64,
    /// Bytes of host memory.
    pub host: u64,
}

impl MapConfig {
    /// The map with these values of the keys, if it is in flash.
    pub fn configure(inputs: &Inputs) -> Option<Self> {
        let settings = inputs.settings;
        let kind = MAP.of(settings);
        let ftls = inputs.shape.ftls;
        (kind != MapKind::Ram).then(|| Self {
            kind,
            cache: MAP_CACHE.of(settings) / ftls,
            page_bytes: inputs.shape.page_bytes,
            entry: MAP_ENTRY.of(settings),
            blocks: MAP_BLOCKS.get(settings),
            protected: MAP_PROTECTED.of(settings),
            batch: kind != MapKind::Dftl || MAP_BATCH.of(settings),
            prefetch: MAP_PREFETCH.of(settings),
            gamma: MAP_GAMMA.of(settings) as u32,
            list: MAP_LIST.get(settings),
            sync: MAP_SYNC.of(settings),
            host: MAP_HOST.of(settings) / ftls,
        })
    }

    /// E: the entries of a map page.
    pub fn entries(&self) -> u64 {
        self.page_bytes / self.entry
    }

    /// M: the map pages of so many logical pages.
    pub fn pages(&self, logical_pages: u64) -> u64 {
        logical_pages.div_ceil(self.entries())
    }

    /// The map pages that host memory holds.
    pub fn host_pages(&self) -> u64 {
        self.host / self.page_bytes
    }

    /// The blocks of the map area on flash with this many pages in a block.
    pub fn blocks(&self, logical_pages: u64, pages_per_block: u64) -> u64 {
        let home = self.pages(logical_pages).div_ceil(pages_per_block);
        self.blocks.unwrap_or(2 * home + 1)
    }

    /// The most entries of moved pages.
    pub fn list(&self, pages_per_block: u64) -> u64 {
        self.list.unwrap_or(pages_per_block)
    }

    /// What it takes in flash.
    pub(in super::super) fn in_flash(&self, size: &Size) -> MapInFlash {
        MapInFlash {
            pages: self.pages(size.logical_pages) as u32,
            blocks: self.blocks(size.logical_pages, size.pages_per_block) as u32,
            entries: self.entries().min(size.logical_pages) as u32,
        }
    }

    /// The tables of a controller, and what a start-up reads: the spare areas of the map area; of the data those of all
    /// pages or, with checkpoints, of one page of each block and of what may have been programmed since.
    pub(in super::super) fn tables(&self, size: &Size, frontiers: u32) -> Tables {
        let n = size.pages_per_block;
        let map_pages = self.pages(size.logical_pages);
        let frontiers = u64::from(frontiers);
        let list = LISTED * self.list(n);
        let open = match self.kind {
            MapKind::Leaftl => NODE * frontiers,
            _ => 0,
        };
        let data = match self.sync {
            0 => size.physical_pages,
            sync => size.physical_blocks + (sync.div_ceil(n) + frontiers + 1) * n,
        };
        // an entry has two links and a place in an index; a map page, a node as in a buffer
        let index = match self.kind {
            MapKind::Ram => 0,
            MapKind::Dftl => 12 * (self.cache / 8),
            MapKind::Tpftl => 12 * (self.cache.saturating_sub(8) / 6),
            MapKind::Pages => NODE * (self.cache / self.page_bytes),
            MapKind::Leaftl => NODE * map_pages,
        };
        Tables {
            mapping: NUMBER * map_pages + size.physical_pages.div_ceil(8) + list + open,
            map: self.cache,
            map_index: index,
            spares_read: self.blocks(size.logical_pages, n) * n + data.min(size.physical_pages),
            ..Tables::default()
        }
    }

    /// An upper bound of the memory of the simulator, in bytes.
    pub(in super::super) fn table_bytes(&self, size: &Size) -> u64 {
        let map_pages = self.pages(size.logical_pages);
        let blocks = self.blocks(size.logical_pages, size.pages_per_block);
        let list = self.list(size.pages_per_block).min(size.logical_pages);
        let cached = match self.kind {
            MapKind::Dftl => (self.cache / 8).min(size.logical_pages),
            MapKind::Tpftl => (self.cache / 6).min(size.logical_pages),
            _ => 0,
        };
        let learned = match self.kind {
            // a segment of one page for each page, in a vector that grows by doubling
            MapKind::Leaftl => {
                2 * 136 * size.logical_pages + 4 * size.physical_pages + 8 * size.logical_pages
            }
            _ => 0,
        };
        let area = blocks * (8 * size.pages_per_block + 24);
        5 * size.logical_pages + 64 * map_pages + 16 * list + 24 * cached + learned + area + 4096
    }

    /// The largest cache of whole entries, in bytes, that takes at most so many with its lists and index.
    pub fn cache_in(&self, bytes: u64, logical_pages: u64) -> u64 {
        match self.kind {
            MapKind::Ram => 0,
            MapKind::Dftl => bytes / (8 + 12) * 8,
            MapKind::Tpftl => match bytes.saturating_sub(8) / (6 + 12) {
                0 => 0,
                entries => 8 + 6 * entries,
            },
            MapKind::Pages => bytes / (self.page_bytes + NODE) * self.page_bytes,
            MapKind::Leaftl => bytes.saturating_sub(NODE * self.pages(logical_pages)),
        }
    }

    /// The least bytes of a cache with one entry, and what that is.
    pub fn least(&self) -> (u64, &'static str) {
        match self.kind {
            MapKind::Ram => (0, "nothing"),
            MapKind::Dftl => (8, "an entry"),
            MapKind::Tpftl => (14, "an entry and its node"),
            MapKind::Pages => (self.page_bytes, "a map page"),
            MapKind::Leaftl => (8, "an empty map page"),
        }
    }

    /// Refuses what cannot be.
    pub(in super::super) fn check(&self, capacity: &Capacity, ftls: u64) -> Result<(), Impossible> {
        let refuse = |key, why: String| Err(Impossible { key, why });
        let (least, what) = self.least();
        if self.cache < least {
            let of = match ftls {
                1 => String::new(),
                _ => format!(" on each of {ftls} chips"),
            };
            let why = format!(
                "must hold {what}{of}: at least {} bytes",
                least.saturating_mul(ftls)
            );
            return refuse(MAP_CACHE.key.path, why);
        }
        let pages = capacity.pages_per_block;
        if self.list.is_some_and(|list| list < pages) {
            let why = format!("must be at least {pages}, the pages of a block, a line or a unit");
            return refuse(MAP_LIST.key.path, why);
        }
        let home = self.pages(capacity.logical_pages()).div_ceil(pages);
        if self.blocks.is_some_and(|blocks| blocks < home + 2) {
            let why = format!(
                "must be at least {}: {home} for the map, one to write to, and one in reserve",
                home + 2
            );
            return refuse(MAP_BLOCKS.key.path, why);
        }
        Ok(())
    }
}

/// Refuses a map in flash with a placement that has a place for pages which it cannot name.
pub(in super::super) fn check_placement(
    placement: &ssdlab_policy::placement::Chosen,
) -> Result<(), Impossible> {
    let with = if placement.ram_pages() > 0 {
        format!(
            "{} {:?}, which has pages in RAM",
            PLACEMENT.key.path,
            placement.entry().name
        )
    } else if placement.wants().in_place {
        "ftl.gc_frontier \"in-place\"".into()
    } else {
        return Ok(());
    };
    Err(Impossible {
        key: MAP.key.path,
        why: format!("must be \"ram\" with {with}"),
    })
}
