//! The mapping from popularity ranks to units.

use super::random::mix;

/// Rounds of the network; enough to send neighbours anywhere.
const ROUNDS: u64 = 4;
/// What fio multiplies a rank by.
const FIO: u64 = 0x61c8_8646_80b5_83eb;

/// Maps the ranks 0..n, the most popular first, to the units 0..n.
#[derive(Clone, Debug)]
pub enum Spread {
    /// Rank r is unit r: popular units are neighbours.
    InOrder,
    /// A seeded permutation of n blocks without a table: a Feistel network over the next power of 4, applied until the
    /// result is in the range. Units behind the last whole block stay.
    Shuffled {
        /// n.
        blocks: u64,
        /// Units of a block.
        block: u64,
        /// Bits of one half of an input.
        half: u32,
        /// The seed of the permutation.
        seed: u64,
    },
    /// fio's hash, modulo the number of units: some units stand for several ranks, and some for none.
    Hashed {
        /// The number of units.
        units: u64,
    },
}

impl Spread {
    /// A permutation of `units` units, at least 1.
    pub fn shuffled(units: u64, seed: u64) -> Self {
        Self::in_blocks(units, 1, seed)
    }

    /// A permutation of blocks, at least one; `block`, at least 1, is the number of units of each.
    pub fn in_blocks(units: u64, block: u64, seed: u64) -> Self {
        let blocks = units / block;
        let bits = u64::BITS - (blocks - 1).leading_zeros();
        Self::Shuffled {
            blocks,
            block,
            half: bits.div_ceil(2).max(1),
            seed,
        }
    }

    /// The unit of a rank.
    pub fn unit(&self, rank: u64) -> u64 {
        match *self {
            Self::InOrder => rank,
            Self::Hashed { units } => rank.wrapping_mul(FIO) % units,
            Self::Shuffled {
                blocks,
                block,
                half,
                seed,
            } => {
                let mut at = rank / block;
                if at >= blocks {
                    return rank;
                }
                loop {
                    at = permuted(at, half, seed);
                    if at < blocks {
                        return at * block + rank % block;
                    }
                }
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
