//! `bast`, the log-block FTL (section 9.5).

use super::bavbs::{Bavbs, Decision, Plan};
use super::config::{ModelBlocks, ModelConfig};
use super::flash::{Flash, data_blocks};
use super::ftl::Ftl;
use super::number::{Lbn, Lpn, Pbn};
use super::record::Record;
use super::result::Merge;

/// A log block in use.
#[derive(Clone, Copy)]
struct Log {
    lbn: Lbn,
    pbn: Pbn,
}

/// The FTL with its flash.
pub(super) struct Bast {
    flash: Flash,
    log_blocks: u64,
    partial_merge: bool,
    /// The data block of each logical block.
    data: Vec<Option<Pbn>>,
    /// The log blocks in use, the least recently written first.
    logs: Vec<Log>,
    bavbs: Bavbs,
}

impl Bast {
    pub(super) fn new(config: &ModelConfig, blocks: &ModelBlocks, partial_merge: bool) -> Self {
        Self {
            flash: Flash::new(config, blocks.further_blocks()),
            log_blocks: blocks.log_blocks,
            partial_merge,
            data: data_blocks(config),
            logs: Vec::new(),
            bavbs: Bavbs::new(config),
        }
    }

    fn log_of(&self, lbn: Lbn) -> Option<Log> {
        self.logs.iter().find(|log| log.lbn == lbn).copied()
    }

    /// Whether each programmed page is at its own offset.
    fn is_in_order(&self, pbn: Pbn) -> bool {
        let pages = self.flash.programmed_pages(pbn);
        (0..)
            .zip(pages)
            .all(|(position, lpn)| lpn % self.flash.pages_per_block == position)
    }

    /// A log block for a logical block that has none.
    fn new_log(&mut self, lbn: Lbn, record: &mut Record) -> Log {
        if self.logs.len() as u64 == self.log_blocks {
            let (log, decision) = self.victim(record);
            self.merge(log, decision, record);
        }
        let pbn = self.flash.take_free_for(lbn);
        let log = Log { lbn, pbn };
        self.logs.push(log);
        log
    }

    fn make_most_recent(&mut self, log: Log) {
        self.release(log);
        self.logs.push(log);
    }

    fn release(&mut self, log: Log) {
        self.logs.retain(|other| other.lbn != log.lbn);
    }

    /// The log block to merge before another one is opened, and the decision for its merge.
    fn victim(&self, record: &mut Record) -> (Log, Decision) {
        if !self.bavbs.is_on() {
            return (self.logs[0], Decision::NO_CHOICE);
        }
        let plans = self.logs.iter().map(|&log| self.plan(log));
        let (chosen, decision) = self.bavbs.choose(plans, &self.flash, record);
        (self.logs[chosen], decision)
    }

    /// The page moves of a merge.
    fn plan(&self, log: Log) -> Plan {
        let n = self.flash.pages_per_block;
        let (offsets, target, erases) = if self.flash.valid(log.pbn) == 0 {
            (0..0, None, 1)
        } else if self.is_to_be_completed(log) {
            (self.flash.end(log.pbn)..n, Some(log.pbn), 2)
        } else {
            (0..n, self.flash.free_for(&[log.lbn])[0], 2)
        };
        let pages = offsets.map(|offset| log.lbn * n + offset);
        let valid = pages.filter(|&lpn| self.flash.locate(lpn).is_some());
        Plan {
            moves: valid
                .map(|lpn| (lpn, target.map(|pbn| (pbn, lpn % n))))
                .collect(),
            erases,
            gained: 1,
        }
    }

    /// Whether a partial merge is enough.
    fn is_to_be_completed(&self, log: Log) -> bool {
        self.partial_merge
            && !self.flash.is_full(log.pbn)
            && self.is_in_order(log.pbn)
            && self.flash.is_all_valid(log.pbn)
    }

    /// Merges a log block that does not qualify for a switch: a full one in order was switched when it became full.
    fn merge(&mut self, log: Log, decision: Decision, record: &mut Record) {
        if self.flash.valid(log.pbn) == 0 {
            self.flash.erase(log.pbn, record);
            self.release(log);
            return;
        }
        let before = record.moves();
        if self.is_to_be_completed(log) {
            self.partial(log, decision, record);
        } else {
            self.full(log, decision, record);
        }
        self.bavbs.note_merge(before, decision, record);
    }

    fn switch(&mut self, log: Log, record: &mut Record) {
        let before = record.moves();
        self.flash.remap(record);
        self.replace_data_block(log, log.pbn, record);
        record.merged(Merge::Switch, log.lbn);
        self.bavbs.note_merge(before, Decision::NO_CHOICE, record);
    }

    fn partial(&mut self, log: Log, decision: Decision, record: &mut Record) {
        for offset in self.flash.end(log.pbn)..self.flash.pages_per_block {
            self.collect(log.lbn, offset, log.pbn, decision, record);
        }
        self.flash.remap(record);
        self.replace_data_block(log, log.pbn, record);
        record.merged(Merge::Partial, log.lbn);
    }

    fn full(&mut self, log: Log, decision: Decision, record: &mut Record) {
        let target = self.flash.take_free_for(log.lbn);
        for offset in 0..self.flash.pages_per_block {
            self.collect(log.lbn, offset, target, decision, record);
        }
        self.flash.remap(record);
        self.flash.erase(log.pbn, record);
        self.replace_data_block(log, target, record);
        record.merged(Merge::Full, log.lbn);
    }

    /// Moves the page of an offset, if there is one, to that offset of a block.
    fn collect(
        &mut self,
        lbn: Lbn,
        offset: u64,
        target: Pbn,
        decision: Decision,
        record: &mut Record,
    ) {
        let lpn = lbn * self.flash.pages_per_block + offset;
        self.flash.migrate(lpn, (target, offset), decision, record);
    }

    /// Ends a merge: erases the data block, if any, that another block has replaced.
    fn replace_data_block(&mut self, log: Log, by: Pbn, record: &mut Record) {
        if let Some(old) = self.data[log.lbn as usize].replace(by) {
            self.flash.erase(old, record);
        }
        self.release(log);
    }
}

impl Ftl for Bast {
    fn write(&mut self, lpn: Lpn, record: &mut Record) {
        let lbn = lpn / self.flash.pages_per_block;
        if let Some(log) = self.log_of(lbn)
            && self.flash.is_full(log.pbn)
        {
            self.merge(log, Decision::NO_CHOICE, record);
        }
        let log = self
            .log_of(lbn)
            .unwrap_or_else(|| self.new_log(lbn, record));
        self.flash
            .write(lpn, log.pbn, self.flash.end(log.pbn), record);
        self.make_most_recent(log);
        if self.flash.is_full(log.pbn) && self.is_in_order(log.pbn) {
            self.switch(log, record);
        }
    }

    fn discard(&mut self, lpn: Lpn, _: &mut Record) {
        self.flash.invalidate(lpn);
    }

    fn flash(&self) -> &Flash {
        &self.flash
    }
}
