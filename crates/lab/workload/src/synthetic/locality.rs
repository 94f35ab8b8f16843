//! Locality y/x in the notation of the DEB paper: x % of the accesses go to y % of the data (section 4.2).

use super::access::{Access, Workload};
use super::random::Random;
use super::spread::Spread;

/// Writes of one unit: a write is hot with a fixed probability and uniform among the hot or the cold units.
#[derive(Clone, Debug)]
pub struct Locality {
    units: u64,
    hot: u64,
    accesses: f64,
    spread: Spread,
    /// The units that the fill has not yet written, in order, before the updates begin.
    filled: u64,
}

impl Locality {
    /// A share of the accesses goes to a share of the data, both between 0 and 1. There are at least two units, one of
    /// them hot and one cold.
    pub fn new(units: u64, data: f64, accesses: f64, spread: Spread) -> Self {
        Self {
            units,
            hot: ((units as f64 * data).round() as u64).clamp(1, units - 1),
            accesses,
            spread,
            filled: units,
        }
    }

    /// First writes all units once, in order, as the program of the DEB paper does.
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
        let rank = if random.chance(self.accesses) {
            random.below(self.hot)
        } else {
            self.hot + random.below(self.units - self.hot)
        };
        Access::write(self.spread.unit(rank), 1)
    }
}
