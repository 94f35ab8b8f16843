//! Data that are apart on flash: each class has blocks of its own, which are cleaned apart (Desnoyers 2012, and Analytic Models
//! of SSD Write Performance, ACM Transactions on Storage 10(2), 2014).
//!
//! Of a pool with the share s_i of the data and p_i of the physical pages, the share ρ_i = ρ·s_i/p_i holds data. Writes are
//! uniform within a pool, so it costs A_i, what a device with this spare factor costs. A = Σ w_i·A_i, where w_i is its share
//! of the writes.

use crate::classes::Class;
use crate::fifo::fifo;
use crate::greedy::greedy;
use crate::optimum::{self, Part};
use crate::spare::Spare;

/// Data with blocks of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pool {
    /// w_i and s_i.
    pub class: Class,
    /// Whether it is written in order, over and over, as a log is. The pages of a block then become invalid together:
    /// cleaning copies nothing (A_i = 1), and needs no spare.
    pub sequential: bool,
}

/// How each pool is cleaned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cleaning {
    /// As [`fifo`].
    Fifo,
    /// As [`greedy`], with so many pages in a block, at least 1.
    Greedy(u32),
}

/// Pools that have all data and all writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Pools(Vec<Pool>);

/// Where a pool has a share.
type Share = fn(&mut Pool) -> &mut f64;

/// What pools cost, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// p_i: the share of the physical pages.
    pub shares: Vec<f64>,
    /// A_i.
    pub each: Vec<f64>,
    /// A.
    pub amplification: f64,
}

/// What shares are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareOf {
    /// Of the writes.
    Writes,
    /// Of the data.
    Data,
    /// Of the physical pages.
    Flash,
}

/// Why pools, or a split, are refused. Pools are counted from 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BadPools {
    /// There is none.
    Empty,
    /// A share of the writes or of the data that is not above 0 and at most 1.
    Share {
        /// Its pool.
        pool: usize,
        /// What it is of.
        of: ShareOf,
        /// The share.
        found: f64,
    },
    /// Shares whose sum is more than [`Pools::ROUNDED`] from 1.
    Sum {
        /// What they are of.
        of: ShareOf,
        /// Their sum.
        found: f64,
    },
    /// A split for another number of pools.
    Number {
        /// Its shares.
        found: usize,
        /// The pools.
        pools: usize,
    },
    /// A pool without room for its data, or with a spare factor below [`Spare::LEAST`] for random writes.
    Full {
        /// The pool.
        pool: usize,
        /// Its share of the physical pages.
        found: f64,
        /// The share of the physical pages that its data fill.
        data: f64,
    },
}

impl Pools {
    /// Sums of shares may be wrong by so much, as those of rounded shares are. They are divided by their sum.
    pub const ROUNDED: f64 = 0.001;

    /// Pools whose shares are all writes and all data.
    ///
    /// # Errors
    /// The first share that is wrong, or their sum.
    pub fn new(pools: &[Pool]) -> Result<Self, BadPools> {
        let mut pools = pools.to_vec();
        if pools.is_empty() {
            return Err(BadPools::Empty);
        }
        let shares: [(ShareOf, Share); 2] = [
            (ShareOf::Writes, |pool| &mut pool.class.writes),
            (ShareOf::Data, |pool| &mut pool.class.data),
        ];
        for (of, share) in shares {
            for (at, found) in pools.iter_mut().map(|pool| *share(pool)).enumerate() {
                if !(found > 0.0 && found <= 1.0) {
                    let pool = at + 1;
                    return Err(BadPools::Share { pool, of, found });
                }
            }
            let found = all(of, pools.iter_mut().map(|pool| *share(pool)))?;
            pools.iter_mut().for_each(|pool| *share(pool) /= found);
        }
        Ok(Self(pools))
    }

    /// The pools; their shares sum to 1.
    pub fn pools(&self) -> &[Pool] {
        &self.0
    }

    /// The spare in proportion to the data: all pools with random writes have the same spare factor.
    ///
    /// Without a sequential pool, A is that of uniform writes: to keep data apart takes away what skew costs, no more. Greedy
    /// cleaning of the blocks of all pools together comes close to this, since it takes blocks that are equally empty. Among
    /// equals, blocks that were filled first are those of cold data; blocks of hot data then wait and become emptier. So it
    /// costs some percent less, unless all pools are written equally often.
    ///
    /// If the block filled first is cleaned, of all pools together, it does not matter that they are apart: see
    /// [`classes`](crate::classes()).
    pub fn proportional(&self, spare: Spare, cleaning: Cleaning) -> Split {
        let random: f64 = self.random().map(|class| class.data).sum();
        if random == 0.0 {
            let shares = self.0.iter().map(|pool| pool.class.data).collect();
            return self.costs(shares, |_| 1.0);
        }
        let extra = extra(spare) / random;
        let amplification = amplification(Spare::from_over_provisioning(extra), cleaning);
        let share = |pool: &Pool| {
            let extra = if pool.sequential { 0.0 } else { extra };
            spare.utilisation() * pool.class.data * (1.0 + extra)
        };
        self.costs(self.0.iter().map(share).collect(), |_| amplification)
    }

    /// The physical pages shared out as `shares` says.
    ///
    /// # Errors
    /// Another number of shares than of pools; shares that do not sum to 1; a pool without spare.
    pub fn split(
        &self,
        spare: Spare,
        cleaning: Cleaning,
        shares: &[f64],
    ) -> Result<Split, BadPools> {
        let (found, pools) = (shares.len(), self.0.len());
        if found != pools {
            return Err(BadPools::Number { found, pools });
        }
        let sum = all(ShareOf::Flash, shares.iter().copied())?;
        let shares: Vec<f64> = shares.iter().map(|share| share / sum).collect();
        let mut each = Vec::with_capacity(pools);
        for (at, (pool, &found)) in self.0.iter().zip(&shares).enumerate() {
            let data = spare.utilisation() * pool.class.data;
            let left = 1.0 - data / found;
            // a share in words that is just enough may round to less
            let least = if pool.sequential { -1e-9 } else { Spare::LEAST };
            if !(found > 0.0 && left >= least) {
                let pool = at + 1;
                return Err(BadPools::Full { pool, found, data });
            }
            each.push(amplification(Spare::new(left), cleaning));
        }
        Ok(self.costs(shares, |at| each[at]))
    }

    /// The split with the least A.
    ///
    /// A_i is convex in p_i. So at the optimum, one more page of spare saves the same number of programs in each pool with
    /// random writes. Greedy cleaning of blocks of b pages costs at most A_i = b, even without spare: a pool with few writes
    /// may get none.
    pub fn optimal(&self, spare: Spare, cleaning: Cleaning) -> Split {
        let random: Vec<Class> = self.random().collect();
        if random.is_empty() {
            return self.proportional(spare, cleaning);
        }
        let parts = match cleaning {
            Cleaning::Fifo => optimum::of_fifo(&random, extra(spare)),
            Cleaning::Greedy(pages) => optimum::of_greedy(&random, extra(spare), pages),
        };
        let mut parts = parts.into_iter();
        let in_order = Part {
            extra: 0.0,
            amplification: 1.0,
        };
        let part = |pool: &Pool| match pool.sequential {
            true => in_order,
            false => parts.next().unwrap_or(in_order),
        };
        let parts: Vec<Part> = self.0.iter().map(part).collect();
        let pools = self.0.iter().zip(&parts);
        let share = |(pool, part): (&Pool, &Part)| {
            spare.utilisation() * pool.class.data * (1.0 + part.extra)
        };
        self.costs(pools.map(share).collect(), |at| parts[at].amplification)
    }

    /// The classes with random writes.
    fn random(&self) -> impl Iterator<Item = Class> {
        let random = self.0.iter().filter(|pool| !pool.sequential);
        random.map(|pool| pool.class)
    }

    /// `of` is A_i of a pool with random writes.
    fn costs(&self, shares: Vec<f64>, of: impl Fn(usize) -> f64) -> Split {
        let pools = self.0.iter().enumerate();
        let each = pools.map(|(at, pool)| if pool.sequential { 1.0 } else { of(at) });
        let each: Vec<f64> = each.collect();
        let pools = self.0.iter().zip(&each);
        let amplification = pools.map(|(pool, each)| pool.class.writes * each).sum();
        Split {
            shares,
            each,
            amplification,
        }
    }
}

impl ShareOf {
    fn name(self) -> &'static str {
        match self {
            ShareOf::Writes => "writes",
            ShareOf::Data => "data",
            ShareOf::Flash => "flash",
        }
    }
}

impl BadPools {
    /// In words; `shown` says how the caller writes a share.
    pub fn in_words(&self, shown: impl Fn(f64) -> String) -> String {
        match *self {
            BadPools::Empty => "there is no pool, must be at least one".into(),
            BadPools::Share { pool, of, found } => format!(
                "pool {pool} has {} of the {}, must be above {} and at most {}",
                shown(found),
                of.name(),
                shown(0.0),
                shown(1.0)
            ),
            BadPools::Sum { of, found } => format!(
                "the shares of the {} sum to {}, must sum to {}",
                of.name(),
                shown(found),
                shown(1.0)
            ),
            BadPools::Number { found, pools } => {
                format!("the number of shares is {found}, must be {pools}, one for each pool")
            }
            BadPools::Full { pool, found, data } => format!(
                "pool {pool} has {} of the flash, must have more than its data, which fill {}",
                shown(found),
                shown(data)
            ),
        }
    }
}

/// The sum of shares that are all.
fn all(of: ShareOf, shares: impl Iterator<Item = f64>) -> Result<f64, BadPools> {
    let found: f64 = shares.sum();
    match (found - 1.0).abs() <= Pools::ROUNDED {
        true => Ok(found),
        false => Err(BadPools::Sum { of, found }),
    }
}

/// Spare pages for each logical one.
fn extra(spare: Spare) -> f64 {
    spare.share() / spare.utilisation()
}

/// A of a device; `None` is a spare factor that rounds to 1.
fn amplification(spare: Option<Spare>, cleaning: Cleaning) -> f64 {
    spare.map_or(1.0, |spare| match cleaning {
        Cleaning::Fifo => fifo(spare),
        Cleaning::Greedy(pages) => greedy(spare, pages),
    })
}
