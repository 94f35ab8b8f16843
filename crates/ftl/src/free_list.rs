//! Erased blocks, first in, first out.

use std::collections::VecDeque;

use ssdlab_flash::Pbn;

use crate::FtlError;

/// The free list: allocation takes the head, an erased block goes to the tail.
#[derive(Clone, Debug)]
pub(crate) struct FreeList(VecDeque<Pbn>);

impl FreeList {
    /// With room for all blocks of the device, so that nothing is allocated later.
    pub(crate) fn new(free: impl Iterator<Item = Pbn>, physical_blocks: u32) -> Self {
        let mut list = VecDeque::with_capacity(physical_blocks as usize);
        list.extend(free);
        Self(list)
    }

    pub(crate) fn take(&mut self) -> Result<Pbn, FtlError> {
        self.0.pop_front().ok_or(FtlError::NoFreeBlock)
    }

    pub(crate) fn give_back(&mut self, block: Pbn) {
        self.0.push_back(block);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Pbn> {
        self.0.iter().copied()
    }
}
