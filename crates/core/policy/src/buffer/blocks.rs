//! Blocks in the order of their last use, for the block-level policies.

use alloc::vec;
use alloc::vec::Vec;
use core::iter;

use ssdlab_flash::Lbn;

use super::{Shape, Victim};
use crate::Lists;

/// One list of block headers. A block has a header while at least one of its pages is held.
#[derive(Clone, Debug)]
pub(super) struct BlockList {
    lists: Lists,
    /// For each LBN, the number of pages held.
    held: Vec<u32>,
    headers: u32,
}

impl BlockList {
    pub(super) fn new(shape: &Shape) -> Self {
        let blocks = shape.geometry.logical_blocks();
        Self {
            lists: Lists::new(blocks, 1),
            held: vec![0; blocks as usize],
            headers: 0,
        }
    }

    /// Pages enter the buffer. Returns true if their block got a new header.
    #[inline]
    pub(super) fn enter(&mut self, lbn: Lbn, pages: u32) -> bool {
        let held = &mut self.held[lbn.index()];
        let new = *held == 0;
        *held += pages;
        if new {
            self.headers += 1;
            self.lists.push_front(0, lbn.0);
        } else {
            self.lists.move_to_front(0, lbn.0);
        }
        new
    }

    #[inline]
    pub(super) fn move_to_front(&mut self, lbn: Lbn) {
        self.lists.move_to_front(0, lbn.0);
    }

    pub(super) fn move_to_back(&mut self, lbn: Lbn) {
        self.lists.remove(lbn.0);
        self.lists.push_back(0, lbn.0);
    }

    /// Pages leave the buffer. The header goes with the last page.
    #[inline]
    pub(super) fn left(&mut self, lbn: Lbn, pages: u32) {
        let held = &mut self.held[lbn.index()];
        *held -= pages;
        if *held == 0 {
            self.headers -= 1;
            self.lists.remove(lbn.0);
        }
    }

    /// The least recently used blocks as victims, in order.
    pub(super) fn outlook(&self, most: usize) -> Vec<Victim> {
        let blocks = iter::successors(self.lists.back(0), |&lbn| self.lists.before(lbn));
        blocks
            .take(most)
            .map(|lbn| Victim::Block(Lbn(lbn)))
            .collect()
    }

    #[inline]
    pub(super) fn back(&self) -> Lbn {
        Lbn(self
            .lists
            .back(0)
            .expect("called only while a page is held"))
    }

    #[inline]
    pub(super) fn headers(&self) -> u32 {
        self.headers
    }

    #[inline]
    pub(super) fn contains(&self, lbn: Lbn) -> bool {
        self.held[lbn.index()] > 0
    }
}
