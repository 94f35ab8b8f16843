//! The marks of the buffer: which pages it holds, and which of these are dirty.

use ssdlab_flash::Lpn;
use ssdlab_ftl::{Held, HeldPages};
use ssdlab_policy::{bits, prefetch, words};

/// Residency and dirty marks.
pub(crate) struct Marks {
    words: Vec<Word>,
    clean_pages: u32,
    dirty_pages: u32,
}

impl Marks {
    pub fn new(logical_pages: u32) -> Self {
        Self {
            words: vec![Word::default(); (logical_pages as usize).div_ceil(64)],
            clean_pages: 0,
            dirty_pages: 0,
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

    /// Prefetches the marks of a page.
    #[inline]
    pub fn foresee(&self, lpn: Lpn) {
        prefetch(&self.words, lpn.index() / 64);
    }

    #[inline]
    pub fn holds(&self, lpn: Lpn) -> bool {
        self.words[lpn.index() / 64].held() & bit(lpn) != 0
    }

    #[inline]
    pub fn is_dirty(&self, lpn: Lpn) -> bool {
        self.words[lpn.index() / 64].dirty & bit(lpn) != 0
    }

    /// The held pages in ascending order.
    pub fn all_held(&self) -> impl Iterator<Item = Lpn> {
        self.held_in(0, self.words.len() as u32 * 64)
    }

    /// A page enters.
    #[inline]
    pub fn insert(&mut self, lpn: Lpn, dirty: bool) {
        debug_assert!(!self.holds(lpn));
        let word = &mut self.words[lpn.index() / 64];
        if dirty {
            word.dirty |= bit(lpn);
            self.dirty_pages += 1;
        } else {
            word.clean |= bit(lpn);
            self.clean_pages += 1;
        }
    }

    /// Like [`Marks::insert`], for consecutive dirty pages.
    #[inline]
    pub fn insert_run(&mut self, first: u32, count: u32) {
        for (at, mask) in words(first, first + count) {
            self.words[at].dirty |= mask;
        }
        self.dirty_pages += count;
    }

    /// A page leaves. Returns whether it was dirty.
    #[inline]
    pub fn take(&mut self, lpn: Lpn) -> bool {
        debug_assert!(self.holds(lpn));
        let word = &mut self.words[lpn.index() / 64];
        let dirty = word.dirty & bit(lpn) != 0;
        if dirty {
            word.dirty &= !bit(lpn);
            self.dirty_pages -= 1;
        } else {
            word.clean &= !bit(lpn);
            self.clean_pages -= 1;
        }
        dirty
    }

    /// Like [`Marks::take`], for all pages of a range. Returns the numbers of clean and dirty pages.
    #[inline]
    pub fn take_range(&mut self, first: u32, end: u32) -> (u32, u32) {
        let (mut clean, mut dirty) = (0, 0);
        for (at, mask) in words(first, end) {
            let word = &mut self.words[at];
            clean += (word.clean & mask).count_ones();
            dirty += (word.dirty & mask).count_ones();
            word.clean &= !mask;
            word.dirty &= !mask;
        }
        self.clean_pages -= clean;
        self.dirty_pages -= dirty;
        (clean, dirty)
    }

    /// The number of held pages in a range.
    #[inline]
    pub fn count_held(&self, first: u32, end: u32) -> u32 {
        let held = |(at, mask): (usize, u64)| self.words[at].held() & mask;
        words(first, end).map(|at| held(at).count_ones()).sum()
    }

    /// The number of blocks with a held page. For checks: it looks at all blocks.
    pub fn blocks_held(&self, pages_per_block: u32) -> u32 {
        let end = self.words.len() as u32 * 64;
        let mut blocks = 0;
        let mut at = 0;
        while let Some(lpn) = self.first_held_in(at, end) {
            blocks += 1;
            at = (lpn.0 / pages_per_block + 1) * pages_per_block;
        }
        blocks
    }

    /// The end of the missing pages with which a range begins: its first held page, or its end.
    #[inline]
    pub fn missing_until(&self, first: u32, end: u32) -> u32 {
        self.first_held_in(first, end).map_or(end, |lpn| lpn.0)
    }

    /// The end of the held pages with which a range begins: its first missing page, or its end.
    #[inline]
    pub fn held_until(&self, first: u32, end: u32) -> u32 {
        let missing = self.ones(first, end, |word| !word.held()).next();
        missing.map_or(end, |lpn| lpn.0)
    }

    /// The end of the dirty pages with which a range begins: its first page that is not dirty, or its end.
    #[inline]
    pub fn dirty_until(&self, first: u32, end: u32) -> u32 {
        let other = self.ones(first, end, |word| !word.dirty).next();
        other.map_or(end, |lpn| lpn.0)
    }

    /// Marks a held page dirty. Returns true if it was clean.
    #[inline]
    pub fn make_dirty(&mut self, lpn: Lpn) -> bool {
        let word = &mut self.words[lpn.index() / 64];
        if word.dirty & bit(lpn) != 0 {
            return false;
        }
        word.clean &= !bit(lpn);
        word.dirty |= bit(lpn);
        self.clean_pages -= 1;
        self.dirty_pages += 1;
        true
    }

    /// Marks a dirty page clean.
    pub fn make_clean(&mut self, lpn: Lpn) {
        let word = &mut self.words[lpn.index() / 64];
        word.dirty &= !bit(lpn);
        word.clean |= bit(lpn);
        self.dirty_pages -= 1;
        self.clean_pages += 1;
    }

    /// The held pages of a range in ascending order.
    pub fn held_in(&self, first: u32, end: u32) -> impl Iterator<Item = Lpn> {
        self.ones(first, end, Word::held)
    }

    /// The first held page of a range.
    #[inline]
    pub fn first_held_in(&self, first: u32, end: u32) -> Option<Lpn> {
        self.held_in(first, end).next()
    }

    /// The first dirty page of a range.
    #[inline]
    pub fn first_dirty_in(&self, first: u32, end: u32) -> Option<Lpn> {
        self.ones(first, end, |word| word.dirty).next()
    }

    /// The marked pages in `first..end`, in ascending order.
    #[inline]
    fn ones(&self, first: u32, end: u32, bits: impl Fn(&Word) -> u64) -> impl Iterator<Item = Lpn> {
        let mut at = first;
        std::iter::from_fn(move || {
            while at < end {
                let rest = bits(&self.words[at as usize / 64]) >> (at % 64);
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

    /// Compares the counts with recounts.
    pub fn check(&self) -> Result<(), String> {
        let clean: u32 = self.words.iter().map(|m| m.clean.count_ones()).sum();
        let dirty: u32 = self.words.iter().map(|m| m.dirty.count_ones()).sum();
        let both = self.words.iter().any(|m| m.dirty & m.clean != 0);
        if clean != self.clean_pages || dirty != self.dirty_pages || both {
            return Err(format!(
                "buffer: counted {} clean and {} dirty pages, found {clean} and {dirty}; pages with both marks: {both}",
                self.clean_pages, self.dirty_pages
            ));
        }
        Ok(())
    }

    /// Whether and how this page is held.
    pub fn held(&self, lpn: Lpn) -> Held {
        if !self.holds(lpn) {
            Held::Not
        } else if self.is_dirty(lpn) {
            Held::Dirty
        } else {
            Held::Clean
        }
    }

    /// Which of `count` consecutive pages are held. `count` is 1 to 64.
    pub fn held_pages(&self, Lpn(first): Lpn, count: u32) -> HeldPages {
        HeldPages {
            clean: bits(&self.words, first, count, |word| word.clean),
            dirty: bits(&self.words, first, count, |word| word.dirty),
        }
    }
}

/// Two bits for each of 64 pages: held clean, and held dirty. Most changes touch one word and one count.
#[derive(Clone, Copy, Default)]
struct Word {
    clean: u64,
    dirty: u64,
}

impl Word {
    #[inline]
    fn held(&self) -> u64 {
        self.clean | self.dirty
    }
}

#[inline]
fn bit(lpn: Lpn) -> u64 {
    1 << (lpn.0 % 64)
}
