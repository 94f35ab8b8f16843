//! Mounting from the spare areas: the states that a power cut can leave, and their repair.
//!
//! Each page is at its own offset, so only age separates the blocks of a logical block. A block without a newest
//! version (torn, or left over) is erased. The others can be, oldest first:
//!
//! - The data block. A single block is the data block, complete or not.
//! - An open replacement block: all its pages are newer. A replacement block that was closed leaves its data block
//!   without a newest version, because the data block is erased only after a barrier.
//! - The unfinished copy of a stuck replacement block (see below). It is erased.
//!
//! A replacement block is stuck if its programs have passed a page whose newest version is in the data block: the page
//! was torn, or its discard was lost. Then the pages before its end are copied into a free block, which takes the place
//! of the replacement block. A device that must survive a power cut therefore needs a spare block.

use alloc::vec::Vec;

use ssdlab_flash::{Lbn, Lpn, Media, Pbn};

use super::{Block, BlockConfig, Replacement, spare};
use crate::FtlError;
use crate::free_list::FreeList;
use crate::scan::Scan;

impl Block {
    pub(super) fn from_flash<M: Media>(
        config: &BlockConfig,
        media: &mut M,
    ) -> Result<Self, FtlError> {
        let geometry = media.geometry().clone();
        let mut scan = Scan::new(media)?;
        let mut ftl = Self::empty(config, &geometry);
        let mut open = Vec::new();
        for (lbn, blocks) in scan.blocks_by_lbn() {
            let in_place = blocks.iter().all(|&block| scan.is_in_place(block));
            if !in_place || !scan.are_of(lbn, &blocks) {
                return Err(FtlError::Inconsistent { lbn });
            }
            let blocks = without_unfinished_copy(&mut scan, blocks);
            match blocks[..] {
                [] => {}
                [data] => ftl.data[lbn.index()] = data,
                [data, replacement] => {
                    ftl.data[lbn.index()] = data;
                    open.push((lbn, replacement));
                }
                _ => return Err(FtlError::Inconsistent { lbn }),
            }
        }
        for lpn in (0..geometry.logical_pages()).map(Lpn) {
            if scan.newest(lpn).is_some() {
                ftl.mapped.insert(lpn.0);
            }
        }
        ftl.adopt_all(&scan, media, open)?;
        Ok(ftl)
    }

    /// Adds the replacement blocks to the tables, least recently written first. Stuck ones are copied at the end.
    fn adopt_all<M: Media>(
        &mut self,
        scan: &Scan,
        media: &mut M,
        mut open: Vec<(Lbn, Pbn)>,
    ) -> Result<(), FtlError> {
        if open.len() > self.open.len() {
            let found = open.len() as u32;
            return Err(FtlError::TooManyOpen { found });
        }
        let data = self.data.iter().copied().filter(|block| block.is_some());
        let in_use = data.chain(open.iter().map(|&(_, block)| block));
        self.free = FreeList::of_unused(scan, in_use, media)?;
        let stuck = |lbn, block| is_stuck(scan, lbn, block);
        open.sort_by_key(|&(lbn, block)| (stuck(lbn, block), scan.last_written(block)));
        for (lbn, block) in open {
            let (block, next) = if stuck(lbn, block) {
                self.copy(scan, media, lbn, block)?
            } else {
                (block, scan.end(block))
            };
            self.adopt(Replacement {
                lbn,
                block,
                next,
                // unknown; it only separates partial from switch merges
                copied: true,
            });
        }
        Ok(())
    }

    /// Copies the pages before the end of a replacement block into a free block, which replaces it. Returns the new
    /// block and its next offset.
    fn copy<M: Media>(
        &mut self,
        scan: &Scan,
        media: &mut M,
        lbn: Lbn,
        block: Pbn,
    ) -> Result<(Pbn, u32), FtlError> {
        let to = self.free.take()?;
        let mut next = 0;
        for offset in 0..scan.end(block) {
            let lpn = self.geometry.page_at(lbn, offset).lpn;
            let from = scan.newest(lpn);
            if from.is_some() {
                media.copy(from, self.geometry.ppn(to, offset), spare(lpn))?;
                next = offset + 1;
            }
        }
        media.barrier()?;
        media.erase(block)?;
        media.barrier()?;
        self.free.give_back(block);
        Ok((to, next))
    }
}

/// Removes the newest of three blocks, and all blocks without a newest version.
fn without_unfinished_copy(scan: &mut Scan, mut blocks: Vec<Pbn>) -> Vec<Pbn> {
    blocks.retain(|&block| scan.valid(block) > 0);
    if let [data, replacement, copy] = blocks[..] {
        scan.drop_block(copy, &[data, replacement]);
        blocks.pop();
    }
    blocks
}

/// Whether a page before the end of a replacement block has its newest version elsewhere.
fn is_stuck(scan: &Scan, lbn: Lbn, block: Pbn) -> bool {
    let geometry = scan.geometry();
    (0..scan.end(block))
        .map(|offset| scan.newest(geometry.page_at(lbn, offset).lpn))
        .any(|at| at.is_some() && geometry.block_of(at) != block)
}
