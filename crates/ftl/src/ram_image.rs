//! What the battery of a region in RAM keeps over a power cut.

use ssdlab_flash::Lpn;
use ssdlab_policy::placement::LastUpdate;

/// The pages of a region in RAM, and the clock; nothing, if there is no such region. In memory: where a device keeps it
/// while the power is off is its own affair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RamImage<P> {
    /// The clock that the FTL measures in: pages written to it, or ns of trace time.
    pub now: u64,
    /// The least recently updated page first.
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
    /// What the placement remembers of it.
    pub update: LastUpdate,
    /// Its data.
    pub data: P,
}
