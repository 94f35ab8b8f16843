//! The entries of pages and blocks.

use ssdlab_flash::{Lpn, Pbn, Ppn, Role, Spare};

use crate::bytes::{long, sum, word};
use crate::shape::ImageShape;

/// The bytes of a page's entry: its spare area.
pub const BYTES: usize = 32;
/// The bytes of a block's two entries.
pub const BLOCK_BYTES: usize = 64;

/// An entry that was never written.
pub const BLANK: [u8; BYTES] = [0; BYTES];

/// The number of an erase block of the file, for checksums.
#[inline]
pub fn number(chip: u32, slot: u32) -> u64 {
    u64::from(chip) << 32 | u64::from(slot)
}

/// The number of a page of the file, for checksums.
#[inline]
pub fn number_of(chip: u32, at: Ppn) -> u64 {
    number(chip, at.0)
}

/// What the entry of a page says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpareEntry {
    /// Never written.
    Blank,
    /// Programmed, perhaps before the last erase of its block.
    Page(PageEntry),
    /// A program was interrupted since this erase of the block.
    Torn(u32),
    /// Programmed, but its data were lost.
    Lost(PageEntry),
    /// Written in part, or damaged.
    Broken,
}

/// The entry of a programmed page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageEntry {
    pub spare: Spare,
    pub sequence: u64,
    /// The erases of its block before it was programmed.
    pub generation: u32,
    /// The checksum of the data.
    pub data_sum: u32,
}

/// An entry in the file, and its checksum.
pub type Encoded = ([u8; BYTES], u32);

const PROGRAMMED: u8 = 1;
const TORN: u8 = 2;
const LOST: u8 = 3;

fn seal(mut bytes: [u8; BYTES], page: u64) -> Encoded {
    let sum = sum(&bytes[..28], page);
    bytes[28..].copy_from_slice(&sum.to_le_bytes());
    (bytes, sum)
}

impl PageEntry {
    /// The entry of this page of the image.
    #[inline]
    pub fn encode(&self, page: u64) -> Encoded {
        self.with_state(page, PROGRAMMED)
    }

    /// The entry of this page of the image, if its data were lost.
    pub fn encode_lost(&self, page: u64) -> Encoded {
        self.with_state(page, LOST)
    }

    #[inline]
    fn with_state(&self, page: u64, state: u8) -> Encoded {
        let mut bytes = [0; BYTES];
        bytes[0..8].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.spare.lpn.0.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.generation.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.data_sum.to_le_bytes());
        bytes[20] = self.spare.role.0;
        bytes[21] = state;
        seal(bytes, page)
    }
}

/// The entry of a torn page.
pub fn torn(generation: u32, page: u64) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    bytes[12..16].copy_from_slice(&generation.to_le_bytes());
    bytes[21] = TORN;
    seal(bytes, page).0
}

/// The entry of this page of the image.
pub fn decode(bytes: &[u8], page: u64) -> SpareEntry {
    if bytes.iter().all(|&byte| byte == 0) {
        return SpareEntry::Blank;
    }
    let entry = PageEntry {
        sequence: long(bytes, 0),
        spare: Spare {
            lpn: Lpn(word(bytes, 8)),
            role: Role(bytes[20]),
        },
        generation: word(bytes, 12),
        data_sum: word(bytes, 16),
    };
    match bytes[21] {
        _ if word(bytes, 28) != sum(&bytes[..28], page) => SpareEntry::Broken,
        PROGRAMMED => SpareEntry::Page(entry),
        LOST => SpareEntry::Lost(entry),
        TORN => SpareEntry::Torn(entry.generation),
        _ => SpareEntry::Broken,
    }
}

/// What an erase block of the image stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// This block of the geometry.
    Block(Pbn),
    /// Nothing yet.
    Spare,
    /// Nothing any more: it failed, or was bad from the factory.
    Bad,
}

/// The erase blocks of a chip that hold no block of the geometry.
#[derive(Clone, Debug, Default)]
pub struct SlotUse {
    /// Those that can stand in for a block; the last one is the next.
    pub spare: Vec<u32>,
    /// Those that failed.
    pub bad: Vec<u32>,
}

/// The entry of an erase block. Each erase, and its end as a bad block, writes the older of two, so that the other one
/// still has what an operation that is not durable yet has replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockEntry {
    /// The erases of the block that it holds, this one included; one more when it went bad.
    pub generation: u32,
    /// One more than the generation with which it took the place of another; 0: it holds its block from the beginning.
    pub since: u32,
    /// The sequence number of the operation.
    pub sequence: u64,
    pub holds: Holds,
    /// The erase was interrupted: no page can be read, or programmed before the next erase.
    pub torn: bool,
}

/// The bytes of one of the two entries.
pub const ONE: usize = BLOCK_BYTES / 2;

const BAD: u32 = u32::MAX;

impl BlockEntry {
    /// An erase block whose entries were never written.
    pub fn unused(slot: u32, shape: &ImageShape) -> Self {
        Self {
            generation: 0,
            since: 0,
            sequence: 0,
            torn: false,
            holds: if slot < shape.geometry.all_blocks() {
                Holds::Block(Pbn(slot))
            } else {
                Holds::Spare
            },
        }
    }

    /// The place of this erase among the two entries of its block.
    pub fn place(generation: u32) -> u64 {
        u64::from(generation % 2) * ONE as u64
    }

    /// The entry of this erase block of the image, and its checksum.
    pub fn encode(&self, slot: u64) -> ([u8; ONE], u32) {
        let holds = match self.holds {
            Holds::Block(block) => block.0,
            Holds::Spare | Holds::Bad => BAD,
        };
        let mut bytes = [0; ONE];
        bytes[0..8].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.generation.to_le_bytes());
        bytes[12..16].copy_from_slice(&holds.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.since.to_le_bytes());
        bytes[20] = self.torn.into();
        let sum = sum(&bytes[..28], slot);
        bytes[28..].copy_from_slice(&sum.to_le_bytes());
        (bytes, sum)
    }

    /// How many of the two entries of this erase block were written and are not whole.
    pub fn broken(bytes: &[u8], slot: u64) -> usize {
        let is_broken = |(place, entry): &(usize, &[u8])| {
            entry.iter().any(|&byte| byte != 0) && Self::decode(*place, entry, slot).is_none()
        };
        bytes.chunks(ONE).enumerate().filter(is_broken).count()
    }

    /// The newest entry up to a sequence number, with its checksum. Broken entries do not count.
    pub fn newest(bytes: &[u8], slot: u64, up_to: u64) -> Option<(Self, u32)> {
        let entries = bytes.chunks(ONE).enumerate();
        let whole = entries.filter_map(|(place, entry)| Self::decode(place, entry, slot));
        let in_time = whole.filter(|(entry, _)| entry.sequence <= up_to);
        in_time.max_by_key(|(entry, _)| entry.generation)
    }

    /// The entry in one of the two places, with its checksum; none if it is not whole, or belongs in the other place.
    pub fn decode(place: usize, bytes: &[u8], slot: u64) -> Option<(Self, u32)> {
        let entry = Self {
            sequence: long(bytes, 0),
            generation: word(bytes, 8),
            since: word(bytes, 16),
            torn: bytes[20] != 0,
            holds: match word(bytes, 12) {
                BAD => Holds::Bad,
                block => Holds::Block(Pbn(block)),
            },
        };
        let found = word(bytes, 28);
        let is_whole = found == sum(&bytes[..28], slot);
        let is_here = Self::place(entry.generation) == (place * ONE) as u64;
        (is_whole && is_here).then_some((entry, found))
    }
}
