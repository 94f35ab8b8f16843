//! Policies decide, others act: each file names a victim, or a place, and does nothing itself.

mod bits;
pub mod buffer;
pub mod cleaning;
mod heaps;
mod list;
mod min_tree;
mod pairing;
pub mod placement;

pub use bits::{BitSet, BitTree, bits, words};
pub use heaps::Heaps;
pub use list::Lists;
pub use min_tree::MinTree;
pub use pairing::Pairing;

/// What the registry, the command line and the documentation know of a policy or an FTL.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name in configurations, as in its paper.
    pub name: &'static str,
    /// The rule in one line.
    pub rule: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// Configuration keys that not every entry reads, as full paths.
    pub keys: &'static [&'static str],
}
