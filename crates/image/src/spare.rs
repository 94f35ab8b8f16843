//! The entries of pages and blocks.

use ssdlab_flash::{Lpn, Role, Spare};

use crate::bytes::{long, sum, word};

/// The bytes of a page's entry: its spare area.
pub const BYTES: usize = 32;
/// The bytes of a block's two entries.
pub const BLOCK_BYTES: usize = 64;

/// What the entry of a page says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Never written.
    Blank,
    /// Programmed, at the latest before the last erase of its block.
    Page(PageEntry),
    /// A program was interrupted since this erase of the block.
    Torn(u32),
    /// Written in part, or damaged.
    Broken,
}

/// The entry of a page that was programmed.
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

fn seal(mut bytes: [u8; BYTES], page: u64) -> Encoded {
    let sum = sum(&bytes[..28], page);
    bytes[28..].copy_from_slice(&sum.to_le_bytes());
    (bytes, sum)
}

impl PageEntry {
    /// The entry of this page of the image.
    #[inline]
    pub fn encode(&self, page: u64) -> Encoded {
        let mut bytes = [0; BYTES];
        bytes[0..8].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.spare.lpn.0.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.generation.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.data_sum.to_le_bytes());
        bytes[20] = self.spare.role.0;
        bytes[21] = PROGRAMMED;
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
pub fn decode(bytes: &[u8], page: u64) -> Entry {
    if bytes.iter().all(|&byte| byte == 0) {
        return Entry::Blank;
    }
    let generation = word(bytes, 12);
    match bytes[21] {
        _ if word(bytes, 28) != sum(&bytes[..28], page) => Entry::Broken,
        PROGRAMMED => Entry::Page(PageEntry {
            sequence: long(bytes, 0),
            spare: Spare {
                lpn: Lpn(word(bytes, 8)),
                role: Role(bytes[20]),
            },
            generation,
            data_sum: word(bytes, 16),
        }),
        TORN => Entry::Torn(generation),
        _ => Entry::Broken,
    }
}

/// The entry of an erased block. Each erase writes the older of two, so that the other tells what an erase that is not
/// durable has replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockEntry {
    /// The erases so far, this one included.
    pub generation: u32,
    /// The sequence number of the erase.
    pub sequence: u64,
}

/// The bytes of one of the two entries.
pub const ONE: usize = BLOCK_BYTES / 2;

impl BlockEntry {
    /// The place of this erase among the two entries of its block.
    pub fn place(generation: u32) -> u64 {
        u64::from(generation % 2) * ONE as u64
    }

    /// The entry of this block of the image, and its checksum.
    pub fn encode(&self, block: u64) -> ([u8; ONE], u32) {
        let mut bytes = [0; ONE];
        bytes[0..8].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.generation.to_le_bytes());
        let sum = sum(&bytes[..28], block);
        bytes[28..].copy_from_slice(&sum.to_le_bytes());
        (bytes, sum)
    }

    /// Whether one entry of this block has something else than its checksum, and was written.
    pub fn is_broken(bytes: &[u8], block: u64) -> bool {
        bytes.iter().any(|&byte| byte != 0) && word(bytes, 28) != sum(&bytes[..28], block)
    }

    /// The newest erase up to a sequence number, with its checksum. Broken entries do not count.
    pub fn newest(bytes: &[u8], block: u64, up_to: u64) -> (Self, u32) {
        let whole = |bytes: &&[u8]| word(bytes, 28) == sum(&bytes[..28], block);
        let read = |bytes: &[u8]| {
            let entry = Self {
                sequence: long(bytes, 0),
                generation: word(bytes, 8),
            };
            (entry, word(bytes, 28))
        };
        let entries = bytes.chunks(ONE).filter(whole).map(read);
        let known = entries.filter(|(entry, _)| entry.sequence <= up_to);
        known
            .max_by_key(|(entry, _)| entry.generation)
            .unwrap_or_default()
    }
}
