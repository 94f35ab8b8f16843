//! What each FTL declares of itself: its name, the flash it needs, what it refuses, how it is made.

use ssdlab_flash::{Geometry, Media, ProgramOrder};
use ssdlab_policy::{Entry, cleaning, placement};

use crate::{Costs, Ftl, FtlError};

/// `ftl.buffer_aware`: what merges and cleaning ask the write buffer (BAGC 2012).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferAware {
    /// Nothing.
    Off,
    /// BABM: pages that it holds come from there.
    Merge,
    /// BAVBS as well: victims are chosen by what it holds.
    MergeAndVictim,
}

/// `clock`: what ages of blocks and stable times of pages are measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Pages written to this FTL.
    Writes,
    /// Trace time, ns.
    Trace,
}

/// The parameters of all FTLs, checked one by one; each FTL reads those that its entry lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// `ftl.log_blocks`: log blocks in use at the same time, or the pool of replacement or update blocks; at least 1.
    pub log_blocks: u32,
    /// Erase blocks beyond all others: `ftl.spare_blocks`, or what `ftl.over_provisioning` makes of it.
    pub spare_blocks: u32,
    /// `ftl.partial_merge` (bast): a log block that is a prefix of its logical block is completed instead of copied.
    pub partial_merge: bool,
    /// `ftl.open_blocks` (block): replacement blocks open at the same time, at least 1.
    pub open_blocks: u32,
    /// `ftl.blocks_per_superblock` (superblock), at least 1.
    pub blocks_per_superblock: u32,
    /// `ftl.max_update_blocks` (superblock): update blocks of one superblock, at least 1.
    pub max_update_blocks: u32,
    /// `ftl.cleaning` (page): which block is cleaned.
    pub cleaning: cleaning::Kind,
    /// What the cleaning policies read.
    pub choices: cleaning::Params,
    /// `ftl.placement` (page): which region a page goes to.
    pub placement: placement::Kind,
    /// What the placements read.
    pub regions: placement::Params,
    /// `ftl.gc_low` (page): cleaning runs when so many blocks are free or fewer, at least 1.
    pub gc_low: u32,
    /// `clock` (page): what ages and stable times are measured in.
    pub clock: Clock,
    /// `ftl.buffer_aware`.
    pub buffer_aware: BufferAware,
    /// `ftl.candidates`: blocks weighed for each choice of a victim; 0: all.
    pub candidates: u32,
    /// What a choice of a victim weighs.
    pub costs: Costs,
}

/// A pair of parameters that makes no device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impossible {
    /// The key to change, as a full path; `ftl.spare_blocks` stands for `ftl.over_provisioning` as well.
    pub key: &'static str,
    /// What is allowed and why, to follow the key and what was found.
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

/// An FTL as the registry makes it. Implemented once for each.
pub trait FtlKind {
    /// Name, rule, source, and the keys it reads.
    const ENTRY: Entry;

    /// In which order it programs the pages of a block.
    const PROGRAM_ORDER: ProgramOrder = ProgramOrder::Ascending;

    /// Whether what it moves and erases counts as cleaning; otherwise it belongs to merges.
    const CLEANS: bool = false;

    /// Erase blocks beyond the logical and the spare ones; none: it has no flash at all.
    fn extra_blocks(params: &Params) -> Option<u32>;

    /// The default of `ftl.spare_blocks`; none as long as it depends on a capacity that is not known yet.
    fn default_spare_blocks(_: &Params, _logical_blocks: Option<u32>) -> Option<u32> {
        Some(2)
    }

    /// Refuses parameters that cannot work, before anything runs.
    fn check(params: &Params) -> Result<(), Impossible>;

    /// The most bytes that its tables take over a new array, of pages that carry nothing, from the first request to the
    /// last.
    fn table_bytes(params: &Params, size: &Size) -> u64;

    /// Over a new array; `full`: a preconditioned one.
    fn fresh<M: Media>(params: &Params, geometry: &Geometry, full: bool) -> Box<dyn Ftl<M>>
    where
        M::Page: 'static;

    /// Works out the tables from the spare areas after a power cut, or after a clean stop, which looks the same. Erases
    /// that it needs count in no counter. The free list starts in ascending order of blocks.
    fn mount<M: Media>(params: &Params, media: &mut M) -> Result<Box<dyn Ftl<M>>, FtlError>
    where
        M::Page: 'static;
}

/// A geometry in numbers that bytes are reckoned with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Logical pages.
    pub logical_pages: u64,
    /// Physical pages.
    pub physical_pages: u64,
    /// Logical blocks.
    pub logical_blocks: u64,
    /// Physical blocks.
    pub physical_blocks: u64,
    /// Pages of a block.
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
    /// The list of free blocks, twice: it is filled beside an empty one.
    pub(crate) fn free_list(&self) -> u64 {
        8 * self.physical_blocks
    }
}

/// What an FTL declares, as a value.
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

    /// Erase blocks of a device with so many logical ones; 0 without flash.
    pub fn physical_blocks(&self, params: &Params, logical_blocks: u64) -> u64 {
        (self.extra_blocks)(params).map_or(0, |extra| {
            logical_blocks + u64::from(extra) + u64::from(params.spare_blocks)
        })
    }
}
