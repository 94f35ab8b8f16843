//! FAB (flash-aware buffer): evicts all pages of the block with the most pages in the buffer together.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Lbn, Page};

use super::{Access, Blocks, BufferKind, BufferPolicy, Forecast, Nature, Runs, Shape, Victim};
use crate::{About, BitTree, Entry, Lists, Settings};

/// Blocks sorted by pages held, then by last use.
pub struct Fab {
    /// List n holds the blocks with n pages, most recently used first.
    lists: Lists,
    /// The lists that are not empty.
    used: BitTree,
    /// For each LBN, the number of pages held.
    held: Vec<u32>,
    /// For each LBN, the number of its last use.
    last_use: Vec<u64>,
    uses: u64,
    headers: u32,
    /// The victim. It is in no list while its pages leave.
    leaving: Lbn,
}

impl Fab {
    fn unlink(&mut self, lbn: Lbn) {
        let held = self.held[lbn.index()];
        self.lists.remove(lbn.0);
        if self.lists.front(held).is_none() {
            self.used.remove(held);
        }
    }

    /// Moves a block that was just used to the head of the list for its number of pages.
    fn promote(&mut self, lbn: Lbn) {
        let held = self.held[lbn.index()];
        self.uses += 1;
        self.last_use[lbn.index()] = self.uses;
        self.lists.push_front(held, lbn.0);
        self.used.insert(held);
    }

    /// Moves a block that lost a page to its place by last use. Only discards need this, so a slow walk is acceptable.
    fn demote(&mut self, lbn: Lbn) {
        let held = self.held[lbn.index()];
        let last_use = self.last_use[lbn.index()];
        let mut newer = self.lists.back(held);
        while let Some(other) = newer.filter(|&o| self.last_use[o as usize] < last_use) {
            newer = self.lists.before(other);
        }
        match newer {
            Some(other) => self.lists.insert_after(other, lbn.0),
            None => self.lists.push_front(held, lbn.0),
        }
        self.used.insert(held);
    }
}

impl BufferKind for Fab {
    const ENTRY: Entry = Entry {
        name: "fab",
        rule: "evicts all pages of the block with the most pages held; among equals, the least recently used block",
        paper: "BPLRU 2008, section 2.4 (Jo et al. 2006)",
        keys: &["buffer.size", "buffer.count_headers"],
        about: About {
            file: file!(),
            lines: [
                "The pages held of each block are counted. Pages that the host reads enter and count too, as clean \
                 pages.",
                "When room is needed, all pages of the block with the most pages are evicted together.",
                "Among equals, the least recently used block.",
            ],
            cost: "O(1) for each page; 20 bytes for each logical block. A discard of a single page walks the blocks \
                   with equally many pages.",
            wins: "Random writes and many small files: each merge serves as many pages as possible. The gain grows \
                   with the buffer.",
            loses: "Small buffers with long sequential writes: the block with the most pages is the one being written, \
                    and it is evicted half complete. FAB can then be slower than no buffer at all.",
        },
    };

    const NATURE: Nature = Nature::block_level([0, 0, 24]).caching_reads();

    type Config = ();

    fn configure(_: &dyn Settings) {}

    fn new(shape: &Shape, (): &()) -> Self {
        let geometry = &shape.geometry;
        let blocks = geometry.logical_blocks();
        Self {
            lists: Lists::new(blocks, geometry.pages_per_block() + 1),
            used: BitTree::new(geometry.pages_per_block() + 1),
            held: vec![0; blocks as usize],
            last_use: vec![0; blocks as usize],
            uses: 0,
            headers: 0,
            leaving: Lbn::NONE,
        }
    }
}

impl BufferPolicy for Fab {
    fn hit(&mut self, page: Page, _: Access) {
        self.unlink(page.lbn);
        self.promote(page.lbn);
    }

    fn enter(&mut self, page: Page, access: Access) {
        self.enter_run(page, 1, access);
    }

    fn left(&mut self, page: Page) {
        let lbn = page.lbn;
        let stays = lbn != self.leaving;
        if stays {
            self.unlink(lbn);
        }
        self.held[lbn.index()] -= 1;
        if self.held[lbn.index()] == 0 {
            self.headers -= 1;
            self.leaving = Lbn::NONE;
        } else if stays {
            self.demote(lbn);
        }
    }

    fn victim(&mut self) -> Victim {
        let most = self.used.last().expect("called only while a page is held");
        let lbn = Lbn(self.lists.back(most).expect("a used list is not empty"));
        self.unlink(lbn);
        self.leaving = lbn;
        Victim::Block(lbn)
    }
}

impl Runs for Fab {
    fn hit_run(&mut self, first: Page, _: u32, access: Access) {
        self.hit(first, access);
    }

    fn enter_run(&mut self, first: Page, count: u32, _: Access) {
        if self.held[first.lbn.index()] == 0 {
            self.headers += 1;
        } else {
            self.unlink(first.lbn);
        }
        self.held[first.lbn.index()] += count;
        self.promote(first.lbn);
    }

    fn left_together(&mut self, lbn: Lbn, count: u32, _: impl Iterator<Item = Page>) {
        self.held[lbn.index()] -= count;
        if self.held[lbn.index()] == 0 {
            self.headers -= 1;
            self.leaving = Lbn::NONE;
        }
    }
}

impl Blocks for Fab {
    fn headers(&self) -> u32 {
        self.headers
    }

    fn needs_header(&self, lbn: Lbn) -> bool {
        self.held[lbn.index()] == 0
    }
}

impl Forecast for Fab {}
