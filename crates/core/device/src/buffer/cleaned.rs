//! What becomes of the dirty pages that merges clean (BAGC 2012, section 7.3.2).

use ssdlab_flash::Lpn;

use crate::Counters;

/// Marks a page that is not among them.
const NONE: u64 = u64::MAX;

/// The pages that a merge has cleaned and that are still clean and held.
#[derive(Default)]
pub(super) struct Cleaned {
    /// For each logical page, what it saves if it leaves unchanged, ns, or [`NONE`]. Empty until a merge uses the buffer.
    benefits: Vec<u64>,
    /// The number of these pages.
    held: u32,
}

impl Cleaned {
    /// A merge cleaned this page of a device with so many.
    pub fn insert(&mut self, lpn: Lpn, benefit_ns: u64, logical_pages: u32) {
        if self.benefits.is_empty() {
            self.benefits = vec![NONE; logical_pages as usize];
        }
        self.benefits[lpn.index()] = benefit_ns.min(NONE - 1);
        self.held += 1;
    }

    /// A clean page was written, and is dirty again.
    #[inline]
    pub fn dirtied(&mut self, lpn: Lpn, counters: &mut Counters) {
        if self.take(lpn).is_some() {
            counters.cleaned_then_updated += 1;
        }
    }

    /// A clean page was evicted, and not written.
    #[inline]
    pub fn evicted(&mut self, lpn: Lpn, counters: &mut Counters) {
        if let Some(benefit_ns) = self.take(lpn) {
            counters.cleaned_then_evicted += 1;
            counters.realised_benefit_ns += benefit_ns;
        }
    }

    /// A page was discarded, or written to pad its block.
    #[inline]
    pub fn forget(&mut self, lpn: Lpn) {
        self.take(lpn);
    }

    #[inline]
    fn take(&mut self, lpn: Lpn) -> Option<u64> {
        if self.held == 0 {
            return None;
        }
        let benefit_ns = std::mem::replace(&mut self.benefits[lpn.index()], NONE);
        let taken = (benefit_ns != NONE).then_some(benefit_ns);
        self.held -= u32::from(taken.is_some());
        taken
    }
}
