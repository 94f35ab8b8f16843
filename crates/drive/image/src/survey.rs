//! What is damaged in an image that cannot be opened.

use std::iter::repeat_n;

use crate::disk::Disk;
use crate::error::ImageError;
use crate::image::whole;
use crate::spare::{self, BLOCK_BYTES, BYTES, BlockEntry, SpareEntry, number, number_of};

/// An entry with a wrong checksum, or in the wrong place. A crash may leave some as well, but not in an image that was
/// closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenEntry {
    /// The chip with its own FTL.
    pub chip: u32,
    /// The erase block of the file, on this chip.
    pub slot: u32,
    /// The position of the page whose spare area it is; `None`: an entry of the block.
    pub page: Option<u32>,
}

/// Reads all entries of an image, which may be damaged, and returns the first broken ones, `most` at most.
///
/// # Errors
/// A file that is no image, is too short, or cannot be read.
pub fn broken_entries(disk: &dyn Disk, most: usize) -> Result<Vec<BrokenEntry>, ImageError> {
    let (layout, _) = whole(disk)?;
    let geometry = &layout.shape.geometry;
    let mut broken = Vec::new();
    let mut entries = [0; BLOCK_BYTES];
    let mut spares = vec![0; geometry.pages_per_block() as usize * BYTES];
    for chip in 0..layout.shape.chips {
        for slot in 0..layout.shape.slots() {
            disk.read(layout.slot(chip, slot), &mut entries)?;
            let first = layout.shape.page(slot, 0);
            disk.read(layout.spare(chip, first), &mut spares)?;
            let of_block = BlockEntry::broken(&entries, number(chip, slot));
            let pages = (0..).zip(spares.chunks(BYTES)).filter(|(position, bytes)| {
                let page = number_of(chip, first.plus(*position));
                spare::decode(bytes, page) == SpareEntry::Broken
            });
            let places = repeat_n(None, of_block).chain(pages.map(|(position, _)| Some(position)));
            broken.extend(places.map(|page| BrokenEntry { chip, slot, page }));
            if broken.len() >= most {
                broken.truncate(most);
                return Ok(broken);
            }
        }
    }
    Ok(broken)
}
