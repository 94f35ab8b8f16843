//! The policies that keep one order of blocks (section 7).

use super::super::number::Lpn;
use super::super::recency::Recency;
use super::pages::Pages;
use super::policy::{Policy, Why};

/// The least recent block.
#[derive(Default)]
pub(super) struct Blru {
    pub(super) order: Recency,
}

impl Policy for Blru {
    fn orders_blocks(&self) -> bool {
        true
    }

    fn touch(&mut self, lpn: Lpn, pages: &Pages) {
        self.order.touch(pages.lbn(lpn));
    }

    fn victim(&mut self, pages: &Pages, _: Why) -> Vec<Lpn> {
        pages.of(self.order.first().expect("pages are held"))
    }

    fn leave(&mut self, lpn: Lpn, pages: &Pages) {
        let lbn = pages.lbn(lpn);
        if pages.of(lbn).is_empty() {
            self.order.remove(lbn);
        }
    }
}

/// The block with the most pages, among equals the least recent.
#[derive(Default)]
pub(super) struct Fab {
    blru: Blru,
}

impl Policy for Fab {
    fn orders_blocks(&self) -> bool {
        true
    }

    fn touch(&mut self, lpn: Lpn, pages: &Pages) {
        self.blru.touch(lpn, pages);
    }

    fn victim(&mut self, pages: &Pages, _: Why) -> Vec<Lpn> {
        pages.of(self.blru.order.heaviest(|lbn| pages.of(lbn).len()))
    }

    fn leave(&mut self, lpn: Lpn, pages: &Pages) {
        self.blru.leave(lpn, pages);
    }
}
