//! Addresses with a beta distribution: a hump, a slope or two ends, by two numbers.

use super::access::{Access, Workload};
use super::random::Random;
use super::spread::Spread;

/// Writes of one unit at the place X of the space, from 0 to 1, where X has the density x^(α−1) · (1−x)^(β−1) / B(α, β).
#[derive(Clone, Debug)]
pub struct Beta {
    units: u64,
    alpha: f64,
    beta: f64,
    spread: Spread,
}

impl Beta {
    /// `units` is at least 1; α and β are above 0.
    pub fn new(units: u64, alpha: f64, beta: f64, spread: Spread) -> Self {
        Self {
            units,
            alpha,
            beta,
            spread,
        }
    }
}

impl Workload for Beta {
    fn next(&mut self, random: &mut Random) -> Access {
        // of two gamma variates, the share of one; by their logarithms, which small shapes do not round to 0
        let (one, other) = (log_gamma(self.alpha, random), log_gamma(self.beta, random));
        let place = 1.0 / (1.0 + libm::exp(other - one));
        let unit = (place * self.units as f64) as u64;
        Access::write(self.spread.unit(unit.min(self.units - 1)), 1)
    }
}

/// The logarithm of a gamma variate of scale 1 (Marsaglia and Tsang 2000); the shape is above 0.
fn log_gamma(shape: f64, random: &mut Random) -> f64 {
    if shape < 1.0 {
        return log_gamma(shape + 1.0, random) + log_positive(random) / shape;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / libm::sqrt(9.0 * d);
    loop {
        let x = normal(random);
        let root = 1.0 + c * x;
        if root <= 0.0 {
            continue;
        }
        let log_v = 3.0 * libm::log(root);
        if log_positive(random) < x * x / 2.0 + d * (1.0 - libm::exp(log_v) + log_v) {
            return libm::log(d) + log_v;
        }
    }
}

/// A standard normal variate (Marsaglia's polar method).
fn normal(random: &mut Random) -> f64 {
    loop {
        let (x, y) = (2.0 * random.fraction() - 1.0, 2.0 * random.fraction() - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * libm::sqrt(-2.0 * libm::log(square) / square);
        }
    }
}

/// The logarithm of a number that is uniform above 0, at most 1.
fn log_positive(random: &mut Random) -> f64 {
    libm::log(1.0 - random.fraction())
}
