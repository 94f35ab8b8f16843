//! Compares the tables with the spare areas, and the cached counts with a recount.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use ssdlab_flash::{Lpn, Media, Pbn};

use super::{Superblock, SuperblockFtl};
use crate::check::{check_blocks, check_places, same, scan_of};
use crate::scan::Scan;

impl SuperblockFtl {
    pub(super) fn check_against<M: Media>(&self, media: &mut M) -> Result<(), String> {
        let scan = scan_of(media)?;
        check_places(&scan, |lpn: Lpn| self.map[lpn.index()])?;
        check_blocks(&scan, self.blocks_in_use(), &self.free)?;
        for block in self.blocks_in_use() {
            for (position, lpn, _) in scan.readable(block) {
                let at = self.geometry.ppn(block, position);
                same("logical page of a page", self.lpns[at.index()], lpn)?;
            }
        }
        let mut pool_used = 0;
        for (index, superblock) in (0..).zip(&self.superblocks) {
            self.check_superblock(&scan, index, superblock)?;
            pool_used += superblock.owned.saturating_sub(superblock.size);
        }
        same("update blocks in use", self.pool_used, pool_used)?;
        if pool_used > self.pool {
            return Err(format!(
                "{pool_used} update blocks in use, of {}",
                self.pool
            ));
        }
        self.check_recent()
    }

    fn check_superblock(
        &self,
        scan: &Scan,
        index: u32,
        superblock: &Superblock,
    ) -> Result<(), String> {
        let mut full: Vec<Pbn> = self.full_blocks(index).map(Pbn).collect();
        let in_order = full.is_sorted_by_key(|&block| scan.age(block));
        same("full blocks in the order of writing", in_order, true)?;
        let frontier = Some(superblock.frontier).filter(|block| block.is_some());
        let owned = (full.len() + frontier.iter().len()) as u32;
        same("blocks of a superblock", superblock.owned, owned)?;
        if owned > superblock.size + self.max_update_blocks {
            return Err(format!("superblock {index} owns {owned} blocks"));
        }
        for &block in full.iter().chain(&frontier) {
            let mut lpns = scan.readable(block).map(|(_, lpn, _)| lpn);
            if lpns.any(|lpn| self.superblock_of(lpn) != index) {
                return Err(format!("block {block:?} serves two superblocks"));
            }
        }
        for &block in &full {
            let valid = self.full.rank(block.0);
            same("valid pages of a block", valid, scan.valid(block))?;
        }
        full.sort_by_key(|&block| (scan.valid(block), scan.age(block)));
        let victim = self.full.first(index).map(Pbn);
        same("next victim", victim, full.first().copied())?;
        let Some(frontier) = frontier else {
            return same("room without a frontier", superblock.room, 0);
        };
        let newest = full.iter().all(|&b| scan.age(b) < scan.age(frontier));
        same("the frontier is the newest block", newest, true)?;
        let end = scan.end(frontier);
        let next = self.geometry.ppn(frontier, end);
        same("next page of a frontier", superblock.next, next)?;
        let room = self.geometry.pages_per_block() - end;
        same("room in a frontier", superblock.room, room)?;
        let valid = scan.valid(frontier);
        same("valid pages of a frontier", superblock.valid, valid)
    }

    /// Checks that `recent` lists exactly the superblocks that own more than S blocks.
    fn check_recent(&self) -> Result<(), String> {
        let mut listed = Vec::new();
        let mut at = self.recent.back(0);
        while let Some(index) = at {
            listed.push(index);
            at = self.recent.before(index);
        }
        listed.sort();
        let larger = (0..)
            .zip(&self.superblocks)
            .filter(|(_, s)| s.has_updates());
        let larger: Vec<u32> = larger.map(|(index, _)| index).collect();
        same("superblocks with update blocks", listed, larger)
    }
}
