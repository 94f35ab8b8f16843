//! Uniform: every unit alike.

use super::{Access, Random, Workload};

/// Writes of one unit, each anywhere.
#[derive(Clone, Debug)]
pub struct Uniform {
    units: u64,
}

impl Uniform {
    /// Over at least one unit.
    pub fn new(units: u64) -> Self {
        Self { units }
    }
}

impl Workload for Uniform {
    fn next(&mut self, random: &mut Random) -> Access {
        Access::write(random.below(self.units), 1)
    }
}
