//! Strided writes: every s-th unit from unit 0 on, then every s-th from unit 1 on, until all units were written.

use super::access::{Access, Workload};
use super::random::Random;

/// Writes of one unit, one stride apart.
#[derive(Clone, Debug)]
pub struct Strided {
    units: u64,
    stride: u64,
    next: u64,
}

impl Strided {
    /// `units` and `stride` are at least 1.
    pub fn new(units: u64, stride: u64) -> Self {
        let stride = stride.min(units);
        Self {
            units,
            stride,
            next: 0,
        }
    }
}

impl Workload for Strided {
    fn next(&mut self, _: &mut Random) -> Access {
        let first = self.next;
        self.next += self.stride;
        if self.next >= self.units {
            self.next = (first + 1) % self.stride;
        }
        Access::write(first, 1)
    }
}
