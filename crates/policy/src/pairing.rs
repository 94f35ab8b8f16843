//! Pairing heaps over dense indices.

#[derive(Clone, Copy, Debug, Default)]
struct Node<K> {
    key: K,
    /// The first of the items below this one.
    child: u32,
    /// The sibling before this one, or the item above the first of them.
    prev: u32,
    /// The sibling behind this one; of the first item of a heap, anything.
    next: u32,
}

/// Any number of pairing heaps (Fredman, Sedgewick, Sleator and Tarjan 1986) that share one pool of items 0..n; an item is
/// in at most one of them, and the caller knows which. A heap goes by its first item, the one with the smallest key: what
/// changes a heap takes that item and returns the new one. All steps are constant but a removal, which takes amortised
/// logarithmic ones. Nothing is allocated after construction.
#[derive(Clone, Debug)]
pub struct Pairing<K> {
    /// The items, then one that stands for none.
    nodes: Vec<Node<K>>,
}

impl<K: Copy + Default + Ord> Pairing<K> {
    /// Over `items` items, none of which is in a heap.
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

    /// The first item of an empty heap.
    #[inline]
    pub fn none(&self) -> u32 {
        self.nodes.len() as u32 - 1
    }

    /// The key of an item, the last one if it is in no heap any more.
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

    /// Gives an item of the heap a key that is not larger.
    #[inline]
    pub fn lower(&mut self, first: u32, item: u32, key: K) -> u32 {
        self.nodes[item as usize].key = key;
        if first == item {
            return first;
        }
        self.cut(item);
        self.meld(first, item)
    }

    /// Takes out an item of the heap.
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
        std::iter::successors(some, move |&item| self.following(first, item))
    }

    /// The item behind this one: below it, beside it, or beside one that it is below.
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
