//! The map of pages in flash with its caches (section 9.14), by lists that are searched from the start.

use ssdlab_device::Precondition;

use super::clock::Step;
use super::config::ModelConfig;
use super::number::{Lpn, Pbn, Place};
use super::record::Record;
use super::segments::Segments;

/// The cache of a map in flash, with its own parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelCache {
    /// Single entries in two segments.
    Dftl {
        /// The most entries of the protected segment.
        protected: u64,
        /// Whether each program of a map page writes all that is newer.
        batch: bool,
    },
    /// Entries in nodes.
    Tpftl {
        /// Whether the rest of a request is prefetched.
        request: bool,
        /// Whether as many entries are as there are in a row before.
        selective: bool,
    },
    /// Whole map pages.
    Pages,
    /// What was learned of map pages.
    Leaftl {
        /// The error bound in pages.
        gamma: i128,
    },
}

/// A map in flash, of one FTL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelMapInFlash {
    /// The cache.
    pub cache: ModelCache,
    /// Bytes of the cache.
    pub bytes: u64,
    /// Bytes of an entry.
    pub entry_bytes: u64,
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Blocks of the map area, if they are given.
    pub blocks: Option<u64>,
    /// The most entries on the list, if they are given.
    pub list: Option<u64>,
    /// Pages programmed between two checkpoints; 0: there are none.
    pub sync: u64,
    /// Map pages in host memory.
    pub host: u64,
}

/// Why a page is looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// By the host, or to pad or modify.
    Read {
        host: bool,
    },
    Write,
    Discard,
}

/// An entry in RAM.
#[derive(Clone, Copy)]
struct Entry {
    page: Lpn,
    dirty: bool,
}

/// A list of entries, or of map pages, the least recent first.
type Recent = Vec<Entry>;

/// `tpftl`: the cached entries of a map page.
struct Node {
    map_page: u64,
    entries: Recent,
}

/// The blocks of the map area.
struct Area {
    pages_per_block: usize,
    /// The map pages of each block in the order in which they were programmed, and whether they are valid.
    blocks: Vec<Vec<(u64, bool)>>,
    free: Vec<usize>,
    frontier: Option<usize>,
    /// In the order in which they were filled.
    full: Vec<usize>,
    /// The blocks of the flash before those of the map.
    before: Pbn,
}

/// Why a map page is read.
#[derive(Clone, Copy)]
enum Why {
    /// For a miss, on which the host waits or not.
    Load {
        host: bool,
    },
    WriteBack,
}

/// The map, and what RAM has of it.
pub(super) struct Map {
    keys: ModelMapInFlash,
    /// L.
    logical_pages: u64,
    /// N.
    pages_per_block: u64,
    area: Area,
    /// The map pages in host memory, the least recent first.
    host: Vec<u64>,
    /// The pages that cleaning moved, in the order in which they came.
    list: Vec<Lpn>,
    /// `dftl`: the two segments.
    probationary: Recent,
    protected: Recent,
    /// `tpftl`, the least recent first.
    nodes: Vec<Node>,
    selective_is_on: bool,
    selective_count: i32,
    /// `pages` and `leaftl`: map pages.
    held: Recent,
    segments: Segments,
    /// Since the last checkpoint.
    programmed: u64,
    /// The host waits for the page that is looked up.
    host_waits: bool,
}

/// The entry of a page, if a list has it.
fn find(list: &mut Recent, page: Lpn) -> Option<&mut Entry> {
    list.iter_mut().find(|entry| entry.page == page)
}

/// Makes an entry of a list the most recent one.
fn used(list: &mut Recent, page: Lpn) {
    let at = list.iter().position(|entry| entry.page == page);
    let entry = list.remove(at.expect("an entry of the list"));
    list.push(entry);
}

impl Map {
    /// The map of a drive that is empty or full, behind so many blocks of data.
    pub(super) fn new(keys: ModelMapInFlash, config: &ModelConfig, before: Pbn) -> Self {
        let pages_per_block = config.pages_per_block();
        let logical_pages = config.blocks_per_chip() * pages_per_block;
        let map_pages = logical_pages.div_ceil(keys.page_bytes / keys.entry_bytes);
        let usual = 2 * map_pages.div_ceil(pages_per_block) + 1;
        let blocks = keys.blocks.unwrap_or(usual) as usize;
        let mut map = Self {
            logical_pages,
            pages_per_block,
            area: Area {
                pages_per_block: pages_per_block as usize,
                blocks: vec![Vec::new(); blocks],
                free: (0..blocks).collect(),
                frontier: None,
                full: Vec::new(),
                before,
            },
            host: Vec::new(),
            list: Vec::new(),
            probationary: Vec::new(),
            protected: Vec::new(),
            nodes: Vec::new(),
            selective_is_on: true,
            selective_count: 0,
            held: Vec::new(),
            segments: Segments::new(keys.page_bytes / keys.entry_bytes, pages_per_block),
            programmed: 0,
            host_waits: false,
            keys,
        };
        if config.precondition == Precondition::Full {
            for page in 0..map.map_pages() {
                map.area.append(page);
            }
            for page in 0..logical_pages {
                map.learn(page, (page / pages_per_block, page % pages_per_block));
            }
        }
        map
    }

    /// E.
    fn entries(&self) -> u64 {
        self.keys.page_bytes / self.keys.entry_bytes
    }

    /// M.
    fn map_pages(&self) -> u64 {
        self.logical_pages.div_ceil(self.entries())
    }

    fn map_page(&self, page: Lpn) -> u64 {
        page / self.entries()
    }

    /// All programs write all that is newer.
    fn batches(&self) -> bool {
        !matches!(self.keys.cache, ModelCache::Dftl { batch: false, .. })
    }

    /// The cached entry of a page, or of its map page.
    fn cached(&mut self, page: Lpn) -> Option<&mut Entry> {
        let map_page = self.map_page(page);
        match self.keys.cache {
            ModelCache::Dftl { .. } => {
                let lists = self.probationary.iter_mut().chain(&mut self.protected);
                lists.into_iter().find(|entry| entry.page == page)
            }
            ModelCache::Tpftl { .. } => {
                let node = self.nodes.iter_mut().find(|node| node.map_page == map_page);
                node.and_then(|node| find(&mut node.entries, page))
            }
            ModelCache::Pages | ModelCache::Leaftl { .. } => find(&mut self.held, map_page),
        }
    }

    /// A page is looked up; `end` is the last page of its request on this chip, `place` that of the page.
    pub(super) fn access(
        &mut self,
        page: Lpn,
        access: Access,
        end: Lpn,
        place: Option<Place>,
        record: &mut Record,
    ) {
        let map_page = self.map_page(page);
        self.host_waits = access == Access::Read { host: true };
        if access != Access::Write {
            record.steps.push(Step::LookUp);
        }
        let is_cached = self.cached(page).is_some();
        let hit = is_cached || self.list.contains(&page);
        let counters = &mut record.counters;
        *match (access, hit) {
            (Access::Read { .. }, true) => &mut counters.map_read_hits,
            (Access::Read { .. }, false) => &mut counters.map_read_misses,
            (_, true) => &mut counters.map_write_hits,
            (_, false) => &mut counters.map_write_misses,
        } += 1;
        if is_cached {
            self.hit(page);
        } else if !hit {
            match self.keys.cache {
                ModelCache::Dftl { .. } => self.load_entry(page, record),
                ModelCache::Tpftl { .. } => self.load_into_node(page, end, record),
                ModelCache::Pages | ModelCache::Leaftl { .. } => self.load_page(page, record),
            }
        }
        let changes = access == Access::Write || access == Access::Discard && place.is_some();
        if let Some(entry) = self.cached(page).filter(|_| changes) {
            entry.dirty = true;
        }
        if access != Access::Write {
            record.steps.push(Step::LookedUp(map_page));
        }
        if let (ModelCache::Leaftl { .. }, Access::Read { host }, Some((block, at))) =
            (self.keys.cache, access, place)
            && self.segments.predicted(page) != at
        {
            let wrong = (block, self.segments.predicted(page));
            record.steps.push(Step::ReadMap(wrong, None, host));
            record.counters.map_mispredictions += 1;
            record.counters.table_reads += 1;
            record.counters.flash_reads += 1;
        }
    }

    fn hit(&mut self, page: Lpn) {
        let map_page = self.map_page(page);
        match self.keys.cache {
            ModelCache::Dftl { protected, .. } => {
                if find(&mut self.protected, page).is_some() {
                    used(&mut self.protected, page);
                    return;
                }
                used(&mut self.probationary, page);
                self.protected.extend(self.probationary.pop());
                if self.protected.len() as u64 > protected {
                    self.probationary.push(self.protected.remove(0));
                }
            }
            ModelCache::Tpftl { .. } => {
                self.use_node(map_page);
                let node = self.nodes.last_mut().expect("the node");
                used(&mut node.entries, page);
            }
            ModelCache::Pages | ModelCache::Leaftl { .. } => used(&mut self.held, map_page),
        }
    }

    /// `dftl`.
    fn load_entry(&mut self, page: Lpn, record: &mut Record) {
        let cached = |map: &Self| (map.probationary.len() + map.protected.len()) as u64;
        while cached(self) >= self.keys.bytes / 8 {
            let list = match self.probationary.is_empty() {
                true => &mut self.protected,
                false => &mut self.probationary,
            };
            let victim = list.remove(0);
            self.left(victim, record);
        }
        self.load(self.map_page(page), record);
        self.probationary.push(Entry { page, dirty: false });
    }

    /// An entry has left; if it was dirty, its map page is written back.
    fn left(&mut self, victim: Entry, record: &mut Record) {
        record.counters.map_evictions += 1;
        if victim.dirty {
            record.counters.map_dirty_evictions += 1;
            let map_page = self.map_page(victim.page);
            self.write_back(map_page, record);
            if self.batches() {
                self.all_written(map_page);
            }
        }
    }

    /// All entries of a map page are in flash as in RAM.
    fn all_written(&mut self, map_page: u64) {
        let entries = self.entries();
        self.list.retain(|page| page / entries != map_page);
        let nodes = self.nodes.iter_mut().flat_map(|node| &mut node.entries);
        let entries_of = self.probationary.iter_mut().chain(&mut self.protected);
        for entry in entries_of.chain(nodes) {
            entry.dirty &= entry.page / entries != map_page;
        }
        if let Some(held) = find(&mut self.held, map_page) {
            held.dirty = false;
        }
    }

    fn use_node(&mut self, map_page: u64) -> bool {
        let at = self.nodes.iter().position(|node| node.map_page == map_page);
        let node = at.map(|at| self.nodes.remove(at));
        let there = node.is_some();
        self.nodes.extend(node);
        there
    }

    fn has_node(&self, map_page: u64) -> bool {
        self.nodes.iter().any(|node| node.map_page == map_page)
    }

    fn used_bytes(&self) -> u64 {
        let entries: usize = self.nodes.iter().map(|node| node.entries.len()).sum();
        8 * self.nodes.len() as u64 + 6 * entries as u64
    }

    /// A node is new (1) or has vanished (-1).
    fn count_nodes(&mut self, by: i32) {
        self.selective_count += by;
        if self.selective_count.abs() == 3 {
            self.selective_is_on = self.selective_count < 0;
            self.selective_count = 0;
        }
    }

    /// `tpftl`: the least recent clean entry of the least recent node leaves, or its least recent one. Whether the node
    /// vanishes.
    fn evict_from_node(&mut self, record: &mut Record) -> bool {
        let node = &mut self.nodes[0];
        let clean = node.entries.iter().position(|entry| !entry.dirty);
        let victim = node.entries.remove(clean.unwrap_or(0));
        let vanishes = node.entries.is_empty();
        if vanishes {
            self.nodes.remove(0);
            self.count_nodes(-1);
        }
        self.left(victim, record);
        vanishes
    }

    /// `tpftl`.
    fn load_into_node(&mut self, page: Lpn, end: Lpn, record: &mut Record) {
        let ModelCache::Tpftl { request, selective } = self.keys.cache else {
            unreachable!("another cache");
        };
        let map_page = self.map_page(page);
        self.use_node(map_page);
        let mut vanished = false;
        loop {
            let needed = if self.has_node(map_page) { 6 } else { 14 };
            if self.used_bytes() + needed <= self.keys.bytes {
                break;
            }
            vanished |= self.evict_from_node(record);
        }
        let has_place = self.load(map_page, record);
        if !self.use_node(map_page) {
            let entries = Vec::new();
            self.nodes.push(Node { map_page, entries });
            self.count_nodes(1);
        }
        let node = self.nodes.last_mut().expect("the node");
        node.entries.push(Entry { page, dirty: false });
        if !has_place || vanished {
            return;
        }
        let last = ((map_page + 1) * self.entries()).min(self.logical_pages) - 1;
        let mut wanted = Vec::new();
        if request {
            wanted.extend(page + 1..=end.min(last));
        }
        if selective && self.selective_is_on {
            let node = self.nodes.last_mut().expect("the node");
            let mut before = 0;
            while before < page && find(&mut node.entries, page - before - 1).is_some() {
                before += 1;
            }
            wanted.extend((page + 1).max(end + 1)..=(page + before).min(last));
        }
        for next in wanted {
            if self.cached(next).is_some() || self.list.contains(&next) {
                continue;
            }
            let mut vanished = false;
            while self.used_bytes() + 6 > self.keys.bytes {
                if self.nodes[0].map_page == map_page {
                    return;
                }
                vanished |= self.evict_from_node(record);
            }
            let node = self.nodes.last_mut().expect("the node");
            node.entries.insert(
                0,
                Entry {
                    page: next,
                    dirty: false,
                },
            );
            record.counters.map_prefetched += 1;
            if vanished {
                return;
            }
        }
    }

    /// `pages` and `leaftl`.
    fn load_page(&mut self, page: Lpn, record: &mut Record) {
        let map_page = self.map_page(page);
        if self.keys.cache == ModelCache::Pages {
            while self.held.len() as u64 >= self.keys.bytes / self.keys.page_bytes {
                self.evict_page(record);
            }
        }
        self.load(map_page, record);
        let entries = self.entries();
        let before = self.list.len();
        self.list.retain(|page| page / entries != map_page);
        self.held.push(Entry {
            page: map_page,
            dirty: self.list.len() < before,
        });
        self.shrink(record);
    }

    fn evict_page(&mut self, record: &mut Record) {
        let victim = self.held.remove(0);
        record.counters.map_evictions += 1;
        if victim.dirty {
            record.counters.map_dirty_evictions += 1;
            self.program(victim.page, record);
        }
    }

    /// `leaftl`: the cached map pages may have grown.
    fn shrink(&mut self, record: &mut Record) {
        if !matches!(self.keys.cache, ModelCache::Leaftl { .. }) {
            return;
        }
        let bytes = |map: &Self| -> u64 {
            let held = map.held.iter();
            held.map(|held| map.learned_bytes(held.page)).sum()
        };
        while self.held.len() > 1 && bytes(self) > self.keys.bytes {
            self.evict_page(record);
        }
    }

    /// The bytes of what was learned of a map page.
    fn learned_bytes(&self, map_page: u64) -> u64 {
        let first = map_page * self.entries();
        let last = (first + self.entries()).min(self.logical_pages);
        let groups = (first..last).step_by(256);
        let of_group = |first: Lpn| {
            let pages = last.min(first + 256) - first;
            let segments = self.segments.bytes_of_group(first);
            segments.min(self.keys.entry_bytes * pages)
        };
        8 + groups.map(of_group).sum::<u64>()
    }

    fn learn(&mut self, page: Lpn, place: Place) {
        if let ModelCache::Leaftl { gamma } = self.keys.cache {
            self.segments.learn(page, place, gamma);
        }
    }

    /// Reads a map page for a miss, if it has a place. Whether it has.
    fn load(&mut self, map_page: u64, record: &mut Record) -> bool {
        let host = self.host_waits;
        let read = self.read(map_page, Why::Load { host }, record);
        record.counters.map_loads += u64::from(read);
        read
    }

    fn read(&mut self, map_page: u64, why: Why, record: &mut Record) -> bool {
        let Some(place) = self.area.place(map_page) else {
            return false;
        };
        let (loaded, host) = match why {
            Why::Load { host } => (Some(map_page), host),
            Why::WriteBack => (None, false),
        };
        if self.use_host(map_page) {
            record.counters.map_host_reads += 1;
            record.steps.push(Step::FetchMap(loaded));
        } else {
            record.steps.push(Step::ReadMap(place, loaded, host));
            record.counters.table_reads += 1;
            record.counters.flash_reads += 1;
        }
        true
    }

    /// A map page was read or programmed. Whether host memory had it.
    fn use_host(&mut self, map_page: u64) -> bool {
        let at = self.host.iter().position(|&page| page == map_page);
        at.map(|at| self.host.remove(at));
        self.host.push(map_page);
        if self.host.len() as u64 > self.keys.host {
            self.host.remove(0);
        }
        at.is_some()
    }

    fn program(&mut self, map_page: u64, record: &mut Record) {
        self.area.program(map_page, record);
        record.counters.table_programs += 1;
        self.use_host(map_page);
    }

    fn write_back(&mut self, map_page: u64, record: &mut Record) {
        self.read(map_page, Why::WriteBack, record);
        self.program(map_page, record);
    }

    /// A page from outside was programmed.
    pub(super) fn written(&mut self, page: Lpn, place: Place, record: &mut Record) {
        self.programmed += 1;
        self.learn(page, place);
        self.shrink(record);
    }

    /// Cleaning moved a page.
    pub(super) fn moved(&mut self, page: Lpn, place: Place, record: &mut Record) {
        self.programmed += 1;
        if let Some(entry) = self.cached(page) {
            entry.dirty = true;
            record.counters.map_clean_hits += 1;
        } else if self.list.contains(&page) {
            record.counters.map_clean_hits += 1;
        } else {
            record.counters.map_clean_misses += 1;
            self.list.push(page);
        }
        self.learn(page, place);
        self.shrink(record);
    }

    /// A page that was mapped has no version in flash any more.
    pub(super) fn dropped(&mut self, page: Lpn, record: &mut Record) {
        self.segments.forget(page);
        self.shrink(record);
    }

    /// A victim is erased next.
    pub(super) fn before_erase(&mut self, record: &mut Record) {
        let most = self.keys.list.unwrap_or(self.pages_per_block);
        if self.list.len() as u64 <= most - self.pages_per_block {
            return;
        }
        while let Some(&first) = self.list.first() {
            let map_page = self.map_page(first);
            record.counters.map_clean_programs += 1;
            self.write_back(map_page, record);
            if self.batches() {
                self.all_written(map_page);
            } else {
                let entries = self.entries();
                self.list.retain(|page| page / entries != map_page);
            }
        }
    }

    /// A page from outside and its portion are done.
    pub(super) fn sync_if_due(&mut self, record: &mut Record) {
        if self.keys.sync > 0 && self.programmed >= self.keys.sync {
            self.checkpoint(record);
        }
    }

    /// Writes every map page that RAM has newer entries of.
    pub(super) fn checkpoint(&mut self, record: &mut Record) {
        self.programmed = 0;
        for map_page in 0..self.map_pages() {
            let entries = self.entries();
            let is_of = |page: Lpn| page / entries == map_page;
            let nodes = self.nodes.iter().flat_map(|node| &node.entries);
            let mut single = self.probationary.iter().chain(&self.protected).chain(nodes);
            let held = self.held.iter().find(|held| held.page == map_page);
            let is_dirty = single.any(|entry| entry.dirty && is_of(entry.page))
                || held.is_some_and(|held| held.dirty)
                || self.list.iter().any(|&page| is_of(page));
            if is_dirty {
                record.counters.map_sync_programs += 1;
                match held.is_some() {
                    true => self.program(map_page, record),
                    false => self.write_back(map_page, record),
                }
                self.all_written(map_page);
            }
        }
    }
}

impl Area {
    /// Where a map page is.
    fn place(&self, map_page: u64) -> Option<Place> {
        let at = |pages: &Vec<(u64, bool)>| pages.iter().position(|&page| page == (map_page, true));
        let mut blocks = self.blocks.iter().enumerate();
        blocks.find_map(|(block, pages)| Some((self.before + block as Pbn, at(pages)? as u64)))
    }

    fn valid(&self, block: usize) -> usize {
        let pages = self.blocks[block].iter();
        pages.filter(|(_, valid)| *valid).count()
    }

    /// Programs a map page behind the last one; its older version becomes invalid. Returns its place.
    fn append(&mut self, map_page: u64) -> Place {
        for (page, valid) in self.blocks.iter_mut().flatten() {
            *valid &= *page != map_page;
        }
        if self.frontier.is_none() {
            self.frontier = Some(self.free.remove(0));
        }
        let frontier = self.frontier.expect("it was just taken");
        self.blocks[frontier].push((map_page, true));
        if self.blocks[frontier].len() == self.pages_per_block {
            self.full.push(frontier);
            self.frontier = None;
        }
        self.place(map_page).expect("it was just programmed")
    }

    /// Programs a map page, with the copies and the erase that this needs.
    fn program(&mut self, map_page: u64, record: &mut Record) {
        if self.frontier.is_none() && self.free.len() == 1 {
            let least = self.full.iter().copied();
            let victim = least.min_by_key(|&block| self.valid(block));
            let victim = victim.expect("a full block");
            for (page, valid) in self.blocks[victim].clone() {
                if valid {
                    let from = self.place(page).expect("a valid page");
                    let to = self.append(page);
                    record.steps.push(Step::CopyMap(from, to));
                    record.counters.table_copies += 1;
                }
            }
            // without a valid page the free block becomes the frontier all the same
            self.frontier = self.frontier.or_else(|| Some(self.free.remove(0)));
            self.full.retain(|&block| block != victim);
            self.blocks[victim].clear();
            self.free.push(victim);
            record.steps.push(Step::Erase(None));
            record.counters.table_erases += 1;
        }
        let to = self.append(map_page);
        record.steps.push(Step::ProgramMapPage(to));
    }
}
