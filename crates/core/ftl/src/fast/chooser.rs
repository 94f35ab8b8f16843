//! What BAVBS (BAGC 2012, section 6) keeps between two choices of a victim.
//!
//! The buffer does not report its changes, so each choice must weigh all candidates again, quickly. The list of logical
//! blocks in a candidate is kept until one of its pages is superseded. The pages that the merge of a logical block
//! would move are counted once for each choice, with bit operations on words.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Lbn, Pbn, Ppn};

use crate::bavbs::{Bavbs, Moves};
use crate::{Aware, Size};

/// A list length that means "not known".
pub(super) const STALE: u32 = u32::MAX;

/// The tables from which the cost of reclaiming each random log block is estimated.
pub(super) struct Chooser {
    pub bavbs: Bavbs,
    pub geometry: Geometry,
    /// For each erase block, the index of its random log block, now or in the past.
    log_of: Vec<u32>,
    /// For each random log block and position: the logical blocks with a valid page there, in the order of their first
    /// valid pages.
    pub lbns: Vec<Lbn>,
    /// For each random log block, the length of its list in `lbns`.
    pub lengths: Vec<u32>,
    /// For each LBN, the place in `lbns` where it was listed last.
    pub listed_at: Vec<u32>,
    /// For each LBN, the pages that its merge moves.
    pub merges: Vec<Merge>,
    /// The number of the current choice, from 1 on.
    pub choice: u32,
    /// For each erase block, its plane.
    pub planes: Vec<u16>,
    /// For each LBN, the planes that may hold a valid page of it: plane p is bit p mod 64.
    touched: Vec<u64>,
    /// For the plan of one reclaim, the blocks taken from each free list.
    pub taken: Vec<usize>,
}

/// The pages that the merge of a logical block moves.
#[derive(Clone, Copy, Default)]
pub(super) struct Merge {
    /// See `Estimate`.
    pub stays: u64,
    pub moves: Moves,
    /// The choice for which the entry was computed.
    pub choice: u32,
}

impl Chooser {
    /// None unless `ftl.buffer_aware` asks for BAVBS.
    pub fn new(aware: &Aware, log_blocks: u32, geometry: &Geometry) -> Option<Box<Self>> {
        let bavbs = Bavbs::new(aware, geometry.pages_per_block())?;
        let logs = log_blocks - 1;
        let logical = geometry.logical_blocks() as usize;
        Some(Box::new(Self {
            bavbs,
            geometry: geometry.clone(),
            log_of: vec![0; geometry.physical_blocks() as usize],
            lbns: vec![Lbn::NONE; (logs * geometry.pages_per_block()) as usize],
            lengths: vec![STALE; logs as usize],
            listed_at: vec![0; logical],
            merges: vec![Merge::default(); logical],
            choice: 0,
            touched: vec![!0; logical],
            taken: Vec::new(),
            planes: (0..geometry.physical_blocks())
                .map(|block| geometry.plane(Pbn(block)) as u16)
                .collect(),
        }))
    }

    /// The memory of its tables, in bytes.
    pub fn table_bytes(log_blocks: u32, size: &Size) -> u64 {
        let logs = u64::from(log_blocks);
        let merge = size_of::<Merge>() as u64;
        (4 * size.pages_per_block + 8) * logs
            + 6 * size.physical_blocks
            + (merge + 16) * size.logical_blocks
    }

    /// Records that a valid page of a logical block is in this block.
    pub fn placed(&mut self, lbn: Lbn, block: Pbn) {
        self.touched[lbn.index()] |= self.plane_bit(block);
    }

    /// Records that all valid pages of a logical block are in this block.
    pub fn gathered(&mut self, lbn: Lbn, block: Pbn) {
        self.touched[lbn.index()] = self.plane_bit(block);
    }

    /// Whether a valid page of a logical block may be in the plane of this block.
    pub fn may_lie_in_plane_of(&self, lbn: Lbn, block: Pbn) -> bool {
        self.touched[lbn.index()] & self.plane_bit(block) != 0
    }

    fn plane_bit(&self, block: Pbn) -> u64 {
        1 << (self.planes[block.index()] % 64)
    }

    /// Records that a block became a random log block.
    pub fn opened(&mut self, index: u32, block: Pbn) {
        self.log_of[block.index()] = index;
        self.lengths[index as usize] = STALE;
    }

    /// Records that a page in a random log block is no longer a newest version.
    #[inline]
    pub fn superseded(&mut self, at: Ppn) {
        let index = self.log_of[self.geometry.block_of(at).index()];
        self.lengths[index as usize] = STALE;
    }

    /// Begins a choice; the merges of the last choice become outdated.
    pub fn begin(&mut self) {
        self.choice = self.choice.wrapping_add(1);
        if self.choice == 0 {
            self.merges.fill(Merge::default());
            self.choice = 1;
        }
    }

    /// The list of logical blocks of a random log block, if it is known.
    pub fn listed(&self, index: u32) -> Option<&[Lbn]> {
        let first = (index * self.geometry.pages_per_block()) as usize;
        let length = self.lengths[index as usize];
        (length != STALE).then(|| &self.lbns[first..first + length as usize])
    }
}
