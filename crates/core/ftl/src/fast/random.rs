//! The random log blocks (RW): their blocks, the order in which they were filled, and their pages.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Lpn, Pbn, Ppn};
use ssdlab_policy::Lists;

/// The random log blocks form one log; one of them is the current one, which is being filled.
pub(super) struct RandomLog {
    pages_per_block: u32,
    /// For each log block in use, its erase block.
    blocks: Vec<Pbn>,
    /// For each log block and position, the page that was programmed there, valid or not.
    holds: Vec<Lpn>,
    /// The log blocks in use, in the order in which they were filled.
    filled: Lists,
    unused: Vec<u32>,
    /// The current log block; if `next` is N, there is none.
    current: u32,
    /// The number of pages programmed in it.
    next: u32,
}

impl RandomLog {
    /// A log of `blocks` log blocks; none is in use.
    pub fn new(blocks: u32, pages_per_block: u32) -> Self {
        Self {
            pages_per_block,
            blocks: vec![Pbn::NONE; blocks as usize],
            holds: vec![Lpn::NONE; (blocks * pages_per_block) as usize],
            filled: Lists::new(blocks, 1),
            unused: (0..blocks).rev().collect(),
            current: 0,
            next: pages_per_block,
        }
    }

    /// The most log blocks that may be in use at the same time.
    pub fn limit(&self) -> usize {
        self.blocks.len()
    }

    /// The room of the current log block in pages; 0 if there is none.
    #[inline]
    pub fn room(&self) -> u32 {
        self.pages_per_block - self.next
    }

    /// The place of the next page, if there is room.
    #[inline]
    pub fn frontier(&self) -> Ppn {
        Ppn(self.blocks[self.current as usize].0 * self.pages_per_block + self.next)
    }

    /// Records consecutive pages that were programmed at the frontier.
    #[inline]
    pub fn append(&mut self, first: Lpn, count: u32) {
        let slot = self.slot(self.current, self.next);
        for (holds, lpn) in self.holds[slot..][..count as usize]
            .iter_mut()
            .zip(first.0..)
        {
            *holds = Lpn(lpn);
        }
        self.next += count;
    }

    /// Whether all log blocks are in use, so that one must be reclaimed.
    pub fn is_full(&self) -> bool {
        self.unused.is_empty()
    }

    /// The room of the log, in pages, before the first reclaim; 0 once all log blocks were in use.
    pub fn unfilled(&self) -> u32 {
        if self.is_full() {
            0
        } else {
            self.unused.len() as u32 * self.pages_per_block + self.room()
        }
    }

    /// Makes an erased block the current log block, and returns its index.
    ///
    /// # Panics
    /// If all log blocks are in use.
    pub fn open(&mut self, block: Pbn) -> u32 {
        let index = self.unused.pop().expect("a log block is unused");
        self.blocks[index as usize] = block;
        self.filled.push_back(0, index);
        self.current = index;
        self.next = 0;
        index
    }

    /// For mounting: sets the pages of the current log block, which is programmed up to `next`.
    pub fn adopt(&mut self, next: u32, pages: impl Iterator<Item = (u32, Lpn)>) {
        for (position, lpn) in pages {
            let slot = self.slot(self.current, position);
            self.holds[slot] = lpn;
        }
        self.next = next;
    }

    /// Releases a log block.
    #[inline]
    pub fn release(&mut self, index: u32) {
        self.filled.remove(index);
        self.unused.push(index);
    }

    /// The log blocks in use, in the order in which they were filled.
    pub fn in_use(&self) -> impl Iterator<Item = u32> {
        core::iter::successors(self.filled.front(0), |&index| self.filled.after(index))
    }

    /// The erase block of a log block.
    pub fn block(&self, index: u32) -> Pbn {
        self.blocks[index as usize]
    }

    /// For each programmed position of a log block, its page, valid or not; `Lpn::NONE` if the position is not
    /// readable.
    #[inline]
    pub fn pages(&self, index: u32) -> &[Lpn] {
        let end = if index == self.current {
            self.next
        } else {
            self.pages_per_block
        };
        &self.holds[self.slot(index, 0)..self.slot(index, end)]
    }

    #[inline]
    fn slot(&self, index: u32, position: u32) -> usize {
        (index * self.pages_per_block + position) as usize
    }
}
