//! Mounting from the spare areas: the states that a power cut can leave, and their repair.
//!
//! A superblock fills one block after the other, so the ages of its blocks (the first sequence number of each) give the
//! order in which they were allocated. A block without a newest version is erased: an emptied victim, a block whose
//! erase was lost or torn, or a frontier without valid pages.
//!
//! At most one victim is cleaned at any time. It is erased only after a barrier that follows the last copy. A cut in
//! between may leave one block more than S + K, or than the pool allows. Then the newest block of the device was taken
//! for copies of a victim that still exists, and holds nothing else. It is erased, and the originals become the newest
//! versions again. Finishing the cleaning instead would take a free block if torn pages have used up the room of the
//! newest block.
//!
//! The newest block of a superblock becomes its frontier again unless it is full; writes continue after a torn page. An
//! older block whose last pages were lost counts as full.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Lpn, Media, Pbn};

use super::{MOVED, SuperblockConfig, SuperblockFtl, WRITTEN};
use crate::FtlError;
use crate::free_list::FreeList;
use crate::scan::Scan;

/// A block in use, and its superblock.
struct Used {
    /// Its oldest sequence number.
    age: u64,
    block: Pbn,
    superblock: u32,
}

impl SuperblockFtl {
    pub(super) fn from_flash<M: Media>(
        config: &SuperblockConfig,
        media: &mut M,
    ) -> Result<Self, FtlError> {
        let geometry = media.geometry().clone();
        let mut scan = Scan::new(media)?;
        let mut ftl = Self::empty(config, &geometry);
        let mut used = ftl.used_blocks(&scan)?;
        if let Err(too_many) = ftl.check_limits(&used) {
            match used.last() {
                Some(youngest) if holds_copies_only(&scan, youngest.block) => {
                    let all: Vec<Pbn> = (0..geometry.physical_blocks()).map(Pbn).collect();
                    scan.drop_block(youngest.block, &all);
                }
                _ => return Err(too_many),
            }
            used = ftl.used_blocks(&scan)?;
            ftl.check_limits(&used)?;
        }
        for used in &used {
            ftl.adopt_block(&scan, used);
        }
        for (lpn, at) in (0..).zip(&mut ftl.map) {
            *at = scan.newest(Lpn(lpn));
        }
        ftl.sort_by_last_write(&scan, &used);
        let free = FreeList::of_unused(&scan, ftl.blocks_in_use(), media)?;
        ftl.free = free.by(config.free_lists, &geometry);
        Ok(ftl)
    }

    /// The blocks with a newest version, oldest first.
    fn used_blocks(&self, scan: &Scan) -> Result<Vec<Used>, FtlError> {
        let mut used = Vec::new();
        for block in (0..self.geometry.physical_blocks()).map(Pbn) {
            let mut lpns = scan.readable(block).map(|(_, lpn, _)| lpn);
            let Some(lpn) = lpns.next().filter(|_| scan.valid(block) > 0) else {
                continue;
            };
            let superblock = self.superblock_of(lpn);
            if lpns.any(|lpn| self.superblock_of(lpn) != superblock) {
                let lbn = self.geometry.page(lpn).lbn;
                return Err(FtlError::Inconsistent { lbn });
            }
            let age = scan.age(block);
            used.push(Used {
                age,
                block,
                superblock,
            });
        }
        used.sort_by_key(|used| used.age);
        Ok(used)
    }

    /// Whether the superblocks own no more blocks than allowed, each and together.
    fn check_limits(&self, used: &[Used]) -> Result<(), FtlError> {
        let mut owned = vec![0; self.superblocks.len()];
        for used in used {
            owned[used.superblock as usize] += 1;
        }
        let updates = self.superblocks.iter().zip(owned);
        let updates: Vec<u32> = updates
            .map(|(superblock, owned): (_, u32)| owned.saturating_sub(superblock.size))
            .collect();
        if let Some(&found) = updates.iter().find(|&&u| u > self.max_update_blocks) {
            return Err(FtlError::TooManyUpdates { found });
        }
        match updates.iter().sum() {
            found if found > self.pool => Err(FtlError::TooManyLogs { found }),
            _ => Ok(()),
        }
    }

    /// Adds a block to the tables. The blocks of one superblock must come in the order of their age.
    fn adopt_block(&mut self, scan: &Scan, used: &Used) {
        let Used {
            block, superblock, ..
        } = *used;
        if self.superblocks[superblock as usize].frontier.is_some() {
            self.close_frontier(superblock);
        }
        self.own_block(superblock, block, scan.end(block), scan.valid(block));
        if self.superblocks[superblock as usize].room == 0 {
            self.close_frontier(superblock);
        }
        for (position, lpn, _) in scan.readable(block) {
            self.lpns[self.geometry.ppn(block, position).index()] = lpn;
        }
    }

    /// Orders the superblocks with update blocks by the last written page of each that still exists.
    fn sort_by_last_write(&mut self, scan: &Scan, used: &[Used]) {
        let last_write = |used: &Used| scan.with_role(used.block, WRITTEN).max();
        let mut writes: Vec<_> = used.iter().map(|u| (last_write(u), u.superblock)).collect();
        writes.sort();
        for (_, index) in writes {
            if self.superblocks[index as usize].has_updates() {
                self.recent.move_to_front(0, index);
            }
        }
    }
}

/// Whether all readable pages of a block are cleaning copies.
fn holds_copies_only(scan: &Scan, block: Pbn) -> bool {
    scan.with_role(block, MOVED).count() == scan.readable(block).count()
}
