//! The slots of a buffer, and when each becomes free.

use std::collections::VecDeque;

/// The free slots of a buffer.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    /// Slots that are free already.
    now: u64,
    /// The times at which the others become free, in ascending order. They are given back nearly in this order.
    later: VecDeque<u64>,
}

impl Slots {
    pub fn new(slots: u64) -> Self {
        Self {
            now: slots,
            later: VecDeque::new(),
        }
    }

    /// Takes the slot that becomes free first, and returns that time, or 0 if it is past. There must be one.
    #[inline]
    pub fn take(&mut self) -> u64 {
        if self.now > 0 {
            self.now -= 1;
            return 0;
        }
        let free = self.later.pop_front();
        free.expect("a page has left for each that enters")
    }

    /// Gives back a slot that becomes free at `free`; nothing happens before `now`.
    #[inline]
    pub fn give(&mut self, free: u64, now: u64) {
        if free <= now {
            self.now += 1;
        } else if self.later.back().is_none_or(|&last| last <= free) {
            self.later.push_back(free);
        } else {
            self.give_between(free);
        }
    }

    #[inline(never)]
    fn give_between(&mut self, free: u64) {
        let place = self.later.partition_point(|&other| other <= free);
        self.later.insert(place, free);
    }
}
