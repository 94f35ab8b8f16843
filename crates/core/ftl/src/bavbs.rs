//! BAVBS, buffer-aware victim block selection (BAGC 2012, section 6): chooses the log block that is cheapest to merge.
//! Pages in the buffer need no read, and a page that is written now saves its eviction later.

use alloc::collections::VecDeque;

use crate::aware::{Aware, Benefit, BufferAware, Decision, Use};
use crate::buffer::HeldPages;
use crate::costs::Costs;
use crate::counts::Work;

/// Chooses victims. It must be informed of all merges.
#[derive(Clone, Debug)]
pub(crate) struct Bavbs {
    costs: Costs,
    pub(crate) pages_per_block: u64,
    /// The number of blocks weighed for each choice.
    candidates: usize,
    /// The number of merges that C_avg averages over.
    averaged: usize,
    /// `Aware::blind_to_copy_backs`.
    blind_to_copy_backs: bool,
    /// The costs of the last merges without erases, the newest last.
    merges: VecDeque<u64>,
    /// The sum of `merges`.
    sum: u128,
}

/// The pages that a merge would move, by their state in the buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moves {
    /// Pages that are not held.
    pub not_held: u32,
    /// Pages held clean.
    pub clean: u32,
    /// Pages held dirty.
    pub dirty: u32,
}

impl Moves {
    /// Adds up to 64 pages, one bit for each, with the pages that are held.
    #[inline]
    pub(crate) fn add_pages(&mut self, pages: u64, held: HeldPages) {
        let dirty = (pages & held.dirty).count_ones();
        let clean = (pages & held.clean).count_ones();
        self.dirty += dirty;
        self.clean += clean;
        self.not_held += pages.count_ones() - dirty - clean;
    }

    pub(crate) fn add(&mut self, other: &Moves) {
        self.not_held += other.not_held;
        self.clean += other.clean;
        self.dirty += other.dirty;
    }

    pub(crate) fn pages(&self) -> u64 {
        u64::from(self.not_held) + u64::from(self.clean) + u64::from(self.dirty)
    }
}

/// The cost of a merge, without and with the buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Estimate {
    /// Time without the buffer, ns, erases included.
    unaware: u64,
    /// Time with the buffer, ns, erases included, before the benefit is subtracted.
    aware: u64,
    /// For all dirty pages, the sum of the probabilities that they will not be written again, times the denominator.
    stays: u64,
}

/// The weight of a victim; the smallest is the best. Only weights of one choice can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Weight(pub(crate) i128);

impl Bavbs {
    /// None unless `ftl.buffer_aware` is `merge+victim`.
    pub(crate) fn new(aware: &Aware, pages_per_block: u32) -> Option<Self> {
        let chooses = aware.mode == BufferAware::MergeAndVictim;
        chooses.then(|| Self {
            costs: aware.costs,
            pages_per_block: pages_per_block.into(),
            candidates: match aware.candidates {
                0 => usize::MAX,
                some => some as usize,
            },
            blind_to_copy_backs: aware.blind_to_copy_backs,
            averaged: aware.averaged_merges as usize,
            merges: VecDeque::with_capacity(aware.averaged_merges as usize + 1),
            sum: 0,
        })
    }

    /// The most blocks that are weighed for each choice.
    pub(crate) fn candidates(&self) -> usize {
        self.candidates
    }

    /// Records a merge.
    pub(crate) fn merged(&mut self, work: &Work) {
        let cost = self.costs.of(work);
        self.merges.push_back(cost);
        self.sum += u128::from(cost);
        if self.merges.len() > self.averaged {
            self.sum -= u128::from(self.merges.pop_front().unwrap_or_default());
        }
    }

    /// The estimate of a merge with this number of erases. It moves the pages `all`; copy-backs can move those in
    /// `copy_back`. `stays` as in [`Estimate::stays`].
    pub(crate) fn merge(
        &self,
        erases: u64,
        all: &Moves,
        copy_back: &Moves,
        stays: u64,
    ) -> Estimate {
        let copy_back = if self.blind_to_copy_backs {
            &Moves::default()
        } else {
            copy_back
        };
        let (copy, back) = (self.costs.copy(), self.costs.copy_back());
        let all_back = copy_back.pages();
        let not_held = u64::from(all.not_held - copy_back.not_held) * copy;
        let by_copy_back = u64::from(copy_back.not_held + copy_back.clean) * back;
        let programs = u64::from(all.dirty + all.clean - copy_back.clean);
        let erases = erases * self.costs.erase;
        Estimate {
            unaware: all_back * back + (all.pages() - all_back) * copy + erases,
            aware: by_copy_back + not_held + programs * self.costs.from_buffer() + erases,
            stays,
        }
    }

    /// The weight of a victim, and the decision for its merge. `denominator` is that of all probabilities.
    ///
    /// The benefit is stays / denominator · (T_bf + C_avg / N), and C_avg is a sum divided by the number of merges. All
    /// terms are multiplied by the three denominators, so that costs are compared exactly.
    pub(crate) fn weigh(&self, estimate: &Estimate, denominator: u64) -> (Weight, Decision) {
        let merges = self.merges.len().max(1) as i128;
        let pages = merges * i128::from(self.pages_per_block);
        let scale = pages * i128::from(denominator);
        let saved = pages * i128::from(self.costs.from_buffer()) + self.sum as i128;
        let unaware = i128::from(estimate.unaware) * scale;
        let aware = i128::from(estimate.aware) * scale - i128::from(estimate.stays) * saved;
        let predicted = i128::from(estimate.stays) * saved / scale;
        let decision = Decision {
            uses: if aware < unaware {
                Use::Aware
            } else {
                Use::Unaware
            },
            benefit: Some(Benefit {
                predicted_ns: predicted as u64,
                page_ns: (saved / pages) as u64,
            }),
        };
        (Weight(aware.min(unaware)), decision)
    }
}

/// Planted bugs: no benefit, or a benefit for all dirty pages; erases in C_avg; an average over all merges so far;
/// costs compared after a division.
#[cfg(test)]
mod tests {
    use super::*;

    const COSTS: Costs = Costs {
        read: 25_000,
        program: 200_000,
        erase: 1_500_000,
        transfer: 100_000,
    };

    fn bavbs() -> Bavbs {
        Bavbs {
            costs: COSTS,
            pages_per_block: 8,
            candidates: usize::MAX,
            averaged: 16,
            blind_to_copy_backs: false,
            merges: VecDeque::new(),
            sum: 0,
        }
    }

    /// The merge of a block of 8 pages, two of them held dirty.
    fn two_of_eight(bavbs: &Bavbs, copy_back: bool, stays: u64) -> Estimate {
        let all = Moves {
            not_held: 6,
            clean: 0,
            dirty: 2,
        };
        let back = if copy_back { all } else { Moves::default() };
        bavbs.merge(2, &all, &back, stays)
    }

    /// The weight of a victim in µs, for a denominator of 1 and C_avg 0.
    fn weight_us(bavbs: &Bavbs, estimate: Estimate) -> i128 {
        let (Weight(weight), _) = bavbs.weigh(&estimate, 1);
        assert_eq!(weight % 8000, 0);
        weight / 8000
    }

    #[test]
    fn figure_5_of_the_bagc_paper() {
        let bavbs = bavbs();
        let (hot, cold) = (two_of_eight(&bavbs, true, 0), two_of_eight(&bavbs, true, 2));
        assert_eq!([hot.unaware, cold.unaware], [4_800_000; 2]);
        assert_eq!(hot.aware, 4_950_000);
        assert_eq!(weight_us(&bavbs, hot), 4800);
        assert_eq!(weight_us(&bavbs, cold), 4350);
        let decided = [hot, cold].map(|e| bavbs.weigh(&e, 1).1);
        assert_eq!(decided.map(|d| d.uses), [Use::Unaware, Use::Aware]);
        // T_bf for each of two pages, since alpha is 0
        let benefit = |ns| Benefit {
            predicted_ns: ns,
            page_ns: 300_000,
        };
        let expected = [0, 600_000].map(|ns| Some(benefit(ns)));
        assert_eq!(decided.map(|d| d.benefit), expected);
        let without = two_of_eight(&bavbs, false, 0);
        assert_eq!(without.aware - 2 * COSTS.erase, 3_150_000);
    }

    #[test]
    fn pages_one_by_one_or_all_at_once() {
        let bavbs = bavbs();
        let (all, back) = ([5, 3, 2], [2, 1, 1]);
        let moves = |[not_held, clean, dirty]: [u32; 3]| Moves {
            not_held,
            clean,
            dirty,
        };
        let at_once = bavbs.merge(3, &moves(all), &moves(back), 0);
        let costs = |count: [u32; 3], copy_back: bool| {
            let moved = if copy_back {
                COSTS.copy_back()
            } else {
                COSTS.copy()
            };
            let program = COSTS.from_buffer();
            let clean = if copy_back { moved } else { program };
            let count = count.map(u64::from);
            let aware = count[0] * moved + count[1] * clean + count[2] * program;
            (count.iter().sum::<u64>() * moved, aware)
        };
        let (there, through) = (costs(back, true), costs([3, 2, 1], false));
        let erases = 3 * COSTS.erase;
        assert_eq!(at_once.unaware, there.0 + through.0 + erases);
        assert_eq!(at_once.aware, there.1 + through.1 + erases);
    }

    #[test]
    fn the_mean_of_the_last_merges_without_their_erases() {
        let mut bavbs = bavbs();
        let work = |copy_backs| Work {
            copy_backs,
            erases: 5,
            ..Work::default()
        };
        // these merges are too old to count
        (0..3).for_each(|_| bavbs.merged(&work(1000)));
        (0..16).for_each(|n| bavbs.merged(&work(n)));
        // 7.5 copy-backs on average
        let c_avg = 15 * 225_000 / 2;
        let cold = two_of_eight(&bavbs, true, 1);
        let (Weight(weight), decision) = bavbs.weigh(&cold, 2);
        let scale = 16 * 8 * 2;
        let benefit = (300_000 * 8 + c_avg) * scale / 8 / 2;
        assert_eq!(weight, 4_950_000 * scale - benefit);
        let predicted = Benefit {
            predicted_ns: (300_000 * 8 + c_avg as u64) / 8 / 2,
            page_ns: (300_000 * 8 + c_avg as u64) / 8,
        };
        assert_eq!(
            (decision.uses, decision.benefit),
            (Use::Aware, Some(predicted))
        );
    }

    #[test]
    fn equal_costs_to_the_last_fraction() {
        let mut bavbs = bavbs();
        bavbs.costs = Costs {
            read: 1,
            program: 0,
            erase: 0,
            transfer: 2,
        };
        // C_avg is 1 / 3, and the benefit of a page 2 + 1 / 24
        for copy_backs in [0, 1, 0] {
            bavbs.merged(&Work {
                copy_backs,
                ..Work::default()
            });
        }
        let weigh = |aware| {
            let estimate = Estimate {
                unaware: 0,
                aware,
                stays: 24,
            };
            bavbs.weigh(&estimate, 1)
        };
        let uses = |aware| weigh(aware).1.uses;
        assert_eq!((weigh(49).0, uses(49)), (Weight(0), Use::Unaware));
        assert_eq!(uses(48), Use::Aware);
        assert!(weigh(48).0 < weigh(49).0);
    }
}
