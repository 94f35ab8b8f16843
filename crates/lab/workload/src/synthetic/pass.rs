//! Passes: random writes that take every unit once before they take any again, as fio writes unless `norandommap` is set.

use super::access::{Access, Workload};
use super::random::Random;

/// Writes of one unit: a unit drawn at random, or, if this pass has written it, the next one that it has not, in a ring.
/// Memory: one bit for each unit.
#[derive(Clone, Debug)]
pub struct Pass {
    units: u64,
    /// For each unit, whether this pass has yet to write it.
    left: Vec<u64>,
    count: u64,
}

impl Pass {
    /// The most units.
    pub const MOST_UNITS: u64 = 1 << 32;

    /// `units` is 1 to [`MOST_UNITS`](Self::MOST_UNITS).
    pub fn new(units: u64) -> Self {
        let left = vec![0; units.div_ceil(64) as usize];
        let count = 0;
        Self { units, left, count }
    }

    fn begin(&mut self) {
        self.left.fill(u64::MAX);
        if let (Some(last), rest @ 1..) = (self.left.last_mut(), self.units % 64) {
            *last = (1 << rest) - 1;
        }
        self.count = self.units;
    }

    /// The first unit from `unit` on that is left, in a ring; one is.
    fn next_left(&self, unit: u64) -> u64 {
        let mut word = (unit / 64) as usize;
        let mut bits = self.left[word] & (u64::MAX << (unit % 64));
        while bits == 0 {
            word = (word + 1) % self.left.len();
            bits = self.left[word];
        }
        64 * word as u64 + u64::from(bits.trailing_zeros())
    }
}

impl Workload for Pass {
    fn next(&mut self, random: &mut Random) -> Access {
        if self.count == 0 {
            self.begin();
        }
        let unit = self.next_left(random.below(self.units));
        self.left[(unit / 64) as usize] &= !(1 << (unit % 64));
        self.count -= 1;
        Access::write(unit, 1)
    }
}
