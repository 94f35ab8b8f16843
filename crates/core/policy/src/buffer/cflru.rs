//! CFLRU (clean-first LRU): evicts a clean page near the least-recent end before any dirty page.
//!
//! Each use of a page gets the next stamp, and the held pages are a bit set over the stamps. The least recent page, the
//! least recent clean page and the edge of the window are each found by one look-up. A page that becomes clean in place
//! needs no move to a second list.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Lpn, Page};

use super::{Access, BufferKind, BufferPolicy, Nature, SIZE, Shape, Victim};
use crate::{About, BitTree, Entry, Number, Settings, Source, papers};

/// `buffer.window`.
pub const WINDOW: Number = Number::new(
    "buffer.window",
    [0.0, 1.0],
    0.25,
    "fraction of the buffer searched for clean pages",
);

/// The parameters of CFLRU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CflruConfig {
    /// `buffer.window`: the share of the buffer that is searched for clean pages, 0 to 1.
    pub window: f64,
}

impl Default for CflruConfig {
    fn default() -> Self {
        Self { window: 0.25 }
    }
}

/// Pages in the order of their last use, and the clean ones among them.
pub struct Cflru {
    /// For each LPN held, its stamp.
    stamp_of: Vec<u32>,
    /// For each stamp, its page.
    lpn_of: Vec<Lpn>,
    held: BitTree,
    clean: BitTree,
    next_stamp: u32,
    /// floor(window × C).
    window: u32,
    in_window: u32,
    /// The window holds the `in_window` lowest stamps in use; `edge` is at least as high as all of them.
    edge: u32,
}

impl Cflru {
    fn add(&mut self, lpn: Lpn, clean: bool) {
        if self.next_stamp as usize == self.lpn_of.len() {
            self.renumber();
        }
        let stamp = self.next_stamp;
        self.next_stamp += 1;
        self.stamp_of[lpn.index()] = stamp;
        self.lpn_of[stamp as usize] = lpn;
        self.held.insert(stamp);
        if clean {
            self.clean.insert(stamp);
        }
        if self.in_window < self.window {
            self.in_window += 1;
            self.edge = stamp;
        }
    }

    /// Removes a page. Returns true if it was clean.
    fn remove(&mut self, lpn: Lpn) -> bool {
        let stamp = self.stamp_of[lpn.index()];
        let clean = self.clean.contains(stamp);
        self.held.remove(stamp);
        self.clean.remove(stamp);
        if self.in_window > 0 && stamp <= self.edge {
            match self.held.after(self.edge) {
                Some(next) => self.edge = next,
                None => self.in_window -= 1,
            }
        }
        clean
    }

    /// Renumbers the stamps without gaps when they are used up. That takes at least C uses, so a use costs O(1) on
    /// average.
    fn renumber(&mut self) {
        let mut next = 0;
        let mut window_end = 0;
        let mut stamp = self.held.first();
        while let Some(old) = stamp {
            let lpn = self.lpn_of[old as usize];
            if self.in_window > 0 && old <= self.edge {
                window_end = next;
            }
            stamp = self.held.after(old);
            // new stamps are never above the old ones, so the sets can be changed in place
            let clean = self.clean.contains(old);
            self.held.remove(old);
            self.clean.remove(old);
            self.held.insert(next);
            if clean {
                self.clean.insert(next);
            }
            self.lpn_of[next as usize] = lpn;
            self.stamp_of[lpn.index()] = next;
            next += 1;
        }
        self.edge = window_end;
        self.next_stamp = next;
    }
}

impl BufferKind for Cflru {
    const ENTRY: Entry = Entry {
        name: "cflru",
        rule: "evicts the least recent clean page of the window at the least-recent end, otherwise the least recent page",
        source: Source::of("{}, section 2.4 ({})", &[&papers::BPLRU, &papers::CFLRU]),
        keys: &[SIZE.key, WINDOW.key],
        about: About {
            file: file!(),
            lines: [
                "Pages are ordered by their last use. Pages that the host reads enter too, as clean pages.",
                "The least recently used clean page is evicted if it is in the window: the share `buffer.window` of \
                 the buffer at the least-recent end.",
                "If all pages in the window are dirty, the least recently used one is written and evicted.",
            ],
            cost: "Three or four words of a bit tree for each page; 8 bytes for each page held, 4 for each logical \
                   page.",
            wins: "Many reads and few writes: evicting a clean page costs nothing, and dirty pages stay in the buffer \
                   for the next write. No trace measured here shows it, not even \
                   `w21-ext4-postgres`, where half of the requests are reads.",
            loses: "Data that is read only once: clean pages take the space. On traces without reads it equals LRU, \
                    with the weaknesses of LRU over log blocks.",
        },
    };

    const NATURE: Nature = Nature::page_level([8, 20, 0]).caching_reads();

    type Config = CflruConfig;

    fn configure(settings: &dyn Settings) -> CflruConfig {
        CflruConfig {
            window: WINDOW.of(settings),
        }
    }

    fn new(shape: &Shape, config: &Self::Config) -> Self {
        let stamps = shape.most_pages().saturating_mul(2).saturating_add(64);
        Self {
            stamp_of: vec![0; shape.geometry.logical_pages() as usize],
            lpn_of: vec![Lpn::NONE; stamps as usize],
            held: BitTree::new(stamps),
            clean: BitTree::new(stamps),
            next_stamp: 0,
            // the conversion rounds down
            window: (config.window * shape.pages as f64) as u32,
            in_window: 0,
            edge: 0,
        }
    }
}

impl BufferPolicy for Cflru {
    fn hit(&mut self, page: Page, access: Access) {
        let clean = self.remove(page.lpn);
        self.add(page.lpn, clean && access == Access::Read);
    }

    fn enter(&mut self, page: Page, access: Access) {
        self.add(page.lpn, access == Access::Read);
    }

    fn left(&mut self, page: Page) {
        self.remove(page.lpn);
    }

    fn cleaned(&mut self, page: Page) {
        self.clean.insert(self.stamp_of[page.lpn.index()]);
    }

    fn victim(&mut self) -> Victim {
        let clean = self
            .clean
            .first()
            .filter(|&stamp| self.in_window > 0 && stamp <= self.edge);
        let stamp = clean
            .or_else(|| self.held.first())
            .expect("called only while a page is held");
        Victim::Page(self.lpn_of[stamp as usize])
    }
}
