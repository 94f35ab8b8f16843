//! `page`, page mapping in a log with cleaning; placement `single` (section 5).

use super::bavbs::Bavbs;
use super::flash::{Flash, data_blocks};
use super::ftl::OnFlash;
use super::{Lpn, ModelCleaning, ModelClock, ModelConfig, ModelPage, Pbn, Record};

/// The FTL with its flash.
pub(super) struct PageMapping {
    flash: Flash,
    page: ModelPage,
    /// The first takes host writes, the last cleaning copies; `None`: it needs a new block.
    frontiers: Vec<Option<Pbn>>,
    /// The full blocks, the one filled first at the head.
    full: Vec<Pbn>,
    /// When a page of each block was last programmed or became invalid.
    changed: Vec<u64>,
    /// Pages written so far.
    written: u64,
    /// Victims so far.
    victims: u64,
    bavbs: Bavbs,
}

impl PageMapping {
    pub(super) fn new(config: &ModelConfig, page: ModelPage) -> Self {
        let flash = Flash::new(config, page.spare_blocks);
        Self {
            page,
            frontiers: vec![None; page.frontiers() as usize],
            full: data_blocks(config).into_iter().flatten().collect(),
            changed: vec![0; flash.erase_counts().len()],
            written: 0,
            victims: 0,
            bavbs: Bavbs::new(config),
            flash,
        }
    }

    fn now(&self, record: &Record) -> u64 {
        match self.page.clock {
            ModelClock::Writes => self.written,
            ModelClock::Trace => record.now_ns,
        }
    }

    /// The next position of a frontier, which is a block of the free list if there is none.
    fn next_position(&mut self, frontier: usize) -> (Pbn, u64) {
        let pbn = match self.frontiers[frontier] {
            Some(pbn) => pbn,
            None => self.flash.take_free(),
        };
        self.frontiers[frontier] = Some(pbn);
        (pbn, self.flash.end(pbn))
    }

    /// Notes that a page of a block was programmed or became invalid.
    fn note_change(&mut self, pbn: Pbn, record: &Record) {
        self.changed[pbn as usize] = self.now(record);
        for frontier in &mut self.frontiers {
            if *frontier == Some(pbn) && self.flash.is_full(pbn) {
                self.full.push(pbn);
                *frontier = None;
            }
        }
    }

    /// Notes that the flash copy of an LPN, if there is one, becomes invalid.
    fn note_invalidation(&mut self, lpn: Lpn, record: &Record) {
        if let Some((pbn, _)) = self.flash.locate(lpn) {
            self.note_change(pbn, record);
        }
    }

    /// Cleans one block.
    fn clean(&mut self, record: &mut Record) {
        self.victims += 1;
        let (victim, aware) = self.choose(record);
        let before = self.bavbs.spent(record);
        self.full.retain(|&pbn| pbn != victim);
        record.cleaned(victim);
        for lpn in self.flash.valid_pages(victim) {
            let frontier = self.frontiers.len() - 1;
            let (pbn, position) = self.next_position(frontier);
            self.flash.migrate(lpn, (pbn, position), aware, record);
            self.note_change(pbn, record);
        }
        self.bavbs.note_merge(before, record);
        self.flash.erase(victim, record);
    }

    /// The block to be cleaned next, and whether that is buffer-aware.
    fn choose(&self, record: &mut Record) -> (Pbn, bool) {
        if !self.bavbs.is_on() {
            return (self.victim(record), true);
        }
        let full = self.full.iter().copied();
        let candidates: Vec<Pbn> = full.filter(|&pbn| self.invalid(pbn) > 0).collect();
        assert!(!candidates.is_empty(), "the device is over-filled");
        let frontier = self.frontiers[self.frontiers.len() - 1];
        self.bavbs
            .choose_block(&candidates, frontier, &self.flash, record)
    }

    /// The block to be cleaned next by the cleaning policy.
    fn victim(&self, record: &Record) -> Pbn {
        let some_invalid = self.full.iter().any(|&pbn| self.invalid(pbn) > 0);
        assert!(some_invalid, "the device is over-filled");
        match self.page.cleaning {
            ModelCleaning::Fifo => self.full[0],
            ModelCleaning::Jffs2 if self.victims.is_multiple_of(100) => self.full[0],
            ModelCleaning::Greedy | ModelCleaning::Jffs2 => {
                self.first_best(|a, b| self.flash.valid(a) < self.flash.valid(b))
            }
            ModelCleaning::CostBenefit => self.first_best(|a, b| {
                // age * (1 - u) / 2u, greatest: both sides times both numbers of valid pages
                let worth = |pbn| self.age(pbn, record) * self.invalid(pbn);
                worth(a) * self.valid(b) > worth(b) * self.valid(a)
            }),
            ModelCleaning::Cat => self.first_best(|a, b| {
                // u / (1 - u) / age * (n + 1), smallest: both sides times both denominators
                let cost = |pbn| self.valid(pbn) * (u128::from(self.flash.erases(pbn)) + 1);
                let divisor = |pbn| self.invalid(pbn) * self.age(pbn, record);
                cost(a) * divisor(b) < cost(b) * divisor(a)
            }),
        }
    }

    /// The full block to which none is preferred; of equals the one filled first.
    fn first_best(&self, is_preferred: impl Fn(Pbn, Pbn) -> bool) -> Pbn {
        let mut best = self.full[0];
        for &pbn in &self.full {
            if is_preferred(pbn, best) {
                best = pbn;
            }
        }
        best
    }

    fn valid(&self, pbn: Pbn) -> u128 {
        self.flash.valid(pbn).into()
    }

    fn invalid(&self, pbn: Pbn) -> u128 {
        u128::from(self.flash.pages_per_block) - self.valid(pbn)
    }

    /// Time since the block last changed; trace times need not ascend.
    fn age(&self, pbn: Pbn, record: &Record) -> u128 {
        let age = self.now(record).saturating_sub(self.changed[pbn as usize]);
        age.max(1).into()
    }
}

impl OnFlash for PageMapping {
    fn write(&mut self, lpn: Lpn, record: &mut Record) {
        if self.frontiers[0].is_none() {
            while self.flash.free().len() as u64 <= self.page.gc_low {
                self.clean(record);
            }
        }
        let (pbn, position) = self.next_position(0);
        self.note_invalidation(lpn, record);
        self.flash.write(lpn, pbn, position, record);
        self.note_change(pbn, record);
        self.written += 1;
    }

    fn discard(&mut self, lpn: Lpn, record: &Record) {
        self.note_invalidation(lpn, record);
        self.flash.invalidate(lpn);
    }

    fn flash(&self) -> &Flash {
        &self.flash
    }

    fn flash_mut(&mut self) -> &mut Flash {
        &mut self.flash
    }
}
