//! The distribution of request sizes.

use serde::Serialize;
use std::collections::BTreeMap;

/// Request sizes in bytes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeReport {
    /// The smallest.
    pub min: u64,
    /// The arithmetic mean.
    pub mean: f64,
    /// The median: the smallest size that at least half of the requests do not exceed.
    pub p50: u64,
    /// The smallest size that at least nine tenths of the requests do not exceed.
    pub p90: u64,
    /// The largest.
    pub max: u64,
    /// The number of requests with a size from a power of two (the key) to below the next one.
    pub histogram: BTreeMap<u64, u64>,
}

/// Counts requests by their exact size; memory grows with the number of different sizes.
#[derive(Debug, Default)]
pub(crate) struct Sizes {
    counts: BTreeMap<u64, u64>,
    total: u64,
    bytes: u64,
}

impl Sizes {
    /// Counts one request of a size above 0. `None`: the sum would exceed `u64`, so nothing was counted.
    pub fn add(&mut self, size: u64) -> Option<()> {
        self.bytes = self.bytes.checked_add(size)?;
        *self.counts.entry(size).or_default() += 1;
        self.total += 1;
        Some(())
    }

    /// The number of requests.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// The sum of the sizes.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// `None` if there were no requests.
    pub fn report(&self) -> Option<SizeReport> {
        let (&min, _) = self.counts.first_key_value()?;
        let (&max, _) = self.counts.last_key_value()?;
        let mut histogram = BTreeMap::new();
        for (size, count) in &self.counts {
            *histogram.entry(1 << size.ilog2()).or_default() += count;
        }
        Some(SizeReport {
            min,
            mean: self.bytes as f64 / self.total as f64,
            p50: self.percentile(50)?,
            p90: self.percentile(90)?,
            max,
            histogram,
        })
    }

    /// The largest size such that the requests of at least this size have half of the bytes or more; `None` without requests.
    pub fn half_of_bytes(&self) -> Option<u64> {
        let mut seen = 0;
        self.counts.iter().rev().find_map(|(&size, &count)| {
            seen += u128::from(size) * u128::from(count);
            (2 * seen >= u128::from(self.bytes)).then_some(size)
        })
    }

    /// Nearest rank: the smallest size that at least `percent` of the requests do not exceed.
    fn percentile(&self, percent: u64) -> Option<u64> {
        let rank = (u128::from(self.total) * u128::from(percent)).div_ceil(100);
        let mut seen = 0;
        self.counts.iter().find_map(|(&size, &count)| {
            seen += u128::from(count);
            (seen >= rank).then_some(size)
        })
    }
}
