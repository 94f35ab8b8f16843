//! The declaration of each FTL: its name, the flash it needs, the parameters it refuses, and its constructors.

use alloc::boxed::Box;
use alloc::format;
use core::fmt::Debug;

use ssdlab_flash::{Geometry, Media, ProgramOrder};
use ssdlab_policy::{
    Choice, Clock, Count, Entry, Family, Impossible, Number, Settings, Source, Switch, Words,
    cleaning, papers, placement,
};

use crate::aware::{Aware, BufferAware};
use crate::costs::Costs;
use crate::error::FtlError;
use crate::ftl::Ftl;
use crate::ideal::Ideal;
use crate::tables::Tables;

/// The most pages and blocks: what page numbers can count.
const MAX_PAGES: i64 = u32::MAX as i64 - 1;

/// `ftl.kind`.
pub const KIND: Words = Words::selector(Family::Ftl, "bast", "the flash translation layer");

/// Whether the chosen FTL has flash.
pub fn has_flash(settings: &dyn Settings) -> bool {
    KIND.of(settings) != Ideal::ENTRY.name
}

/// `flash.copy_back`.
pub const COPY_BACK: Switch = Switch::new(
    "flash.copy_back",
    false,
    "copies inside a plane avoid the flash bus",
)
.if_value(KIND.key.path, has_flash);

/// `ftl.log_blocks`.
pub const LOG_BLOCKS: Count = Count::new(
    "ftl.log_blocks",
    [1, 65535],
    7,
    "log blocks, or blocks in the pool of replacement or update blocks",
);

/// `ftl.spare_blocks`.
pub const SPARE_BLOCKS: Count = Count::open(
    "ftl.spare_blocks",
    [0, MAX_PAGES],
    "blocks beyond logical and log blocks; default 2, with page 0.07 of the logical blocks",
);

/// `ftl.over_provisioning`.
pub const OVER_PROVISIONING: Number = Number::share(
    "ftl.over_provisioning",
    None,
    "flash beyond the capacity, as a share of it, rounded up to blocks; replaces spare_blocks",
);

/// `ftl.buffer_aware`.
pub const BUFFER_AWARE: Choice<BufferAware> = Choice::new(
    "ftl.buffer_aware",
    &["off", "watch", "merge", "merge+victim", "skip"],
    &[
        BufferAware::Off,
        BufferAware::Watch,
        BufferAware::Merge,
        BufferAware::MergeAndVictim,
        BufferAware::Skip,
    ],
    "use buffered pages in merges, and to choose victims",
);

impl BufferAware {
    /// Where the awareness that `ftl.buffer_aware` names comes from.
    pub const fn source(self) -> Source {
        match self {
            BufferAware::Off | BufferAware::Watch => Source::none(""),
            BufferAware::Merge => Source::of("{}, section 5", &[&papers::BAGC]),
            BufferAware::MergeAndVictim => Source::of("{}, sections 5 and 6", &[&papers::BAGC]),
            BufferAware::Skip => Source::of("{}, section 2", &[&papers::BAGC]),
        }
    }
}

fn weighs_victims(settings: &dyn Settings) -> bool {
    BUFFER_AWARE.of(settings) == BufferAware::MergeAndVictim
}

/// `ftl.candidates`.
pub const CANDIDATES: Count = Count::new(
    "ftl.candidates",
    [0, MAX_PAGES],
    0,
    "merge+victim: blocks weighed for each victim; 0: all",
)
.if_value(BUFFER_AWARE.key.path, weighs_victims);

/// `ftl.weigh_copy_backs`.
pub const WEIGH_COPY_BACKS: Switch = Switch::new(
    "ftl.weigh_copy_backs",
    true,
    "merge+victim: estimates consider which pages a copy-back can move",
)
.if_value(BUFFER_AWARE.key.path, weighs_victims);

/// `ftl.update_probability`.
pub const UPDATE_PROBABILITY: Number = Number::share(
    "ftl.update_probability",
    None,
    "merge+victim: the probability that a buffered page is written again; by default the buffer policy estimates it",
)
.if_value(BUFFER_AWARE.key.path, weighs_victims);

/// `ftl.averaged_merges`.
pub const AVERAGED_MERGES: Count = Count::new(
    "ftl.averaged_merges",
    [1, 65535],
    16,
    "merge+victim: the last merges of which the mean cost is taken",
)
.if_value(BUFFER_AWARE.key.path, weighs_victims);

/// How free blocks are kept (`ftl.free_lists`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FreeLists {
    /// In one queue.
    #[default]
    One,
    /// In a queue for each plane. Data blocks, and log blocks of one logical block, come from the plane of that block,
    /// logical block b mod planes; other blocks from the planes in turn.
    Plane,
}

/// `ftl.free_lists`. Without copy-backs, the planes of blocks do not matter.
pub const FREE_LISTS: Choice<FreeLists> = Choice::new(
    "ftl.free_lists",
    &["one", "plane"],
    &[FreeLists::One, FreeLists::Plane],
    "keep free blocks in one queue, or in one for each plane",
)
.if_value(COPY_BACK.key.path, |settings| COPY_BACK.of(settings));

impl FreeLists {
    /// The value of the key, where it has an effect.
    pub fn configure(settings: &dyn Settings) -> Self {
        if COPY_BACK.of(settings) {
            FREE_LISTS.of(settings)
        } else {
            Self::One
        }
    }
}

/// The inputs of an FTL's parameters.
pub struct Inputs<'a> {
    /// The values of the keys, each checked on its own.
    pub settings: &'a dyn Settings,
    /// Spare erase blocks: `ftl.spare_blocks`, or the number that results from `ftl.over_provisioning`, and those that
    /// `ftl.reserve` takes from the capacity.
    pub spare_blocks: u32,
    /// The costs of flash operations.
    pub costs: Costs,
    /// `ftl.cleaning`: the policy that chooses victims.
    pub cleaning: cleaning::Chosen,
    /// `ftl.placement`: the policy that chooses the region of a page.
    pub placement: placement::Chosen,
    /// `clock`.
    pub clock: Clock,
    /// The flash.
    pub shape: Shape,
}

/// The flash of which an FTL counts blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Chips with an FTL of their own, at least 1.
    pub ftls: u64,
    /// Bytes of a page, across all chips of a superpage.
    pub page_bytes: u64,
    /// Pages of an erase block of one chip.
    pub chip_pages: u64,
    /// Pages of a block: of a line, or of a reclaim unit.
    pub pages_per_block: u64,
}

impl Aware {
    /// The values of the keys.
    pub fn configure(inputs: &Inputs) -> Self {
        Self {
            mode: BUFFER_AWARE.of(inputs.settings),
            candidates: CANDIDATES.of(inputs.settings) as u32,
            blind_to_copy_backs: !WEIGH_COPY_BACKS.of(inputs.settings),
            update_millionths: UPDATE_PROBABILITY
                .get(inputs.settings)
                .map(|share| libm::round(share * 1e6) as u32),
            averaged_merges: AVERAGED_MERGES.of(inputs.settings) as u32,
            costs: inputs.costs,
        }
    }
}

/// Too few spare blocks.
pub(crate) fn too_few_spare(kind: &str, least: u32, reason: &str) -> Impossible {
    let blocks = if least == 1 { "block" } else { "blocks" };
    Impossible {
        key: SPARE_BLOCKS.key.path,
        why: format!("must leave at least {least} spare {blocks} with ftl.kind {kind:?}: {reason}"),
    }
}

/// What a map is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapping {
    /// Each logical page can be at any physical page (BPLRU, section 2.2).
    Page,
    /// Logical blocks: the offset of a page in its block is fixed (BPLRU, section 2.2; LFS buffers, section 2.3).
    Block,
    /// Blocks, and pages within a few of them, such as log blocks (BAGC, sections 1 and 2; LFS buffers, section 2.3).
    Hybrid,
}

impl Mapping {
    /// Its name, as in papers.
    pub const fn name(self) -> &'static str {
        match self {
            Mapping::Page => "page",
            Mapping::Block => "block",
            Mapping::Hybrid => "hybrid",
        }
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

    /// What its map is of; `None`: neither of the kinds that papers tell apart.
    const MAPPING: Option<Mapping> = None;

    /// Its parameters, each in its range; [`FtlKind::needs`] refuses combinations.
    type Config: Clone + Debug + Send + Sync + 'static;

    /// Its parameters, from the keys that [`FtlKind::ENTRY`] lists.
    fn configure(inputs: &Inputs) -> Self::Config;

    /// The default of `ftl.spare_blocks`; `None` if it depends on a capacity that is not known yet. Must not read
    /// [`Inputs::spare_blocks`].
    fn default_spare_blocks(_: &Inputs, _logical_blocks: Option<u32>) -> Option<u32> {
        Some(2)
    }

    /// What it needs with these parameters on a device with this capacity. The capacity is 0 blocks while it is not known.
    ///
    /// # Errors
    /// Parameters that cannot work.
    fn needs(config: &Self::Config, capacity: &Capacity) -> Result<Needs, Impossible>;

    /// The FTL over a new array; `full` means that the array is preconditioned.
    fn fresh<M: Media>(config: &Self::Config, geometry: &Geometry, full: bool) -> Box<dyn Ftl<M>>;

    /// Rebuilds the tables from the spare areas after a power cut. A clean stop looks the same. Erases during the mount
    /// are not counted. The free list is in ascending order of blocks.
    fn mount<M: Media>(config: &Self::Config, media: &mut M) -> Result<Box<dyn Ftl<M>>, FtlError>;
}

/// What a device must know of an FTL before it builds one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Erase blocks beyond the logical ones: log blocks and the like, and spare ones. `None`: the FTL has no flash.
    pub blocks: Option<u64>,
    /// Pages of its own, which spare areas name ([`Geometry::own_page`]).
    pub own_pages: u32,
    /// An upper bound, in bytes, of the memory of its tables during a run over a new array with `()` as payload.
    pub table_bytes: u64,
    /// How merges or cleaning use the write buffer.
    pub aware: Aware,
    /// Its tables in a controller; `None`: it does not say.
    pub tables: Option<Tables>,
    /// The most pages that its region in RAM ever holds; 0 means that there is no such region. With one, no write buffer
    /// may be used.
    pub ram_pages: u32,
    /// It cleans in gaps between requests, this long after the last work of all chips ([`Ftl::clean_in_gap`]); 0: never.
    pub idle_cleaning_ns: u64,
    /// Its map of pages, if that is in flash.
    pub map: Option<MapInFlash>,
    /// It has an SLC cache.
    pub has_slc: bool,
    /// It folds in gaps between requests, this long after the last work of all chips ([`Ftl::fold_in_gap`]); 0: never.
    pub slc_idle_ns: u64,
    /// Whether the times of requests ([`Env::now_ns`](crate::Env::now_ns)) matter.
    pub trace_time: bool,
    /// Whether each page must come with the stream of the request that last wrote it, through a write buffer too.
    pub streams: bool,
    /// Whether it must know the writes to come; see [`Ftl::foretell`].
    pub future: bool,
    /// Whether a power cut loses data, because it erases a block before its pages are programmed again.
    pub in_place: bool,
    /// The most blocks that it fills at a time, each from its first page to its last without a gap, so that a chip can
    /// program several of their pages together; `None`: it programs pages in other places too.
    pub frontiers: Option<u32>,
}

/// What a map of pages in flash takes. With one, each page comes with the last page of its request, or of the victim that it
/// belongs to ([`Env::end_at`](crate::Env::end_at)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapInFlash {
    /// Its pages.
    pub pages: u32,
    /// Its blocks, behind those of [`Needs::blocks`].
    pub blocks: u32,
    /// The logical pages that each of its pages maps.
    pub entries: u32,
}

impl Needs {
    /// The number of erase blocks over this number of logical blocks; 0 without flash.
    pub fn physical_blocks(&self, logical_blocks: u64) -> u64 {
        self.blocks.map_or(0, |blocks| logical_blocks + blocks)
    }
}

/// What the host sees of a device, or of one of several chips with an FTL of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// The number of logical blocks.
    pub logical_blocks: u64,
    /// Pages in a block.
    pub pages_per_block: u64,
    /// Bytes of a page.
    pub page_size: u32,
}

impl Capacity {
    /// The number of logical pages.
    pub fn logical_pages(&self) -> u64 {
        self.logical_blocks * self.pages_per_block
    }

    /// The same over flash with this many log blocks (or the like) and spare blocks.
    pub fn over(&self, log_blocks: u32, spare_blocks: u32) -> Size {
        let blocks = self.logical_blocks + u64::from(log_blocks) + u64::from(spare_blocks);
        Size {
            logical_pages: self.logical_pages(),
            physical_pages: blocks * self.pages_per_block,
            logical_blocks: self.logical_blocks,
            physical_blocks: blocks,
            pages_per_block: self.pages_per_block,
        }
    }
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
    /// What an FTL needs that uses all blocks and has tables of this many bytes.
    pub fn needs(&self, table_bytes: u64) -> Needs {
        Needs {
            blocks: Some(self.physical_blocks - self.logical_blocks),
            table_bytes,
            ..Needs::default()
        }
    }

    /// The bytes of the free list, twice: it is filled while an empty one still exists.
    pub(crate) fn free_list(&self) -> u64 {
        8 * self.physical_blocks
    }
}
