//! The state of the flash, for people and tools.

use ssdlab_flash::{Lpn, Media, Pbn, Role, SpareState};
use ssdlab_image::ImageFlash;

use crate::DriveError;

/// A page of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageState {
    /// Not programmed since the last erase.
    Erased,
    /// A program was interrupted.
    Torn,
    /// Programmed.
    Programmed {
        /// The logical page, on its chip.
        lpn: Lpn,
        /// Its role for the FTL.
        role: Role,
        /// The number of the operation on this drive.
        sequence: u64,
    },
}

/// An erase block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockState {
    /// The chip with its own FTL.
    pub chip: u32,
    /// The block on this chip.
    pub block: Pbn,
    /// The erases so far.
    pub erases: u32,
    /// The pages in the order of their positions.
    pub pages: Vec<PageState>,
}

/// The blocks of a chip.
pub fn blocks(
    chip: u32,
    flash: &mut ImageFlash,
) -> impl Iterator<Item = Result<BlockState, DriveError>> {
    let blocks = (0..flash.geometry().physical_blocks()).map(Pbn);
    blocks.map(move |block| {
        let at = flash.geometry().pages_of(block);
        let pages = at.map(|at| {
            Ok(match flash.read_spare(at)? {
                SpareState::Erased => PageState::Erased,
                SpareState::Torn => PageState::Torn,
                SpareState::Good(spare, sequence) => PageState::Programmed {
                    lpn: spare.lpn,
                    role: spare.role,
                    sequence,
                },
            })
        });
        let pages = pages.collect::<Result<_, ssdlab_flash::Fault>>();
        Ok(BlockState {
            chip,
            block,
            erases: flash.erase_count(block),
            pages: pages.map_err(ssdlab_image::ImageError::from)?,
        })
    })
}
