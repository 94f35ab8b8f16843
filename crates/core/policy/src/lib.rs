//! Policies decide and never act: each file names a victim or a place, and its caller does the work.
//!
//! A buffer policy sees accesses and names victims; a cleaning policy sees blocks become full and pages become invalid,
//! and names the block to clean; a placement names the region of a page. `device` and `ftl` move what they name.
//!
//! May depend on `flash` alone, for geometry and addresses. It only computes: no flash operation, no input or output,
//! no clock, no environment. Random choices are seeded.

#![no_std]

extern crate alloc;

mod bits;
pub mod buffer;
pub mod cleaning;
mod clock;
mod heaps;
mod key;
mod list;
mod min_tree;
mod pairing;
mod paper;
pub mod papers;
pub mod placement;
mod prefetch;
mod random;
mod settings;

pub use bits::{BitSet, BitTree, bits, words};
pub use clock::{CLOCK, Clock};
pub use heaps::Heaps;
pub use key::{
    Auto, AutoBytes, Choice, Count, Family, Key, Kind, MAX_BYTES, Names, Number, Numbers, Param,
    Switch, Typed, When, With, Words,
};
pub use list::Lists;
pub use min_tree::MinTree;
pub use pairing::Pairing;
pub use paper::{Paper, Source, Venue};
pub use prefetch::prefetch;
pub use random::SplitMix64;
pub use settings::{Impossible, Setting, Settings};

/// The description of a policy or an FTL for the registry, the command line and the documentation.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name in configurations, as in its paper.
    pub name: &'static str,
    /// The rule in one line.
    pub rule: &'static str,
    /// The papers it comes from.
    pub source: Source,
    /// The configuration keys that it reads and others do not.
    pub keys: &'static [Key],
    /// The other texts of its page in `docs/`.
    pub about: About,
}

impl Entry {
    /// Whether it lists the key of this path.
    pub fn reads(&self, path: &str) -> bool {
        self.keys.iter().any(|key| key.path == path)
    }
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
