//! The slots of a buffer, and when each becomes free.

use std::collections::VecDeque;

/// The free slots of a buffer.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    /// Slots that are free already.
    now: u64,
    /// The times at which the others become free, in ascending order, and how many do. They are given back nearly in this
    /// order.
    later: VecDeque<(u64, u64)>,
}

impl Slots {
    pub fn new(slots: u64) -> Self {
        Self {
            now: slots,
            later: VecDeque::new(),
        }
    }

    /// Takes the slot that becomes free first, and returns that time, or 0 if it is past. `None` if all are taken.
    #[inline]
    pub fn take(&mut self) -> Option<u64> {
        if self.now > 0 {
            self.now -= 1;
            return Some(0);
        }
        match self.later.front_mut() {
            Some((free, slots)) if *slots > 1 => {
                *slots -= 1;
                Some(*free)
            }
            _ => self.later.pop_front().map(|(free, _)| free),
        }
    }

    /// Gives back a slot that becomes free at `free`; nothing happens before `now`.
    #[inline]
    pub fn give(&mut self, free: u64, now: u64) {
        if free <= now {
            self.now += 1;
        } else if self.later.back().is_none_or(|&(last, _)| last <= free) {
            self.later.push_back((free, 1));
        } else {
            self.give_all(free, 1, now);
        }
    }

    /// Gives back slots that become free at the same time.
    #[inline(never)]
    pub fn give_all(&mut self, free: u64, slots: u64, now: u64) {
        if free <= now || slots == 0 {
            self.now += slots;
            return;
        }
        let place = self.later.partition_point(|&(other, _)| other < free);
        match self.later.get_mut(place) {
            Some((other, more)) if *other == free => *more += slots,
            _ => self.later.insert(place, (free, slots)),
        }
    }
}
