//! Pages in the order of their last use, for the page-level policies.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::Lpn;

use super::places::Places;
use super::{Shape, Victim};

#[derive(Clone, Copy, Debug)]
struct Node {
    newer: u32,
    older: u32,
    lpn: Lpn,
}

/// All nodes form one ring: the held pages from newest to oldest, then the vacant nodes back to the newest. Evicting
/// the oldest page and entering a new one only turns the ring. The nodes take memory by the size of the buffer, not of
/// the device, and stay in the CPU cache.
#[derive(Clone, Debug)]
pub(super) struct PageList {
    nodes: Vec<Node>,
    /// The node of each held page.
    node_of: Places,
    newest: u32,
    oldest: u32,
    held: u32,
}

impl PageList {
    pub(super) fn new(shape: &Shape) -> Self {
        Self::with_room(shape, shape.most_pages())
    }

    /// An upper bound of the memory, in bytes, of a list for at most `held` pages at once.
    pub(super) fn bytes(logical_pages: u64, held: u64) -> u64 {
        size_of::<Node>() as u64 * held + Places::bytes(logical_pages, held)
    }

    /// A list for at most `nodes` pages at once, at least 1.
    pub(super) fn with_room(shape: &Shape, nodes: u32) -> Self {
        let node = |i| Node {
            newer: (i + 1) % nodes,
            older: (i + nodes - 1) % nodes,
            lpn: Lpn::NONE,
        };
        Self {
            nodes: (0..nodes).map(node).collect(),
            node_of: Places::new(shape.geometry.logical_pages(), nodes),
            newest: 0,
            oldest: 0,
            held: 0,
        }
    }

    /// Prefetches the place of the node of a page.
    #[inline]
    pub(super) fn foresee(&self, lpn: Lpn) {
        self.node_of.foresee(lpn);
    }

    /// The oldest pages as victims, from the oldest one on.
    pub(super) fn outlook(&self, most: usize) -> Vec<Victim> {
        let mut pages = vec![Lpn(0); most.min(self.held as usize)];
        self.oldest(&mut pages);
        pages.into_iter().map(Victim::Page).collect()
    }

    /// Some of the oldest pages, from the oldest one on; returns their number.
    pub(super) fn oldest(&self, pages: &mut [Lpn]) -> usize {
        let mut at = self.oldest;
        let count = pages.len().min(self.held as usize);
        for page in &mut pages[..count] {
            let node = self.nodes[at as usize];
            (*page, at) = (node.lpn, node.newer);
        }
        count
    }

    #[inline]
    pub(super) fn push_front(&mut self, lpn: Lpn) {
        debug_assert!(
            (self.held as usize) < self.nodes.len(),
            "the buffer evicts a page before another one enters"
        );
        let vacant = self.nodes[self.newest as usize].newer;
        self.nodes[vacant as usize].lpn = lpn;
        self.node_of.insert(lpn, vacant);
        self.newest = vacant;
        if self.held == 0 {
            self.oldest = vacant;
        }
        self.held += 1;
    }

    /// Consecutive pages enter, one after the other.
    #[inline]
    pub(super) fn push_run(&mut self, first: Lpn, count: u32) {
        let Some(places) = self.node_of.dense_run(first, count) else {
            (0..count).for_each(|page| self.push_front(first.plus(page)));
            return;
        };
        if self.held == 0 {
            self.oldest = self.nodes[self.newest as usize].newer;
        }
        for (place, lpn) in places.iter_mut().zip(first.0..) {
            self.newest = self.nodes[self.newest as usize].newer;
            self.nodes[self.newest as usize].lpn = Lpn(lpn);
            *place = self.newest;
        }
        self.held += count;
        debug_assert!(
            self.held as usize <= self.nodes.len(),
            "the buffer evicts pages before others enter"
        );
    }

    #[inline]
    pub(super) fn move_to_front(&mut self, lpn: Lpn) {
        let node = self.node_of.get(lpn);
        if node == self.newest {
            return;
        }
        if node == self.oldest {
            self.oldest = self.nodes[node as usize].newer;
        }
        self.put_behind_newest(node);
        self.newest = node;
    }

    #[inline]
    pub(super) fn remove(&mut self, lpn: Lpn) {
        self.held -= 1;
        let oldest = self.nodes[self.oldest as usize];
        if oldest.lpn == lpn {
            self.oldest = oldest.newer;
            self.node_of.remove(lpn);
            return;
        }
        let node = self.node_of.get(lpn);
        self.node_of.remove(lpn);
        if node == self.newest {
            self.newest = self.nodes[node as usize].older;
        } else {
            self.put_behind_newest(node);
        }
    }

    /// Removes the oldest pages, at most `most` and at most as many as are held, as long as their addresses are
    /// consecutive. Returns the first page and the number of pages.
    #[inline]
    pub(super) fn pop_run(&mut self, most: u32) -> (Lpn, u32) {
        debug_assert!(0 < most && most <= self.held);
        let first = self.back();
        let mut count = 0;
        let mut oldest = self.oldest;
        while count < most && self.nodes[oldest as usize].lpn == first.plus(count) {
            oldest = self.nodes[oldest as usize].newer;
            count += 1;
        }
        self.node_of.remove_run(first, count);
        self.oldest = oldest;
        self.held -= count;
        (first, count)
    }

    /// The number of pages held.
    #[inline]
    pub(super) fn len(&self) -> u32 {
        self.held
    }

    /// The oldest page. At least one page must be held.
    #[inline]
    pub(super) fn back(&self) -> Lpn {
        debug_assert!(self.held > 0);
        self.nodes[self.oldest as usize].lpn
    }

    /// Moves a node to the closing point of the ring, on the newer side of the newest page.
    fn put_behind_newest(&mut self, node: u32) {
        let Node { newer, older, .. } = self.nodes[node as usize];
        self.nodes[newer as usize].older = older;
        self.nodes[older as usize].newer = newer;
        let (older, newer) = (self.newest, self.nodes[self.newest as usize].newer);
        self.nodes[older as usize].newer = node;
        self.nodes[newer as usize].older = node;
        let moved = &mut self.nodes[node as usize];
        (moved.newer, moved.older) = (newer, older);
    }
}
