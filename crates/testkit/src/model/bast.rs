//! `bast`, the log-block FTL (section 5).

use super::flash::{Flash, data_blocks};
use super::ftl::OnFlash;
use super::{Lbn, Lpn, Merge, ModelConfig, Pbn, Record};

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
}

impl Bast {
    pub(super) fn new(
        config: &ModelConfig,
        log_blocks: u64,
        spare_blocks: u64,
        partial_merge: bool,
    ) -> Self {
        Self {
            flash: Flash::new(config, log_blocks + spare_blocks),
            log_blocks,
            partial_merge,
            data: data_blocks(config),
            logs: Vec::new(),
        }
    }

    fn log_of(&self, lbn: Lbn) -> Option<Log> {
        self.logs.iter().find(|log| log.lbn == lbn).copied()
    }

    /// Whether each page programmed lies at its own offset.
    fn is_in_order(&self, pbn: Pbn) -> bool {
        let pages = self.flash.programmed_pages(pbn);
        (0..)
            .zip(pages)
            .all(|(position, lpn)| lpn % self.flash.pages_per_block == position)
    }

    /// A log block for a logical block that has none.
    fn new_log(&mut self, lbn: Lbn, record: &mut Record) -> Log {
        if self.logs.len() as u64 == self.log_blocks {
            self.merge(self.logs[0], record);
        }
        let pbn = self.flash.take_free();
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

    /// Merges a log block that is not to be switched: a full one in order was switched when it became full.
    fn merge(&mut self, log: Log, record: &mut Record) {
        if self.flash.valid(log.pbn) == 0 {
            self.flash.erase(log.pbn, record);
            self.release(log);
        } else if self.partial_merge
            && !self.flash.is_full(log.pbn)
            && self.is_in_order(log.pbn)
            && self.flash.is_all_valid(log.pbn)
        {
            self.partial(log, record);
        } else {
            self.full(log, record);
        }
    }

    fn switch(&mut self, log: Log, record: &mut Record) {
        self.replace_data_block(log, log.pbn, record);
        record.merged(Merge::Switch, log.lbn);
    }

    fn partial(&mut self, log: Log, record: &mut Record) {
        for offset in self.flash.end(log.pbn)..self.flash.pages_per_block {
            self.copy(log.lbn, offset, log.pbn, record);
        }
        self.replace_data_block(log, log.pbn, record);
        record.merged(Merge::Partial, log.lbn);
    }

    fn full(&mut self, log: Log, record: &mut Record) {
        let target = self.flash.take_free();
        for offset in 0..self.flash.pages_per_block {
            self.copy(log.lbn, offset, target, record);
        }
        self.flash.erase(log.pbn, record);
        self.replace_data_block(log, target, record);
        record.merged(Merge::Full, log.lbn);
    }

    /// Copies the valid page of an offset, if there is one, to that offset of a block.
    fn copy(&mut self, lbn: Lbn, offset: u64, target: Pbn, record: &mut Record) {
        let lpn = lbn * self.flash.pages_per_block + offset;
        self.flash.copy(lpn, target, offset, record);
    }

    /// Ends a merge: erases the data block, if any, for which another one stands from now on.
    fn replace_data_block(&mut self, log: Log, by: Pbn, record: &mut Record) {
        if let Some(old) = self.data[log.lbn as usize].replace(by) {
            self.flash.erase(old, record);
        }
        self.release(log);
    }
}

impl OnFlash for Bast {
    fn write(&mut self, lpn: Lpn, record: &mut Record) {
        let lbn = lpn / self.flash.pages_per_block;
        if let Some(log) = self.log_of(lbn)
            && self.flash.is_full(log.pbn)
        {
            self.merge(log, record);
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

    fn flash(&self) -> &Flash {
        &self.flash
    }

    fn flash_mut(&mut self) -> &mut Flash {
        &mut self.flash
    }
}
