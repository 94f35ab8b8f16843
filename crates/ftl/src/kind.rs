//! The declaration of each FTL: its name, the flash it needs, the parameters it refuses, and its constructors.

use ssdlab_flash::{Geometry, Media, ProgramOrder};
use ssdlab_policy::{Entry, cleaning, placement};

use crate::{Costs, Ftl, FtlError};

/// `ftl.buffer_aware`: how merges and cleaning use the write buffer (BAGC 2012).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferAware {
    /// They do not use it.
    Off,
    /// BABM: merges program held pages from the buffer.
    Merge,
    /// BABM and BAVBS: held pages also decide the choice of victims.
    MergeAndVictim,
}

/// `clock`: the unit of block ages and stable times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Pages written to this FTL.
    Writes,
    /// Trace time, ns.
    Trace,
}

/// The parameters of all FTLs, each checked on its own; each FTL reads those that its entry lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// `ftl.log_blocks`: log blocks in use at the same time, or the size of the pool of replacement or update blocks;
    /// at least 1.
    pub log_blocks: u32,
    /// Spare erase blocks: `ftl.spare_blocks`, or the number that results from `ftl.over_provisioning`.
    pub spare_blocks: u32,
    /// `ftl.partial_merge` (bast): a log block that is a prefix of its logical block is completed in place instead of
    /// copied.
    pub partial_merge: bool,
    /// `ftl.open_blocks` (block): replacement blocks open at the same time, at least 1.
    pub open_blocks: u32,
    /// `ftl.blocks_per_superblock` (superblock), at least 1.
    pub blocks_per_superblock: u32,
    /// `ftl.max_update_blocks` (superblock): update blocks of one superblock, at least 1.
    pub max_update_blocks: u32,
    /// `ftl.cleaning` (page): the policy that chooses victims.
    pub cleaning: cleaning::Kind,
    /// The parameters of the cleaning policies.
    pub choices: cleaning::Params,
    /// `ftl.placement` (page): the policy that chooses the region of a page.
    pub placement: placement::Kind,
    /// The parameters of the placements.
    pub regions: placement::Params,
    /// `ftl.gc_low` (page): cleaning runs when at most this many blocks are free; at least 1.
    pub gc_low: u32,
    /// `clock` (page): the unit of ages and stable times.
    pub clock: Clock,
    /// `ftl.buffer_aware`.
    pub buffer_aware: BufferAware,
    /// `ftl.candidates`: blocks weighed for each choice of a victim; 0 means all.
    pub candidates: u32,
    /// The costs that the choice of a victim uses.
    pub costs: Costs,
}

/// A combination of parameters that cannot work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impossible {
    /// The key to change, as a full path; `ftl.spare_blocks` also stands for `ftl.over_provisioning`.
    pub key: &'static str,
    /// The allowed values and the reason. The message puts the key and the value found in front of it.
    pub why: String,
}

impl Impossible {
    /// Too few spare blocks.
    pub(crate) fn spare(kind: &str, least: u32, reason: &str) -> Self {
        let blocks = if least == 1 { "block" } else { "blocks" };
        Self {
            key: "ftl.spare_blocks",
            why: format!(
                "must leave at least {least} spare {blocks} with ftl.kind {kind:?}: {reason}"
            ),
        }
    }
}

/// An FTL for the registry. Each FTL implements it once.
pub trait FtlKind {
    /// Name, rule, source, and the keys it reads.
    const ENTRY: Entry;

    /// The order in which it programs the pages of a block.
    const PROGRAM_ORDER: ProgramOrder = ProgramOrder::Ascending;

    /// Whether its copies and erases count as cleaning; otherwise they count as merges.
    const CLEANS: bool = false;

    /// Erase blocks beyond the logical and the spare ones; `None` means that the FTL has no flash.
    fn extra_blocks(params: &Params) -> Option<u32>;

    /// The default of `ftl.spare_blocks`; `None` if it depends on a capacity that is not known yet.
    fn default_spare_blocks(_: &Params, _logical_blocks: Option<u32>) -> Option<u32> {
        Some(2)
    }

    /// Refuses parameters that cannot work, before anything runs.
    fn check(params: &Params) -> Result<(), Impossible>;

    /// An upper bound, in bytes, of the memory of its tables during a run over a new array with `()` as payload.
    fn table_bytes(params: &Params, size: &Size) -> u64;

    /// The FTL over a new array; `full` means that the array is preconditioned.
    fn fresh<M: Media>(params: &Params, geometry: &Geometry, full: bool) -> Box<dyn Ftl<M>>
    where
        M::Page: 'static;

    /// Rebuilds the tables from the spare areas after a power cut. A clean stop looks the same. Erases during the mount
    /// are not counted. The free list is in ascending order of blocks.
    fn mount<M: Media>(params: &Params, media: &mut M) -> Result<Box<dyn Ftl<M>>, FtlError>
    where
        M::Page: 'static;
}

/// The numbers of a geometry as `u64`, for computing memory sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The number of logical pages.
    pub logical_pages: u64,
    /// The number of physical pages.
    pub physical_pages: u64,
    /// The number of logical blocks.
    pub logical_blocks: u64,
    /// The number of physical blocks.
    pub physical_blocks: u64,
    /// Pages in a block.
    pub pages_per_block: u64,
}

impl From<&Geometry> for Size {
    fn from(geometry: &Geometry) -> Self {
        Self {
            logical_pages: geometry.logical_pages().into(),
            physical_pages: geometry.physical_pages().into(),
            logical_blocks: geometry.logical_blocks().into(),
            physical_blocks: geometry.physical_blocks().into(),
            pages_per_block: geometry.pages_per_block().into(),
        }
    }
}

impl Size {
    /// The bytes of the free list, twice: it is filled while an empty one still exists.
    pub(crate) fn free_list(&self) -> u64 {
        8 * self.physical_blocks
    }
}

/// The declaration of an FTL as a value.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// See [`FtlKind::ENTRY`].
    pub entry: Entry,
    /// See [`FtlKind::PROGRAM_ORDER`].
    pub program_order: ProgramOrder,
    /// See [`FtlKind::CLEANS`].
    pub cleans: bool,
    /// See [`FtlKind::extra_blocks`].
    pub extra_blocks: fn(&Params) -> Option<u32>,
    /// See [`FtlKind::default_spare_blocks`].
    pub default_spare_blocks: fn(&Params, Option<u32>) -> Option<u32>,
    /// See [`FtlKind::check`].
    pub check: fn(&Params) -> Result<(), Impossible>,
    /// See [`FtlKind::table_bytes`].
    pub table_bytes: fn(&Params, &Size) -> u64,
}

impl Kind {
    pub(crate) const fn of<K: FtlKind>() -> Self {
        Self {
            entry: K::ENTRY,
            program_order: K::PROGRAM_ORDER,
            cleans: K::CLEANS,
            extra_blocks: K::extra_blocks,
            default_spare_blocks: K::default_spare_blocks,
            check: K::check,
            table_bytes: K::table_bytes,
        }
    }

    /// The number of erase blocks of a device with this number of logical blocks; 0 without flash.
    pub fn physical_blocks(&self, params: &Params, logical_blocks: u64) -> u64 {
        (self.extra_blocks)(params).map_or(0, |extra| {
            logical_blocks + u64::from(extra) + u64::from(params.spare_blocks)
        })
    }
}
