//! Records of discards: a log in reserved flash, in two halves that take turns.
//!
//! A half begins with all discards that count at that moment; later ones follow, page by page. When it is full, the
//! other half is begun.

use ssdlab_flash::Lpn;

use crate::bytes::{long, sum, word};
use crate::shape::ImageShape;

/// The bytes of a page before its records.
const HEAD: usize = 24;
/// The bytes of a record.
const BYTES: usize = 24;

/// A discard of consecutive pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiscardRecord {
    pub chip: u32,
    pub first: Lpn,
    pub count: u32,
    pub sequence: u64,
}

impl DiscardRecord {
    /// A discard of one page.
    pub fn of(chip: u32, lpn: Lpn, sequence: u64) -> Self {
        Self {
            chip,
            first: lpn,
            count: 1,
            sequence,
        }
    }

    /// Whether a discard continues this one.
    pub fn takes(&self, chip: u32, lpn: Lpn, sequence: u64) -> bool {
        (self.chip, self.first.plus(self.count), self.sequence) == (chip, lpn, sequence)
    }
}

/// One page of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordPage {
    /// The half that it belongs to.
    pub epoch: u64,
    /// The place in its half.
    pub index: u32,
    pub records: Vec<DiscardRecord>,
}

/// The records that a page holds.
pub fn per_page(page_size: u32) -> usize {
    (page_size as usize - HEAD) / BYTES
}

/// The pages of a half: room for a record of each logical page, and the same again, in whole erase blocks.
pub fn half_pages(shape: &ImageShape) -> Option<u32> {
    let geometry = &shape.geometry;
    let records = u64::from(geometry.logical_pages()) * u64::from(shape.chips);
    let pages = records.div_ceil(per_page(geometry.page_size()) as u64);
    let per_block = u64::from(geometry.pages_per_block());
    let pages = (2 * pages + 2).checked_next_multiple_of(per_block)?;
    u32::try_from(pages).ok()
}

impl RecordPage {
    /// The page and its checksum.
    pub fn encode(&self, page_size: u32) -> (Vec<u8>, u32) {
        let mut bytes = vec![0; 4];
        bytes.extend((self.records.len() as u32).to_le_bytes());
        bytes.extend(self.epoch.to_le_bytes());
        bytes.extend(self.index.to_le_bytes());
        bytes.extend([0; 4]);
        for record in &self.records {
            bytes.extend(record.sequence.to_le_bytes());
            for number in [record.chip, record.first.0, record.count, 0] {
                bytes.extend(number.to_le_bytes());
            }
        }
        bytes.resize(page_size as usize, 0);
        let sum = sum(&bytes[4..], 0);
        bytes[..4].copy_from_slice(&sum.to_le_bytes());
        (bytes, sum)
    }

    /// The page and its checksum; `None` if this is no whole page of records.
    pub fn decode(bytes: &[u8]) -> Option<(Self, u32)> {
        let found = sum(&bytes[4..], 0);
        let count = word(bytes, 4) as usize;
        if found != word(bytes, 0) || count > per_page(bytes.len() as u32) {
            return None;
        }
        let records = bytes[HEAD..].chunks_exact(BYTES).take(count);
        let records = records.map(|bytes| DiscardRecord {
            sequence: long(bytes, 0),
            chip: word(bytes, 8),
            first: Lpn(word(bytes, 12)),
            count: word(bytes, 16),
        });
        let page = Self {
            epoch: long(bytes, 8),
            index: word(bytes, 16),
            records: records.collect(),
        };
        Some((page, found))
    }
}
