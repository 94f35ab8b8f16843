//! `bplru` (section 7): the least recent block, padded. Blocks written in sequence count as least recent.

use std::collections::BTreeMap;

use ssdlab_policy::buffer::Padding;

use super::super::number::{Lbn, Lpn};
use super::by_block::Blru;
use super::pages::Pages;
use super::policy::{Policy, Why};

pub(super) struct Bplru {
    padding: Padding,
    compensation: bool,
    blru: Blru,
    /// Run lengths of the block headers (compensation); absent: 0.
    runs: BTreeMap<Lbn, u64>,
}

impl Bplru {
    pub(super) fn new(padding: Padding, compensation: bool) -> Self {
        Self {
            padding,
            compensation,
            blru: Blru::default(),
            runs: BTreeMap::new(),
        }
    }
}

impl Policy for Bplru {
    fn orders_blocks(&self) -> bool {
        true
    }

    fn touch(&mut self, lpn: Lpn, pages: &Pages) {
        self.blru.touch(lpn, pages);
    }

    /// A block written in sequence to its end becomes the least recent one.
    fn write(&mut self, lpn: Lpn, pages: &Pages) {
        if !self.compensation {
            return;
        }
        let (lbn, offset) = (pages.lbn(lpn), lpn % pages.pages_per_block);
        let run = self.runs.entry(lbn).or_default();
        *run = match offset {
            _ if offset == *run => *run + 1,
            0 => 1,
            _ => 0,
        };
        if *run == pages.pages_per_block {
            *run = 0;
            self.blru.order.put_first(lbn);
        }
    }

    fn victim(&mut self, pages: &Pages, why: Why) -> Vec<Lpn> {
        self.blru.victim(pages, why)
    }

    /// The header of a block goes with its last page.
    fn leave(&mut self, lpn: Lpn, pages: &Pages) {
        self.blru.leave(lpn, pages);
        let lbn = pages.lbn(lpn);
        if !self.blru.order.contains(lbn) {
            self.runs.remove(&lbn);
        }
    }

    fn pads(&mut self, _: Lbn, _: &Pages) -> bool {
        self.padding != Padding::Off
    }

    fn pads_blanks(&self) -> bool {
        self.padding == Padding::Block
    }
}
