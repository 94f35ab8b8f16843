//! How numbers of any size are spread, by powers of two.

use std::collections::BTreeMap;

use serde::Serialize;

/// How numbers are spread.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpreadReport {
    /// How many there are.
    pub count: u64,
    /// The smallest.
    pub min: u64,
    /// The arithmetic mean.
    pub mean: f64,
    /// The smallest power of two above at least half of them.
    pub p50_below: u64,
    /// The smallest power of two above at least nine tenths of them.
    pub p90_below: u64,
    /// The largest.
    pub max: u64,
    /// How many are from a power of two (the key) to below the next one. The key 0 counts the zeros.
    pub histogram: BTreeMap<u64, u64>,
}

/// Counts numbers by powers of two. Memory is constant.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    /// By the number of bits of a number.
    bins: [u64; 65],
    sum: u128,
    min: u64,
    max: u64,
}

impl Default for Spread {
    fn default() -> Self {
        Self {
            bins: [0; 65],
            sum: 0,
            min: u64::MAX,
            max: 0,
        }
    }
}

impl Spread {
    pub fn add(&mut self, number: u64) {
        self.bins[(u64::BITS - number.leading_zeros()) as usize] += 1;
        self.sum += u128::from(number);
        self.min = self.min.min(number);
        self.max = self.max.max(number);
    }

    /// `None` without numbers.
    pub fn report(&self) -> Option<SpreadReport> {
        let count = self.bins.iter().sum::<u64>();
        let filled = self.bins.iter().enumerate().filter(|bin| *bin.1 > 0);
        let first = |bits: usize| if bits == 0 { 0 } else { 1 << (bits - 1) };
        (count > 0).then(|| SpreadReport {
            count,
            min: self.min,
            mean: self.sum as f64 / count as f64,
            p50_below: self.below(count, 50),
            p90_below: self.below(count, 90),
            max: self.max,
            histogram: filled.map(|(bits, &count)| (first(bits), count)).collect(),
        })
    }

    /// The smallest power of two above at least `percent` of the `count` numbers; the largest number, if it needs all bits.
    fn below(&self, count: u64, percent: u64) -> u64 {
        let wanted = (u128::from(count) * u128::from(percent)).div_ceil(100);
        let mut seen = 0;
        let enough = self.bins.iter().position(|&bin| {
            seen += u128::from(bin);
            seen >= wanted
        });
        1_u64
            .checked_shl(enough.unwrap_or(64) as u32)
            .unwrap_or(u64::MAX)
    }
}
