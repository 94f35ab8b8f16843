//! Mounting from the spare areas: the states that a power cut can leave, and their repair.
//!
//! A logical block can have, oldest first: its data block; its log block; the destination of a full merge. The roles in
//! the spare areas do not separate data blocks from log blocks, because switch and partial merges change roles in
//! memory only. Age, offsets and newest versions do:
//!
//! - A block with the data role that is newer than another block of its logical block is the destination of a full
//!   merge. If it lacks a mapped page, the merge did not finish. Its source blocks all exist, because they are erased
//!   only after a barrier, and the destination is erased.
//! - A block without a newest version (torn, or left over from a merge) is erased.
//! - Of the remaining blocks, the older one is the data block and the newer one the log block. A single block is the
//!   data block if all its pages are at their own offsets.
//!
//! A torn page in a log block stays a gap. An unfinished partial merge leaves a log block with more pages.
//!
//! Pages that a merge takes from the write buffer are newer than all their versions in flash, or have none there. The
//! rules above stay the same. A page from the buffer in a log block counts as written there. A destination that lacks a
//! mapped page is erased together with its pages from the buffer. These pages were dirty when the power was cut, so no
//! flush had returned since the host wrote them, and their older versions still exist. A destination that lacks only
//! pages without a version in flash is complete. When a flush returns, its barrier also covers all pages that earlier
//! merges took from the buffer.

use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Lbn, Lpn, Media, Pbn, Ppn};

use super::{Bast, BastConfig, LOG, Log, NO_LOG};
use crate::FtlError;
use crate::free_list::FreeList;
use crate::scan::Scan;

impl Bast {
    pub(super) fn from_flash<M: Media>(
        config: &BastConfig,
        media: &mut M,
    ) -> Result<Self, FtlError> {
        let geometry = media.geometry().clone();
        let mut scan = Scan::new(media)?;
        let mut ftl = Self::empty(config, &geometry);
        let mut logs = Vec::new();
        for (lbn, blocks) in scan.blocks_by_lbn() {
            if !scan.are_of(lbn, &blocks) {
                return Err(FtlError::Inconsistent { lbn });
            }
            let blocks = without_unfinished_merge(&mut scan, &geometry, lbn, blocks);
            match blocks[..] {
                [] => {}
                [only] if scan.is_in_place(only) => ftl.data[lbn.index()] = only,
                [only] => logs.push(found_log(&scan, lbn, only)),
                [data, log] if scan.is_in_place(data) => {
                    ftl.data[lbn.index()] = data;
                    logs.push(found_log(&scan, lbn, log));
                }
                _ => return Err(FtlError::Inconsistent { lbn }),
            }
        }
        ftl.adopt_logs(&scan, logs)?;
        for lpn in (0..geometry.logical_pages()).map(Lpn) {
            ftl.adopt_page(lpn, scan.newest(lpn));
        }
        let free = FreeList::of_unused(&scan, ftl.blocks_in_use(), media)?;
        ftl.free = free.by(config.free_lists, &geometry);
        Ok(ftl)
    }

    /// Adds the log blocks to the tables, least recently written first.
    fn adopt_logs(&mut self, scan: &Scan, mut logs: Vec<Log>) -> Result<(), FtlError> {
        if logs.len() > self.logs.len() {
            let found = logs.len() as u32;
            return Err(FtlError::TooManyLogs { found });
        }
        logs.sort_by_key(|log| scan.last_written(log.block));
        for log in logs {
            self.open(log);
        }
        Ok(())
    }

    /// Adds a page to the tables, after the log blocks.
    fn adopt_page(&mut self, lpn: Lpn, newest: Ppn) {
        if !newest.is_some() {
            return;
        }
        self.mapped.insert(lpn.0);
        let page = self.geometry.page(lpn);
        let index = self.log_of[page.lbn.index()];
        if index != NO_LOG && self.geometry.block_of(newest) == self.logs[index as usize].block {
            let slot = self.slot(index, page.offset);
            self.in_log[slot] = newest;
        }
    }
}

/// Removes the destination of an unfinished merge, then all blocks without a newest version.
fn without_unfinished_merge(
    scan: &mut Scan,
    geometry: &Geometry,
    lbn: Lbn,
    mut blocks: Vec<Pbn>,
) -> Vec<Pbn> {
    if let [older @ .., newest] = &blocks[..]
        && !older.is_empty()
        && scan.role(*newest) != Some(LOG)
    {
        let mapped =
            (0..geometry.pages_per_block()).map(|o| scan.newest(geometry.page_at(lbn, o).lpn));
        let complete = mapped
            .filter(|at| at.is_some())
            .all(|at| geometry.place(at).0 == *newest);
        if !complete {
            scan.drop_block(*newest, older);
        }
    }
    blocks.retain(|&block| scan.valid(block) > 0);
    blocks
}

fn found_log(scan: &Scan, lbn: Lbn, block: Pbn) -> Log {
    Log {
        lbn,
        first: scan.geometry().page_at(lbn, 0).lpn,
        block,
        next: scan.end(block),
        valid: scan.valid(block),
        in_place: scan.pages_in_place(block),
    }
}
