//! The FTL's view of the write buffer during a merge.

use ssdlab_flash::{Geometry, Lpn, Payload};
use ssdlab_ftl::{BufferView, Held, HeldPages};
use ssdlab_policy::buffer::BufferPolicy;

use super::cleaned::Cleaned;
use super::marks::Marks;
use super::resident::Slots;

/// A write buffer without the page that it is writing, whose data are borrowed elsewhere.
pub(super) struct View<'a, B, P> {
    pub marks: &'a mut Marks,
    pub cleaned: &'a mut Cleaned,
    pub slots: &'a Slots<P>,
    pub policy: &'a mut B,
    pub geometry: &'a Geometry,
}

impl<B: BufferPolicy, P: Payload> BufferView<P> for View<'_, B, P> {
    fn held(&self, lpn: Lpn) -> Held {
        self.marks.held(lpn)
    }

    fn held_pages(&self, first: Lpn, count: u32) -> HeldPages {
        self.marks.held_pages(first, count)
    }

    fn page(&self, lpn: Lpn) -> &P {
        self.slots.of(lpn)
    }

    fn cleaned(&mut self, lpn: Lpn, benefit_ns: u64) {
        self.marks.make_clean(lpn);
        let pages = self.geometry.logical_pages();
        self.cleaned.insert(lpn, benefit_ns, pages);
        self.policy.cleaned(self.geometry.page(lpn));
    }

    fn update_probability(&self, lpn: Lpn) -> u64 {
        self.policy.update_probability(self.geometry.page(lpn))
    }

    fn update_denominator(&self) -> u64 {
        self.policy.update_denominator()
    }
}
