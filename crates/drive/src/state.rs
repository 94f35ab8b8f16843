//! The state of the flash, for people and tools.

use ssdlab_flash::{Bytes, Fault, Lpn, Media, Payload, Pbn, Ppn, Role, SpareState};
use ssdlab_image::{ImageError, ImageFlash};

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
        /// Whether no later version of the logical page is in flash, and no later discard.
        newest: bool,
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

/// A programmed page whose data do not have their checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DamagedPage {
    /// The chip with its own FTL.
    pub chip: u32,
    /// The block on this chip.
    pub block: Pbn,
    /// The position in the block.
    pub position: u32,
    /// The logical page, on its chip.
    pub lpn: Lpn,
    /// Whether it is the version that counts.
    pub newest: bool,
}

/// The blocks of a chip.
pub fn blocks(
    chip: u32,
    mut flash: ImageFlash,
) -> impl Iterator<Item = Result<BlockState, DriveError>> {
    let mut newest = Some(newest(&mut flash));
    let mut known = Vec::new();
    let blocks = (0..flash.geometry().physical_blocks()).map(Pbn);
    blocks.map(move |block| {
        if let Some(first) = newest.take() {
            known = first?;
        }
        block_state(chip, block, &mut flash, &known)
    })
}

/// The damaged pages of each block of a chip.
pub fn damaged(
    chip: u32,
    mut flash: ImageFlash,
) -> impl Iterator<Item = Result<Vec<DamagedPage>, DriveError>> {
    let mut newest = Some(newest(&mut flash));
    let mut known = Vec::new();
    let mut bytes = Bytes::blank(flash.geometry().page_size());
    let blocks = (0..flash.geometry().physical_blocks()).map(Pbn);
    blocks.map(move |block| {
        if let Some(first) = newest.take() {
            known = first?;
        }
        let state = block_state(chip, block, &mut flash, &known)?;
        let first = flash.geometry().ppn(block, 0);
        let mut damaged = Vec::new();
        for (position, page) in (0..).zip(state.pages) {
            let PageState::Programmed { lpn, newest, .. } = page else {
                continue;
            };
            match flash.read(first.plus(position), &mut bytes) {
                Ok(()) => {}
                Err(Fault::Uncorrectable(_)) => damaged.push(DamagedPage {
                    chip,
                    block,
                    position,
                    lpn,
                    newest,
                }),
                Err(fault) => return Err(failed(fault)),
            }
        }
        Ok(damaged)
    })
}

fn failed(fault: Fault) -> DriveError {
    ImageError::from(fault).into()
}

/// By logical page, the sequence number of the version that counts; 0: none. It is the last one, unless a discard
/// followed.
fn newest(flash: &mut ImageFlash) -> Result<Vec<u64>, DriveError> {
    let mut newest = vec![0; flash.geometry().logical_pages() as usize];
    for at in (0..flash.geometry().physical_pages()).map(Ppn) {
        if let SpareState::Good(spare, sequence) = flash.read_spare(at).map_err(failed)?
            && let Some(known) = newest.get_mut(spare.lpn.index())
        {
            *known = sequence.max(*known);
        }
    }
    for (lpn, known) in (0..).map(Lpn).zip(&mut newest) {
        if flash.discarded_at(lpn).map_err(failed)? > *known {
            *known = 0;
        }
    }
    Ok(newest)
}

fn block_state(
    chip: u32,
    block: Pbn,
    flash: &mut ImageFlash,
    newest: &[u64],
) -> Result<BlockState, DriveError> {
    let pages = flash.geometry().pages_of(block).map(|at| {
        Ok(match flash.read_spare(at)? {
            SpareState::Erased => PageState::Erased,
            SpareState::Torn => PageState::Torn,
            SpareState::Good(spare, sequence) => PageState::Programmed {
                lpn: spare.lpn,
                role: spare.role,
                sequence,
                newest: newest.get(spare.lpn.index()) == Some(&sequence),
            },
        })
    });
    let pages = pages.collect::<Result<_, Fault>>();
    Ok(BlockState {
        chip,
        block,
        erases: flash.erase_count(block),
        pages: pages.map_err(failed)?,
    })
}
