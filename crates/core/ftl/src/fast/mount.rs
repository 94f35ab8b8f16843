//! Mounting from the spare areas: the states that a power cut can leave, and their repair.
//!
//! Random log blocks have their own role, which never changes. A logical block can also have: its data block; the
//! sequential log block; the destination of a full merge. A data block may still have the role of the sequential log
//! block that it was, but age and newest versions separate them:
//!
//! - A block with the data role was written by one full merge. If a page of its logical block has its newest version
//!   elsewhere, and that version is older than the block, the merge did not finish. Its source blocks all exist,
//!   because they are erased only after a barrier, and the block is erased.
//! - A block without a newest version (torn, or left over from a merge) is erased.
//! - Of the remaining blocks of a logical block, the older is the data block and the newer the sequential log block. A
//!   single block is the data block, whatever its role.
//!
//! A torn page in a log block stays a gap. An unfinished partial merge leaves a sequential log block with more pages;
//! an unfinished reclaim leaves a random log block with fewer valid pages. If programs were lost, random log blocks
//! before the last one may not be full; no more pages are written to them.
//!
//! BAVBS reclaims random log blocks in any order, even the newest. The remaining ones were still filled one after the
//! other, so their ages give the order. The newest may then be an earlier one that is not full; it is filled up.
//!
//! Pages that a merge takes from the write buffer are newer than all their versions in flash, or have none there. The
//! rules above stay the same. A page from the buffer in the sequential log block counts as written there. A destination
//! that lacks a page is erased together with its pages from the buffer. These pages were dirty when the power was cut,
//! so no flush had returned since the host wrote them, and their older versions still exist. A destination that lacks
//! only pages without a version in flash is complete. When a flush returns, its barrier also covers all pages that
//! earlier merges took from the buffer.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Lbn, Lpn, Media, Page, Pbn, Role};

use super::{Fast, FastConfig, RANDOM, SEQUENTIAL};
use crate::FtlError;
use crate::free_list::FreeList;
use crate::scan::Scan;

/// The blocks with a readable page, oldest first.
struct Blocks {
    random: Vec<Pbn>,
    /// For each LBN, the blocks that hold pages at their own offsets.
    in_place: Vec<Vec<Pbn>>,
}

impl Fast {
    pub(super) fn from_flash<M: Media>(
        config: &FastConfig,
        media: &mut M,
    ) -> Result<Self, FtlError> {
        let geometry = media.geometry().clone();
        let mut scan = Scan::new(media)?;
        let mut ftl = Self::empty(config, &geometry);
        let mut blocks = Blocks::new(&scan, &geometry);
        blocks.drop_unfinished_merges(&mut scan);
        blocks.drop_stale(&scan);
        for (lbn, found) in (0..).map(Lbn).zip(&blocks.in_place) {
            ftl.adopt_in_place(&scan, lbn, found)?;
        }
        ftl.adopt_random(&scan, &blocks.random)?;
        for page in (0..geometry.logical_pages()).map(|lpn| geometry.page(Lpn(lpn))) {
            ftl.adopt_page(&scan, page)?;
        }
        let free = FreeList::of_unused(&scan, ftl.blocks_in_use(), media)?;
        ftl.free = free.by(config.free_lists, &geometry);
        Ok(ftl)
    }

    fn adopt_in_place(&mut self, scan: &Scan, lbn: Lbn, found: &[Pbn]) -> Result<(), FtlError> {
        match *found {
            [] => {}
            [data] => self.data[lbn.index()] = data,
            [data, block]
                if scan.role(block) == Some(SEQUENTIAL) && !self.sequential.lbn.is_some() =>
            {
                self.data[lbn.index()] = data;
                self.sequential.lbn = lbn;
                self.sequential.block = block;
                self.sequential.next = scan.end(block);
            }
            _ => return Err(FtlError::Inconsistent { lbn }),
        }
        Ok(())
    }

    fn adopt_random(&mut self, scan: &Scan, found: &[Pbn]) -> Result<(), FtlError> {
        if found.len() > self.random.limit() {
            let found = found.len() as u32 + 1;
            return Err(FtlError::TooManyLogs { found });
        }
        for &block in found {
            let pages = scan
                .readable(block)
                .map(|(position, lpn, _)| (position, lpn));
            self.begin_random(block);
            self.random.adopt(scan.end(block), pages);
        }
        Ok(())
    }

    /// Adds a page to the tables, after the blocks.
    fn adopt_page(&mut self, scan: &Scan, page: Page) -> Result<(), FtlError> {
        let newest = scan.newest(page.lpn);
        if !newest.is_some() {
            return Ok(());
        }
        self.mapped.insert(page.lpn.0);
        let (block, position) = self.geometry.place(newest);
        if scan.role(block) == Some(RANDOM) {
            self.logged.insert(page.lpn.0);
            self.in_log[page.lpn.index()] = newest;
        } else if self.sequential.lbn == page.lbn && self.sequential.block == block {
            self.sequential.valid.insert(page.offset);
        } else if (self.data[page.lbn.index()], page.offset) != (block, position) {
            return Err(FtlError::Inconsistent { lbn: page.lbn });
        }
        Ok(())
    }
}

impl Blocks {
    fn new(scan: &Scan, geometry: &Geometry) -> Self {
        let all = (0..geometry.physical_blocks()).map(Pbn);
        let mut used: Vec<Pbn> = all.filter(|&block| scan.age(block) > 0).collect();
        used.sort_by_cached_key(|&block| scan.age(block));
        let mut blocks = Self {
            random: Vec::new(),
            in_place: vec![Vec::new(); geometry.logical_blocks() as usize],
        };
        for block in used {
            let (_, lpn, _) = scan
                .readable(block)
                .next()
                .expect("a block with an age has a readable page");
            if scan.role(block) == Some(RANDOM) {
                blocks.random.push(block);
            } else {
                blocks.in_place[geometry.page(lpn).lbn.index()].push(block);
            }
        }
        blocks
    }

    /// Removes the destinations of unfinished full merges from the scan.
    fn drop_unfinished_merges(&self, scan: &mut Scan) {
        for (lbn, in_place) in (0..).map(Lbn).zip(&self.in_place) {
            for &block in in_place {
                if scan.role(block) == Some(Role::DATA) && is_unfinished(scan, lbn, block) {
                    let sources: Vec<Pbn> = in_place.iter().chain(&self.random).copied().collect();
                    scan.drop_block(block, &sources);
                }
            }
        }
    }

    /// Removes the blocks without a newest version.
    fn drop_stale(&mut self, scan: &Scan) {
        for blocks in self.in_place.iter_mut().chain([&mut self.random]) {
            blocks.retain(|&block| scan.valid(block) > 0);
        }
    }
}

/// Whether a page of the logical block has a newest version elsewhere that is older than the merge into this block.
fn is_unfinished(scan: &Scan, lbn: Lbn, block: Pbn) -> bool {
    let merged = scan.age(block);
    let first = scan.geometry().page_at(lbn, 0).lpn;
    (0..scan.geometry().pages_per_block())
        .map(|offset| scan.newest(first.plus(offset)))
        .filter(|at| at.is_some())
        .any(|at| scan.good(at).is_some_and(|(_, age)| age < merged))
}
