//! The slots of a buffer: each is free from some time on.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The free slots of a buffer.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    /// Slots that were never taken; they are free from the start.
    fresh: u64,
    /// The times from which on the others are free, the earliest on top.
    free: BinaryHeap<Reverse<u64>>,
}

impl Slots {
    pub fn new(slots: u64) -> Self {
        Self {
            fresh: slots,
            free: BinaryHeap::new(),
        }
    }

    /// Takes the slot that is free earliest, and returns that time. There must be one.
    pub fn take(&mut self) -> u64 {
        if self.fresh > 0 {
            self.fresh -= 1;
            return 0;
        }
        let Reverse(free) = self
            .free
            .pop()
            .expect("a page has left for each that enters");
        free
    }

    /// Gives a slot back that is free from then on.
    pub fn give(&mut self, free: u64) {
        self.free.push(Reverse(free));
    }
}
