//! The random log blocks (RW): which they are, in which order they are filled, and what they hold.

use ssdlab_flash::{Lpn, Pbn, Ppn};
use ssdlab_policy::Lists;

/// The random log blocks. All of them share one log, and one of them is being filled.
pub(super) struct RandomLog {
    pages_per_block: u32,
    /// Per log block, the block that it is while in use.
    blocks: Vec<Pbn>,
    /// Per log block and position, the page that was programmed there, whether it is still valid or not.
    holds: Vec<Lpn>,
    /// Those in use, the one filled first in front.
    filled: Lists,
    unused: Vec<u32>,
    /// The one being filled; if `next` is N, none is.
    current: u32,
    /// Pages programmed in it.
    next: u32,
}

impl RandomLog {
    /// So many log blocks, none in use.
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

    /// Log blocks that may be in use at the same time.
    pub fn limit(&self) -> usize {
        self.blocks.len()
    }

    /// Pages that the current log block still takes; 0 if there is none.
    #[inline]
    pub fn room(&self) -> u32 {
        self.pages_per_block - self.next
    }

    /// Where the next page goes, if there is room.
    #[inline]
    pub fn frontier(&self) -> Ppn {
        Ppn(self.blocks[self.current as usize].0 * self.pages_per_block + self.next)
    }

    /// Takes note of consecutive pages that were programmed at the frontier.
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

    /// Are all log blocks in use, so that one must be reclaimed?
    pub fn is_full(&self) -> bool {
        self.unused.is_empty()
    }

    /// Pages that the log takes before a log block must be reclaimed for the first time; 0 once all were in use.
    pub fn unfilled(&self) -> u32 {
        match self.is_full() {
            true => 0,
            false => self.unused.len() as u32 * self.pages_per_block + self.room(),
        }
    }

    /// Opens an erased block as the current log block, and says which it is.
    ///
    /// # Panics
    /// If all log blocks are in use.
    pub fn open(&mut self, block: Pbn) -> u32 {
        let index = self.unused.pop().expect("a log block was reclaimed");
        self.blocks[index as usize] = block;
        self.filled.push_back(0, index);
        self.current = index;
        self.next = 0;
        index
    }

    /// While mounting: the current log block is programmed up to `next`, with these readable pages.
    pub fn adopt(&mut self, next: u32, pages: impl Iterator<Item = (u32, Lpn)>) {
        for (position, lpn) in pages {
            let slot = self.slot(self.current, position);
            self.holds[slot] = lpn;
        }
        self.next = next;
    }

    /// A log block is no longer one.
    pub fn release(&mut self, index: u32) {
        self.filled.remove(index);
        self.unused.push(index);
    }

    /// Those in use, the one filled first in front.
    pub fn in_use(&self) -> impl Iterator<Item = u32> {
        std::iter::successors(self.filled.front(0), |&index| self.filled.after(index))
    }

    /// The block that a log block is.
    pub fn block(&self, index: u32) -> Pbn {
        self.blocks[index as usize]
    }

    /// Per position of a log block, as far as it was programmed, the page that it holds, valid or not; `Lpn::NONE` where
    /// there is nothing to read.
    pub fn pages(&self, index: u32) -> &[Lpn] {
        let end = match index == self.current {
            true => self.next,
            false => self.pages_per_block,
        };
        &self.holds[self.slot(index, 0)..self.slot(index, end)]
    }

    #[inline]
    fn slot(&self, index: u32, position: u32) -> usize {
        (index * self.pages_per_block + position) as usize
    }
}
