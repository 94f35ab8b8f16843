//! The item with the smallest of many keys.

use alloc::vec;
use alloc::vec::Vec;
use core::hint::black_box;

/// Children of a node. With many children, a key that decreases is seldom the smallest of its node, so the node above
/// rarely changes.
const WIDTH: usize = 8;

/// One key for each of the items 0..n; the item with the smallest key is always known. A change takes at most log n
/// steps, and usually one where keys decrease a little. Nothing is allocated after construction.
#[derive(Clone, Debug)]
pub struct MinTree {
    /// The root is first, the items are last. Each inner node holds the smallest key of its children.
    keys: Vec<u64>,
    items: u32,
    /// The index of the first item.
    leaves: usize,
}

impl MinTree {
    /// The key of an absent item.
    pub const ABSENT: u64 = u64::MAX;

    /// A tree over the items 0..n; all are absent.
    pub fn new(n: u32) -> Self {
        let leaves = (n as usize).saturating_sub(1).div_ceil(WIDTH - 1);
        Self {
            keys: vec![Self::ABSENT; leaves * WIDTH + 1],
            items: n,
            leaves,
        }
    }

    /// The number of items, n.
    pub fn items(&self) -> u32 {
        self.items
    }

    /// The key of an item.
    #[inline]
    pub fn get(&self, item: u32) -> u64 {
        self.keys[self.leaves + item as usize]
    }

    /// Changes the key of an item.
    #[inline]
    pub fn set(&mut self, item: u32, key: u64) {
        let at = self.leaves + item as usize;
        let before = core::mem::replace(&mut self.keys[at], key);
        if key < before {
            self.fell(at, key);
        } else {
            self.rose(at);
        }
    }

    /// Prefetches the memory that a change of this key touches first. Changes nothing.
    #[inline]
    pub fn foresee(&self, item: u32) {
        let at = self.leaves + item as usize;
        black_box(self.keys[at] ^ self.keys[at.saturating_sub(1) / WIDTH]);
    }

    #[inline]
    fn fell(&mut self, mut at: usize, key: u64) {
        while at > 0 {
            at = (at - 1) / WIDTH;
            if self.keys[at] <= key {
                return;
            }
            self.keys[at] = key;
        }
    }

    fn rose(&mut self, mut at: usize) {
        while at > 0 {
            at = (at - 1) / WIDTH;
            let smallest = self
                .children(at)
                .iter()
                .copied()
                .fold(Self::ABSENT, u64::min);
            if core::mem::replace(&mut self.keys[at], smallest) == smallest {
                return;
            }
        }
    }

    /// The item with the smallest key (any of them among equals), or none if all items are absent.
    pub fn first(&self) -> Option<u32> {
        let smallest = self.keys[0];
        let mut at = 0;
        while at < self.leaves {
            // a selection without a branch, which would be hard to predict
            let pick = |child, (i, &key)| if key == smallest { i } else { child };
            let child = self.children(at).iter().enumerate().fold(0, pick);
            at = at * WIDTH + 1 + child;
        }
        (smallest != Self::ABSENT).then(|| (at - self.leaves) as u32)
    }

    fn children(&self, at: usize) -> &[u64; WIDTH] {
        let children = self.keys[at * WIDTH + 1..].first_chunk();
        children.expect("every inner node has WIDTH children")
    }
}
