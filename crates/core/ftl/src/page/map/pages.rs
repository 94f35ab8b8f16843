//! `pages`: whole map pages in an LRU list, as firmware has them.

use ssdlab_flash::{Fault, Lpn, Media};
use ssdlab_policy::{BitSet, Lists};

use super::Io;
use super::config::MapConfig;
use super::store::{Store, Why};

/// The map pages that are cached, least recently used last.
pub(super) struct Lru {
    order: Lists,
    held: BitSet,
    dirty: BitSet,
    len: u32,
}

impl Lru {
    pub fn new(map_pages: u32) -> Self {
        Self {
            order: Lists::new(map_pages, 1),
            held: BitSet::new(map_pages, false),
            dirty: BitSet::new(map_pages, false),
            len: 0,
        }
    }

    pub fn len(&self) -> u32 {
        self.len
    }

    #[inline]
    pub fn holds(&self, page: u32) -> bool {
        self.held.contains(page)
    }

    /// Whether the map page is there; then it is used.
    #[inline]
    pub fn hit(&mut self, page: u32) -> bool {
        let held = self.holds(page);
        if held {
            self.order.move_to_front(0, page);
        }
        held
    }

    /// The map page of a miss is read and enters. It is dirty if entries of it were on the list.
    pub fn load<M: Media>(
        &mut self,
        store: &mut Store,
        env: &mut Io<M>,
        page: u32,
    ) -> Result<(), Fault> {
        store.read(env, page, Why::Load)?;
        self.order.push_front(0, page);
        self.held.insert(page);
        self.len += 1;
        if store.take_listed(page) {
            self.dirty.insert(page);
        }
        Ok(())
    }

    /// Evicts the least recently used map page, and returns it.
    pub fn evict<M: Media>(&mut self, store: &mut Store, env: &mut Io<M>) -> Result<u32, Fault> {
        let page = self.order.back(0).expect("a full cache has a page");
        self.order.remove(page);
        self.held.remove(page);
        self.len -= 1;
        env.counts.map.evictions += 1;
        if self.dirty.contains(page) {
            env.counts.map.dirty_evictions += 1;
            self.dirty.remove(page);
            store.program(env, page)?;
        }
        Ok(page)
    }

    #[inline]
    pub fn dirties(&mut self, page: u32) {
        self.dirty.insert(page);
    }

    pub fn is_dirty(&self, page: u32) -> bool {
        self.dirty.contains(page)
    }

    pub fn cleaned(&mut self, page: u32) {
        self.dirty.remove(page);
    }
}

/// The cache.
pub(super) struct Pages {
    most: u32,
    page_bytes: u64,
    lru: Lru,
}

impl Pages {
    pub fn new(config: &MapConfig, map_pages: u32) -> Self {
        Self {
            most: (config.cache / config.page_bytes).min(map_pages.into()) as u32,
            page_bytes: config.page_bytes,
            lru: Lru::new(map_pages),
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
        while self.lru.len() >= self.most {
            self.lru.evict(store, env)?;
        }
        self.lru.load(store, env, store.map_page(lpn))
    }

    /// The bytes of what is cached, and the most they may be.
    pub fn bytes(&self) -> (u64, u64) {
        let bytes = |pages: u32| self.page_bytes * u64::from(pages);
        (bytes(self.lru.len()), bytes(self.most))
    }
}
