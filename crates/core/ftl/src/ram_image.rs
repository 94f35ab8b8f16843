//! The state that the battery of the RAM region keeps over a power cut.

use alloc::vec::Vec;

use ssdlab_flash::Lpn;
use ssdlab_policy::placement::LastUpdate;

/// The pages of the RAM region, and the clock; empty if there is no such region. It is in memory only; storing it while
/// the power is off is the task of the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RamImage<P> {
    /// The clock of the FTL: pages written to it, or ns of trace time.
    pub now: u64,
    /// The pages, the least recently updated first.
    pub pages: Vec<RamPage<P>>,
}

impl<P> Default for RamImage<P> {
    fn default() -> Self {
        Self {
            now: 0,
            pages: Vec::new(),
        }
    }
}

/// A page in RAM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RamPage<P> {
    /// The page.
    pub lpn: Lpn,
    /// Its last update, as the placement recorded it.
    pub update: LastUpdate,
    /// Its data.
    pub data: P,
}
