//! What becomes of the dirty pages that merges clean (BAGC 2012, section 7.3.2).

use std::collections::HashMap;

use ssdlab_flash::Lpn;

use crate::Counters;

/// The pages that a merge has cleaned and that are still clean and held. Empty unless merges use the buffer.
#[derive(Default)]
pub(super) struct Cleaned {
    /// For each page, what it saves if it leaves unchanged, ns.
    benefits: HashMap<Lpn, u64>,
}

impl Cleaned {
    /// A merge cleaned this page.
    pub fn insert(&mut self, lpn: Lpn, benefit_ns: u64) {
        self.benefits.insert(lpn, benefit_ns);
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
        if self.benefits.is_empty() {
            return None;
        }
        self.benefits.remove(&lpn)
    }
}
