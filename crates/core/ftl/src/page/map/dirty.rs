//! The entries of a cache that are newer than flash, by map page: a program of the page cleans them all at once.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_policy::{BitSet, Lists};

/// The dirty entries.
pub(super) struct Dirty {
    is: BitSet,
    /// A list for each map page.
    of: Lists,
    len_of: Vec<u32>,
}

impl Dirty {
    /// No item of so many is dirty.
    pub fn new(items: u32, map_pages: u32) -> Self {
        Self {
            is: BitSet::new(items, false),
            of: Lists::new(items, map_pages),
            len_of: vec![0; map_pages as usize],
        }
    }

    #[inline]
    pub fn contains(&self, item: u32) -> bool {
        self.is.contains(item)
    }

    /// The dirty entries of a map page.
    #[inline]
    pub fn len(&self, page: u32) -> u32 {
        self.len_of[page as usize]
    }

    /// An entry of a map page is dirty.
    #[inline]
    pub fn insert(&mut self, page: u32, item: u32) {
        if !self.is.contains(item) {
            self.is.insert(item);
            self.of.push_back(page, item);
            self.len_of[page as usize] += 1;
        }
    }

    /// It is as in flash. Returns whether it was dirty.
    #[inline]
    pub fn remove(&mut self, page: u32, item: u32) -> bool {
        let was = self.is.contains(item);
        if was {
            self.is.remove(item);
            self.of.remove(item);
            self.len_of[page as usize] -= 1;
        }
        was
    }

    /// All entries of a map page are as in flash.
    pub fn clear(&mut self, page: u32) {
        while let Some(item) = self.of.front(page) {
            self.is.remove(item);
            self.of.remove(item);
        }
        self.len_of[page as usize] = 0;
    }
}
