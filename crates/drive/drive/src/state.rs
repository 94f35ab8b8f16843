//! The state of the flash, for people and tools.

use ssdlab_flash::{Fault, Lpn, Media, Payload, Pbn, Ppn, Role, SpareState};
use ssdlab_image::{ImageFlash, PageData};

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
    /// The erase block of the file that holds it. It differs from the block's number if that one went bad.
    pub slot: u32,
    /// The erases of that erase block so far.
    pub erases: u32,
    /// The pages in the order of their positions.
    pub pages: Vec<PageState>,
}

/// A programmed page whose data cannot be read.
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
    /// The flash lost the data; otherwise the file of the image is damaged.
    pub lost: bool,
}

/// The blocks of a chip.
pub fn blocks(
    chip: u32,
    flash: ImageFlash,
) -> impl Iterator<Item = Result<BlockState, DriveError>> {
    let blocks = (0..flash.geometry().all_blocks()).map(Pbn);
    let mut chip = ListedChip::new(chip, flash);
    blocks.map(move |block| Ok(chip.state(block)?))
}

/// The damaged pages of each block of a chip.
pub fn damaged(
    chip: u32,
    flash: ImageFlash,
) -> impl Iterator<Item = Result<Vec<DamagedPage>, DriveError>> {
    let blocks = (0..flash.geometry().all_blocks()).map(Pbn);
    let mut page = PageData::blank(flash.geometry().page_size());
    let mut chip = ListedChip::new(chip, flash);
    blocks.map(move |block| Ok(chip.damaged(block, &mut page)?))
}

/// A chip while its blocks are listed.
struct ListedChip {
    number: u32,
    flash: ImageFlash,
    /// By logical page, the sequence number of the version that counts; 0: none. Known with the first block.
    newest: Option<Vec<u64>>,
}

impl ListedChip {
    fn new(number: u32, flash: ImageFlash) -> Self {
        Self {
            number,
            flash,
            newest: None,
        }
    }

    fn state(&mut self, block: Pbn) -> Result<BlockState, Fault> {
        let newest = match self.newest.take() {
            Some(newest) => newest,
            None => newest(&mut self.flash)?,
        };
        let pages = self.flash.geometry().pages_of(block).map(|at| {
            Ok(match self.flash.read_spare(at)? {
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
        self.newest = Some(newest);
        Ok(BlockState {
            chip: self.number,
            block,
            slot: self.flash.slot(block),
            erases: self.flash.erase_count(block),
            pages: pages?,
        })
    }

    fn damaged(&mut self, block: Pbn, page: &mut PageData) -> Result<Vec<DamagedPage>, Fault> {
        let first = self.flash.geometry().ppn(block, 0);
        let mut damaged = Vec::new();
        for (position, state) in (0..).zip(self.state(block)?.pages) {
            let PageState::Programmed { lpn, newest, .. } = state else {
                continue;
            };
            let lost = self.flash.is_lost(first.plus(position));
            self.flash.read(first.plus(position), page)?;
            if page.lost {
                damaged.push(DamagedPage {
                    chip: self.number,
                    block,
                    position,
                    lpn,
                    newest,
                    lost,
                });
            }
        }
        Ok(damaged)
    }
}

/// The version that counts is the last one, unless a discard followed.
fn newest(flash: &mut ImageFlash) -> Result<Vec<u64>, Fault> {
    let mut newest = vec![0; flash.geometry().named_pages() as usize];
    for at in (0..flash.geometry().all_pages()).map(Ppn) {
        if let SpareState::Good(spare, sequence) = flash.read_spare(at)?
            && let Some(latest) = newest.get_mut(spare.lpn.index())
        {
            *latest = sequence.max(*latest);
        }
    }
    let logical = flash.geometry().logical_pages();
    for (lpn, latest) in (0..logical).map(Lpn).zip(&mut newest) {
        if flash.discarded_at(lpn)? > *latest {
            *latest = 0;
        }
    }
    Ok(newest)
}
