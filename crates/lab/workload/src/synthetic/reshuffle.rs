//! Popularity that moves: the hottest ranks change places from time to time.

use super::random::{Random, mix};
use super::spread::Spread;

/// Permutes the first ranks anew after every period. The first period leaves them in order.
#[derive(Clone, Debug)]
pub struct Reshuffle {
    ranks: u64,
    period: u64,
    seed: u64,
    /// Ranks still to be mapped in this period.
    left: u64,
    periods: u64,
    order: Spread,
}

impl Reshuffle {
    /// `ranks`, at least 1, change places after each `period` accesses, at least 1.
    pub fn new(ranks: u64, period: u64, seed: u64) -> Self {
        Self {
            ranks,
            period,
            seed,
            left: period,
            periods: 0,
            order: Spread::InOrder,
        }
    }

    /// What now stands at a rank, for the next access.
    pub fn rank(&mut self, rank: u64) -> u64 {
        if self.left == 0 {
            self.left = self.period;
            self.periods += 1;
            let seed = Random::new(mix(self.seed).wrapping_add(self.periods)).bits();
            self.order = Spread::shuffled(self.ranks, seed);
        }
        self.left -= 1;
        if rank < self.ranks {
            self.order.unit(rank)
        } else {
            rank
        }
    }
}
