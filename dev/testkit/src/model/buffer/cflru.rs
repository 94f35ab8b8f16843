//! `cflru` (section 7): the least recent clean page near the least-recent end, else the least recent page.

use super::super::number::Lpn;
use super::super::recency::Recency;
use super::pages::Pages;
use super::policy::{Policy, Why};

pub(super) struct Cflru {
    /// The fraction of the capacity in which it searches for a clean page.
    window: f64,
    order: Recency,
}

impl Cflru {
    pub(super) fn new(window: f64) -> Self {
        Self {
            window,
            order: Recency::default(),
        }
    }
}

impl Policy for Cflru {
    fn touch(&mut self, lpn: Lpn, _: &Pages) {
        self.order.touch(lpn);
    }

    fn victim(&mut self, pages: &Pages, _: Why) -> Vec<Lpn> {
        let reach = (self.window * pages.capacity as f64).floor() as usize;
        let mut near = self.order.iter().take(reach);
        let clean = near.find(|&lpn| !pages.is_dirty(lpn));
        clean.or(self.order.first()).into_iter().collect()
    }

    fn leave(&mut self, lpn: Lpn, _: &Pages) {
        self.order.remove(lpn);
    }
}
