//! Compares the tables with the spare areas, and the cached counts with a recount.

use alloc::string::String;

use ssdlab_flash::{Lbn, Lpn, Media, Pbn};

use super::Replacement;
use crate::check::{check_blocks, check_places, check_recency, same, scan_of};
use crate::scan::Scan;

impl Replacement {
    pub(super) fn check_against<M: Media>(&self, media: &mut M) -> Result<(), String> {
        let scan = scan_of(media)?;
        check_places(&scan, |lpn| self.pages[lpn.index()].newest)?;
        for lpn in (0..self.geometry.logical_pages()).map(Lpn) {
            let cached = self.pages[lpn.index()].last;
            same("last block with a page", cached, self.last_used(&scan, lpn))?;
        }
        self.check_lengths(&scan)?;
        check_blocks(&scan, self.blocks_in_use(), &self.free)
    }

    /// The last block of the chain whose page is not erased.
    pub(super) fn last_used(&self, scan: &Scan, lpn: Lpn) -> Pbn {
        let page = self.geometry.page(lpn);
        let used = |block: &Pbn| scan.is_used(self.geometry.ppn(*block, page.offset));
        let last = self.chain(page.lbn).filter(used).last();
        last.unwrap_or(Pbn::NONE)
    }

    /// The sequence number of the newest page of a chain.
    fn last_written(&self, scan: &Scan, lbn: Lbn) -> u64 {
        let ages = self.chain(lbn).map(|block| scan.last_written(block));
        ages.max().unwrap_or(0)
    }

    /// Checks that each chain with pool blocks is in the list of its length, and that the pool has the remaining
    /// blocks.
    fn check_lengths(&self, scan: &Scan) -> Result<(), String> {
        let mut pool = self.pool;
        let (mut long, mut listed) = (0, 0);
        for lbn in (0..self.geometry.logical_blocks()).map(Lbn) {
            let length = self.chain(lbn).count() as u32;
            same("length of a chain", self.chains[lbn.index()].length, length)?;
            pool += length.saturating_sub(1);
            long += u32::from(length > 1);
        }
        same("blocks of the pool", pool, self.pool_size)?;
        for more in 0..self.pool_size {
            let last = self.by_length.back(more);
            let lbns = core::iter::successors(last, |&lbn| self.by_length.before(lbn));
            check_recency(lbns.clone().map(|lbn| self.last_written(scan, Lbn(lbn))))?;
            for lbn in lbns {
                let length = self.chains[lbn as usize].length;
                same("length in the lists", more + 2, length)?;
                listed += 1;
                let longest = self.longest.max(more);
                same("the longest list", self.longest, longest)?;
            }
        }
        same("chains in lists", listed, long)
    }
}
