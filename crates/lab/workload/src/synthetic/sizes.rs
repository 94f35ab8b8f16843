//! Sizes of requests, in units, drawn from a mix.

use super::access::{Access, Workload};
use super::random::Random;

/// Sizes with their shares.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizes {
    /// A size and the share of the requests that have it or one before it in the list.
    mix: Vec<(u64, f64)>,
}

impl Sizes {
    /// All requests have this size, at least 1.
    pub fn all(size: u64) -> Self {
        Self {
            mix: vec![(size, 1.0)],
        }
    }

    /// Each size, at least 1, with its share; `None` without a share above 0. Shares are taken by their proportions.
    pub fn mix(sizes: impl IntoIterator<Item = (u64, f64)>) -> Option<Self> {
        let sizes: Vec<(u64, f64)> = sizes.into_iter().filter(|size| size.1 > 0.0).collect();
        let sum: f64 = sizes.iter().map(|size| size.1).sum();
        let mut below = 0.0;
        let mix: Vec<(u64, f64)> = sizes
            .into_iter()
            .map(|(size, share)| {
                below += share / sum;
                (size, below)
            })
            .collect();
        (!mix.is_empty()).then_some(Self { mix })
    }

    /// The largest size.
    pub fn largest(&self) -> u64 {
        self.mix.iter().map(|size| size.0).max().unwrap_or(1)
    }

    /// The mean size of a request.
    pub fn mean(&self) -> f64 {
        let mut before = 0.0;
        let parts = self.mix.iter().map(|&(size, below)| {
            let share = below - before;
            before = below;
            size as f64 * share
        });
        parts.sum()
    }

    /// The size of the next request; a single size takes no random number.
    pub fn draw(&self, random: &mut Random) -> u64 {
        let Some(((last, _), others @ [_, ..])) = self.mix.split_last() else {
            return self.mix[0].0;
        };
        let drawn = random.fraction();
        let size = others.iter().find(|size| drawn < size.1);
        size.map_or(*last, |size| size.0)
    }
}

/// A workload of single units whose requests get sizes: a request begins at its unit, or as far before the end as its size
/// takes.
#[derive(Clone, Debug)]
pub struct WithSizes<W> {
    workload: W,
    units: u64,
    sizes: Sizes,
}

impl<W: Workload> WithSizes<W> {
    /// The largest size is at most `units`.
    pub fn new(workload: W, units: u64, sizes: Sizes) -> Self {
        Self {
            workload,
            units,
            sizes,
        }
    }
}

impl<W: Workload> Workload for WithSizes<W> {
    fn next(&mut self, random: &mut Random) -> Access {
        let mut access = self.workload.next(random);
        access.count = self.sizes.draw(random);
        access.first = access.first.min(self.units - access.count);
        access
    }
}
