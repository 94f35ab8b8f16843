//! The policies that keep at most one order of pages (section 7).

use super::super::number::Lpn;
use super::super::recency::Recency;
use super::pages::Pages;
use super::policy::{Policy, Why};

/// The least recent page.
#[derive(Default)]
pub(super) struct Lru {
    order: Recency,
}

impl Policy for Lru {
    fn touch(&mut self, lpn: Lpn, _: &Pages) {
        self.order.touch(lpn);
    }

    fn victim(&mut self, _: &Pages, _: Why) -> Vec<Lpn> {
        self.order.first().into_iter().collect()
    }

    fn leave(&mut self, lpn: Lpn, _: &Pages) {
        self.order.remove(lpn);
    }
}

/// The page that entered first.
#[derive(Default)]
pub(super) struct Fifo {
    lru: Lru,
}

impl Policy for Fifo {
    fn touch(&mut self, lpn: Lpn, pages: &Pages) {
        if !pages.holds(lpn) {
            self.lru.touch(lpn, pages);
        }
    }

    fn victim(&mut self, pages: &Pages, why: Why) -> Vec<Lpn> {
        self.lru.victim(pages, why)
    }

    fn leave(&mut self, lpn: Lpn, pages: &Pages) {
        self.lru.leave(lpn, pages);
    }
}

/// All pages of the block of the least recent page.
#[derive(Default)]
pub(super) struct PlruBr {
    lru: Lru,
}

impl Policy for PlruBr {
    fn touch(&mut self, lpn: Lpn, pages: &Pages) {
        self.lru.touch(lpn, pages);
    }

    fn victim(&mut self, pages: &Pages, why: Why) -> Vec<Lpn> {
        let least_recent = self.lru.victim(pages, why)[0];
        pages.of(pages.lbn(least_recent))
    }

    fn leave(&mut self, lpn: Lpn, pages: &Pages) {
        self.lru.leave(lpn, pages);
    }
}

/// The page with the smallest LPN.
pub(super) struct Sof;

impl Policy for Sof {
    fn touch(&mut self, _: Lpn, _: &Pages) {}

    fn victim(&mut self, pages: &Pages, _: Why) -> Vec<Lpn> {
        pages.all().take(1).collect()
    }

    fn leave(&mut self, _: Lpn, _: &Pages) {}
}

/// The bound, which has room for every page.
pub(super) struct Unbounded;

impl Policy for Unbounded {
    fn touch(&mut self, _: Lpn, _: &Pages) {}

    fn victim(&mut self, pages: &Pages, _: Why) -> Vec<Lpn> {
        pages.first_dirty().into_iter().collect()
    }

    fn leave(&mut self, _: Lpn, _: &Pages) {}
}
