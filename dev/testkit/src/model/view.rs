//! The FTL's view of the buffer (section 10.1).

use std::collections::BTreeMap;

use super::buffer::Buffer;
use super::number::Lpn;

/// The view of the buffer that the FTL of a chip has during a write; empty if the FTL is not buffer-aware.
#[derive(Default)]
pub(super) struct View {
    /// The pages held, by their numbers on the chip.
    pages: BTreeMap<Lpn, Page>,
    /// The number of parts that stands for a probability of 1; P(update) is counted in parts.
    pub(super) parts: u64,
}

/// A page that the buffer holds.
#[derive(Clone, Copy)]
pub(super) struct Page {
    pub(super) dirty: bool,
    /// P(update), in parts.
    pub(super) update: u64,
}

impl View {
    /// The held pages of a chip, without the page that is being written.
    pub(super) fn of(buffer: &Buffer, chips: u64, written: Lpn) -> Self {
        let seen = |&lpn: &Lpn| lpn % chips == written % chips && lpn != written;
        let page = |lpn| {
            let dirty = buffer.is_dirty(lpn);
            let update = buffer.update_probability(lpn);
            (lpn / chips, Page { dirty, update })
        };
        Self {
            pages: buffer.all().filter(seen).map(page).collect(),
            parts: buffer.probability_parts(),
        }
    }

    /// Tells the buffer which pages the write of a page has made clean.
    pub(super) fn tell(&self, buffer: &mut Buffer, chips: u64, written: Lpn) {
        for (local, page) in &self.pages {
            if !page.dirty {
                buffer.clean(local * chips + written % chips);
            }
        }
    }

    /// The state of an LPN in the buffer.
    pub(super) fn get(&self, lpn: Lpn) -> Option<Page> {
        self.pages.get(&lpn).copied()
    }

    /// Marks a held page as clean.
    pub(super) fn clean(&mut self, lpn: Lpn) {
        let page = self.pages.get_mut(&lpn);
        page.expect("the page is held").dirty = false;
    }
}
