//! The choice of the full block to clean, by a cleaning policy, by BAVBS or by groups.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Pbn};
use ssdlab_policy::MinTree;
use ssdlab_policy::cleaning::Cleaning;
use ssdlab_policy::cleaning::greedy::Greedy;

use super::PageConfig;
use super::groups::Groups;
use crate::aware::Decision;
use crate::bavbs::Bavbs;
use crate::check::same;
use crate::cleaned::{Cleaned, HeldByBlock, HeldOfBlock};

/// The chooser of victims.
pub(super) enum Chooser {
    /// A cleaning policy.
    Policy(Box<dyn Cleaning>),
    /// `ftl.buffer_aware = "merge+victim"`.
    Weighed(Bavbs, Box<Candidates>),
    /// A placement chooses the group, greedy cleaning the block.
    Grouped(Box<Groups>),
}

/// The chooser of victims, and the order of blocks for eager cleaning.
pub(super) struct Victims {
    pub chooser: Chooser,
    /// All full blocks, the emptiest first; none without eager cleaning or a cache. With a cache, without the victim in
    /// progress.
    emptiest: Option<Greedy>,
    pages_per_block: u32,
}

impl Victims {
    /// A chooser for a device without full blocks.
    pub fn new(config: &PageConfig, geometry: &Geometry) -> Self {
        let pages_per_block = geometry.pages_per_block();
        let chooser = match (
            Bavbs::new(&config.aware, pages_per_block),
            config.placement.groups(),
        ) {
            (Some(bavbs), _) => Chooser::Weighed(bavbs, Box::new(Candidates::new(geometry))),
            (None, 0) => Chooser::Policy(config.cleaning.build(geometry)),
            (None, groups) => Chooser::Grouped(Box::new(Groups::new(groups, geometry))),
        };
        Self {
            chooser,
            emptiest: (config.eager > 0.0 || config.slc.is_some())
                .then(|| Greedy::of_blocks(geometry.physical_blocks())),
            pages_per_block,
        }
    }

    /// See [`Cleaning::worn`].
    pub fn worn(&mut self, block: Pbn, erases: u32) {
        if let Chooser::Policy(policy) = &mut self.chooser {
            policy.worn(block, erases);
        }
    }

    /// A block was taken for a region.
    #[inline]
    pub fn opened(&mut self, block: Pbn, region: u32) {
        if let Chooser::Grouped(groups) = &mut self.chooser {
            groups.opened(block, region);
        }
    }

    /// Pages were programmed in the frontier of a region.
    #[inline]
    pub fn programmed(&mut self, region: u32, pages: u32) {
        if let Chooser::Grouped(groups) = &mut self.chooser {
            groups.programmed(region, pages);
        }
    }

    /// Pages moved out of a victim.
    #[inline]
    pub fn moved(&mut self, block: Pbn, pages: u32) {
        if let Chooser::Grouped(groups) = &mut self.chooser {
            groups.moved(block, pages);
        }
    }

    /// See [`Cleaning::filled`].
    #[inline]
    pub fn filled(&mut self, block: Pbn, valid: u32, now: u64) {
        match &mut self.chooser {
            Chooser::Policy(policy) => policy.filled(block, valid, now),
            Chooser::Weighed(_, candidates) => candidates.filled(block, valid),
            Chooser::Grouped(groups) => groups.filled(block, valid),
        }
        if let Some(order) = &mut self.emptiest {
            order.filled(block, valid, now);
        }
    }

    /// See [`Cleaning::invalidated`].
    #[inline]
    pub fn invalidated(&mut self, block: Pbn, now: u64) {
        match &mut self.chooser {
            Chooser::Policy(policy) => policy.invalidated(block, now),
            Chooser::Weighed(_, candidates) => candidates.invalidated(block),
            Chooser::Grouped(groups) => groups.invalidated(block),
        }
        if let Some(order) = &mut self.emptiest {
            order.invalidated(block, now);
        }
    }

    /// See [`Cleaning::foresee`].
    pub fn foresee(&self, blocks: &[Pbn]) {
        match &self.chooser {
            Chooser::Policy(policy) => policy.foresee(blocks),
            Chooser::Grouped(groups) => groups.foresee(blocks),
            Chooser::Weighed(..) => {}
        }
    }

    /// See [`Cleaning::erased`].
    pub fn erased(&mut self, block: Pbn) {
        match &mut self.chooser {
            Chooser::Policy(policy) => policy.erased(block),
            Chooser::Weighed(_, candidates) => candidates.erased(block),
            Chooser::Grouped(groups) => groups.erased(block),
        }
        if let Some(order) = &mut self.emptiest {
            order.erased(block);
        }
    }

    /// See [`Cleaning::passed_over`].
    pub fn passed_over(&mut self) {
        if let Chooser::Policy(policy) = &mut self.chooser {
            policy.passed_over();
        }
    }

    /// A block is the victim in progress: the emptiest block is another one.
    pub fn set_aside(&mut self, block: Pbn) {
        if let Some(order) = &mut self.emptiest {
            order.erased(block);
        }
    }

    /// The full block with the fewest valid pages, and these. Only with eager cleaning or a cache.
    pub fn fewest_valid(&self) -> Option<(Pbn, u32)> {
        self.emptiest.as_ref()?.emptiest()
    }

    /// The same if it has an invalid page.
    pub fn emptiest(&self) -> Option<(Pbn, u32)> {
        let block = self.fewest_valid();
        block.filter(|&(_, valid)| valid < self.pages_per_block)
    }

    /// Among the listed candidates, the block with the smallest weight; among equals, the one filled first. Also
    /// returns the decision for its cleaning.
    ///
    /// # Panics
    /// If no candidate is listed.
    pub fn lightest(
        &self,
        denominator: u64,
        cleaned: impl Fn(Pbn, Option<&HeldOfBlock>) -> Cleaned,
    ) -> (Pbn, Decision) {
        let Chooser::Weighed(bavbs, candidates) = &self.chooser else {
            unreachable!("a cleaning policy chooses its victim by itself");
        };
        let weighed = candidates.listed.iter().map(|&block| {
            let held = candidates.all.then(|| candidates.held.of(block));
            let (weight, decision) = cleaned(block, held).weigh(bavbs, denominator);
            let filled_at = candidates.filled_at[block.index()];
            ((weight, filled_at), (block, decision))
        });
        let least = weighed.min_by_key(|&(key, _)| key);
        least.expect("some full block has an invalid page").1
    }

    /// See [`Cleaning::check`].
    /// `aside`: see [`Victims::set_aside`].
    pub fn check(&self, full: &[(Pbn, u32)], aside: Pbn) -> Result<(), String> {
        if let Some(order) = &self.emptiest {
            let others = full.iter().copied().filter(|(block, _)| *block != aside);
            order.check(&others.collect::<Vec<_>>())?;
        }
        match &self.chooser {
            Chooser::Policy(policy) => policy.check(full),
            Chooser::Weighed(_, candidates) => candidates.check(full),
            Chooser::Grouped(groups) => groups.check(full),
        }
    }

    /// See [`Cleaning::check_worn`].
    pub fn check_worn(&self, block: Pbn, erases: u32) -> Result<(), String> {
        match &self.chooser {
            Chooser::Policy(policy) => policy.check_worn(block, erases),
            Chooser::Weighed(..) | Chooser::Grouped(_) => Ok(()),
        }
    }
}

/// The block is not full.
const OPEN: u64 = u64::MAX;

/// The full blocks with an invalid page, in the order in which they were filled.
pub(super) struct Candidates {
    pages_per_block: u32,
    /// For each block, the number of blocks filled before it.
    filled_at: Vec<u64>,
    filled: u64,
    /// The same, for blocks with an invalid page only.
    order: MinTree,
    /// The first candidates, used only during a choice.
    listed: Vec<Pbn>,
    /// Whether `listed` holds all candidates.
    all: bool,
    /// The held pages of each candidate, if all are listed.
    held: HeldByBlock,
}

impl Candidates {
    fn new(geometry: &Geometry) -> Self {
        let blocks = geometry.physical_blocks();
        Self {
            pages_per_block: geometry.pages_per_block(),
            filled_at: vec![OPEN; blocks as usize],
            filled: 0,
            order: MinTree::new(blocks),
            listed: Vec::with_capacity(blocks as usize),
            all: false,
            held: HeldByBlock::new(blocks),
        }
    }

    #[inline]
    fn filled(&mut self, block: Pbn, valid: u32) {
        self.filled_at[block.index()] = self.filled;
        self.filled += 1;
        if valid < self.pages_per_block {
            self.invalidated(block);
        }
    }

    #[inline]
    fn invalidated(&mut self, block: Pbn) {
        let filled_at = self.filled_at[block.index()];
        if filled_at != OPEN {
            self.order.set(block.0, filled_at);
        }
    }

    fn erased(&mut self, block: Pbn) {
        self.filled_at[block.index()] = OPEN;
        self.order.set(block.0, MinTree::ABSENT);
    }

    /// Lists the first candidates, at most `most`. If these are all, `count` counts the held pages of each.
    pub fn list(&mut self, most: usize, count: impl Fn(&mut HeldByBlock)) {
        self.listed.clear();
        self.all = most >= self.filled_at.len();
        if self.all {
            count(&mut self.held);
            let blocks = (0..self.order.items()).map(Pbn);
            let listed = blocks.filter(|block| self.order.get(block.0) != MinTree::ABSENT);
            self.listed.extend(listed);
            return;
        }
        while self.listed.len() < most
            && let Some(block) = self.order.first()
        {
            self.listed.push(Pbn(block));
            self.order.set(block, MinTree::ABSENT);
        }
        for block in &self.listed {
            self.order.set(block.0, self.filled_at[block.index()]);
        }
    }

    fn check(&self, full: &[(Pbn, u32)]) -> Result<(), String> {
        let mut kept: Vec<Pbn> = (0..self.order.items()).map(Pbn).collect();
        kept.retain(|block| self.filled_at[block.index()] != OPEN);
        kept.sort_by_key(|block| self.filled_at[block.index()]);
        let blocks: Vec<Pbn> = full.iter().map(|&(block, _)| block).collect();
        same("full blocks in the order of filling", kept, blocks)?;
        full.iter().try_for_each(|&(block, valid)| {
            let listed = self.order.get(block.0) != MinTree::ABSENT;
            let has_invalid = valid < self.pages_per_block;
            same(
                format_args!("block {block:?} is a candidate"),
                listed,
                has_invalid,
            )
        })
    }
}
