//! `plru-br-2q` (section 7): the cold pages of the block of the least recent cold page.

use super::super::number::Lpn;
use super::super::recency::Recency;
use super::pages::Pages;
use super::policy::{Policy, Why};

pub(super) struct PlruBr2q {
    /// The fraction of the capacity that is hot.
    share: f64,
    hot: Recency,
    cold: Recency,
}

impl PlruBr2q {
    pub(super) fn new(share: f64) -> Self {
        Self {
            share,
            hot: Recency::default(),
            cold: Recency::default(),
        }
    }
}

impl Policy for PlruBr2q {
    fn touch(&mut self, lpn: Lpn, _: &Pages) {
        self.cold.remove(lpn);
        self.hot.touch(lpn);
    }

    /// The last hot pages become cold while there are too many.
    fn settle(&mut self, pages: &Pages) {
        let most = (self.share * pages.capacity as f64).floor().max(1.0);
        while self.hot.iter().count() as f64 > most {
            let last = self.hot.first().expect("a hot page");
            self.hot.remove(last);
            self.cold.touch(last);
        }
    }

    /// If there is no cold page, the last hot page.
    fn victim(&mut self, pages: &Pages, _: Why) -> Vec<Lpn> {
        let Some(last) = self.cold.first() else {
            return self.hot.first().into_iter().collect();
        };
        let mut victim = pages.of(pages.lbn(last));
        victim.retain(|&lpn| self.cold.contains(lpn));
        victim
    }

    fn leave(&mut self, lpn: Lpn, _: &Pages) {
        self.hot.remove(lpn);
        self.cold.remove(lpn);
    }
}
