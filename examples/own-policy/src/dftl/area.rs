//! The blocks of data: a log with greedy cleaning.

use std::collections::VecDeque;

use ssdlab_flash::{Geometry, Lpn, Pbn, Ppn};
use ssdlab_ftl::FtlError;

/// The blocks of data, from block 0 on.
pub struct Area {
    geometry: Geometry,
    free: VecDeque<Pbn>,
    /// The block that is written, and the next page in it.
    open: Option<(Pbn, u32)>,
    /// For each page, the logical page of which it is the newest version.
    owners: Vec<Lpn>,
    /// The valid pages of each block.
    valid: Vec<u32>,
}

impl Area {
    /// The first `blocks` blocks, erased, or `full`: page p of the flash is logical page p.
    pub fn new(geometry: &Geometry, blocks: u32, full: bool) -> Self {
        let mut area = Self::empty(geometry, blocks);
        let used = if full { geometry.logical_blocks() } else { 0 };
        for lpn in (0..used * geometry.pages_per_block()).map(Lpn) {
            area.moved(lpn, Ppn::NONE, Ppn(lpn.0));
        }
        area.free = (used..blocks).map(Pbn).collect();
        area
    }

    /// Blocks that are in use, without valid pages so far.
    pub fn empty(geometry: &Geometry, blocks: u32) -> Self {
        let pages = (blocks * geometry.pages_per_block()) as usize;
        Self {
            geometry: geometry.clone(),
            free: VecDeque::new(),
            open: None,
            owners: vec![Lpn::NONE; pages],
            valid: vec![0; blocks as usize],
        }
    }

    /// The number of free blocks.
    pub fn free(&self) -> usize {
        self.free.len()
    }

    /// The number of blocks.
    pub fn blocks(&self) -> u32 {
        self.valid.len() as u32
    }

    /// Goes on in a block.
    pub fn resume(&mut self, block: Pbn, next: u32) {
        self.open = Some((block, next));
    }

    /// Whether a page can be programmed.
    pub fn has_room(&self) -> bool {
        self.open
            .is_some_and(|(_, next)| next < self.geometry.pages_per_block())
    }

    /// Opens the next free block.
    pub fn open(&mut self) -> Result<(), FtlError> {
        let block = self.free.pop_front().ok_or(FtlError::NoFreeBlock)?;
        self.open = Some((block, 0));
        Ok(())
    }

    /// The next page of the open block, which must have room.
    pub fn take(&mut self) -> Ppn {
        let (block, next) = self.open.as_mut().expect("an open block");
        *next += 1;
        self.geometry.ppn(*block, *next - 1)
    }

    /// The full block with the fewest valid pages, if it has invalid ones.
    pub fn victim(&self) -> Option<Pbn> {
        let full = |block: &Pbn| {
            !self.free.contains(block) && self.open.is_none_or(|(open, _)| open != *block)
        };
        let blocks = (0..self.blocks()).map(Pbn).filter(full);
        let victim = blocks.min_by_key(|block| self.valid[block.index()])?;
        (self.valid[victim.index()] < self.geometry.pages_per_block()).then_some(victim)
    }

    /// The valid pages of a block.
    pub fn valid(&self, block: Pbn) -> u32 {
        self.valid[block.index()]
    }

    /// The logical page of which this page is the newest version.
    pub fn owner(&self, at: Ppn) -> Option<Lpn> {
        Some(self.owners[at.index()]).filter(|lpn| lpn.is_some())
    }

    /// The newest version of a page is at `to` and no longer at `from`.
    pub fn moved(&mut self, lpn: Lpn, from: Ppn, to: Ppn) {
        self.invalidate(from);
        self.owners[to.index()] = lpn;
        self.valid[self.geometry.block_of(to).index()] += 1;
    }

    /// No page is at `at`, if that is one.
    pub fn invalidate(&mut self, at: Ppn) {
        if at.is_some() {
            self.owners[at.index()] = Lpn::NONE;
            self.valid[self.geometry.block_of(at).index()] -= 1;
        }
    }

    /// A block without valid pages was erased.
    pub fn erased(&mut self, block: Pbn) {
        self.free.push_back(block);
    }

    /// Compares the newest version of each logical page with the owners.
    pub fn check(&self, newest: &[Ppn]) -> Result<(), String> {
        for (lpn, &at) in (0..).map(Lpn).zip(newest) {
            if at.is_some() && self.owners[at.index()] != lpn {
                return Err(format!("page {lpn:?} at {at:?} is not valid"));
            }
        }
        let mapped = newest.iter().filter(|at| at.is_some()).count();
        let owned = self.owners.iter().filter(|lpn| lpn.is_some()).count();
        let valid: u32 = self.valid.iter().sum();
        if mapped != owned || owned != valid as usize {
            return Err(format!(
                "{mapped} pages mapped, {owned} owned, {valid} valid"
            ));
        }
        Ok(())
    }
}
