//! Doubly linked lists over dense indices.

use alloc::vec::Vec;

#[derive(Clone, Copy, Debug)]
struct Link {
    prev: u32,
    next: u32,
}

/// Several circular lists that share one pool of items 0..n. An item is in at most one list, and the caller knows
/// which. Nothing is allocated after construction.
#[derive(Clone, Debug)]
pub struct Lists {
    /// The items, then one sentinel for each list.
    links: Vec<Link>,
    items: u32,
}

impl Lists {
    /// Empty lists over `items` items.
    pub fn new(items: u32, lists: u32) -> Self {
        let unlinked = (0..items).map(|item| Link {
            prev: item,
            next: item,
        });
        let heads = (items..items + lists).map(|head| Link {
            prev: head,
            next: head,
        });
        Self {
            links: unlinked.chain(heads).collect(),
            items,
        }
    }

    /// The first item of a list.
    #[inline]
    pub fn front(&self, list: u32) -> Option<u32> {
        Some(self.links[(self.items + list) as usize].next).filter(|&i| i < self.items)
    }

    /// The last item of a list.
    #[inline]
    pub fn back(&self, list: u32) -> Option<u32> {
        Some(self.links[(self.items + list) as usize].prev).filter(|&i| i < self.items)
    }

    /// The item before this one in its list.
    #[inline]
    pub fn before(&self, item: u32) -> Option<u32> {
        Some(self.links[item as usize].prev).filter(|&i| i < self.items)
    }

    /// The item after this one in its list.
    #[inline]
    pub fn after(&self, item: u32) -> Option<u32> {
        Some(self.links[item as usize].next).filter(|&i| i < self.items)
    }

    /// Inserts an item that is in no list at the front.
    #[inline]
    pub fn push_front(&mut self, list: u32, item: u32) {
        self.link_after(self.items + list, item);
    }

    /// Inserts an item that is in no list at the back.
    #[inline]
    pub fn push_back(&mut self, list: u32, item: u32) {
        self.link_after(self.links[(self.items + list) as usize].prev, item);
    }

    /// Inserts an item that is in no list right after another one.
    #[inline]
    pub fn insert_after(&mut self, other: u32, item: u32) {
        self.link_after(other, item);
    }

    /// Moves an item to the front of a list.
    #[inline]
    pub fn move_to_front(&mut self, list: u32, item: u32) {
        if self.links[(self.items + list) as usize].next != item {
            self.remove(item);
            self.push_front(list, item);
        }
    }

    /// Removes an item from its list.
    #[inline]
    pub fn remove(&mut self, item: u32) {
        let Link { prev, next } = self.links[item as usize];
        self.links[prev as usize].next = next;
        self.links[next as usize].prev = prev;
    }

    #[inline]
    fn link_after(&mut self, prev: u32, item: u32) {
        let next = self.links[prev as usize].next;
        self.links[item as usize] = Link { prev, next };
        self.links[prev as usize].next = item;
        self.links[next as usize].prev = item;
    }
}
