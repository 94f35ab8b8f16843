//! Mounting from the spare areas: the states that a power cut can leave, and their repair.
//!
//! - A block without a newest version is erased: it was cleaned, or all its pages were rewritten.
//! - The newest block with room in each region becomes its frontier again, after a torn page if there is one. Any other
//!   block with room counts as full; cleaning will gain the rest of it.
//! - Free blocks must not run out, or cleaning could never run again. Between two victims at least one block is free.
//!   While the pages of a victim are copied, at most one block is taken, because all pages go to one region. So if no
//!   block is free at the mount, the block with the newest page of the flash was taken for a victim that has not been
//!   erased. It holds only copies of the victim's pages. It is erased, and the originals become the newest versions
//!   again. A power cut during this repair leaves the same state.
//! - A placement that sorts the copies of a victim may have taken several blocks for them, so nothing is undone then. What
//!   can still be programmed has room for the rest of the victim, as it had for the whole: if free blocks run out, copies
//!   go to any frontier with room, and the emptiest block is cleaned if the chosen one does not fit.
//! - A page that the battery kept in RAM may also have a version in flash: the one from before it entered RAM, if the
//!   record that invalidated it was lost, or the one written on its way out of RAM. `restore_ram` invalidates both.
//!
//! The order of the newest pages of the blocks is the order in which they were filled. The flash knows the erase count
//! of each block, but not the time of its last change, so all blocks count as changed at time 0. The region of a block
//! is in its spare areas. The time and pace of the last update are known for pages in RAM only; all other pages count
//! as updated at the mount, which is at time 0 or at the time of the battery's clock. Placements that learn begin anew,
//! with the region of each page ([`Placement::found`](ssdlab_policy::placement::Placement::found)).

use alloc::boxed::Box;
use alloc::vec::Vec;

use ssdlab_flash::{Lpn, Media, Payload, Pbn, Role};

use super::map::Maps;
use super::slc::SLC_ROLE;
use super::{Frontier, PageConfig, PageMapping};
use crate::FtlError;
use crate::free_list::FreeList;
use crate::scan::Scan;

impl<P: Payload> PageMapping<P> {
    pub(super) fn from_flash<M: Media>(
        config: &PageConfig,
        media: &mut M,
    ) -> Result<Self, FtlError> {
        // the scan has a map of its own, which becomes that of the FTL
        let mut ftl = Self::empty(config, media.geometry(), Vec::new());
        let at_checkpoint = match &config.map {
            Some(map) => map.scan(media)?,
            None => None,
        };
        let by_checkpoint = at_checkpoint.is_some();
        let mut scan = match at_checkpoint {
            Some(scan) => scan,
            None => Scan::new(media)?,
        };
        let mut used = used_blocks(&scan);
        let fixed = config.slc.as_ref().map_or(0, |slc| slc.fixed);
        let pool = scan.geometry().physical_blocks() - fixed;
        let in_pool = |used: &[Pbn]| used.iter().filter(|&&block| block.0 < pool).count() as u32;
        if by_checkpoint && in_pool(&used) == pool {
            // a map page need not name the originals of copies that are given up
            scan = Scan::new(media)?;
            used = used_blocks(&scan);
        }
        // the newest one that is not of the cache
        let newest = used.iter().rposition(|&block| !is_slc(&scan, block));
        let mut undone = Vec::new();
        if !ftl.parted.is_used()
            && in_pool(&used) == pool
            && let Some(newest) = newest
        {
            let newest = used.remove(newest);
            undone = undo_copies(&mut scan, newest, &used)?;
        }
        ftl.adopt_pages(&scan);
        let mut maps = None;
        if let Some(map) = &config.map {
            // before blocks are erased to which a map page may still point
            let newest = |lpn| scan.last_change(lpn);
            let places = scan.all_newest();
            let mounted = Maps::mount(map, media, places, &ftl.holds, newest, &undone)?;
            maps = Some(Box::new(mounted));
        }
        ftl.adopt_erased(FreeList::of_unused(&scan, used.iter().copied(), media)?);
        for block in (0..media.geometry().physical_blocks()).map(Pbn) {
            ftl.victims.worn(block, media.erase_count(block));
        }
        let (cached, used): (Vec<Pbn>, Vec<Pbn>) =
            used.into_iter().partition(|&block| is_slc(&scan, block));
        if let Some(slc) = &mut ftl.slc {
            slc.adopt(&scan, &cached);
        }
        for &block in &cached {
            ftl.regions[block.index()] = ftl.host as u8;
        }
        ftl.adopt_blocks(&scan, &used);
        ftl.map = scan.into_newest();
        if let Some(mut maps) = maps {
            let open = ftl.frontiers.iter().filter(|frontier| frontier.room() > 0);
            open.for_each(|frontier| maps.begins_at(frontier.next));
            ftl.maps = Some(maps);
        }
        Ok(ftl)
    }

    fn adopt_pages(&mut self, scan: &Scan) {
        for lpn in (0..self.geometry.logical_pages()).map(Lpn) {
            let at = scan.newest(lpn);
            if at.is_some() {
                self.holds[at.index()] = lpn;
                self.valid.insert(at.0);
                self.mapped += 1;
            }
        }
    }

    /// Adds the blocks in use to the tables, in the order in which they were filled.
    fn adopt_blocks(&mut self, scan: &Scan, used: &[Pbn]) {
        for &block in used {
            let role = scan.role(block).unwrap_or(Role::DATA);
            let region = self.region_of_role(role);
            self.regions[block.index()] = region as u8;
            self.victims.opened(block, region);
            self.victims.programmed(region, scan.valid(block));
            let end = scan.end(block);
            if end < self.geometry.pages_per_block() && usize::from(role.0) < self.frontiers.len() {
                self.frontiers[region as usize] = Frontier {
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
        for (frontier, tally) in self.frontiers.iter().zip(&mut self.tallies) {
            self.valid.insert_range(frontier.next.0, frontier.end.0);
            tally.opened(frontier.room());
        }
        for lpn in (0..self.geometry.logical_pages()).map(Lpn) {
            let at = scan.newest(lpn);
            if at.is_some() {
                let region = self.region_of_block(self.geometry.block_of(at));
                self.placement.found(lpn, at, region);
            }
        }
    }
}

/// Whether a block was opened in SLC mode.
fn is_slc(scan: &Scan, block: Pbn) -> bool {
    scan.role(block) == Some(SLC_ROLE)
}

/// The blocks with a newest version, in the order of their newest pages.
fn used_blocks(scan: &Scan) -> Vec<Pbn> {
    let blocks = (0..scan.geometry().physical_blocks()).map(Pbn);
    let mut used: Vec<Pbn> = blocks.filter(|&block| scan.valid(block) > 0).collect();
    used.sort_by_key(|&block| scan.last_written(block));
    used
}

/// Removes a block of copies whose originals are in `others`, and returns the pages.
fn undo_copies(scan: &mut Scan, block: Pbn, others: &[Pbn]) -> Result<Vec<Lpn>, FtlError> {
    let copies: Vec<Lpn> = scan.readable(block).map(|(_, lpn, _)| lpn).collect();
    let copies: Vec<Lpn> = copies
        .into_iter()
        .filter(|&lpn| scan.newest(lpn).is_some())
        .collect();
    scan.drop_block(block, others);
    match copies.iter().find(|&&lpn| !scan.newest(lpn).is_some()) {
        None => Ok(copies),
        Some(&lpn) => Err(FtlError::Inconsistent {
            lbn: scan.geometry().page(lpn).lbn,
        }),
    }
}
