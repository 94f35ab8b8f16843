//! The pages that a buffer holds.

use std::collections::BTreeMap;

use super::super::number::{Lbn, Lpn};

/// The pages that a buffer holds.
pub(in crate::model) struct Pages {
    /// N.
    pub(super) pages_per_block: u64,
    /// C: pages that fit, headers included if they count.
    pub(super) capacity: u64,
    /// The time since when each page is dirty; `None`: it is clean.
    pub(super) dirty_since: BTreeMap<Lpn, Option<u64>>,
}

impl Pages {
    pub(in crate::model) fn capacity(&self) -> u64 {
        self.capacity
    }

    pub(in crate::model) fn holds(&self, lpn: Lpn) -> bool {
        self.dirty_since.contains_key(&lpn)
    }

    pub(in crate::model) fn is_dirty(&self, lpn: Lpn) -> bool {
        self.dirty_since.get(&lpn).is_some_and(Option::is_some)
    }

    /// All pages, in ascending order.
    pub(in crate::model) fn all(&self) -> impl Iterator<Item = Lpn> {
        self.dirty_since.keys().copied()
    }

    /// The first dirty page.
    pub(in crate::model) fn first_dirty(&self) -> Option<Lpn> {
        self.all().find(|&lpn| self.is_dirty(lpn))
    }

    /// The logical block of a page.
    pub(super) fn lbn(&self, lpn: Lpn) -> Lbn {
        lpn / self.pages_per_block
    }

    /// The pages of a block, in ascending order.
    pub(in crate::model) fn of(&self, lbn: Lbn) -> Vec<Lpn> {
        self.all().filter(|&lpn| self.lbn(lpn) == lbn).collect()
    }

    /// The blocks with a page, each with the number of its pages.
    pub(super) fn blocks(&self) -> BTreeMap<Lbn, u64> {
        let mut blocks = BTreeMap::new();
        for lpn in self.all() {
            *blocks.entry(self.lbn(lpn)).or_default() += 1;
        }
        blocks
    }

    /// The block of the page that has been dirty longest, if at least for `age`; among equals the lowest block.
    pub(in crate::model) fn block_to_age(&self, now: u64, age: u64) -> Option<Lbn> {
        let pages = self.dirty_since.iter();
        let dirty = pages.filter_map(|(&lpn, since)| since.map(|since| (since, self.lbn(lpn))));
        let (since, lbn) = dirty.min()?;
        // not `now - since`: trace times need not ascend
        (since.saturating_add(age) <= now).then_some(lbn)
    }
}
