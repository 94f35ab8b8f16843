//! The FTL's view of the write buffer during a merge (BAGC 2012, section 5).

use ssdlab_flash::Lpn;

/// Whether the write buffer holds a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Not held, or on its way to flash.
    Not,
    /// The same version as in flash.
    Clean,
    /// A newer version than in flash.
    Dirty,
}

/// Which of up to 64 consecutive pages the write buffer holds; bit 0 is the first page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldPages {
    /// Held clean.
    pub clean: u64,
    /// Held dirty.
    pub dirty: u64,
}

/// The operations of the write buffer for an FTL, addressed by the FTL's own logical pages.
pub trait BufferView<P> {
    /// Whether and how this page is held.
    fn held(&self, lpn: Lpn) -> Held;

    /// Which of `count` consecutive pages are held. `count` is 1 to 64.
    fn held_pages(&self, first: Lpn, count: u32) -> HeldPages {
        let mut held = HeldPages::default();
        for i in 0..count {
            match self.held(first.plus(i)) {
                Held::Not => {}
                Held::Clean => held.clean |= 1 << i,
                Held::Dirty => held.dirty |= 1 << i,
            }
        }
        held
    }

    /// The data of a held page.
    fn page(&self, lpn: Lpn) -> &P;

    /// A page held dirty was programmed. It stays in the buffer as a clean page.
    fn cleaned(&mut self, lpn: Lpn);

    /// The estimated probability that a held page will be written again before it leaves, as a numerator that is at
    /// most the denominator.
    fn update_probability(&self, lpn: Lpn) -> u64;

    /// The denominator of all probabilities. It is the same for all pages until the buffer changes.
    fn update_denominator(&self) -> u64;

    /// The expected number of pages that leave unchanged, times the denominator, among up to 64 held pages; bit 0 of
    /// `pages` is the page `first`.
    fn unchanged(&self, first: Lpn, pages: u64) -> u64 {
        let mut sum = u64::from(pages.count_ones()) * self.update_denominator();
        let mut rest = pages;
        while rest != 0 {
            sum -= self.update_probability(first.plus(rest.trailing_zeros()));
            rest &= rest - 1;
        }
        sum
    }
}

/// The write buffer, lent for a call that may merge, or nothing for merges that do not use it.
pub struct Buffer<'a, P>(Option<&'a mut dyn BufferView<P>>);

impl<'a, P> Buffer<'a, P> {
    /// Merges do not use the buffer.
    #[inline]
    pub const fn none() -> Self {
        Self(None)
    }

    /// Merges use this buffer.
    pub fn lent(view: &'a mut dyn BufferView<P>) -> Self {
        Self(Some(view))
    }

    /// Whether merges may use the buffer.
    #[inline]
    pub fn is_lent(&self) -> bool {
        self.0.is_some()
    }

    /// The buffer, if it is lent.
    #[inline]
    pub fn view(&mut self) -> Option<&mut (dyn BufferView<P> + 'a)> {
        self.0.as_deref_mut()
    }

    /// The same buffer for one merge if `asked`, else nothing.
    pub fn lent_if(&mut self, asked: bool) -> Buffer<'_, P> {
        match &mut self.0 {
            Some(view) if asked => Buffer(Some(&mut **view)),
            _ => Buffer(None),
        }
    }

    /// See [`BufferView::held_pages`]. No page is held if the buffer is not lent.
    #[inline]
    pub fn held_pages(&self, first: Lpn, count: u32) -> HeldPages {
        let view = self.0.as_ref();
        view.map_or_else(HeldPages::default, |view| view.held_pages(first, count))
    }

    /// See [`BufferView::unchanged`].
    #[inline]
    pub fn unchanged(&self, first: Lpn, pages: u64) -> u64 {
        match &self.0 {
            Some(view) if pages != 0 => view.unchanged(first, pages),
            _ => 0,
        }
    }

    /// See [`BufferView::update_denominator`].
    pub fn update_denominator(&self) -> u64 {
        let view = self.0.as_ref();
        view.map_or(1, |view| view.update_denominator())
    }

    /// See [`BufferView::held`]. No page is held if the buffer is not lent.
    #[inline]
    pub fn held(&self, lpn: Lpn) -> Held {
        self.0.as_ref().map_or(Held::Not, |view| view.held(lpn))
    }
}
