//! The FTL's view of the write buffer during a merge (BAGC 2012, section 5).

use ssdlab_flash::Lpn;

use crate::aware::{Aware, BufferAware, Decision, Use};

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

impl HeldPages {
    /// How each of `count` pages, at most 64, is held.
    pub fn one_by_one(count: u32, held: impl Fn(u32) -> Held) -> Self {
        let mut pages = Self::default();
        (0..count).for_each(|i| pages.set(i, held(i)));
        pages
    }

    /// Marks the page with this number, of which nothing is known yet.
    pub(crate) fn set(&mut self, i: u32, held: Held) {
        match held {
            Held::Not => {}
            Held::Clean => self.clean |= 1 << i,
            Held::Dirty => self.dirty |= 1 << i,
        }
    }
}

/// The operations of the write buffer for an FTL, addressed by the FTL's own logical pages.
pub trait BufferView<P> {
    /// Whether and how this page is held.
    fn held(&self, lpn: Lpn) -> Held;

    /// Which of `count` consecutive pages are held. `count` is 1 to 64.
    fn held_pages(&self, first: Lpn, count: u32) -> HeldPages {
        HeldPages::one_by_one(count, |i| self.held(first.plus(i)))
    }

    /// The data of a held page.
    fn page(&self, lpn: Lpn) -> &P;

    /// A page held dirty was programmed. It stays in the buffer as a clean page. If it leaves unchanged, this saves
    /// `benefit_ns` by the estimate of BAVBS; 0 if it made none.
    fn cleaned(&mut self, lpn: Lpn, benefit_ns: u64);

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
pub struct Buffer<'a, P> {
    view: Option<&'a mut dyn BufferView<P>>,
    mode: BufferAware,
    /// The same probability for all pages, instead of those of the buffer, in millionths.
    update_millionths: Option<u32>,
    decision: Decision,
}

const MILLION: u64 = 1_000_000;

impl<'a, P> Buffer<'a, P> {
    /// Merges do not use the buffer.
    #[inline]
    pub const fn none() -> Self {
        Self {
            view: None,
            mode: BufferAware::Off,
            update_millionths: None,
            decision: Decision::BLIND,
        }
    }

    /// Merges use this buffer in this way; not at all if it is off.
    pub fn lent(view: &'a mut dyn BufferView<P>, aware: &Aware) -> Self {
        let mut lent = Self {
            view: Some(view).filter(|_| aware.is_on()),
            mode: aware.mode,
            update_millionths: aware.update_millionths,
            decision: Decision::BLIND,
        };
        lent.decision = lent.possible(Decision::AWARE);
        lent
    }

    /// Whether merges see the buffer: then they move pages one by one.
    #[inline]
    pub fn is_lent(&self) -> bool {
        self.view.is_some()
    }

    /// The buffer, if it is lent.
    #[inline]
    pub fn view(&mut self) -> Option<&mut (dyn BufferView<P> + 'a)> {
        self.view.as_deref_mut()
    }

    /// The same buffer for one merge, which uses it as decided.
    pub(crate) fn decided(&mut self, decision: Decision) -> Buffer<'_, P> {
        let decision = self.possible(decision);
        match &mut self.view {
            Some(view) => Buffer {
                view: Some(&mut **view),
                mode: self.mode,
                update_millionths: self.update_millionths,
                decision,
            },
            None => Buffer::none(),
        }
    }

    /// The decision, as far as the buffer may be used.
    fn possible(&self, mut decision: Decision) -> Decision {
        if !self.is_lent() {
            decision.uses = Use::Blind;
        } else if self.mode == BufferAware::Watch {
            decision.uses = Use::Unaware;
        }
        decision
    }

    /// The decision for the merges that use it.
    pub(crate) fn decision(&self) -> Decision {
        self.decision
    }

    /// Whether merges take pages from the buffer.
    pub(crate) fn gives(&self) -> bool {
        self.decision.uses == Use::Aware && self.mode != BufferAware::Skip
    }

    /// Whether a merge drops the version of this page in flash, because the buffer holds a newer one.
    pub(crate) fn skips(&self, lpn: Lpn) -> bool {
        self.mode == BufferAware::Skip
            && self.decision.uses == Use::Aware
            && self.held(lpn) == Held::Dirty
    }

    /// See [`BufferView::held_pages`]. No page is held if the buffer is not lent.
    #[inline]
    pub fn held_pages(&self, first: Lpn, count: u32) -> HeldPages {
        let view = self.view.as_ref();
        view.map_or_else(HeldPages::default, |view| view.held_pages(first, count))
    }

    /// See [`BufferView::unchanged`].
    #[inline]
    pub fn unchanged(&self, first: Lpn, pages: u64) -> u64 {
        match (&self.view, self.update_millionths) {
            (Some(_), Some(update)) => {
                u64::from(pages.count_ones()) * (MILLION - u64::from(update))
            }
            (Some(view), None) if pages != 0 => view.unchanged(first, pages),
            _ => 0,
        }
    }

    /// See [`BufferView::update_denominator`].
    pub fn update_denominator(&self) -> u64 {
        if self.update_millionths.is_some() {
            return MILLION;
        }
        let view = self.view.as_ref();
        view.map_or(1, |view| view.update_denominator())
    }

    /// See [`BufferView::held`]. No page is held if the buffer is not lent.
    #[inline]
    pub fn held(&self, lpn: Lpn) -> Held {
        self.view.as_ref().map_or(Held::Not, |view| view.held(lpn))
    }
}
