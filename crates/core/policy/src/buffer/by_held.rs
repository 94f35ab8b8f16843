//! Blocks sorted by the pages held, then by their last use, for the policies that weigh how full a block is.

use alloc::vec;
use alloc::vec::Vec;
use core::iter;

use ssdlab_flash::Lbn;

use super::{Shape, Victim};
use crate::{BitTree, Lists};

/// Blocks with at least one page held.
#[derive(Clone, Debug)]
pub(super) struct ByHeld {
    /// List n holds the blocks with n pages, most recently used first.
    lists: Lists,
    /// The lists that are not empty.
    sizes: BitTree,
    /// For each LBN, the number of pages held.
    held: Vec<u32>,
    /// For each LBN, `uses` at its last use.
    last_use: Vec<u64>,
    /// The pages that were accessed so far.
    uses: u64,
    headers: u32,
    /// The victim. It is in no list while its pages leave.
    leaving: Lbn,
}

impl ByHeld {
    /// An upper bound of its memory for each logical block, in bytes.
    pub(super) const BYTES: u64 = 24;

    pub(super) fn new(shape: &Shape) -> Self {
        let geometry = &shape.geometry;
        let blocks = geometry.logical_blocks();
        Self {
            lists: Lists::new(blocks, geometry.pages_per_block() + 1),
            sizes: BitTree::new(geometry.pages_per_block() + 1),
            held: vec![0; blocks as usize],
            last_use: vec![0; blocks as usize],
            uses: 0,
            headers: 0,
            leaving: Lbn::NONE,
        }
    }

    /// The number of pages held of a block.
    #[inline]
    pub(super) fn held(&self, lbn: Lbn) -> u32 {
        self.held[lbn.index()]
    }

    /// The number of pages that were accessed since the last use of a block.
    #[inline]
    pub(super) fn age(&self, lbn: Lbn) -> u64 {
        self.uses - self.last_use[lbn.index()]
    }

    /// The number of blocks with a page held.
    #[inline]
    pub(super) fn headers(&self) -> u32 {
        self.headers
    }

    /// The largest number of pages held of one block, if any is held.
    #[inline]
    pub(super) fn most(&self) -> Option<u32> {
        self.sizes.last()
    }

    /// The numbers of pages held of one block, each once, in ascending order.
    #[inline]
    pub(super) fn sizes(&self) -> impl Iterator<Item = u32> {
        core::iter::successors(self.sizes.first(), |&size| self.sizes.after(size))
    }

    /// The blocks as victims: the fullest ones first, of equals the least recently used.
    pub(super) fn outlook(&self, most: usize) -> Vec<Victim> {
        let sizes: Vec<u32> = self.sizes().collect();
        let blocks = sizes.into_iter().rev().flat_map(|size| {
            iter::successors(self.lists.back(size), |&lbn| self.lists.before(lbn))
        });
        blocks
            .take(most)
            .map(|lbn| Victim::Block(Lbn(lbn)))
            .collect()
    }

    /// The least recently used of the blocks with this many pages, of which there is one.
    #[inline]
    pub(super) fn oldest(&self, size: u32) -> Lbn {
        Lbn(self.lists.back(size).expect("a used list is not empty"))
    }

    /// The host accesses consecutive held pages of a block.
    #[inline]
    pub(super) fn hit(&mut self, lbn: Lbn, pages: u32) {
        self.unlink(lbn);
        self.promote(lbn, pages);
    }

    /// Consecutive pages of a block enter.
    #[inline]
    pub(super) fn enter(&mut self, lbn: Lbn, pages: u32) {
        if self.held[lbn.index()] == 0 {
            self.headers += 1;
        } else {
            self.unlink(lbn);
        }
        self.held[lbn.index()] += pages;
        self.promote(lbn, pages);
    }

    /// A page leaves.
    pub(super) fn left(&mut self, lbn: Lbn) {
        let stays = lbn != self.leaving;
        if stays {
            self.unlink(lbn);
        }
        self.left_together(lbn, 1);
        if stays && self.held[lbn.index()] > 0 {
            self.demote(lbn);
        }
    }

    /// Pages of the victim leave together.
    #[inline]
    pub(super) fn left_together(&mut self, lbn: Lbn, pages: u32) {
        let held = &mut self.held[lbn.index()];
        *held -= pages;
        if *held == 0 {
            self.headers -= 1;
            self.leaving = Lbn::NONE;
        }
    }

    /// The block becomes the victim.
    pub(super) fn begin_to_leave(&mut self, lbn: Lbn) {
        self.unlink(lbn);
        self.leaving = lbn;
    }

    fn unlink(&mut self, lbn: Lbn) {
        let held = self.held[lbn.index()];
        self.lists.remove(lbn.0);
        if self.lists.front(held).is_none() {
            self.sizes.remove(held);
        }
    }

    /// Moves a block that was just used to the head of the list for its number of pages.
    #[inline]
    fn promote(&mut self, lbn: Lbn, pages: u32) {
        let held = self.held[lbn.index()];
        self.uses += u64::from(pages);
        self.last_use[lbn.index()] = self.uses;
        self.lists.push_front(held, lbn.0);
        self.sizes.insert(held);
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
        self.sizes.insert(held);
    }
}
