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

    /// Takes the slot that becomes free first, and returns that time, or 0 if it is past. There must be one.
    #[inline]
    pub fn take(&mut self) -> u64 {
        if self.now > 0 {
            self.now -= 1;
            return 0;
        }
        let first = self.later.front_mut();
        let (free, slots) = first.expect("a page has left for each that enters");
        let free = *free;
        *slots -= 1;
        if *slots == 0 {
            self.later.pop_front();
        }
        free
    }

    /// Gives back slots that become free at `free`; nothing happens before `now`.
    #[inline]
    pub fn give(&mut self, free: u64, slots: u64, now: u64) {
        if free <= now || slots == 0 {
            self.now += slots;
            return;
        }
        match self.later.back_mut() {
            Some((last, more)) if *last == free => *more += slots,
            Some((last, _)) if *last > free => self.give_between(free, slots),
            _ => self.later.push_back((free, slots)),
        }
    }

    #[inline(never)]
    fn give_between(&mut self, free: u64, slots: u64) {
        let place = self.later.partition_point(|&(other, _)| other < free);
        match self.later.get_mut(place) {
            Some((other, more)) if *other == free => *more += slots,
            _ => self.later.insert(place, (free, slots)),
        }
    }
}
