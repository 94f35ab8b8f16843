//! `bast`, the log-block FTL (section 5).

use super::{Event, Lbn, Lpn, Merge, ModelConfig, Pbn, Record};

/// A programmed page of flash. At most one page of each LPN is valid.
#[derive(Clone, Copy)]
struct Page {
    lpn: Lpn,
    valid: bool,
}

/// A physical block: its pages by position, `None` where erased, and how often it has been erased.
#[derive(Clone)]
struct Block {
    pages: Vec<Option<Page>>,
    erases: u32,
}

/// A log block in use.
#[derive(Clone, Copy)]
struct Log {
    lbn: Lbn,
    pbn: Pbn,
}

/// The FTL with its flash.
pub(super) struct Bast {
    pages_per_block: u64,
    planes: u64,
    copy_back: bool,
    log_blocks: u64,
    partial_merge: bool,
    /// All physical blocks.
    blocks: Vec<Block>,
    /// The free list, head first.
    free: Vec<Pbn>,
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
        let logical = config.logical_blocks;
        let physical = logical + log_blocks + spare_blocks;
        let erased = Block {
            pages: vec![None; config.pages_per_block as usize],
            erases: 0,
        };
        let mut bast = Self {
            pages_per_block: config.pages_per_block,
            planes: config.planes,
            copy_back: config.copy_back,
            log_blocks,
            partial_merge,
            blocks: vec![erased; physical as usize],
            free: (0..physical).collect(),
            data: vec![None; logical as usize],
            logs: Vec::new(),
        };
        if config.precondition_full {
            bast.precondition();
        }
        bast
    }

    /// Every logical page has been written once: logical block b is physical block b.
    fn precondition(&mut self) {
        for lbn in 0..self.data.len() as u64 {
            let pbn = self.take_free();
            self.data[lbn as usize] = Some(pbn);
            for offset in 0..self.pages_per_block {
                self.program(pbn, offset, lbn * self.pages_per_block + offset);
            }
        }
    }

    pub(super) fn write(&mut self, lpn: Lpn, record: &mut Record) {
        let lbn = lpn / self.pages_per_block;
        if let Some(log) = self.log_of(lbn)
            && self.programmed(log.pbn) == self.pages_per_block
        {
            self.merge(log, record);
        }
        let log = self
            .log_of(lbn)
            .unwrap_or_else(|| self.new_log(lbn, record));
        self.append(log, lpn, record);
        self.make_most_recent(log);
        if self.programmed(log.pbn) == self.pages_per_block && self.is_in_order(log.pbn) {
            self.switch(log, record);
        }
    }

    /// Invalidates the valid page of an LPN, if there is one.
    pub(super) fn invalidate(&mut self, lpn: Lpn) {
        if let Some((pbn, position)) = self.locate(lpn) {
            let page = &mut self.blocks[pbn as usize].pages[position as usize];
            *page = Some(Page { lpn, valid: false });
        }
    }

    /// Physical block and position of the valid page of an LPN.
    pub(super) fn locate(&self, lpn: Lpn) -> Option<(Pbn, u64)> {
        let lbn = lpn / self.pages_per_block;
        let log = self.log_of(lbn).map(|log| log.pbn);
        for pbn in log.into_iter().chain(self.data[lbn as usize]) {
            for position in 0..self.pages_per_block {
                let page = self.page(pbn, position);
                if page.is_some_and(|page| page.valid && page.lpn == lpn) {
                    return Some((pbn, position));
                }
            }
        }
        None
    }

    /// Where each LPN lies.
    pub(super) fn places(&self) -> Vec<Option<(Pbn, u64)>> {
        let pages = self.data.len() as u64 * self.pages_per_block;
        (0..pages).map(|lpn| self.locate(lpn)).collect()
    }

    pub(super) fn free(&self) -> &[Pbn] {
        &self.free
    }

    pub(super) fn erase_counts(&self) -> Vec<u32> {
        self.blocks.iter().map(|block| block.erases).collect()
    }

    fn log_of(&self, lbn: Lbn) -> Option<Log> {
        self.logs.iter().find(|log| log.lbn == lbn).copied()
    }

    fn page(&self, pbn: Pbn, position: u64) -> Option<Page> {
        self.blocks[pbn as usize].pages[position as usize]
    }

    /// Pages programmed since the block was erased.
    fn programmed(&self, pbn: Pbn) -> u64 {
        self.blocks[pbn as usize].pages.iter().flatten().count() as u64
    }

    fn valid(&self, pbn: Pbn) -> u64 {
        let pages = self.blocks[pbn as usize].pages.iter().flatten();
        pages.filter(|page| page.valid).count() as u64
    }

    /// Whether each page programmed lies at its own offset.
    fn is_in_order(&self, pbn: Pbn) -> bool {
        (0..self.pages_per_block).all(|position| match self.page(pbn, position) {
            Some(page) => page.lpn % self.pages_per_block == position,
            None => true,
        })
    }

    /// A log block for a logical block that has none.
    fn new_log(&mut self, lbn: Lbn, record: &mut Record) -> Log {
        if self.logs.len() as u64 == self.log_blocks {
            self.merge(self.logs[0], record);
        }
        let pbn = self.take_free();
        let log = Log { lbn, pbn };
        self.logs.push(log);
        log
    }

    /// Writes a page to the next position of a log block.
    fn append(&mut self, log: Log, lpn: Lpn, record: &mut Record) {
        let position = self.programmed(log.pbn);
        self.invalidate(lpn);
        self.program(log.pbn, position, lpn);
        record.counters.flash_programs += 1;
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
        let programmed = self.programmed(log.pbn);
        let valid = self.valid(log.pbn);
        if valid == 0 {
            self.erase(log.pbn, record);
            self.release(log);
        } else if self.partial_merge
            && programmed < self.pages_per_block
            && self.is_in_order(log.pbn)
            && valid == programmed
        {
            self.partial(log, record);
        } else {
            self.full(log, record);
        }
    }

    fn switch(&mut self, log: Log, record: &mut Record) {
        self.erase_data_block(log.lbn, record);
        self.data[log.lbn as usize] = Some(log.pbn);
        self.release(log);
        record.counters.switch_merges += 1;
        record.events.push(Event::Merged(Merge::Switch, log.lbn));
    }

    fn partial(&mut self, log: Log, record: &mut Record) {
        for offset in self.programmed(log.pbn)..self.pages_per_block {
            self.copy(log.lbn * self.pages_per_block + offset, log.pbn, record);
        }
        self.erase_data_block(log.lbn, record);
        self.data[log.lbn as usize] = Some(log.pbn);
        self.release(log);
        record.counters.partial_merges += 1;
        record.events.push(Event::Merged(Merge::Partial, log.lbn));
    }

    fn full(&mut self, log: Log, record: &mut Record) {
        let target = self.take_free();
        for offset in 0..self.pages_per_block {
            self.copy(log.lbn * self.pages_per_block + offset, target, record);
        }
        self.erase(log.pbn, record);
        self.erase_data_block(log.lbn, record);
        self.data[log.lbn as usize] = Some(target);
        self.release(log);
        record.counters.full_merges += 1;
        record.events.push(Event::Merged(Merge::Full, log.lbn));
    }

    /// Copies the valid page of an LPN, if there is one, to its own offset in a block.
    fn copy(&mut self, lpn: Lpn, target: Pbn, record: &mut Record) {
        let Some((source, _)) = self.locate(lpn) else {
            return;
        };
        if self.copy_back && source % self.planes == target % self.planes {
            record.counters.copy_backs += 1;
        } else {
            record.counters.flash_copies += 1;
        }
        self.invalidate(lpn);
        self.program(target, lpn % self.pages_per_block, lpn);
    }

    fn program(&mut self, pbn: Pbn, position: u64, lpn: Lpn) {
        let rest = &mut self.blocks[pbn as usize].pages[position as usize..];
        assert!(
            rest.iter().all(Option::is_none),
            "a page is programmed out of order"
        );
        rest[0] = Some(Page { lpn, valid: true });
    }

    fn take_free(&mut self) -> Pbn {
        assert!(!self.free.is_empty(), "no free block is left");
        self.free.remove(0)
    }

    fn erase_data_block(&mut self, lbn: Lbn, record: &mut Record) {
        if let Some(pbn) = self.data[lbn as usize] {
            self.erase(pbn, record);
        }
    }

    fn erase(&mut self, pbn: Pbn, record: &mut Record) {
        assert_eq!(self.valid(pbn), 0, "valid pages are erased");
        let block = &mut self.blocks[pbn as usize];
        block.pages.fill(None);
        block.erases += 1;
        self.free.push(pbn);
        record.counters.erases += 1;
    }
}
