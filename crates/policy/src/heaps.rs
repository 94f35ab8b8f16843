//! Priority queues over dense indices.

#[derive(Clone, Copy, Debug)]
struct Node {
    /// The rank, then the number of the push.
    key: u64,
    /// The first of the items below this one.
    child: u32,
    /// The sibling before this one, or the item above the first of them.
    prev: u32,
    /// The sibling behind this one.
    next: u32,
}

/// Bits of a key that number the pushes.
const PUSH_BITS: u32 = 44;

/// Several priority queues that share one pool of items 0..n; an item is in at most one of them, and the caller knows
/// which. The smallest rank comes first; among equals, the item pushed first. Nothing is allocated after construction.
///
/// Pairing heaps (Fredman, Sedgewick, Sleator and Tarjan 1986): all steps are constant but `pop`, which takes
/// amortised logarithmic ones.
#[derive(Clone, Debug)]
pub struct Heaps {
    /// The items, then one that stands for none.
    nodes: Vec<Node>,
    /// Per heap, its first item.
    roots: Vec<u32>,
    pushes: u64,
}

impl Heaps {
    /// Empty heaps over `items` items.
    pub fn new(items: u32, heaps: u32) -> Self {
        let unlinked = Node {
            key: 0,
            child: items,
            prev: items,
            next: items,
        };
        Self {
            nodes: vec![unlinked; items as usize + 1],
            roots: vec![items; heaps as usize],
            pushes: 0,
        }
    }

    /// The rank of an item that is in a heap.
    #[inline]
    pub fn rank(&self, item: u32) -> u32 {
        (self.nodes[item as usize].key >> PUSH_BITS) as u32
    }

    /// Adds an item that is in no heap. Its rank is below 2^20.
    #[inline]
    pub fn push(&mut self, heap: u32, item: u32, rank: u32) {
        let none = self.none();
        self.nodes[item as usize] = Node {
            key: u64::from(rank) << PUSH_BITS | self.pushes,
            child: none,
            prev: none,
            next: none,
        };
        self.pushes += 1;
        self.add(heap, item);
    }

    /// Lowers the rank of an item of this heap, by its rank at most.
    #[inline]
    pub fn lower(&mut self, heap: u32, item: u32, by: u32) {
        self.nodes[item as usize].key -= u64::from(by) << PUSH_BITS;
        if self.roots[heap as usize] != item {
            self.cut(item);
            self.add(heap, item);
        }
    }

    /// Takes out the first item.
    pub fn pop(&mut self, heap: u32) -> Option<u32> {
        let first = self.first(heap)?;
        let below = self.nodes[first as usize].child;
        self.roots[heap as usize] = self.merge(below);
        Some(first)
    }

    /// Takes out an item of this heap.
    pub fn remove(&mut self, heap: u32, item: u32) {
        if self.roots[heap as usize] == item {
            self.pop(heap);
        } else {
            self.cut(item);
            let below = self.nodes[item as usize].child;
            let below = self.merge(below);
            self.add(heap, below);
        }
    }

    /// The first item.
    #[inline]
    pub fn first(&self, heap: u32) -> Option<u32> {
        Some(self.roots[heap as usize]).filter(|&root| root != self.none())
    }

    /// Lists all items of a heap in the order in which they were pushed, in place of what the list holds.
    pub fn list(&self, heap: u32, items: &mut Vec<u32>) {
        items.clear();
        items.extend(self.first(heap));
        let mut seen = 0;
        while let Some(&item) = items.get(seen) {
            let Node { child, next, .. } = self.nodes[item as usize];
            items.extend([child, next].iter().filter(|&&i| i != self.none()));
            seen += 1;
        }
        items.sort_unstable_by_key(|&item| self.nodes[item as usize].key % (1 << PUSH_BITS));
    }

    /// Stands for no item; the last node, which has nothing behind it.
    #[inline]
    fn none(&self) -> u32 {
        self.nodes.len() as u32 - 1
    }

    #[inline]
    fn add(&mut self, heap: u32, item: u32) {
        let root = self.roots[heap as usize];
        self.roots[heap as usize] = self.meld(root, item);
    }

    /// Puts the later one of two items below the other, which is returned. Either may be none.
    #[inline]
    fn meld(&mut self, a: u32, b: u32) -> u32 {
        if a == self.none() || b == self.none() {
            return a.min(b);
        }
        let a_first = self.nodes[a as usize].key < self.nodes[b as usize].key;
        let (first, later) = if a_first { (a, b) } else { (b, a) };
        let next = std::mem::replace(&mut self.nodes[first as usize].child, later);
        self.nodes[next as usize].prev = later;
        let later = &mut self.nodes[later as usize];
        (later.prev, later.next) = (first, next);
        first
    }

    /// Takes an item that is not the first of its heap, and all below it, off the others.
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
        self.nodes[item as usize].next = self.none();
    }

    /// Makes one heap of siblings: of two and two from the first to the last, then of these pairs from the last on.
    fn merge(&mut self, mut sibling: u32) -> u32 {
        let none = self.none();
        let mut pairs = none;
        while sibling != none {
            let other = self.nodes[sibling as usize].next;
            let rest = self.nodes[other as usize].next;
            let pair = self.meld(sibling, other);
            self.nodes[pair as usize].next = std::mem::replace(&mut pairs, pair);
            sibling = rest;
        }
        let mut root = none;
        while pairs != none {
            let rest = std::mem::replace(&mut self.nodes[pairs as usize].next, none);
            root = self.meld(root, pairs);
            pairs = rest;
        }
        root
    }
}
