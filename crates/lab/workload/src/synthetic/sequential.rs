//! Sequential writes: from the first unit to the last, then again from the first.

use super::access::{Access, Workload};
use super::random::Random;
use super::sizes::Sizes;

/// One write behind the other; the one at the end is shorter where the units end.
#[derive(Clone, Debug)]
pub struct Sequential {
    units: u64,
    next: u64,
    sizes: Sizes,
}

impl Sequential {
    /// Writes of one unit; `units` is at least 1.
    pub fn new(units: u64) -> Self {
        Self::with_sizes(units, Sizes::all(1))
    }

    /// `units` is at least 1.
    pub fn with_sizes(units: u64, sizes: Sizes) -> Self {
        Self {
            units,
            next: 0,
            sizes,
        }
    }

    /// Whether the next write is at the first unit.
    pub fn is_at_start(&self) -> bool {
        self.next == 0
    }
}

impl Workload for Sequential {
    fn next(&mut self, random: &mut Random) -> Access {
        let first = self.next;
        let count = self.sizes.draw(random).min(self.units - first);
        self.next = (first + count) % self.units;
        Access::write(first, count)
    }
}
