//! Locality y/x, as the DEB paper writes it: x % of the accesses go to y % of the data (section 4.2).

use super::{Access, Random, Spread, Workload};

/// Writes of one unit: hot ones with some probability, uniform inside hot and cold.
#[derive(Clone, Debug)]
pub struct Locality {
    units: u64,
    hot: u64,
    accesses: f64,
    spread: Spread,
    /// Units that are still written once, in order, before the updates begin.
    filled: u64,
}

impl Locality {
    /// Over at least two units: a share of the accesses goes to a share of the data, both between 0 and 1; at least one
    /// unit is hot, and one cold.
    pub fn new(units: u64, data: f64, accesses: f64, spread: Spread) -> Self {
        Self {
            units,
            hot: ((units as f64 * data).round() as u64).clamp(1, units - 1),
            accesses,
            spread,
            filled: units,
        }
    }

    /// Writes all units once, in order, before the updates: the program of the DEB paper.
    pub fn with_fill(self) -> Self {
        Self { filled: 0, ..self }
    }
}

impl Workload for Locality {
    fn next(&mut self, random: &mut Random) -> Access {
        if self.filled < self.units {
            self.filled += 1;
            return Access::write(self.filled - 1, 1);
        }
        let rank = match random.chance(self.accesses) {
            true => random.below(self.hot),
            false => self.hot + random.below(self.units - self.hot),
        };
        Access::write(self.spread.unit(rank), 1)
    }
}
