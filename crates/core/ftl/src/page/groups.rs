//! The full blocks of groups of regions, for placements that choose the group to clean.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Pbn};
use ssdlab_policy::cleaning::Cleaning;
use ssdlab_policy::cleaning::greedy::Greedy;
use ssdlab_policy::placement::Group;

/// The blocks of each group, the emptiest full one first. Region r belongs to group r mod groups.
pub(super) struct Groups {
    orders: Vec<Greedy>,
    sizes: Vec<Group>,
    /// For each block in use, its group.
    group_of: Vec<u8>,
    /// The blocks filled so far, in all groups.
    filled: u64,
}

impl Groups {
    /// Groups without blocks.
    pub fn new(groups: u32, geometry: &Geometry) -> Self {
        let blocks = geometry.physical_blocks();
        Self {
            orders: (0..groups).map(|_| Greedy::of_blocks(blocks)).collect(),
            sizes: vec![Group::default(); groups as usize],
            group_of: vec![0; blocks as usize],
            filled: 0,
        }
    }

    /// The sizes of the groups.
    pub fn sizes(&self) -> &[Group] {
        &self.sizes
    }

    fn of(&self, block: Pbn) -> usize {
        self.group_of[block.index()].into()
    }

    /// A block was taken for a region.
    pub fn opened(&mut self, block: Pbn, region: u32) {
        let group = region as usize % self.sizes.len();
        self.group_of[block.index()] = group as u8;
        self.sizes[group].blocks += 1;
    }

    /// Pages were programmed in the frontier of a region.
    pub fn programmed(&mut self, region: u32, pages: u32) {
        let group = region as usize % self.sizes.len();
        self.sizes[group].valid += u64::from(pages);
    }

    /// A block is full.
    pub fn filled(&mut self, block: Pbn, valid: u32) {
        let group = self.of(block);
        self.orders[group].filled_as(block, valid, self.filled);
        self.filled += 1;
    }

    /// A page became invalid, by a rewrite or a discard.
    pub fn invalidated(&mut self, block: Pbn) {
        let group = self.of(block);
        self.sizes[group].valid -= 1;
        self.orders[group].page_invalidated(block);
    }

    /// Prefetches what changes when pages of these blocks become invalid. Changes nothing.
    pub fn foresee(&self, blocks: &[Pbn]) {
        for &block in blocks {
            self.orders[self.of(block)].foresee(&[block]);
        }
    }

    /// Pages moved out of a victim.
    pub fn moved(&mut self, block: Pbn, pages: u32) {
        let group = self.of(block);
        self.sizes[group].valid -= u64::from(pages);
    }

    /// A full block was erased.
    pub fn erased(&mut self, block: Pbn) {
        let group = self.of(block);
        self.orders[group].remove(block);
        self.sizes[group].blocks -= 1;
    }

    /// The emptiest full block of a group if it has an invalid page; otherwise, and without a group, that of all.
    pub fn pick(&self, group: Option<u32>, pages_per_block: u32) -> Pbn {
        let of_group = group.and_then(|group| self.orders[group as usize].emptiest());
        let with_invalid = of_group.filter(|&(_, valid)| valid < pages_per_block);
        let of_all = || {
            let firsts = self
                .orders
                .iter()
                .filter(|order| order.emptiest().is_some());
            let best = firsts.min_by_key(|order| order.least_key());
            best.and_then(Greedy::emptiest)
        };
        let (block, _) = with_invalid
            .or_else(of_all)
            .expect("at least one block is full");
        block
    }

    /// Compares the kept state with all full blocks and their valid pages, in the order in which they were filled.
    pub fn check(&self, full: &[(Pbn, u32)]) -> Result<(), String> {
        let all = self.orders.iter().flat_map(Greedy::blocks);
        let mut kept: Vec<(u64, Pbn, u32)> = all.collect();
        kept.sort_unstable();
        let kept: Vec<(Pbn, u32)> = kept.into_iter().map(|(_, b, valid)| (b, valid)).collect();
        crate::check::same("full blocks of groups", &kept[..], full)
    }
}
