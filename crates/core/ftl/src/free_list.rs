//! Erased blocks, first in, first out.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Lbn, Media, Pbn};

use crate::scan::Scan;
use crate::{Env, FreeLists, FtlError};

/// The free blocks: allocation takes the head of a queue, and an erased block goes to the tail. There is one queue, or one
/// for each plane.
#[derive(Clone, Debug)]
pub(crate) struct FreeList {
    queues: Vec<VecDeque<Pbn>>,
    /// The queue that gives the next block that belongs to no logical block.
    turn: u32,
    len: u32,
}

impl FreeList {
    /// An empty list with room for all blocks of the device, so that it never allocates later.
    pub(crate) fn empty(geometry: &Geometry) -> Self {
        Self::with_queues(1, geometry)
    }

    fn with_queues(queues: u32, geometry: &Geometry) -> Self {
        let room = geometry.physical_blocks().div_ceil(queues) as usize;
        let queue = || VecDeque::with_capacity(room);
        Self {
            queues: (0..queues).map(|_| queue()).collect(),
            turn: 0,
            len: 0,
        }
    }

    /// All blocks from `first` on, in ascending order.
    pub(crate) fn from_block(first: u32, geometry: &Geometry) -> Self {
        let mut list = Self::empty(geometry);
        (first..geometry.physical_blocks()).for_each(|block| list.give_back(Pbn(block)));
        list
    }

    /// The same blocks in these queues.
    pub(crate) fn by(self, lists: FreeLists, geometry: &Geometry) -> Self {
        let queues = match lists {
            FreeLists::One => return self,
            FreeLists::Plane => geometry.planes(),
        };
        let mut list = Self::with_queues(queues, geometry);
        self.iter().for_each(|block| list.give_back(block));
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
        let mut list = Self::empty(geometry);
        let blocks = (0..geometry.physical_blocks()).map(Pbn);
        let unused = blocks.filter(|block| unused[block.index()]);
        unused.for_each(|block| list.give_back(block));
        for block in list.iter().filter(|&block| scan.end(block) > 0) {
            media.erase(block)?;
        }
        // if an erase were lost, leftovers of two merges could be found together
        media.barrier()?;
        Ok(list)
    }

    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Takes a block that belongs to no logical block.
    #[inline]
    pub(crate) fn take(&mut self) -> Result<Pbn, FtlError> {
        let block = self.pop(self.turn)?;
        if self.queues.len() > 1 {
            self.turn = self.queue_of(block.0 + 1);
        }
        Ok(block)
    }

    /// Takes a block for a logical block.
    #[inline]
    pub(crate) fn take_for(&mut self, lbn: Lbn) -> Result<Pbn, FtlError> {
        self.pop(self.queue_of(lbn.0))
    }

    /// Takes the head of this queue, or of the next one that has any.
    #[inline]
    fn pop(&mut self, first: u32) -> Result<Pbn, FtlError> {
        let queue = self.giving(first);
        let block = queue.and_then(|queue| self.queues[queue as usize].pop_front());
        let block = block.ok_or(FtlError::NoFreeBlock)?;
        self.len -= 1;
        Ok(block)
    }

    /// All queues, from this one on.
    #[inline]
    fn from(&self, first: u32) -> impl Iterator<Item = u32> + use<> {
        let all = self.queues.len() as u32;
        (first..all).chain(0..first)
    }

    /// The queue of a block in this plane, or of this logical block.
    #[inline]
    fn queue_of(&self, number: u32) -> u32 {
        match self.queues.len() as u32 {
            1 => 0,
            all => number % all,
        }
    }

    /// The queue that gives a block, from this one on.
    #[inline]
    fn giving(&self, first: u32) -> Option<u32> {
        let mut queues = self.from(first);
        queues.find(|&queue| !self.queues[queue as usize].is_empty())
    }

    /// The block that [`FreeList::take`] would take.
    pub(crate) fn next(&self) -> Option<Pbn> {
        self.head(self.turn)
    }

    /// The block that [`FreeList::take_for`] would take.
    pub(crate) fn next_for(&self, lbn: Lbn) -> Option<Pbn> {
        self.head(self.queue_of(lbn.0))
    }

    fn head(&self, first: u32) -> Option<Pbn> {
        let queue = self.giving(first)?;
        self.queues[queue as usize].front().copied()
    }

    /// What would be taken for several logical blocks, one after the other. Takes nothing; `taken` is a room to count in.
    pub(crate) fn plan<'a>(&'a self, taken: &'a mut Vec<usize>) -> Plan<'a> {
        taken.clear();
        taken.resize(self.queues.len(), 0);
        Plan { list: self, taken }
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
        let queue = self.queue_of(block.0);
        self.queues[queue as usize].push_back(block);
        self.len += 1;
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Pbn> {
        self.queues.iter().flatten().copied()
    }
}

/// See [`FreeList::plan`].
pub(crate) struct Plan<'a> {
    list: &'a FreeList,
    /// The blocks taken from each queue.
    taken: &'a mut Vec<usize>,
}

impl Plan<'_> {
    /// The block that the next call of [`FreeList::take_for`] would take.
    pub(crate) fn take_for(&mut self, lbn: Lbn) -> Option<Pbn> {
        let list = self.list;
        list.from(list.queue_of(lbn.0)).find_map(|queue| {
            let taken = &mut self.taken[queue as usize];
            let block = list.queues[queue as usize].get(*taken)?;
            *taken += 1;
            Some(*block)
        })
    }
}
