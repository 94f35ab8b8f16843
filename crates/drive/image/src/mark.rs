//! Marks: the moments at which an image can be opened.
//!
//! They have two places, at the two ends of the file, so that no damage to one of them takes a mark with it. Each place
//! has a slot for marks of even numbers, one for those of odd ones, and one for the last mark that a sync has made
//! durable.

use crate::bytes::{long, sum, word};
use crate::mirror::{MirrorPlace, Session};

/// The bytes of a place.
pub const BYTES: u64 = 3 * SLOT;
/// The distance of two slots. Each lies in sectors of its own.
pub const SLOT: u64 = 4096;
/// The bytes of a mark.
pub const USED: usize = 152;
/// All slots.
pub const SLOTS: usize = 6;

/// The places of the counts in a mark: of marks, operations, pages, erases, halves, places and records of the mirror, and
/// of operations other than those of the pages.
const COUNTS: [usize; 14] = [0, 8, 16, 24, 32, 48, 72, 80, 88, 96, 104, 112, 120, 128];
/// No drive gets that far, so that whatever is added to a count does not overflow.
const MOST: u64 = 1 << 62;

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
    pub records: DiscardRecords,
    /// The first record of the mirror of RAM that counts.
    pub mirror: MirrorPlace,
    /// The place after its last record at this moment.
    pub mirror_end: MirrorPlace,
    /// The first mark since the drive was opened: that of later records of the mirror.
    pub opening: u64,
    /// Operations other than those of the pages, over the life of the image.
    pub meta: MetaCounts,
    /// A block failed, and no spare one was left.
    pub worn_out: bool,
    /// The drive was closed here, and a sync came before this mark.
    pub closed: bool,
}

/// Operations of an image other than those of its pages, since it was made.
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
pub struct DiscardRecords {
    /// Counts the halves that were begun; 0: none.
    pub epoch: u64,
    /// The pages of the half in use.
    pub pages: u32,
    /// The sum of their checksums.
    pub sum: u64,
}

impl Mark {
    /// The records of the mirror since this mark.
    pub fn session(&self) -> Session {
        Session {
            durable: self.mirror_end.number,
            opening: self.opening,
        }
    }

    /// The bytes of the mark, for the image with this number.
    pub fn encode(&self, id: u64) -> [u8; USED] {
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
            self.opening,
            self.meta.syncs,
            self.meta.meta_programs,
            self.meta.meta_erases,
            1 + u64::from(self.closed) + 2 * u64::from(self.worn_out),
        ] {
            bytes.extend(long.to_le_bytes());
        }
        bytes.extend(sum(&bytes, id).to_le_bytes());
        bytes.resize(USED, 0);
        bytes.try_into().expect("of this length")
    }

    /// `None` if it was written in part, is damaged, is one of another image, or counts what no drive has done.
    pub fn decode(bytes: &[u8], id: u64) -> Option<Self> {
        let is_possible = |place: &usize| long(bytes, *place) < MOST;
        let whole = word(bytes, 144) == sum(&bytes[..144], id)
            && word(bytes, 148) == 0
            && COUNTS.iter().all(is_possible);
        let state = long(bytes, 136).wrapping_sub(1);
        whole.then(|| Self {
            number: long(bytes, 0),
            sequence: long(bytes, 8),
            base: long(bytes, 16),
            tally: Tally {
                pages: long(bytes, 24),
                erases: long(bytes, 32),
                sum: long(bytes, 40),
            },
            records: DiscardRecords {
                epoch: long(bytes, 48),
                pages: word(bytes, 56),
                sum: long(bytes, 64),
            },
            mirror: MirrorPlace {
                at: long(bytes, 72),
                number: long(bytes, 80),
            },
            mirror_end: MirrorPlace {
                at: long(bytes, 88),
                number: long(bytes, 96),
            },
            opening: long(bytes, 104),
            meta: MetaCounts {
                syncs: long(bytes, 112),
                meta_programs: long(bytes, 120),
                meta_erases: long(bytes, 128),
            },
            closed: state & 1 == 1,
            worn_out: state & 2 == 2,
        })
    }
}
