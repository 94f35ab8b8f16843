//! The map of pages in flash, with a cache in RAM (`ftl.map`).
//!
//! The map decides nothing: where data go, what is cleaned and when is as with the map in RAM. It hears of *accesses*,
//! one for each page that is looked up, programmed from outside or discarded, and of *moves*, one for each page that
//! cleaning moves; what it does follows from these alone. Map pages have blocks of their own.

use alloc::format;
use alloc::string::{String, ToString};

mod area;
mod config;
mod dftl;
mod hooks;
mod host;
mod leaftl;
mod pages;
mod segments;
mod store;
#[cfg(test)]
mod tests;
mod tpftl;

use core::ops::{Deref, DerefMut};

use ssdlab_flash::{Fault, Geometry, Lpn, Media, Note, Payload, Ppn, Role};

use self::area::{Area, SYNC};
pub(super) use self::config::check_placement;
pub use self::config::{
    LISTED, MAP, MAP_BATCH, MAP_BLOCKS, MAP_CACHE, MAP_ENTRY, MAP_GAMMA, MAP_HOST, MAP_LIST,
    MAP_PREFETCH, MAP_PROTECTED, MAP_SYNC, MapConfig, MapKind, Prefetch, has_map, has_map_host,
};
use self::dftl::Dftl;
use self::leaftl::Leaftl;
use self::pages::Pages;
use self::store::{Store, Why, entries};
use self::tpftl::Tpftl;
use crate::scan::Scan;
use crate::{Env, FtlError, LearnedMap, ReadCause};

/// Why the entry of a page is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// It is read.
    Read,
    /// It is programmed next.
    Write,
    /// It is discarded next.
    Discard,
}

/// The environment, with the map that map pages are made of.
pub(super) struct Io<'a, M: Media> {
    env: &'a mut Env<M>,
    map: &'a [Ppn],
}

impl<'a, M: Media> Io<'a, M> {
    pub fn new(env: &'a mut Env<M>, map: &'a [Ppn]) -> Self {
        Self { env, map }
    }
}

impl<M: Media> Deref for Io<'_, M> {
    type Target = Env<M>;

    fn deref(&self) -> &Env<M> {
        self.env
    }
}

impl<M: Media> DerefMut for Io<'_, M> {
    fn deref_mut(&mut self) -> &mut Env<M> {
        self.env
    }
}

/// The cache.
enum Cache {
    Dftl(Dftl),
    Tpftl(Tpftl),
    Pages(Pages),
    Leaftl(Leaftl),
}

/// The map in flash.
pub(super) struct Maps {
    store: Store,
    cache: Cache,
    /// Programs write all entries of their map page that are newer.
    batch: bool,
    /// The entries that stay on the list behind a victim.
    stay: u64,
    /// Pages programmed between two checkpoints; 0: there are none.
    sync: u64,
    /// Pages programmed since the last checkpoint.
    programmed: u64,
    /// Cleaning has dropped versions of which the buffer holds newer ones: until these are written, the map in flash has the
    /// old places.
    skipped: bool,
}

impl MapConfig {
    /// What a mount finds by the last checkpoint, if there is one and the media keep what map pages hold.
    pub(in super::super) fn scan<M: Media>(&self, media: &mut M) -> Result<Option<Scan>, FtlError> {
        if self.sync == 0 {
            return Ok(None);
        }
        let entries = entries(self, media.geometry());
        let Some(found) = area::at_checkpoint(media, entries)? else {
            return Ok(None);
        };
        let written = |lpn: Lpn| found.written[(lpn.0 / entries) as usize];
        Ok(Some(Scan::since(
            media,
            found.sequence,
            &found.holds,
            written,
        )?))
    }
}

impl Maps {
    /// That of a new device; `full`: the pages and the map pages were programmed in order. The pages of each block were
    /// programmed one after the other, and their logical pages are `holds`.
    pub fn new(
        config: &MapConfig,
        geometry: &Geometry,
        map: &[Ppn],
        holds: &[Lpn],
        full: bool,
    ) -> Self {
        let area = Area::new(geometry, entries(config, geometry), full);
        Self::with(config, geometry, map, holds, area)
    }

    /// That of flash that was used before; see [`Area::mount`].
    pub fn mount<M: Media>(
        config: &MapConfig,
        media: &mut M,
        map: &[Ppn],
        holds: &[Lpn],
        newest: impl Fn(Lpn) -> u64,
        undone: &[Lpn],
    ) -> Result<Self, FtlError> {
        let geometry = media.geometry().clone();
        let entries = entries(config, &geometry);
        let area = Area::mount(media, map, entries, newest, undone)?;
        Ok(Self::with(config, &geometry, map, holds, area))
    }

    fn with(
        config: &MapConfig,
        geometry: &Geometry,
        map: &[Ppn],
        holds: &[Lpn],
        area: Area,
    ) -> Self {
        let store = Store::new(config, geometry, area);
        let (pages, map_pages) = (geometry.logical_pages(), store.map_pages());
        let mut cache = match config.kind {
            MapKind::Dftl => Cache::Dftl(Dftl::new(config, pages)),
            MapKind::Tpftl => Cache::Tpftl(Tpftl::new(config, pages, map_pages)),
            MapKind::Leaftl => Cache::Leaftl(Leaftl::new(config, geometry, map_pages)),
            MapKind::Pages | MapKind::Ram => Cache::Pages(Pages::new(config, map_pages)),
        };
        if let Cache::Leaftl(leaftl) = &mut cache {
            for (at, &lpn) in (0..).map(Ppn).zip(holds) {
                if lpn.is_some() && map[lpn.index()] == at {
                    leaftl.changed(&store, lpn, Ppn::NONE, at);
                }
            }
        }
        let pages_per_block = u64::from(geometry.pages_per_block());
        Self {
            store,
            cache,
            batch: config.batch,
            stay: config.list(pages_per_block) - pages_per_block,
            sync: config.sync,
            programmed: 0,
            skipped: false,
        }
    }

    /// The cache learns of each place as it changes.
    pub fn learns(&self) -> bool {
        matches!(self.cache, Cache::Leaftl(_))
    }

    /// What was learned, if the cache learns.
    pub fn learned(&self, map: &[Ppn]) -> Option<LearnedMap> {
        let Cache::Leaftl(leaftl) = &self.cache else {
            return None;
        };
        let mut all = LearnedMap::default();
        for page in 0..self.store.map_pages() {
            let of = self.store.pages_of(page);
            let places = &map[of.start as usize..of.end as usize];
            let mapped = places.iter().filter(|place| place.is_some()).count();
            if mapped == 0 {
                continue;
            }
            all.pages += mapped as u64;
            all.map_pages += 1;
            for (at, place) in places.iter().enumerate().filter(|(_, at)| at.is_some()) {
                let before = at.checked_sub(1).map(|at| places[at]);
                let follows = |before: Ppn| before.is_some() && before.0 + 1 == place.0;
                all.runs += u64::from(!before.is_some_and(follows));
                let next = places.get(at + 1);
                all.ends += u64::from(!next.is_some_and(|next| next.is_some()));
            }
        }
        all.entries = u64::from(self.store.pages_of(0).end);
        leaftl.count(&mut all);
        Some(all)
    }

    /// The next page that is programmed at this place begins anew what is learned.
    pub fn begins_at(&mut self, place: Ppn) {
        if let Cache::Leaftl(leaftl) = &mut self.cache {
            leaftl.begins_at(place);
        }
    }

    /// The page at `at`, if anywhere, is accessed.
    pub fn access<M: Media>(
        &mut self,
        env: &mut Io<M>,
        lpn: Lpn,
        access: Access,
    ) -> Result<(), Fault> {
        let at = env.map[lpn.index()];
        let page = self.store.map_page(lpn);
        let looks_up = access != Access::Write;
        let host = access == Access::Read && env.reading == ReadCause::Host;
        self.store.host_waits = host;
        if looks_up {
            env.note(Note::LookUp);
        }
        let cached = match &mut self.cache {
            Cache::Dftl(dftl) => dftl.hit(&self.store, lpn),
            Cache::Tpftl(tpftl) => tpftl.hit(&self.store, lpn),
            Cache::Pages(pages) => pages.lru_mut().hit(page),
            Cache::Leaftl(leaftl) => leaftl.lru_mut().hit(page),
        };
        let hit = cached || self.store.is_listed(lpn);
        let counts = &mut env.counts.map;
        *match (access, hit) {
            (Access::Read, true) => &mut counts.read_hits,
            (Access::Read, false) => &mut counts.read_misses,
            (Access::Write | Access::Discard, true) => &mut counts.write_hits,
            (Access::Write | Access::Discard, false) => &mut counts.write_misses,
        } += 1;
        if !hit {
            let end = env.end;
            match &mut self.cache {
                Cache::Dftl(dftl) => dftl.load(&mut self.store, env, lpn),
                Cache::Tpftl(tpftl) => tpftl.load(&mut self.store, env, lpn, end),
                Cache::Pages(pages) => pages.load(&mut self.store, env, lpn),
                Cache::Leaftl(leaftl) => leaftl.load(&mut self.store, env, lpn),
            }?;
        }
        if access == Access::Write || access == Access::Discard && at.is_some() {
            self.dirties(lpn);
        }
        if looks_up {
            env.note(Note::LookedUp { page });
        }
        if let (Cache::Leaftl(leaftl), Access::Read, true) = (&self.cache, access, at.is_some()) {
            let predicted = leaftl.predicted(lpn, at);
            if predicted != at {
                env.counts.map.mispredictions += 1;
                env.count_reads(ReadCause::Own, 1);
                let (at, page) = (predicted, u32::MAX);
                env.note(Note::LoadMap { at, page, host });
            }
        }
        Ok(())
    }

    /// The entry of a page is newer than flash, if the cache has it. Returns whether it has.
    fn dirties(&mut self, lpn: Lpn) -> bool {
        let page = self.store.map_page(lpn);
        match &mut self.cache {
            Cache::Dftl(_) | Cache::Tpftl(_) => self.store.dirties(lpn),
            Cache::Pages(_) | Cache::Leaftl(_) => {
                let lru = self.lru_mut().expect("a cache of map pages");
                let held = lru.holds(page);
                if held {
                    lru.dirties(page);
                }
                held
            }
        }
    }

    /// The list of map pages, if that is what the cache has.
    fn lru_mut(&mut self) -> Option<&mut pages::Lru> {
        match &mut self.cache {
            Cache::Dftl(_) | Cache::Tpftl(_) => None,
            Cache::Pages(pages) => Some(pages.lru_mut()),
            Cache::Leaftl(leaftl) => Some(leaftl.lru_mut()),
        }
    }

    /// A page from outside was programmed at `to`; before, it was at `older`, if anywhere.
    pub fn written<M: Media>(
        &mut self,
        env: &mut Io<M>,
        lpn: Lpn,
        older: Ppn,
    ) -> Result<(), Fault> {
        self.programmed += 1;
        self.changed(env, lpn, older)
    }

    /// A page has no place any more; it was at `older`.
    pub fn dropped<M: Media>(
        &mut self,
        env: &mut Io<M>,
        lpn: Lpn,
        older: Ppn,
    ) -> Result<(), Fault> {
        self.changed(env, lpn, older)
    }

    /// The same, without an access before: the buffer will write the page.
    pub fn skipped<M: Media>(
        &mut self,
        env: &mut Io<M>,
        lpn: Lpn,
        older: Ppn,
    ) -> Result<(), Fault> {
        self.skipped = true;
        self.changed(env, lpn, older)
    }

    /// Cleaning moved a page.
    pub fn moved<M: Media>(&mut self, env: &mut Io<M>, lpn: Lpn, older: Ppn) -> Result<(), Fault> {
        self.programmed += 1;
        if self.dirties(lpn) || self.store.is_listed(lpn) {
            env.counts.map.clean_hits += 1;
        } else {
            env.counts.map.clean_misses += 1;
            self.store.push_listed(lpn);
        }
        self.changed(env, lpn, older)
    }

    #[inline]
    fn changed<M: Media>(&mut self, env: &mut Io<M>, lpn: Lpn, older: Ppn) -> Result<(), Fault> {
        let to = env.map[lpn.index()];
        if let Cache::Leaftl(leaftl) = &mut self.cache {
            leaftl.changed(&self.store, lpn, older, to);
            leaftl.shrink(&mut self.store, env)?;
        }
        Ok(())
    }

    /// A victim, all of whose pages have moved, is erased next: if there are too many entries on the list, their map pages
    /// are written.
    pub fn before_erase<M: Media>(&mut self, env: &mut Io<M>) -> Result<(), Fault> {
        if u64::from(self.store.list_len()) <= self.stay {
            return Ok(());
        }
        while let Some(lpn) = self.store.first_listed() {
            let page = self.store.map_page(lpn);
            env.counts.map.clean_programs += 1;
            self.store.write_back(env, page)?;
            self.store.take_listed(page);
            if self.batch {
                self.cleaned(page);
            }
        }
        Ok(())
    }

    /// A page from outside and its portion are done: writes a checkpoint if it is time.
    #[inline]
    pub fn sync_behind<M: Media>(&mut self, env: &mut Io<M>) -> Result<(), Fault> {
        if self.sync > 0 && self.programmed >= self.sync {
            self.checkpoint(env)?;
        }
        Ok(())
    }

    /// Writes all map pages that RAM has newer entries of.
    pub fn checkpoint<M: Media>(&mut self, env: &mut Io<M>) -> Result<(), Fault> {
        self.programmed = 0;
        let mut pages = 0..self.store.map_pages();
        let Some(last) = pages.clone().rfind(|&page| self.is_newer(page)) else {
            return Ok(());
        };
        while let Some(page) = pages.find(|&page| self.is_newer(page)) {
            env.counts.map.sync_programs += 1;
            let whole = self.lru_mut().is_some_and(|lru| lru.holds(page));
            if !whole {
                self.store.read(env, page, Why::WriteBack)?;
            }
            let role = if page == last { SYNC } else { Role::DATA };
            self.store.program_as(env, page, role)?;
            self.store.take_listed(page);
            self.cleaned(page);
        }
        Ok(())
    }

    /// Whether RAM has newer entries of a map page.
    fn is_newer(&self, page: u32) -> bool {
        let dirty = match &self.cache {
            Cache::Dftl(_) | Cache::Tpftl(_) => self.store.has_dirty(page),
            Cache::Pages(pages) => pages.lru().is_dirty(page),
            Cache::Leaftl(leaftl) => leaftl.lru().is_dirty(page),
        };
        dirty || self.store.has_listed(page)
    }

    /// All cached entries of a map page are as in flash.
    fn cleaned(&mut self, page: u32) {
        match &mut self.cache {
            Cache::Dftl(_) | Cache::Tpftl(_) => self.store.cleaned(page),
            Cache::Pages(pages) => pages.lru_mut().cleaned(page),
            Cache::Leaftl(leaftl) => leaftl.lru_mut().cleaned(page),
        }
    }

    /// Compares what is counted with recounts, and the map pages of which RAM has nothing newer with the map. For tests.
    pub fn check<M: Media>(
        &self,
        media: &mut M,
        map: &[Ppn],
        newest: impl Fn(Lpn) -> u64,
    ) -> Result<(), String> {
        self.store.check()?;
        self.check_flash(media, map, newest)?;
        let (bytes, most) = match &self.cache {
            Cache::Dftl(dftl) => {
                dftl.check(&self.store)?;
                dftl.bytes()
            }
            Cache::Tpftl(tpftl) => {
                tpftl.check(&self.store)?;
                tpftl.bytes()
            }
            Cache::Pages(pages) => pages.bytes(),
            Cache::Leaftl(leaftl) => {
                leaftl.check(&self.store)?;
                leaftl.bytes()
            }
        };
        if bytes > most {
            return Err(format!("map cache: {bytes} bytes of {most}"));
        }
        Ok(())
    }

    fn check_flash<M: Media>(
        &self,
        media: &mut M,
        map: &[Ppn],
        newest: impl Fn(Lpn) -> u64,
    ) -> Result<(), String> {
        let area = self.store.area();
        let sequences = area.check(media)?;
        let mut data = M::Data::blank(media.geometry().page_size());
        for (page, sequence) in (0..).zip(sequences) {
            if self.is_newer(page) || self.skipped {
                continue;
            }
            let mut pages = self.store.pages_of(page).map(Lpn);
            if let Some(lpn) = pages.find(|&lpn| newest(lpn) > sequence) {
                if sequence == 0
                    && !self
                        .store
                        .pages_of(page)
                        .any(|lpn| map[lpn as usize].is_some())
                {
                    continue;
                }
                return Err(format!("map page {page} in flash lacks page {lpn:?}"));
            }
            let Some(at) = area.at(page) else {
                continue;
            };
            media
                .read(at, &mut data)
                .map_err(|fault| fault.to_string())?;
            if !data.has_numbers(area.entries_of(map, page)) {
                return Err(format!("map page {page} in flash has other places"));
            }
        }
        Ok(())
    }
}
