//! The flash of the simulator.

use ssdlab_flash::{Array, Clocked};

/// The media of the simulator under the serial model: pages have no contents.
pub type SimMedia = Array<()>;

/// The media of the simulator under the parallel model.
pub type ClockedMedia = Clocked<SimMedia>;
