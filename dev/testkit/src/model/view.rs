//! The FTL's view of the buffer (section 10.1).

use std::collections::BTreeMap;

use super::buffer::Buffer;
use super::config::ModelConfig;
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
    /// A merge has cleaned it; the benefit of that if it is not updated, in nanoseconds.
    pub(super) cleaned: Option<u64>,
    /// P(update), in parts.
    pub(super) update: u64,
}

impl View {
    /// The held pages of a chip, without the page that is being written.
    pub(super) fn of(buffer: &Buffer, config: &ModelConfig, written: Lpn) -> Self {
        let chip = config.on_chip(written).0;
        let seen = |&lpn: &Lpn| config.on_chip(lpn).0 == chip && lpn != written;
        let page = |lpn| {
            let dirty = buffer.is_dirty(lpn);
            let update = match config.update_probability {
                Some(millionths) => millionths,
                None => buffer.update_probability(lpn),
            };
            let page = Page {
                dirty,
                update,
                cleaned: None,
            };
            (config.on_chip(lpn).1, page)
        };
        Self {
            pages: buffer.all().filter(seen).map(page).collect(),
            parts: match config.update_probability {
                Some(_) => 1_000_000,
                None => buffer.probability_parts(),
            },
        }
    }

    /// Tells the buffer which pages the write of a page has made clean, and returns those that a merge has cleaned with
    /// their benefits.
    pub(super) fn tell(
        &self,
        buffer: &mut Buffer,
        config: &ModelConfig,
        written: Lpn,
    ) -> Vec<(Lpn, u64)> {
        let chip = config.on_chip(written).0;
        let host = |local: &Lpn| config.of_host(chip, *local);
        for (local, page) in &self.pages {
            if !page.dirty {
                buffer.clean(host(local));
            }
        }
        let pages = self.pages.iter();
        pages
            .filter_map(|(local, page)| Some((host(local), page.cleaned?)))
            .collect()
    }

    /// The state of an LPN in the buffer.
    pub(super) fn get(&self, lpn: Lpn) -> Option<Page> {
        self.pages.get(&lpn).copied()
    }

    /// Marks a held page as clean. If it was dirty, that has this benefit.
    pub(super) fn clean(&mut self, lpn: Lpn, benefit_ns: u64) {
        let page = self.pages.get_mut(&lpn).expect("the page is held");
        if std::mem::replace(&mut page.dirty, false) {
            page.cleaned = Some(benefit_ns);
        }
    }
}
