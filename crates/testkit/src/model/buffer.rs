//! The write buffer: the pages held, and the next victims (sections 6 and 7).

use std::collections::{BTreeMap, BTreeSet};

use super::cbb::Cbb;
use super::config::{ModelConfig, ModelPolicy};
use super::lb_clock::Circle;
use super::number::{Lbn, Lpn};
use super::req_block::RequestBlocks;
use super::three_region::Regions;

/// The pages held, and the order of the policy.
pub(super) struct Buffer {
    policy: ModelPolicy,
    pages_per_block: u64,
    /// C: pages that fit, headers included if they count.
    capacity: u64,
    /// Whether the headers of a block-level policy take room.
    count_headers: bool,
    /// The pages held, each with the time since when it is dirty; `None`: clean.
    held: BTreeMap<Lpn, Option<u64>>,
    /// Pages, or for block-level policies blocks, the least recent first. Under `plru-br-2q` the cold list.
    order: Vec<u64>,
    /// The hot list of `plru-br-2q`, its last page first.
    hot: Vec<Lpn>,
    /// The blocks under `three-region`.
    regions: Regions,
    /// The blocks under `lb-clock`.
    circle: Circle,
    /// The pages under `req-block`.
    request_blocks: RequestBlocks,
    /// The blocks under `cbb`.
    cbb: Cbb,
    /// Run lengths of the block headers (compensation); absent: 0.
    runs: BTreeMap<Lbn, u64>,
}

impl Buffer {
    pub(super) fn new(config: &ModelConfig) -> Self {
        let capacity = match config.policy {
            ModelPolicy::Unbounded => config.logical_blocks * config.pages_per_block,
            _ => config.buffer_bytes / config.page_size,
        };
        let least = if config.count_headers { 2 } else { 1 };
        let enough = capacity >= least || config.policy == ModelPolicy::None;
        assert!(enough, "the buffer is too small for one page");
        Self {
            policy: config.policy,
            pages_per_block: config.pages_per_block,
            capacity,
            count_headers: config.count_headers && by_block(config.policy),
            held: BTreeMap::new(),
            order: Vec::new(),
            hot: Vec::new(),
            regions: Regions::new(capacity, config.pages_per_block),
            circle: Circle::default(),
            request_blocks: RequestBlocks::default(),
            cbb: Cbb::default(),
            runs: BTreeMap::new(),
        }
    }

    /// Whether a block with a dirty page that is about to be written is padded.
    pub(super) fn pads(&mut self, lbn: Lbn) -> bool {
        match self.policy {
            ModelPolicy::Bplru { padding, .. } => padding,
            ModelPolicy::Cbb {
                padding,
                feedback: true,
                ..
            } => {
                let held = self.pages_of(lbn).len() as u64;
                self.cbb.pads(lbn, held, self.pages_per_block, padding)
            }
            ModelPolicy::Cbb { padding, .. } => padding,
            _ => false,
        }
    }

    /// A merge moved a page from flash to flash.
    pub(super) fn moved(&mut self, lpn: Lpn) {
        self.cbb.moved(lpn / self.pages_per_block);
    }

    /// The blocks with a page held, with the number of their pages.
    fn blocks(&self) -> BTreeMap<Lbn, u64> {
        let mut blocks = BTreeMap::new();
        for lpn in self.held.keys() {
            *blocks.entry(lpn / self.pages_per_block).or_default() += 1;
        }
        blocks
    }

    pub(super) fn holds(&self, lpn: Lpn) -> bool {
        self.held.contains_key(&lpn)
    }

    pub(super) fn is_dirty(&self, lpn: Lpn) -> bool {
        self.held.get(&lpn).is_some_and(Option::is_some)
    }

    pub(super) fn holds_dirty_pages(&self) -> bool {
        self.held.keys().any(|&lpn| self.is_dirty(lpn))
    }

    /// The pages held, in ascending order, each with whether it is dirty.
    pub(super) fn pages(&self) -> impl Iterator<Item = (Lpn, bool)> {
        self.held.iter().map(|(&lpn, since)| (lpn, since.is_some()))
    }

    /// P(update) of a held page, in parts.
    pub(super) fn update_probability(&self, lpn: Lpn) -> u64 {
        match self.policy {
            ModelPolicy::ThreeRegion => 2 * self.regions.expected(self.key(lpn), self.capacity),
            _ => self.capacity,
        }
    }

    /// The number of parts that stands for a probability of 1: twice C, so that w1 / C and a half are whole numbers of
    /// parts.
    pub(super) fn probability_parts(&self) -> u64 {
        2 * self.capacity.max(1)
    }

    /// The dirty pages of a block, in ascending order.
    pub(super) fn dirty_pages_of(&self, lbn: Lbn) -> Vec<Lpn> {
        let mut pages = self.pages_of(lbn);
        pages.retain(|&lpn| self.is_dirty(lpn));
        pages
    }

    /// The pages held of a block, in ascending order.
    fn pages_of(&self, lbn: Lbn) -> Vec<Lpn> {
        let first = lbn * self.pages_per_block;
        let block = first..first + self.pages_per_block;
        block.filter(|&lpn| self.holds(lpn)).collect()
    }

    /// The entry for this page in `order`: its block, or the page itself.
    fn key(&self, lpn: Lpn) -> u64 {
        if by_block(self.policy) {
            lpn / self.pages_per_block
        } else {
            lpn
        }
    }

    /// Whether a page that is not held may enter.
    pub(super) fn has_room_for(&self, lpn: Lpn) -> bool {
        let mut slots = self.held.len() + 1;
        if self.count_headers {
            let mut headers: BTreeSet<Lbn> = self.held.keys().map(|&held| self.key(held)).collect();
            headers.insert(self.key(lpn));
            slots += headers.len();
        }
        slots as u64 <= self.capacity
    }

    /// Notes that the previous requests are over.
    pub(super) fn begin_request(&mut self) {
        self.regions.begin_request();
        self.request_blocks.begin_request();
    }

    /// Notes an access: the page or its block becomes the most recent one. `fifo` keeps the order of entry.
    pub(super) fn touch(&mut self, lpn: Lpn) {
        let key = self.key(lpn);
        if self.policy == ModelPolicy::Fifo && self.order.contains(&key) {
            return;
        }
        if self.policy == ModelPolicy::ThreeRegion {
            self.regions.touch(key, self.pages_of(key).len() as u64);
            return;
        }
        if self.policy == ModelPolicy::LbClock {
            self.circle.touch(key);
            return;
        }
        if let ModelPolicy::ReqBlock { small } = self.policy {
            let lbn = lpn / self.pages_per_block;
            self.request_blocks.touch(lpn, lbn, small);
            return;
        }
        if let ModelPolicy::Cbb { .. } = self.policy {
            let held = self.pages_of(key).len() as u64;
            let hits = u64::from(self.holds(lpn));
            self.cbb.touch(key, held, self.pages_per_block, hits);
            return;
        }
        self.order.retain(|&other| other != key);
        if let ModelPolicy::PlruBr2q { .. } = self.policy {
            self.hot.retain(|&other| other != lpn);
            self.hot.push(lpn);
            return;
        }
        self.order.push(key);
    }

    /// Moves entries between lists after an access, where a list has become too long.
    pub(super) fn settle(&mut self) {
        if let ModelPolicy::PlruBr2q { hot } = self.policy {
            let most = (hot * self.capacity as f64).floor().max(1.0);
            while self.hot.len() as f64 > most {
                let last = self.hot.remove(0);
                self.order.push(last);
            }
        }
        if self.policy == ModelPolicy::ThreeRegion {
            let pages = self.blocks();
            self.regions.settle(&pages);
        }
    }

    /// Notes that the next victim is evicted to make room.
    pub(super) fn learn_that_it_is_full(&mut self) {
        if self.policy == ModelPolicy::ThreeRegion {
            let pages = self.victim().len() as u64;
            self.regions.evict_for_room(pages);
        }
    }

    /// Notes that these pages are evicted together, before they leave.
    pub(super) fn evict(&mut self, victim: &[Lpn]) {
        if let ModelPolicy::Cbb { .. } = self.policy {
            let (lbn, held) = (self.key(victim[0]), victim.len() as u64);
            self.cbb.end_stay(lbn, held, self.pages_per_block, 0);
        }
    }

    /// The hand of `lb-clock` moves before each victim.
    pub(super) fn move_hand(&mut self) {
        if self.policy == ModelPolicy::LbClock {
            self.circle.move_hand();
        }
    }

    /// Notes a write after its touch: a block written in sequence to its end becomes the least recent one.
    pub(super) fn compensate(&mut self, lpn: Lpn) {
        let ModelPolicy::Bplru {
            compensation: true, ..
        } = self.policy
        else {
            return;
        };
        let lbn = lpn / self.pages_per_block;
        let offset = lpn % self.pages_per_block;
        let run = self.runs.get(&lbn).copied().unwrap_or(0);
        let mut run = match offset {
            _ if offset == run => run + 1,
            0 => 1,
            _ => 0,
        };
        if run == self.pages_per_block {
            self.order.retain(|&other| other != lbn);
            self.order.insert(0, lbn);
            run = 0;
        }
        self.runs.insert(lbn, run);
    }

    /// Makes a page dirty, held or not. A rewrite does not renew the time since when it is dirty.
    pub(super) fn hold_dirty(&mut self, lpn: Lpn, now: u64) {
        if !self.is_dirty(lpn) {
            self.held.insert(lpn, Some(now));
        }
    }

    /// Inserts a clean page, or makes a held one clean.
    pub(super) fn hold_clean(&mut self, lpn: Lpn) {
        self.held.insert(lpn, None);
    }

    /// Removes a page if it is held; the header of a block goes with its last page.
    pub(super) fn remove(&mut self, lpn: Lpn) {
        let was_held = self.held.remove(&lpn).is_some();
        self.hot.retain(|&other| other != lpn);
        self.request_blocks.remove(lpn);
        let key = self.key(lpn);
        if was_held {
            self.circle.lose_page(key);
        }
        if !self.held.keys().any(|&other| self.key(other) == key) {
            self.order.retain(|&other| other != key);
            self.runs.remove(&key);
            self.regions.remove(key);
            self.circle.remove(key);
        }
    }

    /// The pages of the next victim, in ascending order.
    pub(super) fn victim(&self) -> Vec<Lpn> {
        match self.policy {
            ModelPolicy::None => unreachable!("there is no buffer"),
            ModelPolicy::Fifo | ModelPolicy::Lru => vec![self.order[0]],
            ModelPolicy::Cflru { window } => vec![self.clean_first(window)],
            ModelPolicy::Sof => vec![*self.held.keys().next().expect("pages are held")],
            ModelPolicy::Unbounded => vec![self.first_dirty()],
            ModelPolicy::Fab => self.pages_of(self.fullest_block()),
            ModelPolicy::Blru | ModelPolicy::Bplru { .. } => self.pages_of(self.order[0]),
            ModelPolicy::PlruBr => self.pages_of(self.order[0] / self.pages_per_block),
            ModelPolicy::PlruBr2q { .. } => self.cold_pages(),
            ModelPolicy::ThreeRegion => self.pages_of(self.regions.next_victim()),
            ModelPolicy::LbClock => {
                let pages = |lbn| self.pages_of(lbn).len();
                self.pages_of(self.circle.next_victim(pages))
            }
            ModelPolicy::ReqBlock { .. } => self.request_blocks.next_victim(),
            ModelPolicy::Cbb { age, complete, .. } => {
                let (blocks, size) = (self.blocks(), self.pages_per_block);
                self.pages_of(self.cbb.victim(&blocks, size, age, complete))
            }
        }
    }

    /// The cold pages of the block of the last cold page; if there is none, the last hot page.
    fn cold_pages(&self) -> Vec<Lpn> {
        let Some(last) = self.order.first() else {
            return vec![self.hot[0]];
        };
        let mut pages = self.pages_of(last / self.pages_per_block);
        pages.retain(|lpn| self.order.contains(lpn));
        pages
    }

    fn clean_first(&self, window: f64) -> Lpn {
        let reach = (window * self.capacity as f64).floor() as usize;
        let mut near = self.order.iter().take(reach).copied();
        near.find(|&lpn| !self.is_dirty(lpn))
            .unwrap_or(self.order[0])
    }

    fn first_dirty(&self) -> Lpn {
        let mut pages = self.held.keys().copied();
        pages
            .find(|&lpn| self.is_dirty(lpn))
            .expect("dirty pages are held")
    }

    /// The block with the most pages, among equals the least recent.
    fn fullest_block(&self) -> Lbn {
        let mut best = self.order[0];
        for &lbn in &self.order {
            if self.pages_of(lbn).len() > self.pages_of(best).len() {
                best = lbn;
            }
        }
        best
    }

    /// The block of the page that has been dirty longest, if at least for `age`; among equals the lowest block.
    pub(super) fn block_to_age(&self, now: u64, age: u64) -> Option<Lbn> {
        let dirty = self
            .held
            .iter()
            .filter_map(|(lpn, since)| since.map(|since| (since, lpn / self.pages_per_block)));
        let (since, lbn) = dirty.min()?;
        // not `now - since`: trace times need not ascend
        (since.saturating_add(age) <= now).then_some(lbn)
    }
}

/// Whether the policy orders and evicts blocks, and so has block headers.
pub(super) fn by_block(policy: ModelPolicy) -> bool {
    matches!(
        policy,
        ModelPolicy::Fab
            | ModelPolicy::Blru
            | ModelPolicy::Bplru { .. }
            | ModelPolicy::ThreeRegion
            | ModelPolicy::LbClock
            | ModelPolicy::Cbb { .. }
    )
}
