//! Doubly linked lists over dense indices.

const FREE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Link {
    prev: u32,
    next: u32,
}

/// Several circular lists that share one pool of items 0..n; an item is in at most one of them. Nothing is allocated
/// after construction.
#[derive(Clone, Debug)]
pub struct Lists {
    /// The items, then one sentinel for each list.
    links: Vec<Link>,
    items: u32,
}

impl Lists {
    /// Empty lists over `items` items.
    pub fn new(items: u32, lists: u32) -> Self {
        let free = (0..items).map(|_| Link {
            prev: FREE,
            next: FREE,
        });
        let heads = (items..items + lists).map(|head| Link {
            prev: head,
            next: head,
        });
        Self {
            links: free.chain(heads).collect(),
            items,
        }
    }

    /// Is the item in a list?
    #[inline]
    pub fn contains(&self, item: u32) -> bool {
        self.links[item as usize].next != FREE
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

    /// Puts a free item first.
    #[inline]
    pub fn push_front(&mut self, list: u32, item: u32) {
        self.link_after(self.items + list, item);
    }

    /// Puts a free item last.
    #[inline]
    pub fn push_back(&mut self, list: u32, item: u32) {
        self.link_after(self.links[(self.items + list) as usize].prev, item);
    }

    /// Puts a free item right behind another one, in its list.
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

    /// Takes an item out of its list.
    #[inline]
    pub fn remove(&mut self, item: u32) {
        let Link { prev, next } = self.links[item as usize];
        debug_assert_ne!(next, FREE);
        self.links[prev as usize].next = next;
        self.links[next as usize].prev = prev;
        self.links[item as usize] = Link {
            prev: FREE,
            next: FREE,
        };
    }

    #[inline]
    fn link_after(&mut self, prev: u32, item: u32) {
        debug_assert!(!self.contains(item));
        let next = self.links[prev as usize].next;
        self.links[item as usize] = Link { prev, next };
        self.links[prev as usize].next = item;
        self.links[next as usize].prev = item;
    }
}
