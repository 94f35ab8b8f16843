//! Which pages the buffer holds, which of them are dirty, and their data.

use ssdlab_flash::{Lpn, Payload};

/// Where the data of a page lie.
#[derive(Clone, Copy)]
pub(crate) struct Slot(u32);

/// Residency, dirty marks and data.
pub(crate) struct Resident<P> {
    held: Bitmap,
    dirty: Bitmap,
    pages: u32,
    dirty_pages: u32,
    slots: Slots<P>,
}

impl<P: Payload> Resident<P> {
    pub fn new(logical_pages: u32, page_size: u32) -> Self {
        Self {
            held: Bitmap::new(logical_pages),
            dirty: Bitmap::new(logical_pages),
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
        self.held.get(lpn.0)
    }

    #[inline]
    pub fn is_dirty(&self, lpn: Lpn) -> bool {
        self.dirty.get(lpn.0)
    }

    #[inline]
    pub fn insert(&mut self, lpn: Lpn, data: &P) {
        debug_assert!(!self.holds(lpn));
        self.held.set(lpn.0);
        self.pages += 1;
        self.slots.insert(lpn, data);
    }

    /// Marks a held page dirty; true if it was clean.
    #[inline]
    pub fn make_dirty(&mut self, lpn: Lpn) -> bool {
        let was_clean = !self.is_dirty(lpn);
        if was_clean {
            self.dirty.set(lpn.0);
            self.dirty_pages += 1;
        }
        was_clean
    }

    pub fn make_clean(&mut self, lpn: Lpn) {
        self.dirty.clear(lpn.0);
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
        self.held.clear(lpn.0);
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
        self.held.ones(first, end).map(Lpn)
    }

    /// The first held page of a range.
    pub fn first_held_in(&self, first: u32, end: u32) -> Option<Lpn> {
        self.held.ones(first, end).next().map(Lpn)
    }

    /// The first dirty page of a range.
    pub fn first_dirty_in(&self, first: u32, end: u32) -> Option<Lpn> {
        self.dirty.ones(first, end).next().map(Lpn)
    }

    pub fn check(&self) -> Result<(), String> {
        let (held, dirty) = (self.held.count(), self.dirty.count());
        let stray = self
            .dirty
            .words
            .iter()
            .zip(&self.held.words)
            .any(|(d, h)| d & !h != 0);
        if held != self.pages || dirty != self.dirty_pages || stray {
            return Err(format!(
                "buffer: {} pages held, {} dirty in the numbers; {held}, {dirty} in truth; stray dirty marks: {stray}",
                self.pages, self.dirty_pages
            ));
        }
        Ok(())
    }
}

struct Bitmap {
    words: Vec<u64>,
}

impl Bitmap {
    fn new(bits: u32) -> Self {
        Self {
            words: vec![0; (bits as usize).div_ceil(64)],
        }
    }

    #[inline]
    fn get(&self, i: u32) -> bool {
        self.words[i as usize / 64] >> (i % 64) & 1 == 1
    }

    #[inline]
    fn set(&mut self, i: u32) {
        self.words[i as usize / 64] |= 1 << (i % 64);
    }

    #[inline]
    fn clear(&mut self, i: u32) {
        self.words[i as usize / 64] &= !(1 << (i % 64));
    }

    fn count(&self) -> u32 {
        self.words.iter().map(|w| w.count_ones()).sum()
    }

    /// The members of first..end in ascending order.
    #[inline]
    fn ones(&self, first: u32, end: u32) -> impl Iterator<Item = u32> {
        let mut at = first;
        std::iter::from_fn(move || {
            while at < end {
                let rest = self.words[at as usize / 64] >> (at % 64);
                if rest != 0 {
                    let found = at + rest.trailing_zeros();
                    at = found + 1;
                    return (found < end).then_some(found);
                }
                at = (at / 64 + 1) * 64;
            }
            None
        })
    }
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
