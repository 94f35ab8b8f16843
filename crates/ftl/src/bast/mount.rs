//! Mounting from the spare areas: what a power cut may have left, and what becomes of it.
//!
//! Of one logical block there can be, oldest first: its data block; its log block; the destination of a full merge.
//! The roles in the spare areas do not tell data from log blocks, since switch and partial merges change roles in
//! memory only; age, place and what is newest do:
//!
//! - A block that has the role of data and is newer than another block of its logical block is the destination of a
//!   full merge. If it lacks a page that is mapped, the merge did not finish: its sources are all still there, for
//!   they are erased only behind a barrier, and the destination is erased.
//! - A block without a newest version, torn or left over from a merge, is erased.
//! - Of what remains, the older block is the data block and the newer one the log block; a single one is the data
//!   block if all its pages lie at their own offsets.
//!
//! A torn page in a log block stays a gap. A partial merge that did not finish leaves a log block with more pages.
//!
//! What a merge takes from the write buffer is newer than all in the flash, or all that there is. It changes nothing of
//! this: what goes into a log block counts as written there. A destination that lacks a mapped page is erased, and with it
//! what came from the buffer: that was dirty when the power went, before the merge was over, and so no flush had returned
//! since the host wrote it; the older versions are still there. A destination that lacks only what the buffer alone had
//! is complete. And once a flush returns, the barrier behind it lies behind all that merges took before.

use ssdlab_flash::{Geometry, Lbn, Lpn, Media, Pbn, Ppn};

use super::{Bast, LOG, Log, NO_LOG};
use crate::free_list::FreeList;
use crate::scan::Scan;
use crate::{FtlError, Params};

impl Bast {
    pub(super) fn from_flash<M: Media>(params: &Params, media: &mut M) -> Result<Self, FtlError> {
        let geometry = media.geometry().clone();
        let mut scan = Scan::new(media)?;
        let mut ftl = Self::empty(params, &geometry);
        let mut logs = Vec::new();
        for (lbn, blocks) in scan.blocks_by_lbn().into_iter().enumerate() {
            let lbn = Lbn(lbn as u32);
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
        ftl.free = FreeList::of_unused(&scan, ftl.blocks_in_use(), media)?;
        Ok(ftl)
    }

    /// Takes over the log blocks, the least recently written first.
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

    /// Takes over a page, once the log blocks are known.
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

/// Drops the destination of an unfinished merge, and then all blocks without a newest version.
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
