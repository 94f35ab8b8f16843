//! The choice of the full block to clean, by a cleaning policy or by BAVBS.

use ssdlab_flash::{Geometry, Pbn};
use ssdlab_policy::MinTree;
use ssdlab_policy::cleaning::{Chosen, Cleaning};

use crate::aware::{Aware, Decision};
use crate::bavbs::Bavbs;
use crate::check::same;
use crate::cleaned::{Cleaned, HeldByBlock, HeldOfBlock};

/// The chooser of victims.
pub(super) enum Victims {
    /// A cleaning policy.
    Policy(Box<dyn Cleaning>),
    /// `ftl.buffer_aware = "merge+victim"`.
    Weighed(Bavbs, Box<Candidates>),
}

impl Victims {
    /// A chooser for a device without full blocks.
    pub fn new(cleaning: &Chosen, aware: &Aware, geometry: &Geometry) -> Self {
        match Bavbs::new(aware, geometry.pages_per_block()) {
            Some(bavbs) => Self::Weighed(bavbs, Box::new(Candidates::new(geometry))),
            None => Self::Policy(cleaning.build(geometry)),
        }
    }

    /// See [`Cleaning::worn`].
    pub fn worn(&mut self, block: Pbn, erases: u32) {
        if let Self::Policy(policy) = self {
            policy.worn(block, erases);
        }
    }

    /// See [`Cleaning::filled`].
    #[inline]
    pub fn filled(&mut self, block: Pbn, valid: u32, now: u64) {
        match self {
            Self::Policy(policy) => policy.filled(block, valid, now),
            Self::Weighed(_, candidates) => candidates.filled(block, valid),
        }
    }

    /// See [`Cleaning::invalidated`].
    #[inline]
    pub fn invalidated(&mut self, block: Pbn, now: u64) {
        match self {
            Self::Policy(policy) => policy.invalidated(block, now),
            Self::Weighed(_, candidates) => candidates.invalidated(block),
        }
    }

    /// See [`Cleaning::foresee`].
    pub fn foresee(&self, blocks: &[Pbn]) {
        if let Self::Policy(policy) = self {
            policy.foresee(blocks);
        }
    }

    /// See [`Cleaning::erased`].
    pub fn erased(&mut self, block: Pbn) {
        match self {
            Self::Policy(policy) => policy.erased(block),
            Self::Weighed(_, candidates) => candidates.erased(block),
        }
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
        let Self::Weighed(bavbs, candidates) = self else {
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
    pub fn check(&self, full: &[(Pbn, u32)]) -> Result<(), String> {
        match self {
            Self::Policy(policy) => policy.check(full),
            Self::Weighed(_, candidates) => candidates.check(full),
        }
    }

    /// See [`Cleaning::check_worn`].
    pub fn check_worn(&self, block: Pbn, erases: u32) -> Result<(), String> {
        match self {
            Self::Policy(policy) => policy.check_worn(block, erases),
            Self::Weighed(..) => Ok(()),
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
