//! The random number generator of all workloads.

/// SplitMix64 (Steele, Lea and Flood 2014): a counter with mixed values. It is small, fast and the same on every
/// machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Equal seeds give equal numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A random number from 0 to below `n`; `n` is at least 1.
    pub fn below(&mut self, n: u64) -> u64 {
        // the bias, n / 2^64, is too small to matter
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// A random number from `least` to `most`, both included.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }

    /// A random number from 0 to below 1.
    pub fn fraction(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.fraction() < probability
    }
}

/// A one-to-one function that mixes 64 bits.
pub(super) fn mix(bits: u64) -> u64 {
    let bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}
