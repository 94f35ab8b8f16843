//! BAVBS for FTLs that clean blocks (`superblock`, `page`): the cost of each page that cleaning gains (BAGC 2012,
//! section 6).

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use ssdlab_flash::{Lpn, Media, Pbn, Ppn};

use crate::aware::Decision;
use crate::bavbs::{Bavbs, Moves, Weight};
use crate::{Buffer, Env};

/// The weight of a block: the cost of each page that cleaning gains, `cost / gained`. Compared like [`Weight`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct CostPerPage {
    cost: u128,
    /// At least 1.
    gained: u128,
}

impl Ord for CostPerPage {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.cost * other.gained).cmp(&(other.cost * self.gained))
    }
}

impl PartialOrd for CostPerPage {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for CostPerPage {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for CostPerPage {}

/// The pages that cleaning a block would move. Its valid pages go, in their order, to the rest of a frontier, and then
/// to the next free block.
pub(crate) struct Cleaned {
    /// The next page of the frontier, and its room in pages.
    frontier: (Ppn, u32),
    free: Option<Ppn>,
    all: Moves,
    copy_back: Moves,
    stays: u64,
}

impl Cleaned {
    /// An estimate without pages.
    pub(crate) fn new(frontier: (Ppn, u32), free: Option<Ppn>) -> Self {
        Self {
            frontier,
            free,
            all: Moves::default(),
            copy_back: Moves::default(),
            stays: 0,
        }
    }

    /// Adds the next valid page.
    pub(crate) fn add<M: Media>(
        &mut self,
        env: &Env<M>,
        buffer: &Buffer<M::Data>,
        from: Ppn,
        lpn: Lpn,
    ) {
        let (next, room) = self.frontier;
        let before = self.all.pages() as u32;
        let to = match before.checked_sub(room) {
            None => Some(next.plus(before)),
            Some(in_free) => self.free.map(|free| free.plus(in_free)),
        };
        let held = buffer.held_pages(lpn, 1);
        self.all.add_pages(1, held);
        if to.is_some_and(|to| env.copies_back(from, to)) {
            self.copy_back.add_pages(1, held);
        }
        self.stays += buffer.unchanged(lpn, held.dirty);
    }

    /// Adds all valid pages of the block that begins at `block`, given their number and those that are held. If
    /// copy-back may move only some of them, their order matters: then returns false and adds nothing.
    pub(crate) fn add_all<M: Media>(
        &mut self,
        env: &Env<M>,
        block: Ppn,
        valid: u32,
        held: &HeldOfBlock,
    ) -> bool {
        if env.copy_back && env.geometry().chips() > 1 {
            return false;
        }
        let (next, room) = self.frontier;
        let of_frontier = room > 0 && env.copies_back(block, next);
        let of_free = self.free.is_some_and(|free| env.copies_back(block, free));
        let back = match room {
            0 => of_free,
            room if valid <= room => of_frontier,
            _ if of_frontier == of_free => of_free,
            _ => return false,
        };
        self.all = Moves {
            not_held: valid - held.clean - held.dirty,
            clean: held.clean,
            dirty: held.dirty,
        };
        if back {
            self.copy_back = self.all;
        }
        self.stays = held.stays;
        true
    }

    /// The weight of the block, and the decision for its cleaning. The block must have an invalid page.
    /// `denominator` is that of all probabilities.
    pub(crate) fn weigh(&self, bavbs: &Bavbs, denominator: u64) -> (CostPerPage, Decision) {
        let estimate = bavbs.merge(1, &self.all, &self.copy_back, self.stays);
        let (Weight(cost), decision) = bavbs.weigh(&estimate, denominator);
        let weight = CostPerPage {
            cost: cost.max(0) as u128,
            gained: u128::from(bavbs.pages_per_block - self.all.pages()),
        };
        (weight, decision)
    }
}

/// The valid pages of a block that the buffer holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeldOfBlock {
    clean: u32,
    dirty: u32,
    /// See [`Bavbs::merge`].
    stays: u64,
}

/// [`HeldOfBlock`] of all blocks, for one choice. Looking up each held page is faster than looking up each valid page.
pub(crate) struct HeldByBlock {
    blocks: Vec<HeldOfBlock>,
    /// The blocks with a held page.
    touched: Vec<Pbn>,
}

impl HeldByBlock {
    pub(crate) fn new(blocks: u32) -> Self {
        Self {
            blocks: vec![HeldOfBlock::default(); blocks as usize],
            touched: Vec::with_capacity(blocks as usize),
        }
    }

    pub(crate) fn of(&self, block: Pbn) -> &HeldOfBlock {
        &self.blocks[block.index()]
    }

    /// Recounts over `lpns` logical pages. `block_of` returns the block with the newest version of a page.
    pub(crate) fn count<P>(
        &mut self,
        buffer: &Buffer<P>,
        lpns: u32,
        block_of: impl Fn(Lpn) -> Option<Pbn>,
    ) {
        for block in self.touched.drain(..) {
            self.blocks[block.index()] = HeldOfBlock::default();
        }
        for first in (0..lpns).step_by(64) {
            let held = buffer.held_pages(Lpn(first), (lpns - first).min(64));
            let mut rest = held.clean | held.dirty;
            while rest != 0 {
                let page = rest & rest.wrapping_neg();
                if let Some(block) = block_of(Lpn(first + rest.trailing_zeros())) {
                    let stays = buffer.unchanged(Lpn(first), page & held.dirty);
                    self.add(block, page & held.dirty != 0, stays);
                }
                rest ^= page;
            }
        }
    }

    fn add(&mut self, block: Pbn, dirty: bool, stays: u64) {
        let held = &mut self.blocks[block.index()];
        if *held == HeldOfBlock::default() {
            self.touched.push(block);
        }
        held.clean += u32::from(!dirty);
        held.dirty += u32::from(dirty);
        held.stays += stays;
    }
}
