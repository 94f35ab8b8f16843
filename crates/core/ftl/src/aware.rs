//! How an FTL uses the write buffer.

use crate::costs::Costs;

/// `ftl.buffer_aware`: how merges and cleaning use the write buffer (BAGC 2012).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BufferAware {
    /// They do not use it.
    #[default]
    Off,
    /// BABM: merges program held pages from the buffer.
    Merge,
    /// BABM and BAVBS: held pages also decide the choice of victims.
    MergeAndVictim,
}

/// How an FTL uses the write buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aware {
    /// `ftl.buffer_aware`.
    pub mode: BufferAware,
    /// `ftl.candidates`: blocks weighed for each choice of a victim; 0 means all.
    pub candidates: u32,
    /// Whether the choice of a victim counts each copy-back as a copy: `ftl.weigh_copy_backs` is false.
    pub blind_to_copy_backs: bool,
    /// The costs that the choice of a victim uses.
    pub costs: Costs,
}

impl Aware {
    /// Whether merges use the write buffer.
    pub fn is_on(&self) -> bool {
        self.mode != BufferAware::Off
    }
}
