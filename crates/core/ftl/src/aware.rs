//! How an FTL uses the write buffer.

use crate::costs::Costs;

/// `ftl.buffer_aware`: how merges and cleaning use the write buffer (BAGC 2012).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BufferAware {
    /// They do not use it.
    #[default]
    Off,
    /// They do what they do with `Off`, and count the pages that they move although the buffer holds newer ones.
    Watch,
    /// BABM: merges program held pages from the buffer.
    Merge,
    /// BABM and BAVBS: held pages also decide the choice of victims.
    MergeAndVictim,
    /// DA-GC: merges drop the flash copies of dirty pages. A power cut then loses pages that a flush has written.
    Skip,
}

/// How an FTL uses the write buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aware {
    /// `ftl.buffer_aware`.
    pub mode: BufferAware,
    /// `ftl.candidates`: blocks weighed for each choice of a victim; 0 means all.
    pub candidates: u32,
    /// Whether the choice of a victim counts each copy-back as a copy: `ftl.weigh_copy_backs` is false.
    pub blind_to_copy_backs: bool,
    /// `ftl.update_probability`, in millionths, of all pages; `None`: the buffer policy estimates it.
    pub update_millionths: Option<u32>,
    /// `ftl.averaged_merges`: the merges of which C_avg is the mean; at least 1.
    pub averaged_merges: u32,
    /// The costs that the choice of a victim uses.
    pub costs: Costs,
}

impl Default for Aware {
    fn default() -> Self {
        Self {
            mode: BufferAware::Off,
            candidates: 0,
            blind_to_copy_backs: false,
            update_millionths: None,
            averaged_merges: 16,
            costs: Costs::default(),
        }
    }
}

impl Aware {
    /// Whether merges look into the write buffer.
    pub fn is_on(&self) -> bool {
        self.mode != BufferAware::Off
    }
}

/// Whether a merge, or the cleaning of a block, uses the buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Use {
    /// It does not see the buffer.
    #[default]
    Blind,
    /// It sees the buffer, but moves the pages in flash.
    Unaware,
    /// Pages in the buffer take the place of those in flash.
    Aware,
}

/// The decision for one merge, or for the cleaning of one block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) uses: Use,
    /// The prediction, if BAVBS chose the block.
    pub(crate) benefit: Option<Benefit>,
}

impl Decision {
    /// It does not see the buffer.
    pub(crate) const BLIND: Self = Self {
        uses: Use::Blind,
        benefit: None,
    };

    /// It uses the buffer, and no choice was made.
    pub(crate) const AWARE: Self = Self {
        uses: Use::Aware,
        benefit: None,
    };
}

/// What BAVBS expects to gain later from pages that become clean now, ns, rounded down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Benefit {
    /// Of all pages, with the probability that they are written again.
    pub(crate) predicted_ns: u64,
    /// Of a page that is not written again.
    pub(crate) page_ns: u64,
}
