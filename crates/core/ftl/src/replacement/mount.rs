//! Mounting from the spare areas: the states that a power cut can leave, and their repair.
//!
//! The order of the oldest pages of the blocks is their order in the chain. Two kinds of blocks are erased without
//! loss:
//!
//! - An unfinished fold. It is newer than all blocks of the chain and has the data role, and an older block still holds
//!   a newest version: the blocks that it was to replace are erased only after a barrier.
//! - A block without a newest version: torn, left over from a fold, or an outdated part of the chain.
//!
//! A page that is torn, or was skipped because an earlier program was lost, stays a gap in the chain. The next write
//! goes to the block after the last one whose page is not erased.

use alloc::vec::Vec;

use ssdlab_flash::{Lbn, Lpn, Media, Pbn, Role};

use super::{Chain, Replacement, ReplacementConfig, Written};
use crate::FtlError;
use crate::free_list::FreeList;
use crate::scan::Scan;

impl Replacement {
    pub(super) fn from_flash<M: Media>(
        config: &ReplacementConfig,
        media: &mut M,
    ) -> Result<Self, FtlError> {
        let geometry = media.geometry().clone();
        let mut scan = Scan::new(media)?;
        let mut ftl = Self::empty(config, &geometry);
        let mut chains = Vec::new();
        for (lbn, blocks) in scan.blocks_by_lbn() {
            let in_place = blocks.iter().all(|&block| scan.is_in_place(block));
            if !in_place || !scan.are_of(lbn, &blocks) {
                return Err(FtlError::Inconsistent { lbn });
            }
            chains.push((lbn, without_unfinished_fold(&mut scan, blocks)));
        }
        ftl.adopt(&scan, chains)?;
        for lpn in (0..geometry.logical_pages()).map(Lpn) {
            ftl.pages[lpn.index()] = Written {
                newest: scan.newest(lpn),
                last: ftl.last_used(&scan, lpn),
            };
        }
        ftl.free = FreeList::of_unused(&scan, ftl.blocks_in_use(), media)?;
        Ok(ftl)
    }

    /// Adds the chains to the tables, least recently written first.
    fn adopt(&mut self, scan: &Scan, mut chains: Vec<(Lbn, Vec<Pbn>)>) -> Result<(), FtlError> {
        let of_pool = |(_, blocks): &(Lbn, Vec<Pbn>)| blocks.len().saturating_sub(1) as u32;
        let found = chains.iter().map(of_pool).sum();
        if found > self.pool {
            return Err(FtlError::TooManyLogs { found });
        }
        self.pool -= found;
        let last_written = |block: &Pbn| scan.last_written(*block);
        chains.sort_by_key(|(_, blocks)| blocks.iter().map(last_written).max());
        for (lbn, blocks) in chains {
            let Some(&first) = blocks.first() else {
                continue;
            };
            self.chains[lbn.index()] = Chain { first, length: 1 };
            blocks
                .windows(2)
                .for_each(|pair| self.next[pair[0].index()] = pair[1]);
            self.set_length(lbn, blocks.len() as u32);
        }
        Ok(())
    }
}

/// Removes an unfinished fold, then all blocks without a newest version.
fn without_unfinished_fold(scan: &mut Scan, mut blocks: Vec<Pbn>) -> Vec<Pbn> {
    if let [older @ .., youngest] = &blocks[..]
        && scan.role(*youngest) == Some(Role::DATA)
        && older.iter().any(|&block| scan.valid(block) > 0)
    {
        scan.drop_block(*youngest, older);
    }
    blocks.retain(|&block| scan.valid(block) > 0);
    blocks
}
