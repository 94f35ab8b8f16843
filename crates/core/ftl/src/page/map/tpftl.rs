//! `tpftl`: entries in nodes, one for each map page (Zhou et al., EuroSys 2015). The paper orders nodes by how hot their
//! entries are on average and does not say how; its public reimplementation has LRU lists, and so has this one.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Fault, Lpn, Media};
use ssdlab_policy::Lists;

use super::Io;
use super::config::{MapConfig, Prefetch};
use super::store::{Store, Why};

/// Bytes of an entry in its node.
const ENTRY: u64 = 6;
/// Bytes of a node.
const NODE: u64 = 8;
/// Nodes that come, or go, before selective prefetching changes.
const SWITCHES: i32 = 3;

/// The cache.
pub(super) struct Tpftl {
    bytes: u64,
    used: u64,
    /// The nodes, by map page.
    nodes: Lists,
    /// The entries of each node: a list for each map page.
    entries: Lists,
    /// The page of each entry.
    pages: Vec<Lpn>,
    vacant: Vec<u32>,
    /// For each map page, its entries.
    len_of: Vec<u32>,
    prefetch: Prefetch,
    /// Selective prefetching is on.
    selects: bool,
    /// The nodes that came less those that went since it last changed.
    came: i32,
}

impl Tpftl {
    pub fn new(config: &MapConfig, logical_pages: u32, map_pages: u32) -> Self {
        let most = (config.cache / ENTRY).min(logical_pages.into()) as u32;
        Self {
            bytes: config.cache,
            used: 0,
            nodes: Lists::new(map_pages, 1),
            entries: Lists::new(most, map_pages),
            pages: vec![Lpn::NONE; most as usize],
            vacant: (0..most).rev().collect(),
            len_of: vec![0; map_pages as usize],
            prefetch: config.prefetch,
            selects: true,
            came: 0,
        }
    }

    #[inline]
    fn has_node(&self, page: u32) -> bool {
        self.len_of[page as usize] > 0
    }

    /// Whether the entry is there; then it is used.
    #[inline]
    pub fn hit(&mut self, store: &Store, lpn: Lpn) -> bool {
        let Some(item) = store.cached(lpn) else {
            return false;
        };
        let page = store.map_page(lpn);
        self.nodes.move_to_front(0, page);
        self.entries.move_to_front(page, item);
        true
    }

    /// Loads the entry of a miss, and those that are prefetched with it: the last page of its request is `end`.
    pub fn load<M: Media>(
        &mut self,
        store: &mut Store,
        env: &mut Io<M>,
        lpn: Lpn,
        end: Lpn,
    ) -> Result<(), Fault> {
        let page = store.map_page(lpn);
        if self.has_node(page) {
            self.nodes.move_to_front(0, page);
        }
        let mut vanished = false;
        while self.used + self.cost(page) > self.bytes {
            vanished |= self.evict(store, env)?;
        }
        let has_place = store.has_place(page);
        store.read(env, page, Why::Load)?;
        self.enter(store, lpn, page);
        if let Some(item) = store.cached(lpn) {
            self.entries.move_to_front(page, item);
        }
        if has_place && !vanished {
            self.prefetch(store, env, lpn, end.max(lpn))?;
        }
        Ok(())
    }

    /// The bytes that another entry of a map page takes.
    fn cost(&self, page: u32) -> u64 {
        match self.has_node(page) {
            true => ENTRY,
            false => ENTRY + NODE,
        }
    }

    /// An entry enters the node of its map page as the least recently used one, clean.
    fn enter(&mut self, store: &mut Store, lpn: Lpn, page: u32) {
        self.used += self.cost(page);
        if !self.has_node(page) {
            self.nodes.push_front(0, page);
            self.node_came(1);
        }
        let item = self.vacant.pop().expect("an item for each entry that fits");
        self.pages[item as usize] = lpn;
        self.entries.push_back(page, item);
        self.len_of[page as usize] += 1;
        store.enter(lpn, item);
    }

    /// A node came (1) or went (-1).
    fn node_came(&mut self, by: i32) {
        self.came += by;
        if self.came.abs() == SWITCHES {
            self.selects = self.came < 0;
            self.came = 0;
        }
    }

    /// Evicts an entry of the least recently used node. Returns whether the node vanished.
    fn evict<M: Media>(&mut self, store: &mut Store, env: &mut Io<M>) -> Result<bool, Fault> {
        let page = self.nodes.back(0).expect("a full cache has a node");
        let last = self.entries.back(page).expect("a node has an entry");
        let is_mixed = store.dirty_of(page) < self.len_of[page as usize];
        let mut victim = last;
        while is_mixed
            && store.is_dirty(self.pages[victim as usize])
            && let Some(before) = self.entries.before(victim)
        {
            victim = before;
        }
        self.entries.remove(victim);
        self.vacant.push(victim);
        let lpn = self.pages[victim as usize];
        store.leave(lpn);
        self.len_of[page as usize] -= 1;
        self.used -= ENTRY;
        env.counts.map.evictions += 1;
        if store.take_dirty(lpn) {
            env.counts.map.dirty_evictions += 1;
            store.write_back(env, page)?;
            store.take_listed(page);
            store.cleaned(page);
        }
        let vanishes = !self.has_node(page);
        if vanishes {
            self.nodes.remove(page);
            self.used -= NODE;
            self.node_came(-1);
        }
        Ok(vanishes)
    }

    /// Prefetches the entries of the rest of the request, and selectively.
    fn prefetch<M: Media>(
        &mut self,
        store: &mut Store,
        env: &mut Io<M>,
        lpn: Lpn,
        end: Lpn,
    ) -> Result<(), Fault> {
        if self.prefetch == Prefetch::Nothing {
            return Ok(());
        }
        let page = store.map_page(lpn);
        let pages = store.pages_of(page);
        let behind = lpn.0 + 1;
        let of_request = behind..pages.end.min(end.0 + 1);
        let mut selected = 0..0;
        if self.prefetch == Prefetch::Both && self.selects {
            let before = (pages.start..lpn.0).rev().map(Lpn);
            let run = before.take_while(|&lpn| store.cached(lpn).is_some());
            let last = lpn.0 + run.count() as u32;
            selected = behind.max(end.0 + 1)..pages.end.min(last + 1);
        }
        for lpn in of_request.chain(selected).map(Lpn) {
            if store.cached(lpn).is_some() || store.is_listed(lpn) {
                continue;
            }
            let mut vanished = false;
            while self.used + ENTRY > self.bytes {
                if self.nodes.back(0) == Some(page) {
                    return Ok(());
                }
                vanished |= self.evict(store, env)?;
            }
            self.enter(store, lpn, page);
            env.counts.map.prefetched += 1;
            if vanished {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Recounts what is cached. For tests.
    pub fn check(&self, store: &Store) -> Result<(), String> {
        let (mut used, mut dirty) = (0, 0);
        for page in 0..self.len_of.len() as u32 {
            let mut len = 0;
            let mut next = self.entries.front(page);
            while let Some(item) = next {
                let lpn = self.pages[item as usize];
                if store.cached(lpn) != Some(item) || store.map_page(lpn) != page {
                    return Err(format!("tpftl: entry {item} is not that of page {lpn:?}"));
                }
                len += 1;
                dirty += u32::from(store.is_dirty(lpn));
                next = self.entries.after(item);
            }
            used += ENTRY * u64::from(len) + if len > 0 { NODE } else { 0 };
            if len != self.len_of[page as usize] {
                return Err(format!("tpftl: the node of map page {page} is miscounted"));
            }
        }
        if dirty != store.dirty_len() {
            return Err("tpftl: a page is dirty that is not cached".into());
        }
        if used != self.used {
            return Err(format!("tpftl: {used} bytes, not {}", self.used));
        }
        Ok(())
    }

    /// The bytes of what is cached, and the most they may be.
    pub fn bytes(&self) -> (u64, u64) {
        (self.used, self.bytes)
    }
}
