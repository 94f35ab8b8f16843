//! `block`, block mapping with replacement blocks (section 9.3).

use super::config::{ModelBlocks, ModelConfig};
use super::flash::{Flash, data_blocks};
use super::ftl::Ftl;
use super::number::{Lbn, Lpn, Pbn};
use super::record::Record;
use super::result::Merge;

/// An open replacement block. Its next offset is the one behind its last page.
#[derive(Clone, Copy)]
struct Replacement {
    lbn: Lbn,
    pbn: Pbn,
    /// Whether any page was copied into it.
    copied: bool,
}

/// The FTL with its flash.
pub(super) struct Block {
    flash: Flash,
    open_blocks: u64,
    /// The data block of each logical block.
    data: Vec<Option<Pbn>>,
    /// The open replacement blocks, the least recently written first.
    open: Vec<Replacement>,
}

impl Block {
    pub(super) fn new(config: &ModelConfig, blocks: &ModelBlocks) -> Self {
        Self {
            flash: Flash::new(config, blocks.further_blocks()),
            open_blocks: blocks.log_blocks,
            data: data_blocks(config),
            open: Vec::new(),
        }
    }

    /// Removes the open replacement block of a logical block from the list.
    fn take_open(&mut self, lbn: Lbn) -> Option<Replacement> {
        let at = self.open.iter().position(|open| open.lbn == lbn)?;
        Some(self.open.remove(at))
    }

    /// A replacement block for a logical block that has none.
    fn open_new(&mut self, lbn: Lbn, record: &mut Record) -> Replacement {
        if self.open.len() as u64 == self.open_blocks {
            let least_recent = self.open.remove(0);
            self.close(least_recent, record);
        }
        Replacement {
            lbn,
            pbn: self.flash.take_free(),
            copied: false,
        }
    }

    /// Completes a replacement block that is no longer in the list.
    fn close(&mut self, mut open: Replacement, record: &mut Record) {
        self.copy_up_to(self.flash.pages_per_block, &mut open, record);
        self.replace_data_block(open, Merge::Partial, record);
    }

    /// Copies the valid old pages from the next offset up to but not including `end`.
    fn copy_up_to(&mut self, end: u64, open: &mut Replacement, record: &mut Record) {
        for offset in self.flash.end(open.pbn)..end {
            let lpn = open.lbn * self.flash.pages_per_block + offset;
            open.copied |= self.flash.copy(lpn, open.pbn, offset, record);
        }
    }

    fn replace_data_block(&mut self, by: Replacement, kind: Merge, record: &mut Record) {
        self.flash.remap(record);
        if let Some(old) = self.data[by.lbn as usize].replace(by.pbn) {
            self.flash.erase(old, record);
        }
        record.merged(kind, by.lbn);
    }
}

impl Ftl for Block {
    fn write(&mut self, lpn: Lpn, record: &mut Record) {
        let lbn = lpn / self.flash.pages_per_block;
        let offset = lpn % self.flash.pages_per_block;
        let mut open = self.take_open(lbn);
        if let Some(passed) = open.take_if(|open| offset < self.flash.end(open.pbn)) {
            self.close(passed, record);
        }
        let mut open = open.unwrap_or_else(|| self.open_new(lbn, record));
        self.copy_up_to(offset, &mut open, record);
        self.flash.write(lpn, open.pbn, offset, record);
        if !self.flash.is_full(open.pbn) {
            self.open.push(open);
        } else if open.copied {
            self.replace_data_block(open, Merge::Partial, record);
        } else {
            self.replace_data_block(open, Merge::Switch, record);
        }
    }

    fn discard(&mut self, lpn: Lpn, _: &mut Record) {
        self.flash.invalidate(lpn);
    }

    fn flash(&self) -> &Flash {
        &self.flash
    }
}
