//! A buffer: the pages that it holds, and its policy (sections 6 and 7).

mod bplru;
mod by_block;
mod by_page;
mod cbb;
mod cflru;
mod lb_clock;
mod plru_br_2q;
mod req_block;
mod three_region;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

use super::config::{ModelConfig, ModelPolicy};
use super::number::{Lbn, Lpn};

/// A buffer policy: the order of the pages that a buffer holds, or of their blocks. The methods take these pages.
trait Policy {
    /// Whether it orders and evicts blocks, and so has block headers.
    fn orders_blocks(&self) -> bool {
        false
    }

    /// Notes that the previous requests are over.
    fn begin_request(&mut self) {}

    /// Notes an access to a page that is held or about to enter.
    fn touch(&mut self, lpn: Lpn, pages: &Pages);

    /// Notes, after its touch, that the access is a write of the host.
    fn write(&mut self, _lpn: Lpn, _pages: &Pages) {}

    /// Notes that the page of an access is held now.
    fn settle(&mut self, _pages: &Pages) {}

    /// The pages of the next victim, in ascending order. All of them leave, or their block is padded.
    fn victim(&mut self, pages: &Pages, why: Why) -> Vec<Lpn>;

    /// Notes that a page has left.
    fn leave(&mut self, lpn: Lpn, pages: &Pages);

    /// Whether a block with a dirty page that is about to be written is padded.
    fn pads(&mut self, _lbn: Lbn, _pages: &Pages) -> bool {
        false
    }

    /// Notes that a merge moved a page of a block from flash to flash.
    fn moved(&mut self, _lbn: Lbn) {}

    /// P(update) of a page that is held, in parts of which 2 C stand for a probability of 1.
    fn update_probability(&self, _lpn: Lpn, pages: &Pages) -> u64 {
        pages.capacity
    }
}

/// The reason for an eviction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// A page is about to enter.
    Full,
    /// A flush or the end of the trace.
    Flush,
}

fn policy(policy: ModelPolicy, pages: &Pages) -> Box<dyn Policy> {
    match policy {
        ModelPolicy::None => Box::new(NoBuffer),
        ModelPolicy::Fifo => Box::new(by_page::Fifo::default()),
        ModelPolicy::Lru => Box::new(by_page::Lru::default()),
        ModelPolicy::Cflru { window } => Box::new(cflru::Cflru::new(window)),
        ModelPolicy::Sof => Box::new(by_page::Sof),
        ModelPolicy::Fab => Box::new(by_block::Fab::default()),
        ModelPolicy::Blru => Box::new(by_block::Blru::default()),
        ModelPolicy::Bplru {
            padding,
            compensation,
        } => Box::new(bplru::Bplru::new(padding, compensation)),
        ModelPolicy::PlruBr => Box::new(by_page::PlruBr::default()),
        ModelPolicy::PlruBr2q { hot } => Box::new(plru_br_2q::PlruBr2q::new(hot)),
        ModelPolicy::Cbb(cbb) => Box::new(cbb::Cbb::new(cbb)),
        ModelPolicy::ThreeRegion => Box::new(three_region::ThreeRegion::new(pages)),
        ModelPolicy::LbClock => Box::new(lb_clock::LbClock::default()),
        ModelPolicy::ReqBlock { small } => Box::new(req_block::ReqBlock::new(small)),
        ModelPolicy::Unbounded => Box::new(by_page::Unbounded),
    }
}

/// The policy of a buffer into which no page enters.
struct NoBuffer;

impl Policy for NoBuffer {
    fn touch(&mut self, _: Lpn, _: &Pages) {
        unreachable!("there is no buffer")
    }

    fn victim(&mut self, _: &Pages, _: Why) -> Vec<Lpn> {
        unreachable!("there is no buffer")
    }

    fn leave(&mut self, _: Lpn, _: &Pages) {
        unreachable!("there is no buffer")
    }
}

/// The pages that a buffer holds.
pub(super) struct Pages {
    /// N.
    pages_per_block: u64,
    /// C: pages that fit, headers included if they count.
    capacity: u64,
    /// The time since when each page is dirty; `None`: it is clean.
    dirty_since: BTreeMap<Lpn, Option<u64>>,
}

impl Pages {
    pub(super) fn capacity(&self) -> u64 {
        self.capacity
    }

    pub(super) fn holds(&self, lpn: Lpn) -> bool {
        self.dirty_since.contains_key(&lpn)
    }

    pub(super) fn is_dirty(&self, lpn: Lpn) -> bool {
        self.dirty_since.get(&lpn).is_some_and(Option::is_some)
    }

    /// All pages, in ascending order.
    pub(super) fn all(&self) -> impl Iterator<Item = Lpn> {
        self.dirty_since.keys().copied()
    }

    /// The first dirty page.
    pub(super) fn first_dirty(&self) -> Option<Lpn> {
        self.all().find(|&lpn| self.is_dirty(lpn))
    }

    /// The logical block of a page.
    fn lbn(&self, lpn: Lpn) -> Lbn {
        lpn / self.pages_per_block
    }

    /// The pages of a block, in ascending order.
    pub(super) fn of(&self, lbn: Lbn) -> Vec<Lpn> {
        self.all().filter(|&lpn| self.lbn(lpn) == lbn).collect()
    }

    /// The blocks with a page, each with the number of its pages.
    fn blocks(&self) -> BTreeMap<Lbn, u64> {
        let mut blocks = BTreeMap::new();
        for lpn in self.all() {
            *blocks.entry(self.lbn(lpn)).or_default() += 1;
        }
        blocks
    }

    /// The block of the page that has been dirty longest, if at least for `age`; among equals the lowest block.
    pub(super) fn block_to_age(&self, now: u64, age: u64) -> Option<Lbn> {
        let pages = self.dirty_since.iter();
        let dirty = pages.filter_map(|(&lpn, since)| since.map(|since| (since, self.lbn(lpn))));
        let (since, lbn) = dirty.min()?;
        // not `now - since`: trace times need not ascend
        (since.saturating_add(age) <= now).then_some(lbn)
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
    /// The write buffer.
    pub(super) fn of_writes(config: &ModelConfig) -> Self {
        let capacity = match config.policy {
            ModelPolicy::Unbounded => config.logical_pages(),
            _ => config.buffer.size / config.page_size(),
        };
        Self::new(config, config.policy, capacity, config.buffer.count_headers)
    }

    /// The read buffer.
    pub(super) fn of_reads(config: &ModelConfig) -> Self {
        let capacity = config.read_buffer_size / config.page_size();
        Self::new(config, config.read_policy, capacity, false)
    }

    fn new(config: &ModelConfig, kind: ModelPolicy, capacity: u64, count_headers: bool) -> Self {
        let least = if count_headers { 2 } else { 1 };
        let is_enough = capacity >= least || kind == ModelPolicy::None;
        assert!(is_enough, "the buffer is too small for one page");
        let pages = Pages {
            pages_per_block: config.pages_per_block(),
            capacity,
            dirty_since: BTreeMap::new(),
        };
        let policy = policy(kind, &pages);
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
