//! `clairvoyant` (section 7): the page that is written last, or the block that would take the most places for the longest
//! time.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use ssdlab_policy::buffer::clairvoyant::ClairvoyantConfig;
use ssdlab_policy::buffer::three_region::Granularity;

use super::super::number::{Lbn, Lpn};
use super::charges::Charges;
use super::pages::Pages;
use super::policy::{Policy, Why};

/// What the host does to the pages of the buffer, apart from reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::model) enum Coming {
    Write(Lpn),
    Discard(Lpn),
    /// A flush that writes the dirty pages.
    Flush,
}

pub(super) struct Clairvoyant {
    config: ClairvoyantConfig,
    /// All of it, past and future.
    coming: Vec<Coming>,
    /// The place behind the last write.
    at: usize,
    /// The writes so far.
    writes: u64,
    /// For each page, or block, with held pages, the number of its next write; `None`: never.
    next: BTreeMap<u64, Option<u64>>,
    charges: Charges,
}

impl Clairvoyant {
    pub(super) fn new(config: ClairvoyantConfig, coming: Vec<Coming>) -> Self {
        Self {
            config,
            coming,
            at: 0,
            writes: 0,
            next: BTreeMap::new(),
            charges: Charges::default(),
        }
    }

    fn unit(&self, lpn: Lpn, pages: &Pages) -> u64 {
        match self.config.granularity {
            Granularity::Block => pages.lbn(lpn),
            Granularity::Page => lpn,
        }
    }

    /// The number of the next write of a unit, or of the first write behind the discard of a page.
    fn foresee(&self, unit: u64, pages: &Pages) -> Option<u64> {
        let mut writes = self.writes;
        for coming in &self.coming[self.at..] {
            match *coming {
                Coming::Flush => return None,
                Coming::Write(lpn) if self.unit(lpn, pages) == unit => return Some(writes),
                Coming::Write(_) => writes += 1,
                Coming::Discard(lpn) => {
                    if self.config.granularity == Granularity::Page && lpn == unit {
                        return Some(writes);
                    }
                }
            }
        }
        None
    }
}

impl Policy for Clairvoyant {
    fn orders_blocks(&self) -> bool {
        self.config.granularity == Granularity::Block
    }

    fn touch(&mut self, lpn: Lpn, pages: &Pages) {
        let is_held = match self.config.granularity {
            Granularity::Block => !pages.of(pages.lbn(lpn)).is_empty(),
            Granularity::Page => pages.holds(lpn),
        };
        if !is_held {
            self.next.insert(self.unit(lpn, pages), None);
        }
    }

    fn write(&mut self, lpn: Lpn, pages: &Pages) {
        while self.coming[self.at] != Coming::Write(lpn) {
            self.at += 1;
        }
        self.at += 1;
        self.writes += 1;
        let unit = self.unit(lpn, pages);
        self.next.insert(unit, self.foresee(unit, pages));
    }

    fn victim(&mut self, pages: &Pages, _: Why) -> Vec<Lpn> {
        match self.config.granularity {
            Granularity::Page => {
                let time = |lpn: &Lpn| (self.next[lpn].unwrap_or(u64::MAX), Reverse(*lpn));
                pages.all().max_by_key(time).into_iter().collect()
            }
            Granularity::Block => {
                let blocks = pages.blocks().into_iter();
                let weighed = blocks.map(|(lbn, count)| {
                    let weight = self.next[&lbn].map(|next| count * (next - self.writes));
                    (weight.unwrap_or(u64::MAX), count, Reverse(lbn))
                });
                let (.., Reverse(lbn)) = weighed.max().expect("pages are held");
                pages.of(lbn)
            }
        }
    }

    fn leave(&mut self, _: Lpn, _: &Pages) {}

    fn pads(&mut self, lbn: Lbn, pages: &Pages) -> bool {
        let count = pages.of(lbn).len() as u64;
        let missing = pages.pages_per_block - count;
        let may = self.config.padding;
        self.config.granularity == Granularity::Block && self.charges.pads(lbn, count, missing, may)
    }

    fn moved(&mut self, lbn: Lbn) {
        self.charges.moved(lbn);
    }
}
