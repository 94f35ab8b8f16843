//! The pages that a region in RAM holds, in the order of their last updates.

use ssdlab_flash::{Geometry, Lpn, Payload};
use ssdlab_policy::Lists;

use crate::check::same;

/// The list of the slots in use, the most recently updated page first.
const USED: u32 = 0;
/// The list of the others.
const FREE: u32 = 1;
/// In place of a slot: the page is not here.
const ABSENT: u32 = u32::MAX;

/// Slots for pages. Every access is a few steps, and nothing is allocated after construction.
pub(super) struct Ram<P> {
    /// Per LPN, its slot; empty without a region in RAM.
    slot_of: Vec<u32>,
    /// Per slot in use, its LPN.
    holds: Vec<Lpn>,
    slots: Lists,
    held: u32,
    /// Per slot, its page; nothing where pages carry nothing.
    data: Vec<P>,
    blank: P,
}

impl<P: Payload> Ram<P> {
    /// Room for so many pages; 0: there is no region in RAM.
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

    /// Pages held.
    pub fn held(&self) -> u32 {
        self.held
    }

    /// Pages that there is room for.
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
        match P::NOTHING {
            true => &self.blank,
            false => &self.data[self.slot_of[lpn.index()] as usize],
        }
    }

    /// A page that is not held enters, as the most recently updated one; there is room.
    pub fn insert(&mut self, lpn: Lpn, data: &P) {
        let slot = self.slots.front(FREE).expect("room in RAM");
        self.slots.remove(slot);
        self.slots.push_front(USED, slot);
        self.slot_of[lpn.index()] = slot;
        self.holds[slot as usize] = lpn;
        self.held += 1;
        self.store(slot, data);
    }

    /// A page that is held is updated in place.
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

    /// A page that is held leaves.
    pub fn remove(&mut self, lpn: Lpn) {
        let slot = std::mem::replace(&mut self.slot_of[lpn.index()], ABSENT);
        self.slots.remove(slot);
        self.slots.push_front(FREE, slot);
        self.held -= 1;
    }

    /// The least recently updated page leaves, if there is one.
    pub fn remove_oldest(&mut self) {
        self.oldest().into_iter().for_each(|lpn| self.remove(lpn));
    }

    /// The least recently updated page.
    pub fn oldest(&self) -> Option<Lpn> {
        self.slots.back(USED).map(|slot| self.holds[slot as usize])
    }

    /// The page that was updated next after this one, which is held.
    pub fn newer_than(&self, lpn: Lpn) -> Option<Lpn> {
        let slot = self.slots.before(self.slot_of[lpn.index()]);
        slot.map(|slot| self.holds[slot as usize])
    }

    /// The pages held, the least recently updated first.
    pub fn pages(&self) -> impl Iterator<Item = Lpn> {
        std::iter::successors(self.oldest(), |&lpn| self.newer_than(lpn))
    }

    /// Recounts.
    pub fn check(&self) -> Result<(), String> {
        let listed: Vec<Lpn> = self.pages().take(self.holds.len() + 1).collect();
        same("pages in RAM", self.held, listed.len() as u32)?;
        let slots = self.slot_of.iter().filter(|&&slot| slot != ABSENT);
        same("pages with a slot in RAM", self.held, slots.count() as u32)?;
        let lost = listed.into_iter().find(|&lpn| !self.contains(lpn));
        same("page in RAM without a slot", lost, None)
    }
}
