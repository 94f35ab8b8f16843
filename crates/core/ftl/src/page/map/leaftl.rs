//! `leaftl`: map pages in an LRU list, each with the bytes of what was learned of it (`segments.rs`).

use alloc::format;
use alloc::string::String;

use ssdlab_flash::{Fault, Geometry, Lpn, Media, Ppn};

use super::Io;
use super::config::MapConfig;
use super::pages::Lru;
use super::segments::Segments;
use super::store::Store;
use crate::LearnedMap;

/// The cache.
pub(super) struct Leaftl {
    most: u64,
    used: u64,
    lru: Lru,
    segments: Segments,
}

impl Leaftl {
    pub fn new(config: &MapConfig, geometry: &Geometry, map_pages: u32) -> Self {
        Self {
            most: config.cache,
            used: 0,
            lru: Lru::new(map_pages),
            segments: Segments::new(config, geometry, map_pages),
        }
    }

    pub fn lru(&self) -> &Lru {
        &self.lru
    }

    pub fn lru_mut(&mut self) -> &mut Lru {
        &mut self.lru
    }

    /// Loads the map page of a miss.
    pub fn load<M: Media>(
        &mut self,
        store: &mut Store,
        env: &mut Io<M>,
        lpn: Lpn,
    ) -> Result<(), Fault> {
        let page = store.map_page(lpn);
        self.lru.load(store, env, page)?;
        self.used += self.segments.bytes_of(page);
        self.shrink(store, env)
    }

    /// Evicts until what is cached fits, or is one map page.
    pub fn shrink<M: Media>(&mut self, store: &mut Store, env: &mut Io<M>) -> Result<(), Fault> {
        while self.lru.len() > 1 && self.used > self.most {
            let page = self.lru.evict(store, env)?;
            self.used -= self.segments.bytes_of(page);
        }
        Ok(())
    }

    /// A page was programmed at `to`, or has no place any more; before, it was at `older`, if anywhere.
    pub fn changed(&mut self, store: &Store, lpn: Lpn, older: Ppn, to: Ppn) {
        let page = store.map_page(lpn);
        let before = self.segments.bytes_of(page);
        if to.is_some() {
            self.segments.learn(lpn, older, to);
        } else {
            self.segments.forget(lpn, older);
        }
        if self.lru.holds(page) {
            self.used = self.used + self.segments.bytes_of(page) - before;
        }
    }

    /// The next page that is programmed at this place begins a segment.
    pub fn begins_at(&mut self, place: Ppn) {
        self.segments.begins_at(place);
    }

    /// The place where a page, which is at this one, is looked for first.
    pub fn predicted(&self, lpn: Lpn, at: Ppn) -> Ppn {
        self.segments.predicted(lpn, at)
    }

    /// Adds the bytes and the segments of all map pages.
    pub fn count(&self, all: &mut LearnedMap) {
        self.segments.count(all);
    }

    /// Recounts what is cached. For tests.
    pub fn check(&self, store: &Store) -> Result<(), String> {
        self.segments.check()?;
        let cached = (0..store.map_pages()).filter(|&page| self.lru.holds(page));
        let bytes: u64 = cached.map(|page| self.segments.bytes_of(page)).sum();
        if bytes != self.used {
            return Err(format!(
                "leaftl: {bytes} bytes are cached, not {}",
                self.used
            ));
        }
        Ok(())
    }

    /// The bytes of what is cached, and the most they may be, but for a single map page.
    pub fn bytes(&self) -> (u64, u64) {
        let most = if self.lru.len() > 1 {
            self.most
        } else {
            u64::MAX
        };
        (self.used, most)
    }
}
