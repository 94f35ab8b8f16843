//! Zipf writes: the probability of the unit of rank k is exactly proportional to 1 / k^θ.

use super::access::{Access, Workload};
use super::random::Random;
use super::reshuffle::Reshuffle;
use super::spread::Spread;

/// Writes of one unit, drawn by rejection inversion (Hörmann and Derflinger 1996), without a table.
#[derive(Clone, Debug)]
pub struct Zipf {
    /// The number of ranks.
    ranks: f64,
    /// The units that stand for them.
    units: u64,
    theta: f64,
    /// The integral of the hat function at its two ends.
    low: f64,
    high: f64,
    /// The distances from the inverse below which a rank is accepted without a test.
    sure: f64,
    reshuffle: Option<Reshuffle>,
    spread: Spread,
}

impl Zipf {
    /// `units` is at least 1; θ is at least 0 (uniform), often 0.8 to 1.2.
    pub fn new(units: u64, theta: f64, spread: Spread) -> Self {
        Self::standing_for(units, units, theta, spread)
    }

    /// Units that stand for a larger space of `ranks` units: each gets the writes of its neighbours in rank that it stands
    /// for. So a small space has hot units as hot as the large one. `ranks` is at least `units`.
    pub fn standing_for(ranks: u64, units: u64, theta: f64, spread: Spread) -> Self {
        let mut zipf = Self {
            ranks: ranks as f64,
            units,
            theta,
            low: 0.0,
            high: 0.0,
            sure: 0.0,
            reshuffle: None,
            spread,
        };
        zipf.low = zipf.integral(1.5) - 1.0;
        zipf.high = zipf.integral(zipf.ranks + 0.5);
        zipf.sure = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.density(2.0));
        zipf
    }

    /// The hottest share of the units, 0 to 1 and at least one unit, change places after each `period` accesses, at least
    /// 1.
    pub fn reshuffled(mut self, share: f64, period: u64, seed: u64) -> Self {
        let hot = (self.units as f64 * share).round() as u64;
        self.reshuffle = Some(Reshuffle::new(hot.max(1), period, seed));
        self
    }

    /// A random rank from 1 to the number of ranks.
    fn rank(&self, random: &mut Random) -> u64 {
        loop {
            let area = self.high + random.fraction() * (self.low - self.high);
            let x = self.inverse(area);
            let rank = (x + 0.5).floor().clamp(1.0, self.ranks);
            if rank - x <= self.sure || area >= self.integral(rank + 0.5) - self.density(rank) {
                return rank as u64;
            }
        }
    }

    /// 1 / x^θ.
    fn density(&self, x: f64) -> f64 {
        libm::exp(-self.theta * libm::log(x))
    }

    /// The integral of the density from 1 on: (x^(1−θ) − 1) / (1 − θ), and log x for θ = 1.
    fn integral(&self, x: f64) -> f64 {
        let log = libm::log(x);
        let exponent = (1.0 - self.theta) * log;
        let ratio = if exponent.abs() > 1e-8 {
            libm::expm1(exponent) / exponent
        } else {
            1.0 + exponent / 2.0
        };
        ratio * log
    }

    /// The inverse of the integral.
    fn inverse(&self, area: f64) -> f64 {
        let scaled = (area * (1.0 - self.theta)).max(-1.0);
        let ratio = if scaled.abs() > 1e-8 {
            libm::log1p(scaled) / scaled
        } else {
            1.0 - scaled / 2.0
        };
        libm::exp(ratio * area)
    }
}

impl Workload for Zipf {
    fn next(&mut self, random: &mut Random) -> Access {
        let rank = u128::from(self.rank(random) - 1);
        // whole numbers: with as many units as ranks, each rank is a unit
        let unit = (rank * u128::from(self.units) / self.ranks as u128) as u64;
        let unit = match &mut self.reshuffle {
            Some(reshuffle) => reshuffle.rank(unit),
            None => unit,
        };
        Access::write(self.spread.unit(unit), 1)
    }
}
