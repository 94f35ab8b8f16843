//! Mounting from the spare areas: what a power cut may have left, and what becomes of it.
//!
//! Random log blocks have a role of their own, which never changes. Of one logical block there can be, besides: its data
//! block; the sequential log block; the destination of a full merge. A data block may still have the role of the
//! sequential log block that it once was, but age and what is newest tell them apart:
//!
//! - A block with the role of data was written by one full merge. If a page of its logical block has its newest version
//!   elsewhere, and this is older than the block, the merge did not finish: its sources are all still there, for they
//!   are erased only behind a barrier, and the block is erased.
//! - A block without a newest version, torn or left over from a merge, is erased.
//! - Of what remains of one logical block, the older is the data block and the newer the sequential log block; a single
//!   one is the data block, whatever it was.
//!
//! A torn page in a log block stays a gap. A partial merge that did not finish leaves a sequential log block with more
//! pages; a reclaim that did not, a random log block with fewer valid ones. Where programs were lost, random log blocks
//! that are not full can stand before the last one: no more is written to them.
//!
//! BAVBS reclaims random log blocks in any order, also the newest. What remains was still filled one after the other, so
//! that their ages tell the order; one that is not full may be the newest then, and is filled up.
//!
//! What a merge takes from the write buffer is newer than all in the flash, or all that there is. It changes nothing of
//! this: what goes into the sequential log block counts as written there. A destination that lacks a page is erased, and
//! with it what came from the buffer: that was dirty when the power went, before the merge was over, and so no flush had
//! returned since the host wrote it; the older versions are still there. A destination that lacks only what the buffer
//! alone had is complete. And once a flush returns, the barrier behind it lies behind all that merges took before.

use ssdlab_flash::{Geometry, Lbn, Lpn, Media, Page, Pbn, Role};

use super::{Fast, RANDOM, SEQUENTIAL};
use crate::free_list::FreeList;
use crate::scan::Scan;
use crate::{FtlError, Params};

/// The blocks with a readable page, oldest first.
struct Blocks {
    random: Vec<Pbn>,
    /// Per LBN, those that hold pages at their own offsets.
    in_place: Vec<Vec<Pbn>>,
}

impl Fast {
    pub(super) fn from_flash<M: Media>(params: &Params, media: &mut M) -> Result<Self, FtlError> {
        let geometry = media.geometry().clone();
        let mut scan = Scan::new(media)?;
        let mut ftl = Self::empty(params, &geometry);
        let mut blocks = Blocks::new(&scan, &geometry);
        blocks.drop_unfinished_merges(&mut scan);
        blocks.drop_stale(&scan);
        for (lbn, found) in (0..).map(Lbn).zip(&blocks.in_place) {
            ftl.adopt_in_place(&scan, lbn, found)?;
        }
        ftl.adopt_random(&scan, &blocks.random)?;
        for page in (0..geometry.logical_pages()).map(|lpn| geometry.page(Lpn(lpn))) {
            ftl.adopt_page(&scan, page);
        }
        ftl.free = FreeList::of_unused(&scan, ftl.blocks_in_use(), media)?;
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

    /// Takes over a page, once the blocks are known.
    fn adopt_page(&mut self, scan: &Scan, page: Page) {
        let newest = scan.newest(page.lpn);
        if !newest.is_some() {
            return;
        }
        self.mapped.insert(page.lpn.0);
        let block = self.geometry.block_of(newest);
        if scan.role(block) == Some(RANDOM) {
            self.logged.insert(page.lpn.0);
            self.in_log[page.lpn.index()] = newest;
        } else if self.sequential.lbn == page.lbn && self.sequential.block == block {
            self.sequential.valid.insert(page.offset);
        }
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
            let (_, lpn, _) = scan.readable(block).next().expect("it has an age");
            match scan.role(block) == Some(RANDOM) {
                true => blocks.random.push(block),
                false => blocks.in_place[geometry.page(lpn).lbn.index()].push(block),
            }
        }
        blocks
    }

    /// Voids the destinations of full merges that did not finish.
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

    /// Leaves out the blocks without a newest version.
    fn drop_stale(&mut self, scan: &Scan) {
        for blocks in self.in_place.iter_mut().chain([&mut self.random]) {
            blocks.retain(|&block| scan.valid(block) > 0);
        }
    }
}

/// Has a page of the logical block a newest version that is older than its merge into this block?
fn is_unfinished(scan: &Scan, lbn: Lbn, block: Pbn) -> bool {
    let merged = scan.age(block);
    let first = scan.geometry().page_at(lbn, 0).lpn;
    (0..scan.geometry().pages_per_block())
        .map(|offset| scan.newest(first.plus(offset)))
        .filter(|at| at.is_some())
        .any(|at| scan.good(at).is_some_and(|(_, age)| age < merged))
}
