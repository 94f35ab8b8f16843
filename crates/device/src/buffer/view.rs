//! What the FTL sees of the write buffer while it merges.

use std::marker::PhantomData;

use ssdlab_flash::{Geometry, Lpn, Payload};
use ssdlab_ftl::{BufferView, Held, HeldPages};
use ssdlab_policy::buffer::BufferPolicy;

use super::marks::Marks;
use super::resident::Slots;

/// A write buffer without the page that it is writing: its data are borrowed elsewhere.
pub(super) struct View<'a, B, P> {
    pub marks: &'a mut Marks,
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

    fn cleaned(&mut self, lpn: Lpn) {
        self.marks.make_clean(lpn);
        self.policy.cleaned(self.geometry.page(lpn));
    }

    fn update_probability(&self, lpn: Lpn) -> u64 {
        self.policy.update_probability(self.geometry.page(lpn))
    }

    fn update_denominator(&self) -> u64 {
        self.policy.update_denominator()
    }
}

/// There is no write buffer.
pub(super) struct Empty<P>(PhantomData<P>);

impl<P> Empty<P> {
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<P> BufferView<P> for Empty<P> {
    fn held(&self, _: Lpn) -> Held {
        Held::Not
    }

    fn held_pages(&self, _: Lpn, _: u32) -> HeldPages {
        HeldPages::default()
    }

    fn page(&self, lpn: Lpn) -> &P {
        unreachable!("page {lpn:?} is not held")
    }

    fn cleaned(&mut self, _: Lpn) {}

    fn update_probability(&self, _: Lpn) -> u64 {
        0
    }

    fn update_denominator(&self) -> u64 {
        1
    }
}
