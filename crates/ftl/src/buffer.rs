//! What an FTL may ask of the write buffer during a merge (BAGC 2012, section 5).

use ssdlab_flash::Lpn;

/// Whether the write buffer holds a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Not at all, or it is on its way to the flash.
    Not,
    /// As the flash has it.
    Clean,
    /// Newer than what the flash has.
    Dirty,
}

/// Which of up to 64 consecutive pages the write buffer holds, the first one in the lowest bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldPages {
    /// Held clean.
    pub clean: u64,
    /// Held dirty.
    pub dirty: u64,
}

/// All that an FTL may ask and tell, about its own logical pages.
pub trait BufferView<P> {
    /// Is this page held?
    fn held(&self, lpn: Lpn) -> Held;

    /// Which of `count` consecutive pages are held; 1 to 64.
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

    /// A page held dirty was programmed; it stays, clean.
    fn cleaned(&mut self, lpn: Lpn);

    /// The estimate that a held page will be written again before it leaves: a numerator, of at most the denominator.
    fn update_probability(&self, lpn: Lpn) -> u64;

    /// The denominator of all estimates; the same for all pages until the buffer changes.
    fn update_denominator(&self) -> u64;

    /// The estimate of how many pages will leave as they are, times the denominator: of up to 64 held ones, a bit for each
    /// from `first` on.
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

/// The write buffer, lent for a call that may merge; or nothing, for merges that are not buffer-aware.
pub struct Buffer<'a, P>(Option<&'a mut dyn BufferView<P>>);

impl<'a, P> Buffer<'a, P> {
    /// Merges ask nothing.
    #[inline]
    pub const fn none() -> Self {
        Self(None)
    }

    /// Merges ask this buffer.
    pub fn lent(view: &'a mut dyn BufferView<P>) -> Self {
        Self(Some(view))
    }

    /// May a merge ask?
    #[inline]
    pub fn is_lent(&self) -> bool {
        self.0.is_some()
    }

    /// What to ask, if anything.
    #[inline]
    pub fn view(&mut self) -> Option<&mut (dyn BufferView<P> + 'a)> {
        self.0.as_deref_mut()
    }

    /// The same, or nothing, for one merge.
    pub fn lent_if(&mut self, asked: bool) -> Buffer<'_, P> {
        match &mut self.0 {
            Some(view) if asked => Buffer(Some(&mut **view)),
            _ => Buffer(None),
        }
    }

    /// See [`BufferView::held_pages`]; none is held, if nothing was lent.
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

    /// Is this page held? None is, if nothing was lent.
    #[inline]
    pub fn held(&self, lpn: Lpn) -> Held {
        self.0.as_ref().map_or(Held::Not, |view| view.held(lpn))
    }
}
