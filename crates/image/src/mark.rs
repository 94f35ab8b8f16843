//! Marks: the moments at which an image can be opened.

use crate::bytes::{long, sum, word};
use crate::mirror::Place;

/// The bytes of the section.
pub const BYTES: u64 = 4 * SLOT;
/// The distance of two slots. Each lies in sectors of its own.
const SLOT: u64 = 4096;
/// The bytes of a mark.
pub const USED: usize = 144;

/// What the checksums of all pages and blocks add up to at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Pages that were programmed since the last erase of their block.
    pub pages: u64,
    /// Erases.
    pub erases: u64,
    /// The sum of the checksums of the entries of these pages, and of the newest entry of each erased block.
    pub sum: u64,
}

/// One moment. It is written with everything up to it, before one sync; whether all of it has arrived shows in the
/// tally and in the checksums of the pages since `base`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Marks before this one.
    pub number: u64,
    /// Programs, erases and discards up to this sequence number belong to this moment, no others.
    pub sequence: u64,
    /// All up to this sequence number was durable before the mark was written.
    pub base: u64,
    /// The sum of all pages and blocks.
    pub tally: Tally,
    /// The half of the records in use, the number of its pages, and the sum of their checksums.
    pub records: Records,
    /// The first record of the mirror of RAM that counts.
    pub mirror: Place,
    /// The place after its last record at this moment.
    pub mirror_end: Place,
    /// Operations beside those of the pages, over the life of the image.
    pub meta: MetaCounts,
    /// A block failed, and no spare one was left.
    pub worn_out: bool,
    /// The drive was closed here, and a sync came before this mark.
    pub closed: bool,
}

/// Operations of an image beside those of its pages, since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MetaCounts {
    /// Syncs of the file.
    pub syncs: u64,
    /// Programs of pages of records, and of RAM that was dumped when the power failed.
    pub meta_programs: u64,
    /// Erases of blocks of records.
    pub meta_erases: u64,
}

/// The records of discards at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Records {
    /// Counts the halves that were begun; 0: none.
    pub epoch: u64,
    /// The pages of the half in use.
    pub pages: u32,
    /// The sum of their checksums.
    pub sum: u64,
}

impl Mark {
    /// The place of mark `number`. The mark before it is in the other slot.
    pub fn at(number: u64) -> u64 {
        crate::layout::MARKS_AT + number % 2 * SLOT
    }

    /// The place of the last mark that a sync has made durable.
    pub const CONFIRMED_AT: u64 = crate::layout::MARKS_AT + 2 * SLOT;

    pub fn encode(&self) -> [u8; USED] {
        let mut bytes = Vec::with_capacity(USED);
        for long in [
            self.number,
            self.sequence,
            self.base,
            self.tally.pages,
            self.tally.erases,
            self.tally.sum,
            self.records.epoch,
            self.records.pages.into(),
            self.records.sum,
            self.mirror.at,
            self.mirror.number,
            self.mirror_end.at,
            self.mirror_end.number,
            self.meta.syncs,
            self.meta.meta_programs,
            self.meta.meta_erases,
            1 + u64::from(self.closed) + 2 * u64::from(self.worn_out),
        ] {
            bytes.extend(long.to_le_bytes());
        }
        bytes.extend(sum(&bytes, 0).to_le_bytes());
        bytes.resize(USED, 0);
        bytes.try_into().expect("of this length")
    }

    /// `None` if it was written in part, or is damaged.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let whole = word(bytes, 136) == sum(&bytes[..136], 0) && word(bytes, 140) == 0;
        let state = long(bytes, 128).wrapping_sub(1);
        whole.then(|| Self {
            number: long(bytes, 0),
            sequence: long(bytes, 8),
            base: long(bytes, 16),
            tally: Tally {
                pages: long(bytes, 24),
                erases: long(bytes, 32),
                sum: long(bytes, 40),
            },
            records: Records {
                epoch: long(bytes, 48),
                pages: word(bytes, 56),
                sum: long(bytes, 64),
            },
            mirror: Place {
                at: long(bytes, 72),
                number: long(bytes, 80),
            },
            mirror_end: Place {
                at: long(bytes, 88),
                number: long(bytes, 96),
            },
            meta: MetaCounts {
                syncs: long(bytes, 104),
                meta_programs: long(bytes, 112),
                meta_erases: long(bytes, 120),
            },
            closed: state & 1 == 1,
            worn_out: state & 2 == 2,
        })
    }
}
