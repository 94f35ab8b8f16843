//! The page cache of a host: the blocks used last.

use std::collections::{BTreeMap, HashMap};

/// A set of blocks of limited size; the one used least recently leaves it first.
#[derive(Clone, Debug, Default)]
pub(super) struct PageCache {
    /// Blocks at most.
    room: u64,
    /// Counts the uses.
    clock: u64,
    /// The last use of each block.
    used: HashMap<u64, u64>,
    /// The block of each last use.
    order: BTreeMap<u64, u64>,
}

impl PageCache {
    /// An empty cache of `room` blocks.
    pub fn new(room: u64) -> Self {
        Self {
            room,
            ..Self::default()
        }
    }

    /// Whether the block is there; this is no use.
    pub fn holds(&self, block: u64) -> bool {
        self.used.contains_key(&block)
    }

    /// Uses a block, which is there afterwards if the cache has room for one. Whether it was there before.
    pub fn touch(&mut self, block: u64) -> bool {
        let held = self.remove(block);
        self.clock += 1;
        self.used.insert(block, self.clock);
        self.order.insert(self.clock, block);
        if self.order.len() as u64 > self.room
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.used.remove(&oldest);
        }
        held
    }

    /// Removes a block. Whether it was there.
    pub fn remove(&mut self, block: u64) -> bool {
        let used = self.used.remove(&block);
        used.is_some_and(|used| self.order.remove(&used).is_some())
    }
}
