//! What all caches of a map share: where each entry is in RAM, the list of pages that cleaning moved, and the map pages in
//! flash and in host memory.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use ssdlab_flash::{Fault, Geometry, Lpn, Media, Note, Role};
use ssdlab_policy::{BitSet, Lists};

use super::Io;
use super::area::Area;
use super::config::MapConfig;
use super::host::HostMemory;

/// The entry of a page is nowhere in RAM.
const NOWHERE: u32 = u32::MAX;
/// It is on the list; the rest is its item.
const LISTED: u32 = 1 << 31;

/// Why a map page is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// It is loaded for a miss.
    Load,
    /// It is written back.
    WriteBack,
}

/// The map in flash, and what RAM has of it beside the cache.
pub(super) struct Store {
    /// The entries of a map page.
    entries: u32,
    logical_pages: u32,
    /// For each logical page, where its entry is: its item in the cache, or on the list.
    at: Vec<u32>,
    area: Area,
    host: HostMemory,
    /// The host waits for what is loaded.
    pub host_waits: bool,
    /// The entries of moved pages, in the order in which they came.
    list: Lists,
    /// The page of each item of the list.
    moved: Vec<Lpn>,
    /// The items of the list that are not used.
    vacant: Vec<u32>,
    /// The pages on the list, so that those of a map page are found at once.
    listed: BitSet,
    /// The pages whose entries, if they are cached one by one, are newer than flash.
    dirty: BitSet,
    map_pages: u32,
}

/// The entries of a map page.
pub(super) fn entries(config: &MapConfig, geometry: &Geometry) -> u32 {
    config.entries().min(geometry.logical_pages().into()) as u32
}

/// The pages of a map page with so many entries.
fn pages_of(entries: u32, logical_pages: u32, page: u32) -> Range<u32> {
    let first = page * entries;
    first..first.saturating_add(entries).min(logical_pages)
}

impl Store {
    /// Nothing is in RAM.
    pub fn new(config: &MapConfig, geometry: &Geometry, area: Area) -> Self {
        let logical_pages = geometry.logical_pages();
        let map_pages = geometry.own_pages();
        let most = config.list(geometry.pages_per_block().into());
        let most = most.min(logical_pages.into()) as u32;
        Self {
            entries: entries(config, geometry),
            logical_pages,
            at: vec![NOWHERE; logical_pages as usize],
            area,
            host: HostMemory::new(map_pages, config.host_pages()),
            host_waits: false,
            list: Lists::new(most, 1),
            moved: vec![Lpn::NONE; most as usize],
            vacant: (0..most).rev().collect(),
            listed: BitSet::new(logical_pages, false),
            dirty: BitSet::new(logical_pages, false),
            map_pages,
        }
    }

    /// The number of map pages.
    pub fn map_pages(&self) -> u32 {
        self.map_pages
    }

    /// The map page of a page.
    #[inline]
    pub fn map_page(&self, lpn: Lpn) -> u32 {
        lpn.0 / self.entries
    }

    /// The pages of a map page.
    pub fn pages_of(&self, page: u32) -> Range<u32> {
        pages_of(self.entries, self.logical_pages, page)
    }

    /// The item of a page in the cache, if it is there.
    #[inline]
    pub fn cached(&self, lpn: Lpn) -> Option<u32> {
        Some(self.at[lpn.index()]).filter(|at| at & LISTED == 0)
    }

    /// Whether the entry of a page is on the list.
    #[inline]
    pub fn is_listed(&self, lpn: Lpn) -> bool {
        self.listed.contains(lpn.0)
    }

    /// The entry of a page is newer than flash, if it is cached. Returns whether it is.
    #[inline]
    pub fn dirties(&mut self, lpn: Lpn) -> bool {
        let is_cached = self.cached(lpn).is_some();
        if is_cached {
            self.dirty.insert(lpn.0);
        }
        is_cached
    }

    /// Whether the cached entry of a page is newer than flash.
    #[inline]
    pub fn is_dirty(&self, lpn: Lpn) -> bool {
        self.dirty.contains(lpn.0)
    }

    /// The same of an entry that leaves.
    #[inline]
    pub fn take_dirty(&mut self, lpn: Lpn) -> bool {
        let was_dirty = self.is_dirty(lpn);
        self.dirty.remove(lpn.0);
        was_dirty
    }

    /// Whether a cached entry of a map page is newer than flash.
    pub fn has_dirty(&self, page: u32) -> bool {
        self.has_any(&self.dirty, page)
    }

    /// The number of such entries.
    pub fn dirty_of(&self, page: u32) -> u32 {
        let pages = self.pages_of(page);
        self.dirty.count(pages.start, pages.end)
    }

    /// That of all map pages.
    pub fn dirty_len(&self) -> u32 {
        self.dirty.count(0, self.logical_pages)
    }

    /// All entries of a map page are as in flash.
    pub fn cleaned(&mut self, page: u32) {
        let pages = self.pages_of(page);
        self.dirty.remove_range(pages.start, pages.end);
    }

    fn has_any(&self, set: &BitSet, page: u32) -> bool {
        let pages = self.pages_of(page);
        set.member_in(pages.start, pages.end) < pages.end
    }

    /// Whether entries of a map page are on the list.
    #[inline]
    pub fn has_listed(&self, page: u32) -> bool {
        self.has_any(&self.listed, page)
    }

    /// All entries on the list.
    pub fn list_len(&self) -> u32 {
        (self.moved.len() - self.vacant.len()) as u32
    }

    /// The page that has been on the list for longest.
    pub fn first_listed(&self) -> Option<Lpn> {
        self.list.front(0).map(|item| self.moved[item as usize])
    }

    /// The entry of a page enters the cache as this item.
    #[inline]
    pub fn enter(&mut self, lpn: Lpn, item: u32) {
        self.at[lpn.index()] = item;
    }

    /// The entry of a page is nowhere in RAM any more.
    #[inline]
    pub fn leave(&mut self, lpn: Lpn) {
        self.at[lpn.index()] = NOWHERE;
    }

    /// Puts the entry of a page, which is nowhere in RAM, at the end of the list.
    pub fn push_listed(&mut self, lpn: Lpn) {
        let item = self
            .vacant
            .pop()
            .expect("the list has room for the pages of a victim");
        self.list.push_back(0, item);
        self.moved[item as usize] = lpn;
        self.at[lpn.index()] = LISTED | item;
        self.listed.insert(lpn.0);
    }

    /// Takes all entries of a map page off the list. Returns whether there were any.
    pub fn take_listed(&mut self, page: u32) -> bool {
        let Range { start, end } = self.pages_of(page);
        let mut next = self.listed.member_in(start, end);
        let had_any = next < end;
        while next < end {
            let item = self.at[next as usize] & !LISTED;
            self.list.remove(item);
            self.vacant.push(item);
            self.leave(Lpn(next));
            next = self.listed.member_in(next + 1, end);
        }
        self.listed.remove_range(start, end);
        had_any
    }

    /// Whether a map page was ever programmed.
    #[inline]
    pub fn has_place(&self, page: u32) -> bool {
        self.area.at(page).is_some()
    }

    /// Reads a map page, if it was ever programmed.
    pub fn read<M: Media>(&mut self, env: &mut Io<M>, page: u32, why: Why) -> Result<(), Fault> {
        let Some(at) = self.area.at(page) else {
            return Ok(());
        };
        let loads = why == Why::Load;
        env.counts.map.loads += u64::from(loads);
        if self.host.used(page) {
            env.counts.map.host_reads += 1;
            let page = if loads { page } else { u32::MAX };
            env.note(Note::FetchMap { page });
            return Ok(());
        }
        let host = self.host_waits;
        let note = match why {
            Why::Load => Note::LoadMap { at, page, host },
            Why::WriteBack => Note::ReadOwn { at },
        };
        env.read_map(at, note)
    }

    /// Programs a map page.
    pub fn program<M: Media>(&mut self, env: &mut Io<M>, page: u32) -> Result<(), Fault> {
        self.program_as(env, page, Role::DATA)
    }

    /// The same with this role.
    pub fn program_as<M: Media>(
        &mut self,
        env: &mut Io<M>,
        page: u32,
        role: Role,
    ) -> Result<(), Fault> {
        self.area.program(env, page, role)?;
        self.host.used(page);
        Ok(())
    }

    /// Writes a map page of which the cache lacks entries back: reads it first, if it was ever programmed.
    pub fn write_back<M: Media>(&mut self, env: &mut Io<M>, page: u32) -> Result<(), Fault> {
        self.read(env, page, Why::WriteBack)?;
        self.program(env, page)
    }

    /// Recounts what is cached. For tests.
    pub fn check(&self) -> Result<(), String> {
        let mut next = self.list.front(0);
        while let Some(item) = next {
            let lpn = self.moved[item as usize];
            if self.at[lpn.index()] != LISTED | item || !self.is_listed(lpn) {
                return Err(format!("map list: item {item} is not that of page {lpn:?}"));
            }
            next = self.list.after(item);
        }
        let listed = self.listed.count(0, self.logical_pages);
        match listed == self.list_len() {
            true => Ok(()),
            false => Err(format!(
                "map list: {} entries, not {listed}",
                self.list_len()
            )),
        }
    }

    /// The map area.
    pub fn area(&self) -> &Area {
        &self.area
    }
}
