//! The shape of the flash in an image.

use ssdlab_flash::{Geometry, Pbn, Ppn, ProgramOrder};

/// The shape of the flash in an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageShape {
    /// The flash of each chip.
    pub geometry: Geometry,
    /// Chips with an FTL of their own, at least 1.
    pub chips: u32,
    /// The order in which the pages of a block may be programmed.
    pub order: ProgramOrder,
    /// The factory state: logical block b is physical block b of zeros, programmed once; otherwise everything is erased.
    pub full: bool,
    /// The pages of RAM that survive a crash; 0: none.
    pub ram_pages: u32,
    /// Erase blocks on each chip, beside those of the geometry, that stand in for bad ones.
    pub spares: u32,
}

impl ImageShape {
    /// The erase blocks of each chip, with the spare ones. The first of them hold the blocks of the geometry, until one
    /// goes bad.
    pub fn slots(&self) -> u32 {
        self.geometry.all_blocks().saturating_add(self.spares)
    }

    /// The page at a position of a slot.
    pub fn page(&self, slot: u32, position: u32) -> Ppn {
        self.geometry.ppn(Pbn(slot), position)
    }
}
