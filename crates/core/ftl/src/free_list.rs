//! Erased blocks, first in, first out.

use std::collections::VecDeque;

use ssdlab_flash::{Geometry, Media, Pbn};

use crate::scan::Scan;
use crate::{Env, FtlError};

/// The free list: allocation takes the head, and an erased block goes to the tail.
#[derive(Clone, Debug)]
pub(crate) struct FreeList(VecDeque<Pbn>);

impl FreeList {
    /// An empty list with room for all blocks of the device, so that it never allocates later.
    pub(crate) fn empty(geometry: &Geometry) -> Self {
        Self(VecDeque::with_capacity(geometry.physical_blocks() as usize))
    }

    /// All blocks from `first` on, in ascending order.
    pub(crate) fn from_block(first: u32, geometry: &Geometry) -> Self {
        let mut list = Self::empty(geometry);
        list.0.extend((first..geometry.physical_blocks()).map(Pbn));
        list
    }

    /// For mounting: all unused blocks in ascending order. Those that are not erased are erased now.
    pub(crate) fn of_unused<M: Media>(
        scan: &Scan,
        in_use: impl Iterator<Item = Pbn>,
        media: &mut M,
    ) -> Result<Self, FtlError> {
        let geometry = scan.geometry();
        let mut unused = vec![true; geometry.physical_blocks() as usize];
        in_use.for_each(|block| unused[block.index()] = false);
        let mut list = Self::from_block(0, geometry);
        list.0.retain(|block| unused[block.index()]);
        for block in list.iter().filter(|&block| scan.end(block) > 0) {
            media.erase(block)?;
        }
        // if an erase were lost, leftovers of two merges could be found together
        media.barrier()?;
        Ok(list)
    }

    pub(crate) fn len(&self) -> u32 {
        self.0.len() as u32
    }

    #[inline]
    pub(crate) fn take(&mut self) -> Result<Pbn, FtlError> {
        self.0.pop_front().ok_or(FtlError::NoFreeBlock)
    }

    /// Erases a block, unless it is none, and returns it to the list.
    pub(crate) fn erase<M: Media>(&mut self, env: &mut Env<M>, block: Pbn) -> Result<(), FtlError> {
        if block.is_some() {
            env.erase(block)?;
            self.give_back(block);
        }
        Ok(())
    }

    /// Returns an erased block to the list.
    #[inline]
    pub(crate) fn give_back(&mut self, block: Pbn) {
        self.0.push_back(block);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Pbn> {
        self.0.iter().copied()
    }
}
