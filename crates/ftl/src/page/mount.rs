//! Mounting from the spare areas: what a power cut may have left, and what becomes of it.
//!
//! - A block without a newest version is erased: it was cleaned, or everything in it was rewritten.
//! - Of each region, the newest block with room goes on as its frontier, behind a torn page if there is one. Any other
//!   block with room counts as full: cleaning wins its rest.
//! - Free blocks must not run out, or nothing could be cleaned any more. Between two victims one block at least is free,
//!   and while the pages of a victim are copied, one block at most is taken: of however many regions, all go to one. So
//!   if none is free now, the block with the newest page in the flash was taken for a victim that has not been erased, and
//!   holds nothing but copies of its pages: it is erased, and the originals count again. A cut meanwhile leaves the same
//!   case.
//! - Of a page that the battery kept in RAM, flash may hold a version as well: the one that it had when it entered, if the
//!   record that voided it was lost, or the one that it had got on its way out. `restore_ram` voids both.
//!
//! The order in which blocks were filled is that of their newest pages. How often each was erased, the flash knows; when
//! each changed last, it does not, so that all count as changed at time 0. The region of a block is in its spare areas; when
//! a page was updated last, and how fast, is remembered of pages in RAM alone: all others count as updated at the mount,
//! which is at time 0, or at that of the battery's clock.

use ssdlab_flash::{Lpn, Media, Payload, Pbn, Role};

use super::{Frontier, PageMapping};
use crate::free_list::FreeList;
use crate::scan::Scan;
use crate::{FtlError, Params};

impl<P: Payload> PageMapping<P> {
    pub(super) fn from_flash<M: Media>(params: &Params, media: &mut M) -> Result<Self, FtlError> {
        let mut ftl = Self::empty(params, media.geometry());
        let mut scan = Scan::new(media)?;
        let mut used = used_blocks(&scan);
        if used.len() as u32 == scan.geometry().physical_blocks()
            && let Some(newest) = used.pop()
        {
            undo_copies(&mut scan, newest, &used)?;
        }
        ftl.adopt_pages(&scan);
        ftl.free = FreeList::of_unused(&scan, used.iter().copied(), media)?;
        for block in (0..media.geometry().physical_blocks()).map(Pbn) {
            ftl.victims.worn(block, media.erase_count(block));
        }
        ftl.adopt_blocks(&scan, &used);
        Ok(ftl)
    }

    fn adopt_pages(&mut self, scan: &Scan) {
        for lpn in (0..self.geometry.logical_pages()).map(Lpn) {
            let at = scan.newest(lpn);
            if at.is_some() {
                self.map[lpn.index()] = at;
                self.holds[at.index()] = lpn;
                self.valid.insert(at.0);
                self.mapped += 1;
            }
        }
    }

    /// Takes over the blocks in use, given in the order in which they were filled.
    fn adopt_blocks(&mut self, scan: &Scan, used: &[Pbn]) {
        for &block in used {
            let role = scan.role(block).unwrap_or(Role::DATA);
            self.regions[block.index()] = self.region_of_role(role) as u8;
            let end = scan.end(block);
            if end < self.geometry.pages_per_block()
                && let Some(frontier) = self.frontiers.get_mut(usize::from(role.0))
            {
                *frontier = Frontier {
                    next: self.geometry.ppn(block, end),
                    end: self.geometry.ppn(block.plus(1), 0),
                };
            }
        }
        for &block in used {
            if !self.is_frontier(block) {
                self.victims.filled(block, scan.valid(block), 0);
            }
        }
        for Frontier { next, end } in &self.frontiers {
            self.valid.insert_range(next.0, end.0);
        }
    }

    /// The region that a block was opened for; if there were more of them then, the hottest.
    pub(super) fn region_of_role(&self, role: Role) -> u32 {
        u32::from(role.0).min(self.frontiers.len() as u32 - 1)
    }
}

/// The blocks that hold a newest version, in the order of their newest pages.
fn used_blocks(scan: &Scan) -> Vec<Pbn> {
    let blocks = (0..scan.geometry().physical_blocks()).map(Pbn);
    let mut used: Vec<Pbn> = blocks.filter(|&block| scan.valid(block) > 0).collect();
    used.sort_by_key(|&block| scan.last_written(block));
    used
}

/// Voids a block of copies whose originals lie in the others.
fn undo_copies(scan: &mut Scan, block: Pbn, others: &[Pbn]) -> Result<(), FtlError> {
    let copies: Vec<Lpn> = scan.readable(block).map(|(_, lpn, _)| lpn).collect();
    let copies: Vec<Lpn> = copies
        .into_iter()
        .filter(|&lpn| scan.newest(lpn).is_some())
        .collect();
    scan.drop_block(block, others);
    match copies.iter().find(|&&lpn| !scan.newest(lpn).is_some()) {
        None => Ok(()),
        Some(&lpn) => Err(FtlError::Inconsistent {
            lbn: scan.geometry().page(lpn).lbn,
        }),
    }
}
