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

    /// Takes the slots that become free first, at most so many. Returns their number, and the time of the last one, or 0 if
    /// it is past.
    #[inline]
    pub fn take_some(&mut self, most: u64) -> (u64, u64) {
        let past = most.min(self.now);
        self.now -= past;
        let (mut left, mut last) = (most - past, 0);
        while left > 0
            && let Some((free, slots)) = self.later.front_mut()
        {
            let some = left.min(*slots);
            (left, last) = (left - some, *free);
            *slots -= some;
            if *slots == 0 {
                self.later.pop_front();
            }
        }
        (most - left, last)
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

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: the first time of several slots for the last one; more slots than there are; a slot that stays
    #[test]
    fn several_slots_are_as_one_after_the_other() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut slots = Slots::new(5);
        let mut taken = 0;
        for now in 0..3000 {
            let most = random.u64(..6);
            let mut single = slots.clone();
            let times: Vec<u64> = (0..most).map_while(|_| single.take()).collect();
            let last = times.last().copied().unwrap_or(0);
            assert_eq!(slots.take_some(most), (times.len() as u64, last));
            taken += times.len() as u64;
            let back = random.u64(..=taken);
            slots.give_all(now + random.u64(..9), back, now);
            taken -= back;
        }
        let all = slots.take_some(u64::MAX);
        assert_eq!(all.0 + taken, 5);
        assert_eq!(slots.take(), None);
    }
}
