//! The content of the buffer: marks and data.

use ssdlab_flash::{Lpn, Payload};

use super::marks::Marks;

/// The place of the data of a page.
#[derive(Clone, Copy)]
pub(crate) struct Slot(u32);

/// Residency, dirty marks and data.
pub(crate) struct Resident<P> {
    /// If the payload is `()`, this is the only part that changes.
    pub marks: Marks,
    pub slots: Slots<P>,
}

impl<P: Payload> Resident<P> {
    pub fn new(logical_pages: u32, page_size: u32) -> Self {
        Self {
            marks: Marks::new(logical_pages),
            slots: Slots::new(logical_pages, page_size),
        }
    }

    /// A page enters. Returns the place of its data, which holds those of any page.
    #[inline]
    pub fn insert(&mut self, lpn: Lpn, dirty: bool) -> &mut P {
        self.marks.insert(lpn, dirty);
        self.slots.insert(lpn)
    }

    pub fn data_mut(&mut self, lpn: Lpn) -> &mut P {
        self.slots.get_mut(lpn)
    }

    pub fn data(&self, lpn: Lpn) -> &P {
        self.slots.of(lpn)
    }

    /// Removes a page and returns whether it was dirty. Its data stay in the slot until the slot is freed: a page on
    /// its way to flash no longer counts as held, but its data must not be lost.
    #[inline]
    pub fn take(&mut self, lpn: Lpn) -> (bool, Slot) {
        (self.marks.take(lpn), self.slots.slot(lpn))
    }

    #[inline]
    pub fn free(&mut self, slot: Slot) {
        self.slots.free(slot);
    }
}

/// The data of the held pages; empty if the payload is `()`.
pub(crate) struct Slots<P> {
    /// For each LPN, its slot.
    slot_of: Vec<u32>,
    data: Vec<P>,
    free: Vec<u32>,
    blank: P,
}

impl<P: Payload> Slots<P> {
    fn new(logical_pages: u32, page_size: u32) -> Self {
        let pages = if P::NOTHING {
            0
        } else {
            logical_pages as usize
        };
        Self {
            slot_of: vec![u32::MAX; pages],
            data: Vec::new(),
            free: Vec::new(),
            blank: P::blank(page_size),
        }
    }

    #[inline]
    fn insert(&mut self, lpn: Lpn) -> &mut P {
        if P::NOTHING {
            return &mut self.blank;
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.data.push(self.blank.clone());
            self.data.len() as u32 - 1
        });
        self.slot_of[lpn.index()] = slot;
        &mut self.data[slot as usize]
    }

    #[inline]
    fn slot(&self, lpn: Lpn) -> Slot {
        Slot(if P::NOTHING {
            0
        } else {
            self.slot_of[lpn.index()]
        })
    }

    /// Moves the data of a page that left out of its slot, and frees the slot.
    #[inline]
    pub fn move_out(&mut self, slot: Slot, into: &mut P) {
        if !P::NOTHING {
            std::mem::swap(&mut self.data[slot.0 as usize], into);
        }
        self.free(slot);
    }

    /// The data of a held page.
    pub fn of(&self, lpn: Lpn) -> &P {
        self.get(self.slot(lpn))
    }

    #[inline]
    pub fn get(&self, slot: Slot) -> &P {
        if P::NOTHING {
            &self.blank
        } else {
            &self.data[slot.0 as usize]
        }
    }

    fn get_mut(&mut self, lpn: Lpn) -> &mut P {
        let slot = self.slot(lpn);
        if P::NOTHING {
            &mut self.blank
        } else {
            &mut self.data[slot.0 as usize]
        }
    }

    #[inline]
    fn free(&mut self, slot: Slot) {
        if !P::NOTHING {
            self.free.push(slot.0);
        }
    }
}
