//! The systems that bound every comparison.

use ssdlab_ftl::FtlKind;
use ssdlab_ftl::ideal::Ideal;
use ssdlab_policy::buffer::BufferKind;
use ssdlab_policy::buffer::clairvoyant::Clairvoyant;
use ssdlab_policy::buffer::unbounded::Unbounded;

/// The buffer of a bound: comparisons show it, but it does not compete.
pub const UNBOUNDED: &str = Unbounded::ENTRY.name;
/// The buffer of a bound that knows the writes to come.
pub const CLAIRVOYANT: &str = Clairvoyant::ENTRY.name;
/// The FTL of the third bound.
pub const IDEAL: &str = Ideal::ENTRY.name;

/// Whether a buffer policy is that of a bound.
pub fn is_bound(policy: &str) -> bool {
    [UNBOUNDED, CLAIRVOYANT].contains(&policy)
}
