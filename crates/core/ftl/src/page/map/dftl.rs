//! `dftl`: single entries in a segmented LRU (Gupta, Kim and Urgaonkar, ASPLOS 2009). The paper's batch update is kept for
//! evictions too, unless `ftl.map_batch` is false: its own code has it in cleaning alone.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Fault, Lpn, Media};
use ssdlab_policy::{BitSet, Lists};

use super::Io;
use super::config::MapConfig;
use super::store::{Store, Why};

/// Bytes of an entry in RAM: a page and its place.
const ENTRY: u64 = 8;

/// The segment of entries that were used once since they entered.
const PROBATIONARY: u32 = 0;
/// The segment of entries that were used again.
const PROTECTED: u32 = 1;

/// The cache.
pub(super) struct Dftl {
    /// The most entries.
    most: u32,
    /// The most of them that are protected.
    most_protected: u32,
    segments: Lists,
    protected: BitSet,
    protected_len: u32,
    /// The page of each entry.
    pages: Vec<Lpn>,
    /// The entries that were ever used; further on they replace each other.
    len: u32,
    batch: bool,
}

impl Dftl {
    pub fn new(config: &MapConfig, logical_pages: u32) -> Self {
        let entries = config.cache / ENTRY;
        // more than all pages are never used
        let most = entries.min(logical_pages.into()) as u32;
        // the product of two doubles
        let most_protected = (config.protected * entries as f64) as u64;
        Self {
            most,
            most_protected: most_protected.min(most.into()) as u32,
            segments: Lists::new(most, 2),
            protected: BitSet::new(most, false),
            protected_len: 0,
            pages: vec![Lpn::NONE; most as usize],
            len: 0,
            batch: config.batch,
        }
    }

    /// Whether the entry is there; then it is used.
    #[inline]
    pub fn hit(&mut self, store: &Store, lpn: Lpn) -> bool {
        let Some(item) = store.cached(lpn) else {
            return false;
        };
        self.segments.remove(item);
        self.segments.push_front(PROTECTED, item);
        if !self.protected.contains(item) {
            self.protected.insert(item);
            self.protected_len += 1;
        }
        if self.protected_len > self.most_protected
            && let Some(last) = self.segments.back(PROTECTED)
        {
            self.segments.remove(last);
            self.segments.push_front(PROBATIONARY, last);
            self.protected.remove(last);
            self.protected_len -= 1;
        }
        true
    }

    /// Loads the entry of a miss.
    pub fn load<M: Media>(
        &mut self,
        store: &mut Store,
        env: &mut Io<M>,
        lpn: Lpn,
    ) -> Result<(), Fault> {
        let item = if self.len < self.most {
            self.len += 1;
            self.len - 1
        } else {
            self.evict(store, env)?
        };
        store.read(env, store.map_page(lpn), Why::Load)?;
        self.pages[item as usize] = lpn;
        store.enter(lpn, item);
        self.segments.push_front(PROBATIONARY, item);
        Ok(())
    }

    /// Evicts the entry that was not used for longest, and returns its item.
    fn evict<M: Media>(&mut self, store: &mut Store, env: &mut Io<M>) -> Result<u32, Fault> {
        let probationary = self.segments.back(PROBATIONARY);
        let victim = probationary.or_else(|| self.segments.back(PROTECTED));
        let victim = victim.expect("a full cache has an entry");
        self.segments.remove(victim);
        if self.protected.contains(victim) {
            self.protected.remove(victim);
            self.protected_len -= 1;
        }
        let lpn = self.pages[victim as usize];
        store.leave(lpn);
        env.counts.map.evictions += 1;
        if store.take_dirty(lpn) {
            env.counts.map.dirty_evictions += 1;
            let page = store.map_page(lpn);
            store.write_back(env, page)?;
            if self.batch {
                store.take_listed(page);
                store.cleaned(page);
            }
        }
        Ok(victim)
    }

    /// Recounts what is cached. For tests.
    pub fn check(&self, store: &Store) -> Result<(), String> {
        let mut dirty = 0;
        for item in 0..self.len {
            let lpn = self.pages[item as usize];
            if store.cached(lpn) != Some(item) {
                return Err(format!("dftl: entry {item} is not that of page {lpn:?}"));
            }
            dirty += u32::from(store.is_dirty(lpn));
        }
        if dirty != store.dirty_len() {
            return Err("dftl: a page is dirty that is not cached".into());
        }
        if self.protected_len > self.most_protected {
            return Err("dftl: more entries are protected than may be".into());
        }
        Ok(())
    }

    /// The bytes of what is cached, and the most they may be.
    pub fn bytes(&self) -> (u64, u64) {
        (ENTRY * u64::from(self.len), ENTRY * u64::from(self.most))
    }
}
