//! Buffer-aware choice of victims (BAVBS): the cost of a merge, and the merge that costs least (section 10.2).

use ssdlab_device::Timing;
use ssdlab_ftl::BufferAware;

use super::config::ModelConfig;
use super::flash::Flash;
use super::number::{Lpn, Pbn, Place};
use super::record::{Moves, Record};
use super::result::{Choice, Estimate};

impl Estimate {
    /// GC.
    fn least(&self) -> i128 {
        self.aware.min(self.unaware)
    }

    /// Whether this one is better in the choice of a log block.
    fn costs_less(&self, other: &Self) -> bool {
        self.least() < other.least()
    }

    /// Whether this one is better in the choice of a block to clean: the smaller max(GC, 0) for each page gained, by
    /// cross-multiplication.
    fn costs_less_per_page(&self, other: &Self) -> bool {
        self.least().max(0) * other.gained < other.least().max(0) * self.gained
    }
}

/// The decision for the merge of a log block, or for the cleaning of a block.
#[derive(Clone, Copy)]
pub(super) struct Decision {
    /// Whether it uses the buffer.
    pub(super) aware: bool,
    /// The predicted benefit, if BAVBS made a choice.
    pub(super) predicted_ns: Option<u64>,
    /// The benefit of each page that is not updated; 0 without a choice.
    pub(super) page_ns: u64,
}

impl Decision {
    /// Without a choice, merges are buffer-aware.
    pub(super) const NO_CHOICE: Self = Self {
        aware: true,
        predicted_ns: None,
        page_ns: 0,
    };
}

/// The page moves of a merge.
pub(super) struct Plan {
    /// M: the pages with a valid flash copy that it would move, each with its destination, if that is known.
    pub(super) moves: Vec<(Lpn, Option<Place>)>,
    /// |D| + 1.
    pub(super) erases: u64,
    /// See [`Estimate::gained`].
    pub(super) gained: u64,
}

impl Plan {
    /// The cleaning of a block: its pages go to the rest of the frontier, then to the head of the free list.
    fn of_cleaning(flash: &Flash, victim: Pbn, frontier: Option<Pbn>) -> Self {
        let left = frontier.map_or(0, |pbn| flash.pages_per_block - flash.end(pbn));
        let destination = |at| {
            if at < left {
                frontier.map(|pbn| (pbn, flash.end(pbn) + at))
            } else {
                flash.next_free().map(|pbn| (pbn, at - left))
            }
        };
        let pages = (0..).zip(flash.valid_pages(victim));
        Self {
            moves: pages.map(|(at, lpn)| (lpn, destination(at))).collect(),
            erases: 1,
            gained: flash.pages_per_block - flash.valid(victim),
        }
    }
}

/// The state of an FTL for buffer-aware collection.
pub(super) struct Bavbs {
    aware: BufferAware,
    candidates: u64,
    weigh_copy_backs: bool,
    averaged_merges: usize,
    times: Timing,
    /// The cost of each merge so far, without erases.
    costs: Vec<u64>,
}

impl Bavbs {
    pub(super) fn new(config: &ModelConfig) -> Self {
        Self {
            aware: config.aware,
            candidates: config.candidates,
            weigh_copy_backs: config.weigh_copy_backs,
            averaged_merges: config.averaged_merges as usize,
            times: config.timing.clone(),
            costs: Vec::new(),
        }
    }

    /// Whether BAVBS chooses the victims.
    pub(super) fn is_on(&self) -> bool {
        self.aware == BufferAware::MergeAndVictim
    }

    /// T_ff.
    fn copy(&self) -> u64 {
        self.times.read_ns + 2 * self.times.transfer_ns + self.times.program_ns
    }

    /// T_pp.
    fn copy_back(&self) -> u64 {
        self.times.read_ns + self.times.program_ns
    }

    /// T_bf.
    fn program(&self) -> u64 {
        self.times.transfer_ns + self.times.program_ns
    }

    /// Records a merge; `before` are all page moves before it.
    pub(super) fn note_merge(&mut self, before: Moves, decision: Decision, record: &mut Record) {
        self.note_moves(record.moves().since(before), decision, record);
    }

    /// Records a merge by its page moves.
    pub(super) fn note_moves(&mut self, moves: Moves, decision: Decision, record: &mut Record) {
        self.costs.push(
            moves.copies * self.copy()
                + moves.copy_backs * self.copy_back()
                + moves.merge_programs * self.program(),
        );
        record.decided(decision, moves);
    }

    /// The first plan with the smallest cost among the candidates, by its number, and the decision for its merge.
    pub(super) fn choose(
        &self,
        plans: impl IntoIterator<Item = Plan>,
        flash: &Flash,
        record: &mut Record,
    ) -> (usize, Decision) {
        self.choose_by(plans, Estimate::costs_less, flash, record)
    }

    /// The first plan among the candidates that no other one beats.
    fn choose_by(
        &self,
        plans: impl IntoIterator<Item = Plan>,
        is_preferred: fn(&Estimate, &Estimate) -> bool,
        flash: &Flash,
        record: &mut Record,
    ) -> (usize, Decision) {
        let limit = match self.candidates {
            0 => usize::MAX,
            some => some as usize,
        };
        let plans = plans.into_iter().take(limit);
        let candidates: Vec<Estimate> = plans
            .map(|plan| self.estimate(&plan, flash, record))
            .collect();
        let mut chosen = 0;
        for at in 1..candidates.len() {
            if is_preferred(&candidates[at], &candidates[chosen]) {
                chosen = at;
            }
        }
        let aware = candidates[chosen].aware < candidates[chosen].unaware;
        let divisor = self.divisor(flash, record);
        let decision = Decision {
            aware,
            predicted_ns: Some((candidates[chosen].benefit / divisor) as u64),
            page_ns: (self.benefit(record.view.parts, flash) / divisor) as u64,
        };
        record.choices.push(Choice {
            candidates,
            divisor,
            chosen,
            aware,
        });
        (chosen, decision)
    }

    /// The full block to clean next, and the decision for that; each block comes with a frontier for its pages.
    /// A block without an invalid page gains nothing and is no candidate.
    pub(super) fn choose_block(
        &self,
        full: &[Pbn],
        frontier: impl Fn(Pbn) -> Option<Pbn>,
        flash: &Flash,
        record: &mut Record,
    ) -> (Pbn, Decision) {
        let mut blocks = full.to_vec();
        blocks.retain(|&pbn| flash.valid(pbn) < flash.pages_per_block);
        assert!(!blocks.is_empty(), "the device is over-filled");
        let plans = blocks
            .iter()
            .map(|&pbn| Plan::of_cleaning(flash, pbn, frontier(pbn)));
        let (chosen, decision) =
            self.choose_by(plans, Estimate::costs_less_per_page, flash, record);
        (blocks[chosen], decision)
    }

    /// The costs whose mean is C_avg.
    fn recent(&self) -> &[u64] {
        &self.costs[self.costs.len().saturating_sub(self.averaged_merges)..]
    }

    /// The denominators of all fractions: P(update), the mean of the recent costs, and its share for each page.
    fn divisor(&self, flash: &Flash, record: &Record) -> i128 {
        let merges = self.recent().len().max(1) as i128;
        i128::from(record.view.parts) * merges * i128::from(flash.pages_per_block)
    }

    fn estimate(&self, plan: &Plan, flash: &Flash, record: &Record) -> Estimate {
        let erases = plan.erases * self.times.erase_ns;
        let (mut aware, mut unaware, mut saved) = (erases, erases, 0);
        for &(lpn, destination) in &plan.moves {
            let in_plane =
                self.weigh_copy_backs && destination.is_some_and(|to| flash.can_copy_back(lpn, to));
            let moved = if in_plane {
                self.copy_back()
            } else {
                self.copy()
            };
            unaware += moved;
            aware += match record.view.get(lpn) {
                Some(page) if page.dirty => {
                    saved += record.view.parts - page.update;
                    self.program()
                }
                Some(_) if !in_plane => self.program(),
                _ => moved,
            };
        }
        let divisor = self.divisor(flash, record);
        let benefit = self.benefit(saved, flash);
        Estimate {
            aware: i128::from(aware) * divisor - benefit,
            benefit,
            unaware: i128::from(unaware) * divisor,
            gained: plan.gained.into(),
        }
    }

    /// The benefit of saving this number of parts of a program, each worth T_bf * (1 + alpha) = T_bf + C_avg / N, times
    /// the divisor.
    fn benefit(&self, saved: u64, flash: &Flash) -> i128 {
        let merges = self.recent().len().max(1) as i128;
        let recent: u64 = self.recent().iter().sum();
        let program = i128::from(self.program() * flash.pages_per_block);
        i128::from(saved) * (program * merges + i128::from(recent))
    }
}
