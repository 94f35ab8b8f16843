//! Which pages the buffer holds, which of them are dirty, and their data.

use ssdlab_flash::{Lpn, Payload};
use ssdlab_policy::words;

/// Where the data of a page lie.
#[derive(Clone, Copy)]
pub(crate) struct Slot(u32);

/// Residency, dirty marks and data.
pub(crate) struct Resident<P> {
    marks: Vec<Marks>,
    clean_pages: u32,
    dirty_pages: u32,
    slots: Slots<P>,
}

impl<P: Payload> Resident<P> {
    pub fn new(logical_pages: u32, page_size: u32) -> Self {
        Self {
            marks: vec![Marks::default(); (logical_pages as usize).div_ceil(64)],
            clean_pages: 0,
            dirty_pages: 0,
            slots: Slots::new(logical_pages, page_size),
        }
    }

    #[inline]
    pub fn pages(&self) -> u32 {
        self.clean_pages + self.dirty_pages
    }

    #[inline]
    pub fn dirty_pages(&self) -> u32 {
        self.dirty_pages
    }

    #[inline]
    pub fn holds(&self, lpn: Lpn) -> bool {
        self.marks[lpn.index() / 64].held() & bit(lpn) != 0
    }

    #[inline]
    pub fn is_dirty(&self, lpn: Lpn) -> bool {
        self.marks[lpn.index() / 64].dirty & bit(lpn) != 0
    }

    #[inline]
    pub fn insert(&mut self, lpn: Lpn, dirty: bool, data: &P) {
        debug_assert!(!self.holds(lpn));
        let marks = &mut self.marks[lpn.index() / 64];
        if dirty {
            marks.dirty |= bit(lpn);
            self.dirty_pages += 1;
        } else {
            marks.clean |= bit(lpn);
            self.clean_pages += 1;
        }
        self.slots.insert(lpn, data);
    }

    /// As [`Resident::insert`] for consecutive dirty pages that carry nothing.
    pub fn insert_run(&mut self, first: u32, count: u32) {
        for (word, mask) in words(first, first + count) {
            self.marks[word].dirty |= mask;
        }
        self.dirty_pages += count;
    }

    /// As [`Resident::take`] for all pages of a range, which carry nothing; says how many were clean and dirty.
    pub fn take_range(&mut self, first: u32, end: u32) -> (u32, u32) {
        let (mut clean, mut dirty) = (0, 0);
        for (word, mask) in words(first, end) {
            let marks = &mut self.marks[word];
            clean += (marks.clean & mask).count_ones();
            dirty += (marks.dirty & mask).count_ones();
            marks.clean &= !mask;
            marks.dirty &= !mask;
        }
        self.clean_pages -= clean;
        self.dirty_pages -= dirty;
        (clean, dirty)
    }

    /// How many pages of a range are held.
    pub fn count_held(&self, first: u32, end: u32) -> u32 {
        let held = |(word, mask): (usize, u64)| self.marks[word].held() & mask;
        words(first, end).map(|at| held(at).count_ones()).sum()
    }

    /// How many blocks have a page here. For checks: it looks at all of them.
    pub fn blocks_held(&self, pages_per_block: u32) -> u32 {
        let end = self.marks.len() as u32 * 64;
        let mut blocks = 0;
        let mut at = 0;
        while let Some(lpn) = self.first_held_in(at, end) {
            blocks += 1;
            at = (lpn.0 / pages_per_block + 1) * pages_per_block;
        }
        blocks
    }

    /// The first held page of a range, else its end.
    pub fn missing_until(&self, first: u32, end: u32) -> u32 {
        self.first_held_in(first, end).map_or(end, |lpn| lpn.0)
    }

    /// The first missing page of a range, else its end.
    pub fn held_until(&self, first: u32, end: u32) -> u32 {
        let missing = self.ones(first, end, |marks| !marks.held()).next();
        missing.map_or(end, |lpn| lpn.0)
    }

    /// The first page of a range that is not dirty, else its end.
    pub fn dirty_until(&self, first: u32, end: u32) -> u32 {
        let other = self.ones(first, end, |marks| !marks.dirty).next();
        other.map_or(end, |lpn| lpn.0)
    }

    /// Marks a held page dirty; true if it was clean.
    #[inline]
    pub fn make_dirty(&mut self, lpn: Lpn) -> bool {
        let marks = &mut self.marks[lpn.index() / 64];
        if marks.dirty & bit(lpn) != 0 {
            return false;
        }
        marks.clean &= !bit(lpn);
        marks.dirty |= bit(lpn);
        self.clean_pages -= 1;
        self.dirty_pages += 1;
        true
    }

    pub fn make_clean(&mut self, lpn: Lpn) {
        let marks = &mut self.marks[lpn.index() / 64];
        marks.dirty &= !bit(lpn);
        marks.clean |= bit(lpn);
        self.dirty_pages -= 1;
        self.clean_pages += 1;
    }

    pub fn overwrite(&mut self, lpn: Lpn, data: &P) {
        self.slots.get_mut(lpn).copy_from(data);
    }

    pub fn data(&self, lpn: Lpn) -> &P {
        self.slots.get(self.slots.slot(lpn))
    }

    /// Takes a page out; says whether it was dirty. Its data stay in the slot until that is freed: a page on its way
    /// to the flash is held for no decision, but not lost either.
    #[inline]
    pub fn take(&mut self, lpn: Lpn) -> (bool, Slot) {
        debug_assert!(self.holds(lpn));
        let marks = &mut self.marks[lpn.index() / 64];
        let dirty = marks.dirty & bit(lpn) != 0;
        if dirty {
            marks.dirty &= !bit(lpn);
            self.dirty_pages -= 1;
        } else {
            marks.clean &= !bit(lpn);
            self.clean_pages -= 1;
        }
        (dirty, self.slots.slot(lpn))
    }

    #[inline]
    pub fn in_slot(&self, slot: Slot) -> &P {
        self.slots.get(slot)
    }

    #[inline]
    pub fn free(&mut self, slot: Slot) {
        self.slots.free(slot);
    }

    /// Held pages of a range in ascending order.
    pub fn held_in(&self, first: u32, end: u32) -> impl Iterator<Item = Lpn> {
        self.ones(first, end, Marks::held)
    }

    /// The first held page of a range.
    pub fn first_held_in(&self, first: u32, end: u32) -> Option<Lpn> {
        self.held_in(first, end).next()
    }

    /// The first dirty page of a range.
    pub fn first_dirty_in(&self, first: u32, end: u32) -> Option<Lpn> {
        self.ones(first, end, |marks| marks.dirty).next()
    }

    /// The marked pages of first..end in ascending order.
    #[inline]
    fn ones(
        &self,
        first: u32,
        end: u32,
        word: impl Fn(&Marks) -> u64,
    ) -> impl Iterator<Item = Lpn> {
        let mut at = first;
        std::iter::from_fn(move || {
            while at < end {
                let rest = word(&self.marks[at as usize / 64]) >> (at % 64);
                if rest != 0 {
                    let found = at + rest.trailing_zeros();
                    at = found + 1;
                    return (found < end).then_some(Lpn(found));
                }
                at = (at / 64 + 1) * 64;
            }
            None
        })
    }

    pub fn check(&self) -> Result<(), String> {
        let clean: u32 = self.marks.iter().map(|m| m.clean.count_ones()).sum();
        let dirty: u32 = self.marks.iter().map(|m| m.dirty.count_ones()).sum();
        let both = self.marks.iter().any(|m| m.dirty & m.clean != 0);
        if clean != self.clean_pages || dirty != self.dirty_pages || both {
            return Err(format!(
                "buffer: {} pages clean, {} dirty in the numbers; {clean}, {dirty} in truth; any both: {both}",
                self.clean_pages, self.dirty_pages
            ));
        }
        Ok(())
    }
}

/// One bit for each of 64 pages: held and clean, and held and dirty. So most changes touch one word and one number.
#[derive(Clone, Copy, Default)]
struct Marks {
    clean: u64,
    dirty: u64,
}

impl Marks {
    #[inline]
    fn held(&self) -> u64 {
        self.clean | self.dirty
    }
}

#[inline]
fn bit(lpn: Lpn) -> u64 {
    1 << (lpn.0 % 64)
}

/// The data of the held pages; nothing at all where pages carry nothing.
struct Slots<P> {
    /// Per LPN, its slot.
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
    fn insert(&mut self, lpn: Lpn, data: &P) {
        if P::NOTHING {
            return;
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.data.push(self.blank.clone());
            self.data.len() as u32 - 1
        });
        self.data[slot as usize].copy_from(data);
        self.slot_of[lpn.index()] = slot;
    }

    #[inline]
    fn slot(&self, lpn: Lpn) -> Slot {
        Slot(if P::NOTHING {
            0
        } else {
            self.slot_of[lpn.index()]
        })
    }

    #[inline]
    fn get(&self, slot: Slot) -> &P {
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
