//! Pairing heaps over dense indices.

use alloc::vec;
use alloc::vec::Vec;

#[derive(Clone, Copy, Debug, Default)]
struct Node<K> {
    key: K,
    /// The first child.
    child: u32,
    /// The previous sibling; for a first child, its parent.
    prev: u32,
    /// The next sibling; undefined for the first item of a heap.
    next: u32,
}

/// Pairing heaps (Fredman, Sedgewick, Sleator and Tarjan 1986) that share one pool of items 0..n. An item is in at most
/// one heap, and the caller knows which. A heap is identified by its first item, the one with the smallest key: each
/// method that changes a heap takes the first item and returns the new one. A removal takes amortised logarithmic time,
/// all else constant time. Nothing is allocated after construction.
#[derive(Clone, Debug)]
pub struct Pairing<K> {
    /// The items, then one node that means "no item".
    nodes: Vec<Node<K>>,
}

impl<K: Copy + Default + Ord> Pairing<K> {
    /// Heaps over `items` items; none is in a heap yet.
    pub fn new(items: u32) -> Self {
        let unlinked = Node {
            key: K::default(),
            child: items,
            prev: items,
            next: items,
        };
        Self {
            nodes: vec![unlinked; items as usize + 1],
        }
    }

    /// The value that stands for the first item of an empty heap.
    #[inline]
    pub fn none(&self) -> u32 {
        self.nodes.len() as u32 - 1
    }

    /// The key of an item; if it is in no heap, its last key.
    #[inline]
    pub fn key(&self, item: u32) -> K {
        self.nodes[item as usize].key
    }

    /// Adds an item that is in no heap.
    #[inline]
    pub fn insert(&mut self, first: u32, item: u32, key: K) -> u32 {
        let none = self.none();
        self.nodes[item as usize] = Node {
            key,
            child: none,
            prev: none,
            next: none,
        };
        self.meld(first, item)
    }

    /// Replaces the key of an item of the heap by one that is not larger.
    #[inline]
    pub fn lower(&mut self, first: u32, item: u32, key: K) -> u32 {
        self.nodes[item as usize].key = key;
        if first == item {
            return first;
        }
        self.cut(item);
        self.meld(first, item)
    }

    /// Removes an item from the heap.
    #[inline]
    pub fn remove(&mut self, first: u32, item: u32) -> u32 {
        let below = self.nodes[item as usize].child;
        if first == item {
            return self.merge(below);
        }
        self.cut(item);
        if below == self.none() {
            return first;
        }
        let below = self.merge(below);
        self.meld(first, below)
    }

    /// All items of a heap, in no particular order.
    pub fn items(&self, first: u32) -> impl Iterator<Item = u32> + Clone {
        let some = Some(first).filter(|&item| item != self.none());
        core::iter::successors(some, move |&item| self.following(first, item))
    }

    /// The next item in a walk over the heap: a child, a sibling, or a sibling of an ancestor.
    fn following(&self, first: u32, mut item: u32) -> Option<u32> {
        let none = self.none();
        let below = self.nodes[item as usize].child;
        if below != none {
            return Some(below);
        }
        while item != first {
            let Node { prev, next, .. } = self.nodes[item as usize];
            if next != none {
                return Some(next);
            }
            let mut before = prev;
            while self.nodes[before as usize].child != item {
                item = before;
                before = self.nodes[item as usize].prev;
            }
            item = before;
        }
        None
    }

    /// Makes the item with the larger key a child of the other one, and returns that one. Either may be none.
    #[inline]
    fn meld(&mut self, a: u32, b: u32) -> u32 {
        if a == self.none() || b == self.none() {
            return a.min(b);
        }
        let a_first = self.nodes[a as usize].key < self.nodes[b as usize].key;
        let (first, later) = if a_first { (a, b) } else { (b, a) };
        let next = core::mem::replace(&mut self.nodes[first as usize].child, later);
        self.nodes[next as usize].prev = later;
        let later = &mut self.nodes[later as usize];
        (later.prev, later.next) = (first, next);
        first
    }

    /// Detaches an item that is not the first of its heap, together with its descendants.
    #[inline]
    fn cut(&mut self, item: u32) {
        let Node { prev, next, .. } = self.nodes[item as usize];
        self.nodes[next as usize].prev = prev;
        let before = &mut self.nodes[prev as usize];
        if before.child == item {
            before.child = next;
        } else {
            before.next = next;
        }
    }

    /// Merges siblings into one heap: pairwise from first to last, then these pairs from last to first.
    fn merge(&mut self, mut sibling: u32) -> u32 {
        let none = self.none();
        let mut pairs = none;
        while sibling != none {
            let other = self.nodes[sibling as usize].next;
            let rest = self.nodes[other as usize].next;
            let pair = self.meld(sibling, other);
            self.nodes[pair as usize].next = core::mem::replace(&mut pairs, pair);
            sibling = rest;
        }
        let mut root = none;
        while pairs != none {
            let rest = core::mem::replace(&mut self.nodes[pairs as usize].next, none);
            root = self.meld(root, pairs);
            pairs = rest;
        }
        root
    }
}
