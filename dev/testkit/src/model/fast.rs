//! `fast`, the fully associative log-block FTL (section 9.6).

use ssdlab_ftl::BufferAware;

use super::bavbs::{Bavbs, Decision, Plan};
use super::config::{ModelBlocks, ModelConfig};
use super::flash::{Flash, data_blocks};
use super::ftl::Ftl;
use super::number::{Lbn, Lpn, Pbn};
use super::record::Record;
use super::result::Merge;

/// The sequential log block.
#[derive(Clone, Copy)]
struct Sequential {
    lbn: Lbn,
    pbn: Pbn,
}

/// The FTL with its flash.
pub(super) struct Fast {
    flash: Flash,
    /// R: the most random log blocks.
    random_blocks: u64,
    /// The data block of each logical block.
    data: Vec<Option<Pbn>>,
    /// SW.
    sequential: Option<Sequential>,
    /// The random log blocks in use, the one filled first at the head, the one that is being filled last.
    random: Vec<Pbn>,
    bavbs: Bavbs,
}

impl Fast {
    pub(super) fn new(config: &ModelConfig, blocks: &ModelBlocks) -> Self {
        Self {
            flash: Flash::new(config, blocks.further_blocks()),
            random_blocks: blocks.log_blocks - 1,
            data: data_blocks(config),
            sequential: None,
            random: Vec::new(),
            bavbs: Bavbs::new(config),
        }
    }

    /// Whether SW belongs to this logical block and this offset is its next one.
    fn continues(&self, lbn: Lbn, offset: u64) -> bool {
        let next = |sw: Sequential| sw.lbn == lbn && self.flash.end(sw.pbn) == offset;
        self.sequential.is_some_and(next)
    }

    /// A write to offset 0.
    fn start_sequential(&mut self, lpn: Lpn, record: &mut Record) {
        self.merge_sequential(record);
        let lbn = lpn / self.flash.pages_per_block;
        let sw = Sequential {
            lbn,
            pbn: self.flash.take_free_for(lbn),
        };
        self.sequential = Some(sw);
        self.flash.write(lpn, sw.pbn, 0, record);
    }

    /// A write to the next offset of SW.
    fn append_sequential(&mut self, lpn: Lpn, record: &mut Record) {
        let sw = self.sequential.expect("SW is appended to");
        self.flash
            .write(lpn, sw.pbn, self.flash.end(sw.pbn), record);
        if self.flash.is_full(sw.pbn) && self.flash.is_all_valid(sw.pbn) {
            self.merge_sequential(record);
        }
    }

    /// Any other write.
    fn append_random(&mut self, lpn: Lpn, record: &mut Record) {
        let current = self.random.last().copied();
        let current = match current.filter(|&pbn| !self.flash.is_full(pbn)) {
            Some(pbn) => pbn,
            None => self.new_random(record),
        };
        self.flash
            .write(lpn, current, self.flash.end(current), record);
        if record.aware != BufferAware::Off {
            record.counters.random_log_programs += 1;
        }
    }

    fn new_random(&mut self, record: &mut Record) -> Pbn {
        if self.random.len() as u64 == self.random_blocks {
            self.reclaim(record);
        }
        let pbn = self.flash.take_free();
        self.random.push(pbn);
        pbn
    }

    /// Merges SW, if there is one, and releases it.
    fn merge_sequential(&mut self, record: &mut Record) {
        let Some(Sequential { lbn, pbn }) = self.sequential.take() else {
            return;
        };
        let before = record.moves();
        if self.flash.is_all_valid(pbn) {
            let filled = self.flash.end(pbn);
            self.collect(lbn, filled, pbn, Decision::NO_CHOICE, record);
            self.flash.remap(record);
            self.replace_data_block(lbn, pbn, record);
            if filled == self.flash.pages_per_block {
                record.merged(Merge::Switch, lbn);
            } else {
                record.merged(Merge::Partial, lbn);
            }
        } else {
            let target = self.flash.take_free_for(lbn);
            self.collect(lbn, 0, target, Decision::NO_CHOICE, record);
            self.flash.remap(record);
            self.flash.erase(pbn, record);
            self.replace_data_block(lbn, target, record);
            record.merged(Merge::Full, lbn);
        }
        self.bavbs.note_merge(before, Decision::NO_CHOICE, record);
    }

    /// Frees a random log block.
    fn reclaim(&mut self, record: &mut Record) {
        let (victim, decision) = self.victim(record);
        let lbns = self.to_merge(victim);
        let before = record.moves();
        for &lbn in &lbns {
            self.merge_for_reclaim(lbn, decision, record);
        }
        if !lbns.is_empty() {
            self.bavbs.note_merge(before, decision, record);
        }
        self.flash.erase(victim, record);
        self.random.retain(|&pbn| pbn != victim);
    }

    /// The random log block to reclaim, by default the one filled first, and the decision for that.
    fn victim(&self, record: &mut Record) -> (Pbn, Decision) {
        if !self.bavbs.is_on() {
            return (self.random[0], Decision::NO_CHOICE);
        }
        let plans = self.random.iter().map(|&pbn| self.plan(pbn));
        let (chosen, decision) = self.bavbs.choose(plans, &self.flash, record);
        (self.random[chosen], decision)
    }

    /// The logical blocks with a valid page in a random log block, in the order of their first pages there.
    fn to_merge(&self, pbn: Pbn) -> Vec<Lbn> {
        let mut lbns = Vec::new();
        for lpn in self.flash.valid_pages(pbn) {
            let lbn = lpn / self.flash.pages_per_block;
            if !lbns.contains(&lbn) {
                lbns.push(lbn);
            }
        }
        lbns
    }

    /// The page moves of a reclaim: each logical block goes to a block of the free list, as long as there are any.
    fn plan(&self, pbn: Pbn) -> Plan {
        let lbns = self.to_merge(pbn);
        let mut moves = Vec::new();
        for (lbn, target) in lbns.iter().zip(self.flash.free_for(&lbns)) {
            let first = lbn * self.flash.pages_per_block;
            let pages = first..first + self.flash.pages_per_block;
            let valid = pages.filter(|&lpn| self.flash.locate(lpn).is_some());
            moves.extend(valid.map(|lpn| (lpn, target.map(|pbn| (pbn, lpn - first)))));
        }
        Plan {
            moves,
            erases: lbns.len() as u64 + 1,
            gained: 1,
        }
    }

    fn merge_for_reclaim(&mut self, lbn: Lbn, decision: Decision, record: &mut Record) {
        let target = self.flash.take_free_for(lbn);
        self.collect(lbn, 0, target, decision, record);
        self.flash.remap(record);
        self.replace_data_block(lbn, target, record);
        if let Some(sw) = self.sequential.take_if(|sw| sw.lbn == lbn) {
            self.flash.erase(sw.pbn, record);
        }
        record.merged(Merge::Full, lbn);
    }

    /// Moves the pages of a logical block from offset `first` on to their offsets in a block, from wherever they are.
    fn collect(
        &mut self,
        lbn: Lbn,
        first: u64,
        target: Pbn,
        decision: Decision,
        record: &mut Record,
    ) {
        for offset in first..self.flash.pages_per_block {
            let lpn = lbn * self.flash.pages_per_block + offset;
            self.flash.migrate(lpn, (target, offset), decision, record);
        }
    }

    fn replace_data_block(&mut self, lbn: Lbn, by: Pbn, record: &mut Record) {
        if let Some(old) = self.data[lbn as usize].replace(by) {
            self.flash.erase(old, record);
        }
    }
}

impl Ftl for Fast {
    fn write(&mut self, lpn: Lpn, record: &mut Record) {
        let offset = lpn % self.flash.pages_per_block;
        if offset == 0 {
            self.start_sequential(lpn, record);
        } else if self.continues(lpn / self.flash.pages_per_block, offset) {
            self.append_sequential(lpn, record);
        } else {
            self.append_random(lpn, record);
        }
    }

    fn discard(&mut self, lpn: Lpn, _: &mut Record) {
        self.flash.invalidate(lpn);
    }

    fn flash(&self) -> &Flash {
        &self.flash
    }
}
