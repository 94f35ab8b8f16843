//! The declaration of each FTL: its name, the flash it needs, the parameters it refuses, and its constructors.

use std::fmt::Debug;

use ssdlab_flash::{Geometry, Media, ProgramOrder};
use ssdlab_policy::{Entry, Impossible, Settings, cleaning, placement};

use crate::aware::{Aware, BufferAware};
use crate::costs::Costs;
use crate::error::FtlError;
use crate::ftl::AnyFtl;

/// `clock`: the unit of block ages and stable times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// Pages written to this FTL.
    #[default]
    Writes,
    /// Trace time, ns.
    Trace,
}

/// The inputs of an FTL's parameters.
pub struct Inputs<'a> {
    /// The values of the keys, each checked on its own.
    pub settings: &'a dyn Settings,
    /// Spare erase blocks: `ftl.spare_blocks`, or the number that results from `ftl.over_provisioning`.
    pub spare_blocks: u32,
    /// The costs of flash operations.
    pub costs: Costs,
    /// `ftl.cleaning`: the policy that chooses victims.
    pub cleaning: cleaning::Chosen,
    /// `ftl.placement`: the policy that chooses the region of a page.
    pub placement: placement::Chosen,
    /// `clock`.
    pub clock: Clock,
}

impl Inputs<'_> {
    /// The value of a key that is below 2^32.
    pub fn int(&self, key: &str) -> u32 {
        self.settings.int(key) as u32
    }
}

impl Aware {
    /// The values of the keys.
    pub fn configure(inputs: &Inputs) -> Self {
        Self {
            mode: match inputs.settings.text("ftl.buffer_aware") {
                "merge" => BufferAware::Merge,
                "merge+victim" => BufferAware::MergeAndVictim,
                _ => BufferAware::Off,
            },
            candidates: inputs.int("ftl.candidates"),
            blind_to_copy_backs: !inputs.settings.on("ftl.weigh_copy_backs"),
            costs: inputs.costs,
        }
    }
}

/// Too few spare blocks.
pub(crate) fn too_few_spare(kind: &str, least: u32, reason: &str) -> Impossible {
    let blocks = if least == 1 { "block" } else { "blocks" };
    Impossible {
        key: "ftl.spare_blocks",
        why: format!("must leave at least {least} spare {blocks} with ftl.kind {kind:?}: {reason}"),
    }
}

/// An FTL for the registry. Each FTL implements it once.
pub trait FtlKind: 'static {
    /// Name, rule, source, and the keys it reads.
    const ENTRY: Entry;

    /// The order in which it programs the pages of a block.
    const PROGRAM_ORDER: ProgramOrder = ProgramOrder::Ascending;

    /// Whether its copies and erases count as cleaning; otherwise they count as merges.
    const CLEANS: bool = false;

    /// Its parameters, each in its range; [`FtlKind::check`] refuses combinations.
    type Config: Clone + Debug + Send + Sync + 'static;

    /// Its parameters, from the keys that [`FtlKind::ENTRY`] lists.
    fn configure(inputs: &Inputs) -> Self::Config;

    /// The default of `ftl.spare_blocks`; `None` if it depends on a capacity that is not known yet. Must not read
    /// [`Inputs::spare_blocks`].
    fn default_spare_blocks(_: &Inputs, _logical_blocks: Option<u32>) -> Option<u32> {
        Some(2)
    }

    /// Erase blocks beyond the logical and the spare ones; `None` means that the FTL has no flash.
    fn extra_blocks(config: &Self::Config) -> Option<u32>;

    /// Spare erase blocks.
    fn spare_blocks(config: &Self::Config) -> u32;

    /// Refuses parameters that cannot work, before anything runs.
    fn check(config: &Self::Config) -> Result<(), Impossible>;

    /// An upper bound, in bytes, of the memory of its tables during a run over a new array with `()` as payload.
    fn table_bytes(config: &Self::Config, size: &Size) -> u64;

    /// Whether merges or cleaning use the write buffer.
    fn buffer_aware(_: &Self::Config) -> bool {
        false
    }

    /// The most pages that its region in RAM ever holds; 0 means that there is no such region. With one, no write buffer
    /// may be used.
    fn ram_pages(_: &Self::Config) -> u32 {
        0
    }

    /// Whether the times of requests ([`Env::now_ns`](crate::Env::now_ns)) matter.
    fn uses_trace_time(_: &Self::Config) -> bool {
        false
    }

    /// The FTL over a new array; `full` means that the array is preconditioned.
    fn fresh<M: Media>(
        config: &Self::Config,
        geometry: &Geometry,
        full: bool,
    ) -> Box<dyn AnyFtl<M>>;

    /// Rebuilds the tables from the spare areas after a power cut. A clean stop looks the same. Erases during the mount
    /// are not counted. The free list is in ascending order of blocks.
    fn mount<M: Media>(
        config: &Self::Config,
        media: &mut M,
    ) -> Result<Box<dyn AnyFtl<M>>, FtlError>;
}

/// An action for each of several FTLs.
pub trait EachKind {
    /// Runs the action for one FTL.
    fn kind<K: FtlKind>(&mut self);
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
