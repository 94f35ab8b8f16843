//! BAVBS, buffer-aware victim block selection (BAGC 2012, section 6): which log block costs least to merge, if what the
//! buffer holds need not be read, and if writing it now saves its eviction later.

use std::collections::VecDeque;

use ssdlab_flash::Lpn;

use crate::{BufferView, Held, HeldPages, Params, Work};

/// What the operations of merges cost, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// From cell to register.
    pub read: u64,
    /// From register to cell.
    pub program: u64,
    /// Of a block.
    pub erase: u64,
    /// Of a page over the flash bus.
    pub transfer: u64,
}

impl Costs {
    /// T_ff: a migration through the controller.
    pub fn copy(&self) -> u64 {
        self.copy_back() + 2 * self.transfer
    }

    /// T_pp: a migration inside a plane.
    pub fn copy_back(&self) -> u64 {
        self.read + self.program
    }

    /// T_bf: a page from the buffer.
    pub fn from_buffer(&self) -> u64 {
        self.transfer + self.program
    }

    /// What a merge took, without its erases.
    fn of(&self, work: &Work) -> u64 {
        work.copies * self.copy()
            + work.copy_backs * self.copy_back()
            + work.merge_programs * self.from_buffer()
    }
}

/// Merges that C_avg looks back on.
pub(crate) const REMEMBERED: usize = 16;

/// Chooses victims, as long as it is told of all merges.
#[derive(Clone, Debug)]
pub(crate) struct Bavbs {
    costs: Costs,
    pages_per_block: u64,
    /// Blocks weighed for each choice.
    candidates: usize,
    /// What the last merges cost without erases, the latest last.
    merges: VecDeque<u64>,
    /// Their sum.
    sum: u128,
}

/// How many pages a merge would move, by what the buffer holds of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moves {
    /// Nothing.
    pub not_held: u32,
    /// Held clean.
    pub clean: u32,
    /// Held dirty.
    pub dirty: u32,
}

impl Moves {
    /// Adds up to 64 pages, a bit for each, given which of them are held.
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

    fn pages(&self) -> u64 {
        u64::from(self.not_held) + u64::from(self.clean) + u64::from(self.dirty)
    }
}

/// What a merge would move, all of it without and with asking the buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Estimate {
    /// ns without asking, erases included.
    unaware: u64,
    /// ns with asking, before the benefit.
    aware: u64,
    /// Sum over the dirty pages of the probability that they will not be written again, times the denominator.
    stays: u64,
}

/// How a victim is weighed: the smaller, the better. Only weights of one choice can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Weight(i128);

impl Bavbs {
    /// None unless `ftl.buffer_aware` is `merge+victim`.
    pub(crate) fn new(params: &Params, pages_per_block: u32) -> Option<Self> {
        let chooses = params.buffer_aware == crate::BufferAware::MergeAndVictim;
        chooses.then(|| Self {
            costs: params.costs,
            pages_per_block: pages_per_block.into(),
            candidates: match params.candidates {
                0 => usize::MAX,
                some => some as usize,
            },
            merges: VecDeque::with_capacity(REMEMBERED + 1),
            sum: 0,
        })
    }

    /// Blocks weighed for each choice, at most.
    pub(crate) fn candidates(&self) -> usize {
        self.candidates
    }

    /// A merge was done.
    pub(crate) fn merged(&mut self, work: &Work) {
        let cost = self.costs.of(work);
        self.merges.push_back(cost);
        self.sum += u128::from(cost);
        if self.merges.len() > REMEMBERED {
            self.sum -= u128::from(self.merges.pop_front().unwrap_or_default());
        }
    }

    /// The estimate of so many erases.
    pub(crate) fn erases(&self, blocks: u64) -> Estimate {
        let cost = blocks * self.costs.erase;
        Estimate {
            unaware: cost,
            aware: cost,
            stays: 0,
        }
    }

    /// The estimate of a merge that erases so many blocks and moves these pages, some of which a copy-back can move;
    /// `stays`: see [`Estimate::stays`].
    pub(crate) fn merge(
        &self,
        erases: u64,
        all: &Moves,
        copy_back: &Moves,
        stays: u64,
    ) -> Estimate {
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

    /// The estimate of a page to be moved; `copy_back`: a copy-back can do it.
    pub(crate) fn page<P>(&self, view: &dyn BufferView<P>, lpn: Lpn, copy_back: bool) -> Estimate {
        let moved = match copy_back {
            true => self.costs.copy_back(),
            false => self.costs.copy(),
        };
        let stays = || view.update_denominator() - view.update_probability(lpn);
        let (aware, stays) = match view.held(lpn) {
            Held::Not => (moved, 0),
            Held::Clean if copy_back => (moved, 0),
            Held::Clean => (self.costs.from_buffer(), 0),
            Held::Dirty => (self.costs.from_buffer(), stays()),
        };
        Estimate {
            unaware: moved,
            aware,
            stays,
        }
    }

    /// How this victim weighs, and whether its merge should ask the buffer. `denominator`: that of all probabilities.
    ///
    /// The benefit is stays / denominator · (T_bf + C_avg / N), and C_avg a sum over a number of merges: all is taken
    /// times the three denominators, so that costs are compared exactly.
    pub(crate) fn weigh(&self, estimate: &Estimate, denominator: u64) -> (Weight, bool) {
        let merges = self.merges.len().max(1) as i128;
        let pages = merges * i128::from(self.pages_per_block);
        let scale = pages * i128::from(denominator);
        let saved = pages * i128::from(self.costs.from_buffer()) + self.sum as i128;
        let unaware = i128::from(estimate.unaware) * scale;
        let aware = i128::from(estimate.aware) * scale - i128::from(estimate.stays) * saved;
        (Weight(aware.min(unaware)), aware < unaware)
    }
}

impl Estimate {
    pub(crate) fn add(&mut self, other: &Estimate) {
        self.unaware += other.unaware;
        self.aware += other.aware;
        self.stays += other.stays;
    }
}
