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

use ssdlab_policy::Settings;
use ssdlab_policy::buffer::bplru::COMPENSATION;
use ssdlab_policy::buffer::cbb::{AGE, COMPLETE, CbbConfig, FEEDBACK};
use ssdlab_policy::buffer::cflru::WINDOW;
use ssdlab_policy::buffer::clairvoyant::ClairvoyantConfig;
use ssdlab_policy::buffer::plru_br_2q::HOT;
use ssdlab_policy::buffer::req_block::SMALL_REQUEST;
use ssdlab_policy::buffer::three_region::{GRANULARITY, Granularity};
use ssdlab_policy::buffer::{PADDING, Padding};

use super::config::ModelConfig;
use super::number::{Lbn, Lpn};
use pages::Pages;
use policy::{NoBuffer, Policy};

pub(super) use clairvoyant::Coming;
pub(super) use policy::Why;

/// A policy of a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ModelPolicy {
    /// No buffer.
    None,
    /// The page that entered first.
    Fifo,
    /// The least recent page.
    Lru,
    /// The least recent clean page near the least-recent end, else the least recent page.
    Cflru {
        /// The fraction of the capacity in which it searches for a clean page.
        window: f64,
    },
    /// The page with the smallest LPN.
    Sof,
    /// The first page from the head of the log on, around the device.
    Zone,
    /// The block with the most pages.
    Fab,
    /// The least recent block.
    Blru,
    /// The least recent block, padded. Blocks written in sequence count as least recent.
    Bplru {
        /// Whether a victim's missing pages are read and written too.
        padding: Padding,
        /// Whether a block written in sequence becomes the least recent one.
        compensation: bool,
    },
    /// All pages of the block of the least recent page.
    PlruBr,
    /// As `PlruBr`, but the hot pages stay.
    PlruBr2q {
        /// The fraction of the capacity that is hot.
        hot: f64,
    },
    /// The block with the greatest age x held / pages to write, padded where that is cheaper.
    Cbb(CbbConfig),
    /// Three regions of blocks by their updates (`three-region`).
    ThreeRegion {
        /// What its regions hold.
        granularity: Granularity,
    },
    /// The fullest block among those that the clock hand has found unused (`lb-clock`).
    LbClock,
    /// The coldest group of pages that one request wrote (`req-block`).
    ReqBlock {
        /// The most pages of a small group.
        small: u64,
    },
    /// The bound that knows the writes to come.
    Clairvoyant(ClairvoyantConfig),
    /// The bound: it has room for every page and ignores `buffer.size`.
    Unbounded,
}

impl ModelPolicy {
    /// `three-region` with blocks in its regions.
    pub const THREE_REGION: Self = Self::ThreeRegion {
        granularity: Granularity::Block,
    };

    /// The policy of this name, by the values of its keys.
    ///
    /// # Panics
    /// If the model does not know it.
    pub(super) fn named(name: &str, settings: &dyn Settings) -> Self {
        match name {
            "none" => Self::None,
            "fifo" => Self::Fifo,
            "lru" => Self::Lru,
            "cflru" => Self::Cflru {
                window: WINDOW.of(settings),
            },
            "sof" => Self::Sof,
            "zone" => Self::Zone,
            "fab" => Self::Fab,
            "blru" => Self::Blru,
            "bplru" => Self::Bplru {
                padding: PADDING.of(settings),
                compensation: COMPENSATION.of(settings),
            },
            "plru-br" => Self::PlruBr,
            "plru-br-2q" => Self::PlruBr2q {
                hot: HOT.of(settings),
            },
            "three-region" => Self::ThreeRegion {
                granularity: GRANULARITY.of(settings),
            },
            "lb-clock" => Self::LbClock,
            "req-block" => Self::ReqBlock {
                small: SMALL_REQUEST.of(settings),
            },
            "cbb" => Self::Cbb(CbbConfig {
                age: AGE.of(settings),
                complete: COMPLETE.of(settings),
                padding: PADDING.of(settings) != Padding::Off,
                feedback: FEEDBACK.of(settings),
            }),
            "clairvoyant" => Self::Clairvoyant(ClairvoyantConfig {
                granularity: GRANULARITY.of(settings),
                padding: PADDING.of(settings) != Padding::Off,
            }),
            "unbounded" => Self::Unbounded,
            other => panic!("the model has no policy {other:?} yet"),
        }
    }

    fn policy(self, pages: &Pages, coming: Vec<Coming>) -> Box<dyn Policy> {
        match self {
            Self::None => Box::new(NoBuffer),
            Self::Fifo => Box::new(by_page::Fifo::default()),
            Self::Lru => Box::new(by_page::Lru::default()),
            Self::Cflru { window } => Box::new(cflru::Cflru::new(window)),
            Self::Sof => Box::new(by_page::Sof),
            Self::Zone => Box::new(zone::Zone::default()),
            Self::Fab => Box::new(by_block::Fab::default()),
            Self::Blru => Box::new(by_block::Blru::default()),
            Self::Bplru {
                padding,
                compensation,
            } => Box::new(bplru::Bplru::new(padding, compensation)),
            Self::PlruBr => Box::new(by_page::PlruBr::default()),
            Self::PlruBr2q { hot } => Box::new(plru_br_2q::PlruBr2q::new(hot)),
            Self::Cbb(cbb) => Box::new(cbb::Cbb::new(cbb)),
            Self::ThreeRegion { granularity } => {
                Box::new(three_region::ThreeRegion::new(granularity, pages))
            }
            Self::LbClock => Box::new(lb_clock::LbClock::default()),
            Self::ReqBlock { small } => Box::new(req_block::ReqBlock::new(small)),
            Self::Clairvoyant(config) => Box::new(clairvoyant::Clairvoyant::new(config, coming)),
            Self::Unbounded => Box::new(by_page::Unbounded),
        }
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
        let policy = kind.policy(&pages, coming);
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

    /// Whether a padded block is written with zeros where it has no version of a page.
    pub(super) fn pads_blanks(&self) -> bool {
        self.policy.pads_blanks()
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
