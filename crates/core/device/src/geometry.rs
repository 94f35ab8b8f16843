//! What a device needs, and its geometry, which depend on its FTL.

use ssdlab_flash::{Geometry, Media};
use ssdlab_ftl::Needs;

use crate::{Parameters, Stack};

impl Parameters {
    /// What the FTL needs on each chip with its own FTL. The parameters must have passed [`Parameters::check`].
    ///
    /// # Panics
    /// If the FTL refuses its parameters.
    pub(crate) fn needs<M: Media>(&self, stack: &Stack<M>) -> Needs {
        let needs = stack.needs(self);
        needs.unwrap_or_else(|why| panic!("unchecked parameters: {} {}", why.key, why.why))
    }

    /// The geometry that the host sees, over all chips. The parameters must have passed [`Parameters::check`].
    pub fn geometry<M: Media>(&self, stack: &Stack<M>) -> Geometry {
        self.flash.geometry(&self.needs(stack))
    }

    /// The geometry of each chip with its own FTL. The parameters must have passed [`Parameters::check`].
    pub fn chip_geometry<M: Media>(&self, stack: &Stack<M>) -> Geometry {
        self.flash.chip_geometry(&self.needs(stack))
    }
}
