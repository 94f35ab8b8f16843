//! The LRU stack of Mattson, Gecsei, Slutz and Traiger (1970): one pass gives the hits of LRU buffers of all sizes.
//!
//! Units (pages or blocks) stand in the order of their last writes, the latest first. A buffer of C units holds those
//! at the first C places, so a write hits exactly the buffers with at least as many units as its place.
//!
//! A discard takes a unit out of all buffers that hold it, and they have room for one more; smaller buffers do not. So
//! the place stays, as a *hole*. The next write of a unit that stands behind the hole, or nowhere, fills the first
//! hole: buffers that reach to the hole evict nothing. If the unit stood behind it, its own place becomes a hole,
//! because buffers that reach there have lost no unit and still have room for one.
//!
//! A flush takes all units out of all buffers.
//!
//! Places are not stored. Each write takes the next *slot*, and the place of a unit is the number of used slots from
//! its own on. When the slots are used up, those in use move together.

use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use crate::marks::Marks;

/// The fewest slots.
const FEW: usize = 1 << 12;

/// The order of the last writes of units, numbered from 0, and the hits so far.
#[derive(Clone, Debug)]
pub(crate) struct Stack {
    /// The slot of the last write of each unit. One below `floor` means that no buffer holds it.
    slots: Vec<u32>,
    /// The slots in use, by units or holes, from `floor` to below `next`; behind `next` all have marks.
    marks: Marks,
    next: u32,
    /// The first slot since the last flush.
    floor: u32,
    below_floor: u32,
    /// Units and holes.
    places: u32,
    /// The slots of the holes.
    holes: BinaryHeap<u32>,
    written: Hits,
    read: Hits,
}

/// How many accesses hit which buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hits {
    /// The accesses to the unit at each place, the first place first.
    pub at: Vec<u64>,
    /// All accesses.
    pub all: u64,
}

impl Hits {
    fn add(&mut self, place: Option<u32>) {
        self.all += 1;
        let Some(place) = place else {
            return;
        };
        let index = place as usize - 1;
        if index >= self.at.len() {
            self.at.resize(index + 1, 0);
        }
        self.at[index] += 1;
    }
}

impl Stack {
    pub fn new() -> Self {
        Self {
            slots: Vec::new(),
            marks: Marks::all(FEW),
            // so that slot 0 is below every floor
            next: 1,
            floor: 1,
            below_floor: 1,
            places: 0,
            holes: BinaryHeap::new(),
            written: Hits::default(),
            read: Hits::default(),
        }
    }

    /// Hits of writes and of reads.
    pub fn hits(&self) -> (&Hits, &Hits) {
        (&self.written, &self.read)
    }

    /// Units are numbered from 0 without gaps: a number is at most one above the highest so far.
    pub fn write(&mut self, unit: usize) {
        if self.next as usize == self.marks.places() {
            self.move_together();
        }
        if unit == self.slots.len() {
            self.slots.push(0);
        }
        let slot = self.slot(unit);
        self.written.add(slot.map(|slot| self.place(slot)));
        let left = match (self.holes.peek_mut(), slot) {
            (Some(mut hole), Some(slot)) if *hole > slot => {
                Some(std::mem::replace(&mut *hole, slot))
            }
            (_, Some(slot)) => Some(slot),
            (Some(hole), None) => Some(PeekMut::pop(hole)),
            (None, None) => None,
        };
        match left {
            Some(slot) => self.marks.clear(slot),
            None => self.places += 1,
        }
        self.slots[unit] = self.next;
        self.next += 1;
    }

    /// A read of a unit that was written changes nothing.
    pub fn read(&mut self, unit: usize) {
        let slot = self.slot(unit);
        self.read.add(slot.map(|slot| self.place(slot)));
    }

    /// Reads of so many units that were never written.
    pub fn miss_reads(&mut self, units: u64) {
        self.read.all += units;
    }

    pub fn discard(&mut self, unit: usize) {
        if let Some(slot) = self.slot(unit) {
            self.holes.push(slot);
            self.slots[unit] = 0;
        }
    }

    pub fn flush(&mut self) {
        self.floor = self.next;
        self.below_floor += self.places;
        self.places = 0;
        self.holes.clear();
    }

    fn slot(&self, unit: usize) -> Option<u32> {
        Some(self.slots[unit]).filter(|&slot| slot >= self.floor)
    }

    fn place(&self, slot: u32) -> u32 {
        self.places - (self.marks.before(slot) - self.below_floor)
    }

    /// Gives the units and holes the first slots, in their order. There are at least as many free slots then as units
    /// ever written, so that this costs each write little.
    fn move_together(&mut self) {
        let marks = Marks::all(FEW.max(2 * self.slots.len() + 2));
        let marks = std::mem::replace(&mut self.marks, marks);
        let moved = |slot: u32| marks.before(slot) - self.below_floor + 1;
        for slot in &mut self.slots {
            *slot = if *slot < self.floor { 0 } else { moved(*slot) };
        }
        let holes = std::mem::take(&mut self.holes);
        self.holes = holes.into_iter().map(moved).collect();
        self.floor = 1;
        self.below_floor = 1;
        self.next = self.places + 1;
    }
}
