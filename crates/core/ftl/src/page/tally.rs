//! What was written to each region, and cleaned out of it.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Payload, Pbn};

use super::PageMapping;
use crate::RegionCounts;

/// The counts of a region that change with blocks and not with pages.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// The pages that could be programmed in all frontiers so far.
    opened: u64,
    copied_in: u64,
    copied_out: u64,
    victims: u64,
}

impl Tally {
    /// A block became the frontier, with room for these pages.
    pub fn opened(&mut self, room: u32) {
        self.opened += u64::from(room);
    }

    /// Cleaning chose a block.
    pub fn cleaned(&mut self) {
        self.victims += 1;
    }
}

impl<P: Payload> PageMapping<P> {
    /// Cleaning has moved pages from one region to another.
    #[inline]
    pub(super) fn tally_moved(&mut self, from: u32, to: u32, pages: u32) {
        self.tallies[from as usize].copied_out += u64::from(pages);
        self.tallies[to as usize].copied_in += u64::from(pages);
    }

    /// See [`Ftl::regions`](crate::Ftl::regions).
    pub(super) fn region_counts(&self) -> Vec<RegionCounts> {
        let tallies = self.tallies.iter().zip(&self.frontiers);
        let mut counts: Vec<RegionCounts> = tallies
            .map(|(tally, frontier)| RegionCounts {
                host_pages: tally.opened - u64::from(frontier.room()) - tally.copied_in,
                copied_in: tally.copied_in,
                copied_out: tally.copied_out,
                victims: tally.victims,
                blocks: 0,
                valid_pages: 0,
            })
            .collect();
        let mut is_free = vec![false; self.regions.len()];
        self.free
            .iter()
            .for_each(|block| is_free[block.index()] = true);
        if let Some(slc) = &self.slc {
            for block in (0..self.geometry.physical_blocks()).map(Pbn) {
                is_free[block.index()] |= slc.is_waiting(block);
            }
        }
        for block in (0..self.geometry.physical_blocks()).map(Pbn) {
            if !is_free[block.index()] {
                let region = &mut counts[self.region_of_block(block) as usize];
                let first = self.geometry.ppn(block, 0).0;
                let all = self
                    .valid
                    .count(first, first + self.geometry.pages_per_block());
                region.blocks += 1;
                region.valid_pages += u64::from(all);
            }
        }
        // the bits of pages that are not programmed yet are set
        for (count, frontier) in counts.iter_mut().zip(&self.frontiers) {
            count.valid_pages -= u64::from(frontier.room());
        }
        counts
    }
}
