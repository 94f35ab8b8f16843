//! The pages in the RAM region, in the order of their last updates.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Lpn, Payload};
use ssdlab_policy::Lists;

use crate::check::same;

/// The list of used slots, the most recently updated page first.
const USED: u32 = 0;
/// The list of free slots.
const FREE: u32 = 1;
/// Stands for "no slot": the page is not in RAM.
const ABSENT: u32 = u32::MAX;

/// Slots for pages. Each access takes a few steps, and nothing is allocated after construction.
pub(super) struct Ram<P> {
    /// For each LPN, its slot; empty if there is no RAM region.
    slot_of: Vec<u32>,
    /// For each used slot, its LPN.
    holds: Vec<Lpn>,
    slots: Lists,
    held: u32,
    /// For each slot, its data; empty if the payload is `()`.
    data: Vec<P>,
    blank: P,
}

impl<P: Payload> Ram<P> {
    /// Room for `pages` pages; 0 means that there is no RAM region.
    pub fn new(pages: u32, geometry: &Geometry) -> Self {
        let pages = pages.min(geometry.logical_pages());
        let logical = if pages > 0 {
            geometry.logical_pages()
        } else {
            0
        };
        let mut slots = Lists::new(pages, 2);
        (0..pages).for_each(|slot| slots.push_back(FREE, slot));
        let blank = P::blank(geometry.page_size());
        let stored = if P::NOTHING { 0 } else { pages as usize };
        Self {
            slot_of: vec![ABSENT; logical as usize],
            holds: vec![Lpn::NONE; pages as usize],
            slots,
            held: 0,
            data: vec![blank.clone(); stored],
            blank,
        }
    }

    /// The number of pages held.
    pub fn held(&self) -> u32 {
        self.held
    }

    /// The number of pages that fit.
    pub fn room(&self) -> u32 {
        self.holds.len() as u32
    }

    #[inline]
    pub fn contains(&self, lpn: Lpn) -> bool {
        let slot = self.slot_of.get(lpn.index());
        slot.is_some_and(|&slot| slot != ABSENT)
    }

    /// The data of a page that is held.
    #[inline]
    pub fn data(&self, lpn: Lpn) -> &P {
        if P::NOTHING {
            &self.blank
        } else {
            &self.data[self.slot_of[lpn.index()] as usize]
        }
    }

    /// Inserts a page that is not held, as the most recently updated one. There must be room.
    pub fn insert(&mut self, lpn: Lpn, data: &P) {
        let slot = self.slots.front(FREE).expect("a free slot in RAM");
        self.slots.remove(slot);
        self.slots.push_front(USED, slot);
        self.slot_of[lpn.index()] = slot;
        self.holds[slot as usize] = lpn;
        self.held += 1;
        self.store(slot, data);
    }

    /// Updates a held page in place.
    pub fn update(&mut self, lpn: Lpn, data: &P) {
        let slot = self.slot_of[lpn.index()];
        self.slots.move_to_front(USED, slot);
        self.store(slot, data);
    }

    #[inline]
    fn store(&mut self, slot: u32, data: &P) {
        if !P::NOTHING {
            self.data[slot as usize].copy_from(data);
        }
    }

    /// Removes a held page.
    pub fn remove(&mut self, lpn: Lpn) {
        let slot = core::mem::replace(&mut self.slot_of[lpn.index()], ABSENT);
        self.slots.remove(slot);
        self.slots.push_front(FREE, slot);
        self.held -= 1;
    }

    /// Removes the least recently updated page, if there is one.
    pub fn remove_oldest(&mut self) {
        self.oldest().into_iter().for_each(|lpn| self.remove(lpn));
    }

    /// The least recently updated page.
    pub fn oldest(&self) -> Option<Lpn> {
        self.slots.back(USED).map(|slot| self.holds[slot as usize])
    }

    /// The page updated next after `lpn`, which must be held.
    pub fn newer_than(&self, lpn: Lpn) -> Option<Lpn> {
        let slot = self.slots.before(self.slot_of[lpn.index()]);
        slot.map(|slot| self.holds[slot as usize])
    }

    /// The held pages, least recently updated first.
    pub fn pages(&self) -> impl Iterator<Item = Lpn> {
        core::iter::successors(self.oldest(), |&lpn| self.newer_than(lpn))
    }

    /// Compares the counts with recounts.
    pub fn check(&self) -> Result<(), String> {
        let listed: Vec<Lpn> = self.pages().take(self.holds.len() + 1).collect();
        same("pages in RAM", self.held, listed.len() as u32)?;
        let slots = self.slot_of.iter().filter(|&&slot| slot != ABSENT);
        same("pages with a slot in RAM", self.held, slots.count() as u32)?;
        let lost = listed.into_iter().find(|&lpn| !self.contains(lpn));
        same("page in RAM without a slot", lost, None)
    }
}
