//! Which pages the buffer holds, which of them are dirty, and their data.

use ssdlab_flash::{Lpn, Payload};

/// Where the data of a page lie.
#[derive(Clone, Copy)]
pub(crate) struct Slot(u32);

/// Residency, dirty marks and data.
pub(crate) struct Resident<P> {
    marks: Vec<Marks>,
    pages: u32,
    dirty_pages: u32,
    slots: Slots<P>,
}

impl<P: Payload> Resident<P> {
    pub fn new(logical_pages: u32, page_size: u32) -> Self {
        Self {
            marks: vec![Marks::default(); (logical_pages as usize).div_ceil(64)],
            pages: 0,
            dirty_pages: 0,
            slots: Slots::new(logical_pages, page_size),
        }
    }

    #[inline]
    pub fn pages(&self) -> u32 {
        self.pages
    }

    #[inline]
    pub fn dirty_pages(&self) -> u32 {
        self.dirty_pages
    }

    #[inline]
    pub fn holds(&self, lpn: Lpn) -> bool {
        self.marks[lpn.index() / 64].held & bit(lpn) != 0
    }

    #[inline]
    pub fn is_dirty(&self, lpn: Lpn) -> bool {
        self.marks[lpn.index() / 64].dirty & bit(lpn) != 0
    }

    #[inline]
    pub fn insert(&mut self, lpn: Lpn, dirty: bool, data: &P) {
        debug_assert!(!self.holds(lpn));
        let marks = &mut self.marks[lpn.index() / 64];
        marks.held |= bit(lpn);
        self.pages += 1;
        if dirty {
            marks.dirty |= bit(lpn);
            self.dirty_pages += 1;
        }
        self.slots.insert(lpn, data);
    }

    /// As [`Resident::insert`] for consecutive dirty pages that carry nothing.
    pub fn insert_run(&mut self, first: u32, count: u32) {
        for (word, mask) in words(first, first + count) {
            self.marks[word].held |= mask;
            self.marks[word].dirty |= mask;
        }
        self.pages += count;
        self.dirty_pages += count;
    }

    /// As [`Resident::take`] for all pages of a range, which carry nothing; says how many were held, and how many of
    /// them dirty.
    pub fn take_range(&mut self, first: u32, end: u32) -> (u32, u32) {
        let (mut held, mut dirty) = (0, 0);
        for (word, mask) in words(first, end) {
            let marks = &mut self.marks[word];
            held += (marks.held & mask).count_ones();
            dirty += (marks.dirty & mask).count_ones();
            marks.held &= !mask;
            marks.dirty &= !mask;
        }
        self.pages -= held;
        self.dirty_pages -= dirty;
        (held, dirty)
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

    /// Marks a held page dirty; true if it was clean.
    #[inline]
    pub fn make_dirty(&mut self, lpn: Lpn) -> bool {
        let was_clean = !self.is_dirty(lpn);
        if was_clean {
            self.marks[lpn.index() / 64].dirty |= bit(lpn);
            self.dirty_pages += 1;
        }
        was_clean
    }

    pub fn make_clean(&mut self, lpn: Lpn) {
        self.marks[lpn.index() / 64].dirty &= !bit(lpn);
        self.dirty_pages -= 1;
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
        self.marks[lpn.index() / 64].held &= !bit(lpn);
        self.pages -= 1;
        let dirty = self.is_dirty(lpn);
        if dirty {
            self.make_clean(lpn);
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
        self.ones(first, end, |marks| marks.held)
    }

    /// The first held page of a range.
    pub fn first_held_in(&self, first: u32, end: u32) -> Option<Lpn> {
        self.ones(first, end, |marks| marks.held).next()
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
        let held: u32 = self.marks.iter().map(|m| m.held.count_ones()).sum();
        let dirty: u32 = self.marks.iter().map(|m| m.dirty.count_ones()).sum();
        let stray = self.marks.iter().any(|m| m.dirty & !m.held != 0);
        if held != self.pages || dirty != self.dirty_pages || stray {
            return Err(format!(
                "buffer: {} pages held, {} dirty in the numbers; {held}, {dirty} in truth; stray dirty marks: {stray}",
                self.pages, self.dirty_pages
            ));
        }
        Ok(())
    }
}

/// One bit for each of 64 pages: held, and dirty.
#[derive(Clone, Copy, Default)]
struct Marks {
    held: u64,
    dirty: u64,
}

/// The words of marks that a range of pages lies in, and its bits there.
fn words(first: u32, end: u32) -> impl Iterator<Item = (usize, u64)> {
    let mut at = first;
    std::iter::from_fn(move || {
        let bits = end
            .min((at / 64 + 1) * 64)
            .checked_sub(at)
            .filter(|&bits| bits > 0)?;
        let word = (at as usize / 64, (!0 >> (64 - bits)) << (at % 64));
        at += bits;
        Some(word)
    })
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
