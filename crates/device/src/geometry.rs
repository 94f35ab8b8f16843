//! The blocks and the geometry of a device, which depend on its FTL.

use ssdlab_flash::{Geometry, Media};

use crate::{Parameters, Stack};

impl Parameters {
    /// The physical blocks of each chip with its own FTL.
    pub(crate) fn chip_blocks<M: Media>(&self, stack: &Stack<M>) -> u32 {
        let logical = self.flash.capacity / self.flash.capacity_step();
        stack.ftl().physical_blocks(logical) as u32
    }

    /// The geometry that the host sees, over all chips.
    pub fn geometry<M: Media>(&self, stack: &Stack<M>) -> Geometry {
        self.flash.geometry(self.chip_blocks(stack))
    }
    /// The geometry of each chip with its own FTL.
    pub fn chip_geometry<M: Media>(&self, stack: &Stack<M>) -> Geometry {
        self.flash.chip_geometry(self.chip_blocks(stack))
    }
}
