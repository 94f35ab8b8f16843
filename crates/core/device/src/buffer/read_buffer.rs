//! The read buffer beside the write buffer (LFS paper, split buffers). Read misses enter it and, if so configured, pages
//! that were written to the FTL; it never holds dirty pages.

use ssdlab_flash::{Geometry, Lpn, Payload};
use ssdlab_policy::BitSet;
use ssdlab_policy::buffer::{Access, BufferPolicy, Shape, Victim};

use super::resident::Resident;

/// The operations of a read buffer for the device.
pub(crate) trait ReadStage<P>: Send {
    /// The host reads a page. Returns whether it is held.
    fn hit(&mut self, lpn: Lpn) -> bool;

    /// The data of a held page; none if it was unmapped when it entered.
    fn data(&self, lpn: Lpn) -> Option<&P>;

    /// Whether it holds a page.
    fn holds(&self, lpn: Lpn) -> bool;

    /// A missing page enters, mapped or not. Returns the page that was evicted for it.
    fn enter(&mut self, lpn: Lpn, data: Option<&P>) -> Option<Lpn>;

    /// The host writes a page.
    fn written(&mut self, lpn: Lpn);

    /// The host discards a page.
    fn discarded(&mut self, lpn: Lpn);
}

pub(crate) struct ReadBuffer<B, P> {
    policy: B,
    geometry: Geometry,
    resident: Resident<P>,
    /// The held pages that were mapped.
    mapped: BitSet,
    /// The size in pages.
    capacity: u32,
    blank: P,
}

impl<B: BufferPolicy, P: Payload> ReadBuffer<B, P> {
    /// The size must be at least one page.
    pub fn new(policy: B, shape: &Shape) -> Self {
        let geometry = &shape.geometry;
        Self {
            policy,
            resident: Resident::new(geometry.logical_pages(), geometry.page_size()),
            mapped: BitSet::new(geometry.logical_pages(), false),
            capacity: shape.pages.min(geometry.logical_pages().into()) as u32,
            blank: P::blank(geometry.page_size()),
            geometry: geometry.clone(),
        }
    }

    fn take(&mut self, lpn: Lpn) {
        let (_, slot) = self.resident.take(lpn);
        self.resident.free(slot);
        self.policy.left(self.geometry.page(lpn));
    }
}

impl<B: BufferPolicy, P: Payload> ReadStage<P> for ReadBuffer<B, P> {
    fn hit(&mut self, lpn: Lpn) -> bool {
        let is_held = self.resident.marks.holds(lpn);
        if is_held {
            self.policy.hit(self.geometry.page(lpn), Access::Read);
        }
        is_held
    }

    fn data(&self, lpn: Lpn) -> Option<&P> {
        self.mapped.contains(lpn.0).then(|| self.resident.data(lpn))
    }

    fn holds(&self, lpn: Lpn) -> bool {
        self.resident.marks.holds(lpn)
    }

    fn enter(&mut self, lpn: Lpn, data: Option<&P>) -> Option<Lpn> {
        let mut left = None;
        if self.resident.marks.pages() == self.capacity {
            let Victim::Page(named) = self.policy.victim() else {
                unreachable!("the policies of read buffers evict single pages");
            };
            self.take(named);
            left = Some(named);
        }
        self.policy.enter(self.geometry.page(lpn), Access::Read);
        let place = self.resident.insert(lpn, false);
        place.copy_from(data.unwrap_or(&self.blank));
        match data {
            Some(_) => self.mapped.insert(lpn.0),
            None => self.mapped.remove(lpn.0),
        };
        left
    }

    fn written(&mut self, lpn: Lpn) {
        self.discarded(lpn);
        self.policy.written_past(self.geometry.page(lpn));
    }

    fn discarded(&mut self, lpn: Lpn) {
        if self.resident.marks.holds(lpn) {
            self.take(lpn);
        }
    }
}
