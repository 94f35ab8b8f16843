//! LB-CLOCK (large block CLOCK): of the blocks that were not used lately, evicts the one with the most pages.
//!
//! The blocks form a circle, each with a recency bit that every use sets. A hand goes round and clears bits; the
//! blocks whose bit is clear are candidates. While many blocks are in use there are few candidates, and recency
//! decides; else the use of space decides. So the priority of the two follows the workload.
//!
//! The circle is a queue, turned so that the hand is at its front: the hand passes a block by moving it to the back.
//!
//! Our readings: the hand moves before the victim is chosen, and stops behind the first block whose bit is clear
//! already; a block that enters comes right behind the hand, with its bit set; of equals, the candidate that has had
//! its pages longest.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Lbn, Page};

use super::{Access, BufferKind, BufferPolicy, COUNT_HEADERS, Nature, SIZE, Shape, Victim};
use crate::{About, BitSet, BitTree, Entry, Lists, Settings, Source, papers};

/// Blocks in a circle, and the candidates among them by pages held.
pub struct LbClock {
    /// The circle: the block under the hand first.
    circle: Lists,
    /// The recency bits, by LBN.
    recent: BitSet,
    /// List n holds the candidates with n pages, in the order in which they came to have them.
    candidates: Lists,
    /// The lists of candidates that are not empty.
    used: BitTree,
    /// For each LBN, the number of pages held.
    held: Vec<u32>,
    headers: u32,
    /// The victim. It is in no list while its pages leave.
    leaving: Lbn,
}

impl LbClock {
    /// A block becomes a candidate, or has fewer pages than before.
    fn add_candidate(&mut self, lbn: Lbn) {
        let held = self.held[lbn.index()];
        self.candidates.push_back(held, lbn.0);
        self.used.insert(held);
    }

    /// Before its pages change.
    fn remove_candidate(&mut self, lbn: Lbn) {
        let held = self.held[lbn.index()];
        self.candidates.remove(lbn.0);
        if self.candidates.front(held).is_none() {
            self.used.remove(held);
        }
    }

    /// A block with held pages is used.
    #[inline]
    fn renew(&mut self, lbn: Lbn) {
        if !self.recent.contains(lbn.0) {
            self.remove_candidate(lbn);
            self.recent.insert(lbn.0);
        }
    }

    /// Moves the hand behind the next block whose bit is clear; clears the bits on its way. Each step but the last
    /// clears a bit that a use has set, so a use costs O(1) on average.
    fn sweep(&mut self) {
        loop {
            let under = self.circle.front(0);
            let lbn = Lbn(under.expect("called only while a page is held"));
            self.circle.remove(lbn.0);
            self.circle.push_back(0, lbn.0);
            if !self.recent.contains(lbn.0) {
                return;
            }
            self.recent.remove(lbn.0);
            self.add_candidate(lbn);
        }
    }
}

impl BufferKind for LbClock {
    const ENTRY: Entry = Entry {
        name: "lb-clock",
        rule: "evicts the block with the most pages held among those whose recency bit the clock hand has cleared",
        source: Source::of("{}", &[&papers::LB_CLOCK]),
        keys: &[SIZE.key, COUNT_HEADERS.key],
        about: About {
            file: file!(),
            lines: [
                "The blocks form a circle. Each use of a block sets its recency bit.",
                "When room is needed, a hand goes round the circle, clears the bits that are set, and stops behind the \
                 first block whose bit is clear already.",
                "Of all blocks with a clear bit, the one with the most pages is evicted.",
            ],
            cost: "O(1) on average for each page, or for each run of pages of one block; 21 bytes for each logical \
                   block.",
            wins: "Log blocks, with small and large buffers: like FAB it merges for as many pages as possible, but \
                   unlike FAB it spares the block that is being written. With 16 MiB over `bast` it is among the first \
                   three on ten of the sixteen traces measured here.",
            loses: "Page mapping under Postmark on NTFS: its victims are large and were not written together, and \
                    only padding is slower. Frequent flushes, as under a browser, a file server or a phone: the buffer is emptied \
                    before it is full, and evicting the fullest block first is a worse order, as with FAB: it is 1 % \
                    behind LRU on log blocks and 6 % on page mapping.",
        },
    };

    const NATURE: Nature = Nature::block_level([0, 0, 24]);

    type Config = ();

    fn configure(_: &dyn Settings) {}

    fn new(shape: &Shape, (): &()) -> Self {
        let geometry = &shape.geometry;
        let blocks = geometry.logical_blocks();
        Self {
            circle: Lists::new(blocks, 1),
            recent: BitSet::new(blocks, false),
            candidates: Lists::new(blocks, geometry.pages_per_block() + 1),
            used: BitTree::new(geometry.pages_per_block() + 1),
            held: vec![0; blocks as usize],
            headers: 0,
            leaving: Lbn::NONE,
        }
    }
}

impl BufferPolicy for LbClock {
    fn hit(&mut self, page: Page, _: Access) {
        self.renew(page.lbn);
    }

    fn enter(&mut self, page: Page, access: Access) {
        self.enter_run(page, 1, access);
    }

    fn left(&mut self, page: Page) {
        let lbn = page.lbn;
        if lbn == self.leaving {
            self.left_together(lbn, 1, core::iter::empty());
            return;
        }
        let candidate = !self.recent.contains(lbn.0);
        if candidate {
            self.remove_candidate(lbn);
        }
        self.held[lbn.index()] -= 1;
        if self.held[lbn.index()] == 0 {
            self.headers -= 1;
            self.circle.remove(lbn.0);
        } else if candidate {
            self.add_candidate(lbn);
        }
    }

    fn victim(&mut self) -> Victim {
        self.sweep();
        let most = self.used.last().expect("the hand stops at a candidate");
        let first = self.candidates.front(most);
        let lbn = Lbn(first.expect("a used list is not empty"));
        self.remove_candidate(lbn);
        self.circle.remove(lbn.0);
        self.leaving = lbn;
        Victim::Block(lbn)
    }

    fn hit_run(&mut self, first: Page, _: u32, access: Access) {
        self.hit(first, access);
    }

    fn enter_run(&mut self, first: Page, count: u32, _: Access) {
        let lbn = first.lbn;
        if self.held[lbn.index()] == 0 {
            self.headers += 1;
            self.circle.push_back(0, lbn.0);
            self.recent.insert(lbn.0);
        } else {
            self.renew(lbn);
        }
        self.held[lbn.index()] += count;
    }

    fn left_together(&mut self, lbn: Lbn, count: u32, _: impl Iterator<Item = Page>) {
        self.held[lbn.index()] -= count;
        if self.held[lbn.index()] == 0 {
            self.headers -= 1;
            self.leaving = Lbn::NONE;
        }
    }

    fn headers(&self) -> u32 {
        self.headers
    }

    fn needs_header(&self, lbn: Lbn) -> bool {
        self.held[lbn.index()] == 0
    }
}
