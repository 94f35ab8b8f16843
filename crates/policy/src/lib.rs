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
    /// What its page in `docs/` says besides.
    pub about: About,
}

/// What a page of `docs/` says of a policy or an FTL, beside what is measured.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its file, from the root of the repository: `file!()`.
    pub file: &'static str,
    /// The rule in three lines.
    pub lines: [&'static str; 3],
    /// Time for a page, and memory.
    pub cost: &'static str,
    /// On what it does well, and why.
    pub wins: &'static str,
    /// On what it does badly, and why.
    pub loses: &'static str,
}
