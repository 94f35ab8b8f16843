//! Policies decide and never act: each file names a victim or a place, and its caller does the work.

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

/// The description of a policy or an FTL for the registry, the command line and the documentation.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name in configurations, as in its paper.
    pub name: &'static str,
    /// The rule in one line.
    pub rule: &'static str,
    /// The paper it comes from.
    pub paper: &'static str,
    /// Configuration keys that only some entries read, as full paths.
    pub keys: &'static [&'static str],
    /// The other texts of its page in `docs/`.
    pub about: About,
}

/// Texts for the page of a policy or an FTL in `docs/`; the measured figures are added to them.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// The source file, from the root of the repository: `file!()`.
    pub file: &'static str,
    /// The rule in three lines.
    pub lines: [&'static str; 3],
    /// Time for each page, and memory.
    pub cost: &'static str,
    /// The workloads it does well on, and why.
    pub wins: &'static str,
    /// The workloads it does badly on, and why.
    pub loses: &'static str,
}
