//! Sequential writes: from the first unit to the last, then again from the first.

use super::access::{Access, Workload};
use super::random::Random;

/// Writes of one unit, one unit after the other.
#[derive(Clone, Debug)]
pub struct Sequential {
    units: u64,
    next: u64,
}

impl Sequential {
    /// `units` is at least 1.
    pub fn new(units: u64) -> Self {
        Self { units, next: 0 }
    }
}

impl Workload for Sequential {
    fn next(&mut self, _: &mut Random) -> Access {
        let first = self.next;
        self.next = (first + 1) % self.units;
        Access::write(first, 1)
    }
}
