//! The two systems that bound every comparison.

use ssdlab_ftl::FtlKind;
use ssdlab_ftl::ideal::Ideal;
use ssdlab_policy::buffer::BufferKind;
use ssdlab_policy::buffer::unbounded::Unbounded;

/// The buffer of a bound: comparisons show it, but it does not compete.
pub const UNBOUNDED: &str = Unbounded::ENTRY.name;
/// The FTL of the other bound.
pub const IDEAL: &str = Ideal::ENTRY.name;
