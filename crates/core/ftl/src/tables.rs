//! What a controller keeps in RAM for an FTL, and reads when it starts. The simulator's own tables are larger.

use crate::map_log::map_pages;
use crate::{Capacity, Size};

/// The bytes of a number in the tables of a controller: of a page, of a block, of pages, of a time. The papers give no
/// bytes; drives keep 4 for each mapping unit of 4 KiB (micron.com, September 2023).
pub const NUMBER: u64 = 4;

/// The tables of an FTL on one chip, in bytes, and the pages that a start-up reads to fill them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tables {
    /// Where each logical page or block is; of a map in flash, where its pages are, which pages are valid, and the entries
    /// of moved pages.
    pub mapping: u64,
    /// The cache of a map in flash.
    pub map: u64,
    /// Lists and index of that cache.
    pub map_index: u64,
    /// Log blocks, or replacement blocks, and where their pages are.
    pub log_blocks: u64,
    /// What victims are chosen by.
    pub cleaning: u64,
    /// When pages were last updated.
    pub updates: u64,
    /// The spare areas that a start-up reads.
    pub spares_read: u64,
    /// The pages of a map in flash that a start-up reads.
    pub pages_read: u64,
}

impl Tables {
    /// One number for each logical block, and one spare area for each physical block: the first page of a block says what
    /// the block is.
    pub(crate) fn by_block(size: &Size) -> Self {
        Self {
            mapping: NUMBER * size.logical_blocks,
            spares_read: size.physical_blocks,
            ..Self::default()
        }
    }

    /// The same with the map in flash, if it is written: its pages are read instead of the spare areas of the data blocks.
    pub(crate) fn with_map_in_flash(mut self, is_written: bool, capacity: &Capacity) -> Self {
        if is_written {
            self.pages_read = map_pages(capacity.logical_blocks, capacity.page_size);
            self.spares_read -= capacity.logical_blocks;
        }
        self
    }

    /// One number for each logical page, and the spare area of each physical page.
    pub(crate) fn by_page(size: &Size) -> Self {
        Self {
            mapping: NUMBER * size.logical_pages,
            spares_read: size.physical_pages,
            ..Self::default()
        }
    }

    /// The same with this many log blocks, each with two numbers (its own and that of its logical block, or of its next
    /// page) and `page_numbers` for each of its pages. Each of their pages has a spare area of its own to read.
    pub(crate) fn with_logs(mut self, size: &Size, logs: u32, page_numbers: u64) -> Self {
        let logs = u64::from(logs);
        self.log_blocks = logs * NUMBER * (2 + page_numbers * size.pages_per_block);
        self.spares_read += logs * (size.pages_per_block - 1);
        self
    }
}
