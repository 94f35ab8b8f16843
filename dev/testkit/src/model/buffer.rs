//! A buffer: the pages that it holds, and its policy (sections 6 and 7).

mod bplru;
mod by_block;
mod by_page;
mod cbb;
mod cflru;
mod charges;
mod clairvoyant;
mod lb_clock;
mod pages;
mod plru_br_2q;
mod policy;
mod req_block;
mod three_region;
mod zone;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

use super::config::{ModelConfig, ModelPolicy};
use super::number::{Lbn, Lpn};
use pages::Pages;
use policy::{NoBuffer, Policy};

pub(super) use clairvoyant::Coming;
pub(super) use policy::Why;

fn policy(policy: ModelPolicy, pages: &Pages, coming: Vec<Coming>) -> Box<dyn Policy> {
    match policy {
        ModelPolicy::None => Box::new(NoBuffer),
        ModelPolicy::Fifo => Box::new(by_page::Fifo::default()),
        ModelPolicy::Lru => Box::new(by_page::Lru::default()),
        ModelPolicy::Cflru { window } => Box::new(cflru::Cflru::new(window)),
        ModelPolicy::Sof => Box::new(by_page::Sof),
        ModelPolicy::Zone => Box::new(zone::Zone::default()),
        ModelPolicy::Fab => Box::new(by_block::Fab::default()),
        ModelPolicy::Blru => Box::new(by_block::Blru::default()),
        ModelPolicy::Bplru {
            padding,
            compensation,
        } => Box::new(bplru::Bplru::new(padding, compensation)),
        ModelPolicy::PlruBr => Box::new(by_page::PlruBr::default()),
        ModelPolicy::PlruBr2q { hot } => Box::new(plru_br_2q::PlruBr2q::new(hot)),
        ModelPolicy::Cbb(cbb) => Box::new(cbb::Cbb::new(cbb)),
        ModelPolicy::ThreeRegion { granularity } => {
            Box::new(three_region::ThreeRegion::new(granularity, pages))
        }
        ModelPolicy::LbClock => Box::new(lb_clock::LbClock::default()),
        ModelPolicy::ReqBlock { small } => Box::new(req_block::ReqBlock::new(small)),
        ModelPolicy::Clairvoyant(config) => Box::new(clairvoyant::Clairvoyant::new(config, coming)),
        ModelPolicy::Unbounded => Box::new(by_page::Unbounded),
    }
}

/// A buffer. Without a policy it stays empty.
pub(super) struct Buffer {
    pages: Pages,
    policy: Box<dyn Policy>,
    /// Whether the headers of blocks take room.
    pub(super) has_headers: bool,
}

impl Deref for Buffer {
    type Target = Pages;

    fn deref(&self) -> &Pages {
        &self.pages
    }
}

impl Buffer {
    /// The write buffer, and what the host will do.
    pub(super) fn of_writes(config: &ModelConfig, coming: Vec<Coming>) -> Self {
        let capacity = match config.policy {
            ModelPolicy::Unbounded => config.logical_pages(),
            _ => config.buffer.size / config.page_size(),
        };
        let headers = config.buffer.count_headers;
        Self::new(config, config.policy, capacity, headers, coming)
    }

    /// The read buffer.
    pub(super) fn of_reads(config: &ModelConfig) -> Self {
        let capacity = config.read_buffer_size / config.page_size();
        Self::new(config, config.read_policy, capacity, false, Vec::new())
    }

    fn new(
        config: &ModelConfig,
        kind: ModelPolicy,
        capacity: u64,
        count_headers: bool,
        coming: Vec<Coming>,
    ) -> Self {
        let least = if count_headers { 2 } else { 1 };
        let is_enough = capacity >= least || kind == ModelPolicy::None;
        assert!(is_enough, "the buffer is too small for one page");
        let pages = Pages {
            pages_per_block: config.pages_per_block(),
            capacity,
            dirty_since: BTreeMap::new(),
        };
        let policy = policy(kind, &pages, coming);
        Self {
            has_headers: count_headers && policy.orders_blocks(),
            policy,
            pages,
        }
    }

    /// Whether a page that is not held may enter.
    pub(super) fn has_room_for(&self, lpn: Lpn) -> bool {
        let mut slots = self.dirty_since.len() + 1;
        if self.has_headers {
            let all = self.all().chain([lpn]);
            let headers: BTreeSet<Lbn> = all.map(|lpn| self.lbn(lpn)).collect();
            slots += headers.len();
        }
        slots as u64 <= self.capacity
    }

    /// Notes that the previous requests are over.
    pub(super) fn begin_request(&mut self) {
        self.policy.begin_request();
    }

    /// The host writes a page. A rewrite does not renew the time since when it is dirty.
    pub(super) fn write(&mut self, lpn: Lpn, now: u64) {
        self.policy.touch(lpn, &self.pages);
        self.policy.write(lpn, &self.pages);
        if !self.is_dirty(lpn) {
            self.pages.dirty_since.insert(lpn, Some(now));
        }
        self.policy.settle(&self.pages);
    }

    /// The host reads a page. One that is not held enters clean.
    pub(super) fn read(&mut self, lpn: Lpn) {
        self.policy.touch(lpn, &self.pages);
        self.pages.dirty_since.entry(lpn).or_insert(None);
        self.policy.settle(&self.pages);
    }

    /// The host writes a page that does not enter.
    pub(super) fn pass(&mut self, lpn: Lpn) {
        self.remove(lpn);
        self.policy.write(lpn, &self.pages);
    }

    /// Makes a page clean.
    pub(super) fn clean(&mut self, lpn: Lpn) {
        self.pages.dirty_since.insert(lpn, None);
    }

    /// The pages of the next victim, in ascending order.
    pub(super) fn victim(&mut self, why: Why) -> Vec<Lpn> {
        self.policy.victim(&self.pages, why)
    }

    /// Removes a page if it is held.
    pub(super) fn remove(&mut self, lpn: Lpn) {
        if self.pages.dirty_since.remove(&lpn).is_some() {
            self.policy.leave(lpn, &self.pages);
        }
    }

    /// Whether a block with a dirty page that is about to be written is padded.
    pub(super) fn pads(&mut self, lbn: Lbn) -> bool {
        self.policy.pads(lbn, &self.pages)
    }

    /// A merge moved a page from flash to flash.
    pub(super) fn moved(&mut self, lpn: Lpn) {
        self.policy.moved(self.lbn(lpn));
    }

    /// The sizes of the regions of the policy, if it has any.
    pub(super) fn region_sizes(&self) -> Option<[u64; 3]> {
        self.policy.region_sizes()
    }

    /// P(update) of a page that is held, in parts.
    pub(super) fn update_probability(&self, lpn: Lpn) -> u64 {
        self.policy.update_probability(lpn, &self.pages)
    }

    /// The number of parts that stands for a probability of 1: twice C, so that w1 / C and a half are whole numbers of
    /// parts.
    pub(super) fn probability_parts(&self) -> u64 {
        2 * self.capacity.max(1)
    }
}
