//! Priority queues over dense indices.

use alloc::vec;
use alloc::vec::Vec;

use crate::Pairing;

/// Low bits of a key; they hold the number of the push.
const PUSH_BITS: u32 = 44;

/// Several priority queues that share one pool of items 0..n. An item is in at most one queue, and the caller knows
/// which. The smallest rank is first; among equal ranks, the item that was pushed first. Nothing is allocated after
/// construction.
#[derive(Clone, Debug)]
pub struct Heaps {
    /// For each item, its rank, then the number of its push.
    items: Pairing<u64>,
    /// For each heap, its first item.
    roots: Vec<u32>,
    pushes: u64,
}

impl Heaps {
    /// Empty heaps over `items` items.
    pub fn new(items: u32, heaps: u32) -> Self {
        let items = Pairing::new(items);
        Self {
            roots: vec![items.none(); heaps as usize],
            items,
            pushes: 0,
        }
    }

    /// The rank of an item that is in a heap.
    #[inline]
    pub fn rank(&self, item: u32) -> u32 {
        (self.items.key(item) >> PUSH_BITS) as u32
    }

    /// Adds an item that is in no heap. The rank must be below 2^20.
    #[inline]
    pub fn push(&mut self, heap: u32, item: u32, rank: u32) {
        let key = u64::from(rank) << PUSH_BITS | self.pushes;
        self.pushes += 1;
        let root = &mut self.roots[heap as usize];
        *root = self.items.insert(*root, item, key);
    }

    /// Lowers the rank of an item of this heap; `by` must not exceed the rank.
    #[inline]
    pub fn lower(&mut self, heap: u32, item: u32, by: u32) {
        let key = self.items.key(item) - (u64::from(by) << PUSH_BITS);
        let root = &mut self.roots[heap as usize];
        *root = self.items.lower(*root, item, key);
    }

    /// Removes and returns the first item.
    pub fn pop(&mut self, heap: u32) -> Option<u32> {
        let first = self.first(heap)?;
        self.remove(heap, first);
        Some(first)
    }

    /// Removes an item of this heap.
    pub fn remove(&mut self, heap: u32, item: u32) {
        let root = &mut self.roots[heap as usize];
        *root = self.items.remove(*root, item);
    }

    /// The first item.
    #[inline]
    pub fn first(&self, heap: u32) -> Option<u32> {
        Some(self.roots[heap as usize]).filter(|&root| root != self.items.none())
    }

    /// Replaces `items` by all items of a heap, in the order in which they were pushed.
    pub fn list(&self, heap: u32, items: &mut Vec<u32>) {
        items.clear();
        items.extend(self.items.items(self.roots[heap as usize]));
        items.sort_unstable_by_key(|&item| self.items.key(item) % (1 << PUSH_BITS));
    }
}
