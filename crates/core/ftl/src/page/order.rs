//! The order in which cleaning copies the pages of a victim (`ftl.copy_stripes`): with s stripes, every s-th page from the
//! first one on, then every s-th from the second, and so on, as an FTL that copies a line die by die. One stripe is the
//! order of the pages.

use ssdlab_flash::{Geometry, Ppn};

/// An order of the positions in a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopyOrder {
    stripes: u32,
    /// The pages of a stripe.
    stripe: u32,
    pages_per_block: u32,
}

impl CopyOrder {
    /// `stripes` divides the pages of a block.
    pub fn new(stripes: u32, geometry: &Geometry) -> Self {
        let pages_per_block = geometry.pages_per_block();
        Self {
            stripes,
            stripe: pages_per_block / stripes,
            pages_per_block,
        }
    }

    /// Whether it is the order of the pages.
    #[inline]
    pub fn is_by_page(&self) -> bool {
        self.stripes == 1
    }

    /// The pages of a block whose first page is `first`, from place `from` of the order on, with their places.
    pub fn from(self, first: Ppn, from: u32) -> impl Iterator<Item = (u32, Ppn)> {
        let position = move |place: u32| place % self.stripe * self.stripes + place / self.stripe;
        (from..self.pages_per_block).map(move |place| (place, first.plus(position(place))))
    }
}
