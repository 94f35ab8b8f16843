//! Zipf as fio draws it (Gray et al. 1994): near a true Zipf, and spread by a hash that is not one-to-one.

use super::access::{Access, Workload};
use super::random::Random;
use super::spread::Spread;

/// Terms of the zeta sum at most.
const MOST_TERMS: u64 = 10_000_000;
/// Terms that are summed one by one.
const TERMS: u64 = 1000;

/// Writes of one unit.
#[derive(Clone, Debug)]
pub struct FioZipf {
    ranks: u64,
    units: u64,
    /// ζ of all ranks: the sum of 1 / i^θ.
    zeta: f64,
    /// 1 + 1 / 2^θ.
    two: f64,
    eta: f64,
    /// 1 / (1 − θ).
    alpha: f64,
    spread: Spread,
}

impl FioZipf {
    /// `ranks` is at least `units`, and that at least 1; θ is at least 0 and not 1. With fewer units than ranks, each unit
    /// stands for neighbours in rank.
    pub fn new(ranks: u64, units: u64, theta: f64, spread: Spread) -> Self {
        let zeta = zeta(ranks.min(MOST_TERMS), theta);
        let two = 1.0 + libm::pow(2.0, -theta);
        let eta = (1.0 - libm::pow(2.0 / ranks as f64, 1.0 - theta)) / (1.0 - two / zeta);
        let alpha = 1.0 / (1.0 - theta);
        Self {
            ranks,
            units,
            zeta,
            two,
            eta,
            alpha,
            spread,
        }
    }

    /// A random rank from 0.
    fn rank(&self, random: &mut Random) -> u64 {
        let u = random.fraction();
        let z = u * self.zeta;
        if z < 1.0 {
            return 0;
        }
        if z < self.two {
            return 1;
        }
        let x = libm::pow(self.eta * u - self.eta + 1.0, self.alpha);
        ((self.ranks as f64 * x) as u64).min(self.ranks - 1)
    }
}

/// The sum of 1 / i^θ for i from 1 to `n`, θ not 1; what is behind the first terms by the formula of Euler and Maclaurin.
fn zeta(n: u64, theta: f64) -> f64 {
    let term = |i: f64| libm::pow(i, -theta);
    let first = n.min(TERMS);
    let sum: f64 = (1..=first).map(|i| term(i as f64)).sum();
    if n == first {
        return sum;
    }
    let (from, to) = (first as f64, n as f64);
    let area = (to * term(to) - from * term(from)) / (1.0 - theta);
    let slope = theta * (term(from) / from - term(to) / to);
    sum + area + (term(to) - term(from)) / 2.0 + slope / 12.0
}

impl Workload for FioZipf {
    fn next(&mut self, random: &mut Random) -> Access {
        let rank = u128::from(self.rank(random));
        let unit = rank * u128::from(self.units) / u128::from(self.ranks);
        Access::write(self.spread.unit(unit as u64), 1)
    }
}
