//! Locality y/x in the notation of the DEB paper: x % of the accesses go to y % of the data (section 4.2).

use super::access::{Access, Workload};
use super::random::Random;
use super::spread::Spread;

/// Writes of one unit: a write is hot with a fixed probability and uniform among the hot or the cold units.
#[derive(Clone, Debug)]
pub struct Locality {
    /// The units, those of the hot part, those of the hot part in it, and so on.
    parts: Vec<u64>,
    data: f64,
    accesses: f64,
    spread: Spread,
}

impl Locality {
    /// A share of the accesses goes to a share of the data, both between 0 and 1. There are at least two units, one of
    /// them hot and one cold.
    pub fn new(units: u64, data: f64, accesses: f64, spread: Spread) -> Self {
        let mut new = Self {
            parts: vec![units],
            data,
            accesses,
            spread,
        };
        new.divide();
        new
    }

    /// The hot part is divided in the same way, and its hot part again: `levels` times in all, at least 1. `None` if a hot
    /// part has a single unit before.
    pub fn nested(mut self, levels: u32) -> Option<Self> {
        for _ in 1..levels {
            if *self.parts.last()? < 2 {
                return None;
            }
            self.divide();
        }
        Some(self)
    }

    /// Divides the innermost part, which has at least two units.
    fn divide(&mut self) {
        let levels = self.parts.len() as u32;
        let (units, inner) = (self.parts[0], self.parts[levels as usize - 1]);
        let hot = units as f64 * (0..levels).fold(1.0, |share, _| share * self.data);
        self.parts.push((hot.round() as u64).clamp(1, inner - 1));
    }
}

impl Workload for Locality {
    fn next(&mut self, random: &mut Random) -> Access {
        let mut parts = self.parts.windows(2);
        // the part around the one that is not entered
        let around = parts.find(|_| !random.chance(self.accesses));
        let rank = match around {
            Some(around) => around[1] + random.below(around[0] - around[1]),
            None => random.below(self.parts[self.parts.len() - 1]),
        };
        Access::write(self.spread.unit(rank), 1)
    }
}
