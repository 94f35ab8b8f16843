//! The mapping from popularity ranks to units.

use super::random::mix;

/// Rounds of the network; enough to send neighbours anywhere.
const ROUNDS: u64 = 4;

/// Maps the ranks 0..n, the most popular first, to the units 0..n.
#[derive(Clone, Debug)]
pub enum Spread {
    /// Rank r is unit r: popular units are neighbours.
    InOrder,
    /// A seeded permutation of n units without a table: a Feistel network over the next power of 4, applied until the
    /// result is in the range.
    Shuffled {
        /// n.
        units: u64,
        /// Bits of one half of an input.
        half: u32,
        /// The seed of the permutation.
        seed: u64,
    },
}

impl Spread {
    /// A permutation of `units` units, at least 1.
    pub fn shuffled(units: u64, seed: u64) -> Self {
        let bits = u64::BITS - (units - 1).leading_zeros();
        Self::Shuffled {
            units,
            half: bits.div_ceil(2).max(1),
            seed,
        }
    }

    /// The unit of a rank.
    pub fn unit(&self, rank: u64) -> u64 {
        let Self::Shuffled { units, half, seed } = *self else {
            return rank;
        };
        let mut at = rank;
        loop {
            at = permuted(at, half, seed);
            if at < units {
                return at;
            }
        }
    }
}

/// A one-to-one function on 2 · half bits.
fn permuted(at: u64, half: u32, seed: u64) -> u64 {
    let mask = (1 << half) - 1;
    let (mut left, mut right) = (at >> half, at & mask);
    for round in 0..ROUNDS {
        let key = seed.wrapping_add(round << 56).wrapping_add(right);
        (left, right) = (right, left ^ mix(mix(key) ^ round) & mask);
    }
    left << half | right
}
