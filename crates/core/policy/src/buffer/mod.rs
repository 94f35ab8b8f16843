//! Write-buffer policies choose the page or block that is evicted next.
//!
//! The write buffer reports each access, each page that leaves and each page that becomes clean in place. A policy
//! keeps only orders. The write buffer alone keeps residency, dirty marks and data.

mod blocks;
pub mod blru;
pub mod bplru;
mod by_held;
pub mod cbb;
pub mod cflru;
pub mod clairvoyant;
pub mod fab;
pub mod fifo;
mod future;
pub mod lb_clock;
pub mod lru;
mod merge_costs;
mod pages;
mod places;
pub mod plru_br;
pub mod plru_br_2q;
pub mod req_block;
pub mod sof;
pub mod three_region;
pub mod unbounded;
pub mod zone;

use alloc::vec::Vec;
use core::fmt::Debug;

use ssdlab_flash::{Geometry, Lbn, Lpn, Page};

use self::pages::PageList;
use crate::{About, Choice, Count, Entry, Settings, Source};

pub use future::{Foresight, Future, TooLong, Unit};

/// Runs an action for each policy, in the order of the registry. "No buffer" is no policy.
pub fn each_kind(action: &mut impl EachKind) {
    action.kind::<fifo::Fifo>();
    action.kind::<lru::Lru>();
    action.kind::<cflru::Cflru>();
    action.kind::<sof::Sof>();
    action.kind::<zone::Zone>();
    action.kind::<fab::Fab>();
    action.kind::<blru::Blru>();
    action.kind::<bplru::Bplru>();
    action.kind::<plru_br::PlruBr>();
    action.kind::<plru_br_2q::PlruBr2q>();
    action.kind::<three_region::ThreeRegion>();
    action.kind::<lb_clock::LbClock>();
    action.kind::<req_block::ReqBlock>();
    action.kind::<cbb::Cbb>();
    action.kind::<clairvoyant::Clairvoyant>();
    action.kind::<unbounded::Unbounded>();
}

/// `buffer.size`.
pub const SIZE: Count = Count::bytes(
    "buffer.size",
    16 << 20,
    "bytes, rounded down to whole pages",
);

/// The policies whose block headers take the space of one page each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountHeaders {
    /// BPLRU, whose paper has one pool of nodes for headers and pages (section 3.4, Figure 6).
    Bplru,
    /// All that order blocks.
    All,
    /// None.
    Off,
}

impl CountHeaders {
    /// Whether the headers of the policy of this name count, if it has any.
    pub fn of_policy(self, name: &str) -> bool {
        match self {
            Self::Bplru => name == bplru::Bplru::ENTRY.name,
            Self::All => true,
            Self::Off => false,
        }
    }
}

/// `buffer.count_headers`.
pub const COUNT_HEADERS: Choice<CountHeaders> = Choice::new(
    "buffer.count_headers",
    &["bplru", "all", "off"],
    &[CountHeaders::Bplru, CountHeaders::All, CountHeaders::Off],
    "policies whose block headers take the space of one page each",
)
.switched("off");

/// What fills the gaps of a block that is padded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// Every page of the block: those in flash are read; those that were never written or are discarded are zeros.
    Block,
    /// The pages in flash.
    Mapped,
    /// Nothing: no block is padded.
    Off,
}

/// `buffer.padding`.
pub const PADDING: Choice<Padding> = Choice::new(
    "buffer.padding",
    &["block", "mapped", "off"],
    &[Padding::Block, Padding::Mapped, Padding::Off],
    "gaps of a victim that are filled before it is written: all, or pages in flash only",
)
.switched("block");

/// The device and the size of its buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The geometry of the device.
    pub geometry: Geometry,
    /// C: pages that the buffer holds, at least 1.
    pub pages: u64,
    /// The writes to come, for a policy that [foresees](Nature::foresees) them, if they are known.
    pub future: Option<Future>,
}

impl Shape {
    /// The most pages that can be held at once; the size of tables.
    pub fn most_pages(&self) -> u32 {
        self.pages.min(u64::from(self.geometry.logical_pages())) as u32
    }
}

/// A host access to a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A read.
    Read,
    /// A write; the page becomes dirty.
    Write,
}

/// The next page or block to evict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victim {
    /// One page.
    Page(Lpn),
    /// All held pages of a block, except those that [`BufferPolicy::first_staying`] keeps.
    Block(Lbn),
}

/// A write-buffer policy. It must say what a hit, an entry and an exit do to its order, and name the victim; everything
/// else has a default, which is that of a policy that evicts single pages.
pub trait BufferPolicy: Send {
    /// Whether a new page is evicted after all pages that are already held, as long as none is used again. Then
    /// alternating single entries and evictions gives the same result as all evictions followed by all entries.
    const ENTERS_LAST: bool = false;

    /// Whether it wants to know what merges move; see [`BufferPolicy::moved`].
    const LEARNS: bool = false;

    /// A read or write request begins; the next accesses belong to it.
    #[inline]
    fn begin_request(&mut self) {}

    /// The host accesses a page that is held.
    fn hit(&mut self, page: Page, access: Access);

    /// The host accesses a page that now enters.
    fn enter(&mut self, page: Page, access: Access);

    /// A page left: it was evicted alone, or discarded.
    fn left(&mut self, page: Page);

    /// The host writes a page, held or not until then, that goes past this buffer: told to read buffers only.
    fn written_past(&mut self, _page: Page) {}

    /// A dirty page was written and stays as a clean page. Must not change any order.
    fn cleaned(&mut self, _page: Page) {}

    /// Names the next victim. Called only while a page is held (for the unbounded buffer: a dirty page). The whole
    /// victim leaves before the next call.
    fn victim(&mut self) -> Victim;

    /// Like `victim`, but called because the buffer is full and a page must enter. Some policies learn from that.
    #[inline]
    fn victim_for_room(&mut self) -> Victim {
        self.victim()
    }

    // runs of pages of one block, in one step; the defaults handle them page by page

    /// The host accesses consecutive pages of one block that are all held, in ascending order.
    #[inline]
    fn hit_run(&mut self, first: Page, count: u32, access: Access) {
        (0..count).for_each(|i| self.hit(first.plus(i), access));
    }

    /// Consecutive pages of one block enter, in ascending order.
    #[inline]
    fn enter_run(&mut self, first: Page, count: u32, access: Access) {
        (0..count).for_each(|i| self.enter(first.plus(i), access));
    }

    /// Evicts a run of victims: at most `most` and at most as many as are held, as long as each page directly follows
    /// the one before. Returns the first page and the number of pages. Called only if
    /// [`ENTERS_LAST`](BufferPolicy::ENTERS_LAST).
    fn leave_run(&mut self, _most: u32) -> (Lpn, u32) {
        unreachable!("called only if ENTERS_LAST");
    }

    /// The `count` given pages of a victim block left. Called after all of them have left.
    #[inline]
    fn left_together(&mut self, _lbn: Lbn, _count: u32, pages: impl Iterator<Item = Page>) {
        pages.for_each(|page| self.left(page));
    }

    /// Prefetches what it keeps of a page that will soon enter. Changes nothing.
    #[inline]
    fn foresee(&self, _lpn: Lpn) {}

    /// The pages that it most likely evicts next, for prefetching: at most as many as `victims` has. Returns their number.
    #[inline]
    fn next_victims(&self, _victims: &mut [Lpn]) -> usize {
        0
    }

    /// The target sizes of its regions in pages, if it adapts them. For events.
    fn region_sizes(&self) -> Option<[u64; 3]> {
        None
    }

    /// What it would evict, in order, if nothing was used any more: at most `most` victims. `None` if it keeps no such
    /// order. Changes nothing. For pictures.
    fn outlook(&self, _most: usize) -> Option<Vec<Victim>> {
        None
    }

    // what policies that evict blocks decide

    /// Whether the policy pads this block, which has a dirty page and is about to be evicted or aged: its pages in flash
    /// that are missing here are read and written with the others (BPLRU). Asked once for each such write of a block, before
    /// its pages leave. Only if [`Nature::pads`].
    #[inline]
    fn pads(&mut self, _lbn: Lbn) -> bool {
        false
    }

    /// Whether a block that is padded is written as a whole: also its pages that were never written or are discarded.
    #[inline]
    fn pads_blanks(&self) -> bool {
        false
    }

    /// Merges moved pages of a block from flash to flash. Called before the next victim is chosen and before the next
    /// [`BufferPolicy::pads`]. Only if [`LEARNS`](BufferPolicy::LEARNS), and not for FTLs that clean instead of merging.
    fn moved(&mut self, _lbn: Lbn, _pages: u32) {}

    /// The first page in `first..end`, which is part of one block, that stays when the block is the victim, or `end`.
    #[inline]
    fn first_staying(&self, _first: Lpn, end: Lpn) -> Lpn {
        end
    }

    /// The current number of block headers (`buffer.count_headers`); 0 for page-level policies.
    #[inline]
    fn headers(&self) -> u32 {
        0
    }

    /// Whether a new page of this block needs a new header.
    #[inline]
    fn needs_header(&self, _lbn: Lbn) -> bool {
        false
    }

    // how likely pages are to be written again, for FTLs that choose victims with the buffer (BAGC 2012, section 6.3)

    /// The estimated probability that a held page will be written again before it leaves, as a numerator that is at
    /// most the denominator.
    fn update_probability(&self, _page: Page) -> u64 {
        1
    }

    /// The denominator of all probabilities.
    fn update_denominator(&self) -> u64 {
        2
    }
}

/// The things that a policy orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Pages.
    Page,
    /// Blocks, each with a header while one of its pages is held.
    Block,
}

/// The properties of a policy that do not depend on its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nature {
    /// The things that it orders.
    pub level: Level,
    /// Whether all held pages of a block may leave together, so that they must be found by their block.
    pub evicts_blocks: bool,
    /// Whether it may pad; see [`BufferPolicy::pads`].
    pub pads: bool,
    /// The default of `buffer.reads`: whether host reads enter and count as uses.
    pub caches_reads: bool,
    /// Whether the buffer has a size and ever evicts to make room. False for the unbounded buffer.
    pub bounded: bool,
    /// Whether it can also be the policy of a read buffer (`read_buffer.policy`).
    pub serves_reads: bool,
    /// Whether it is told the writes to come: a bound that no drive can have. Without them, it takes nothing to be
    /// written again.
    pub foresees: bool,
    /// Upper bounds of the memory of its tables, in bytes: for each logical page, each held page, each logical block.
    pub table_bytes: [u64; 3],
    /// Its lists of held pages; their memory comes on top.
    pub(crate) lists: u64,
}

impl Nature {
    /// A policy that orders pages, never pads, ignores reads and has a size.
    pub const fn page_level(table_bytes: [u64; 3]) -> Self {
        Self {
            level: Level::Page,
            evicts_blocks: false,
            pads: false,
            caches_reads: false,
            bounded: true,
            serves_reads: false,
            foresees: false,
            table_bytes,
            lists: 0,
        }
    }

    /// A policy that orders blocks, never pads, ignores reads and has a size.
    pub const fn block_level(table_bytes: [u64; 3]) -> Self {
        Self {
            level: Level::Block,
            evicts_blocks: true,
            ..Self::page_level(table_bytes)
        }
    }

    /// An upper bound of the memory of its tables, in bytes, while it holds at most `held` pages.
    pub fn memory(&self, logical_pages: u64, logical_blocks: u64, held: u64) -> u64 {
        let [page, of_held, block] = self.table_bytes;
        page * logical_pages
            + of_held * held
            + block * logical_blocks
            + self.lists * PageList::bytes(logical_pages, held)
    }

    /// The same, with lists of held pages.
    const fn listing(self, lists: u64) -> Self {
        Self { lists, ..self }
    }

    /// The same, but the pages of a block leave together.
    pub const fn evicting_blocks(mut self) -> Self {
        self.evicts_blocks = true;
        self
    }

    /// The same, but it may pad.
    pub const fn padding(self) -> Self {
        Self { pads: true, ..self }
    }

    /// The same, but host reads enter and count as uses unless `buffer.reads` says otherwise.
    pub const fn caching_reads(mut self) -> Self {
        self.caches_reads = true;
        self
    }

    /// The same, but it can also be the policy of a read buffer. It must evict single pages.
    pub const fn serving_reads(mut self) -> Self {
        self.serves_reads = true;
        self
    }

    /// The same, but it is told the writes to come.
    pub const fn foreseeing(self) -> Self {
        Self {
            foresees: true,
            ..self
        }
    }

    /// The unit of which it is told the writes to come: a page, or a block of this many pages.
    pub const fn unit(&self, pages_per_block: u32) -> Unit {
        match self.level {
            Level::Page => Unit::Page,
            Level::Block => Unit::Block(pages_per_block),
        }
    }

    /// The same, but without a size.
    pub const fn unbounded(mut self) -> Self {
        self.bounded = false;
        self
    }
}

/// A policy for the registry. Each policy implements it once.
pub trait BufferKind: BufferPolicy + Sized + 'static {
    /// Name, rule, source, and the keys it reads.
    const ENTRY: Entry;

    /// What does not depend on its parameters.
    const NATURE: Nature;

    /// What it is with these parameters, if they matter for that.
    fn nature(_: &Self::Config) -> Nature {
        Self::NATURE
    }

    /// Its parameters.
    type Config: Clone + Debug + PartialEq + Send + Sync + 'static;

    /// Its parameters, from the keys that [`BufferKind::ENTRY`] lists.
    fn configure(settings: &dyn Settings) -> Self::Config;

    /// An empty buffer.
    fn new(shape: &Shape, config: &Self::Config) -> Self;
}

/// An action for each of several policies.
pub trait EachKind {
    /// Runs the action for one policy.
    fn kind<B: BufferKind>(&mut self);
}

/// The name for "no buffer".
pub const NO_BUFFER: &str = "none";

/// "No buffer" in the registry.
pub const NONE: Entry = Entry {
    name: NO_BUFFER,
    rule: "no buffer: each host page goes directly to the FTL",
    source: Source::none("the baseline of all papers"),
    keys: &[],
    about: About {
        file: file!(),
        lines: [
            "Nothing is held: each page that the host writes goes to the FTL at once.",
            "Each page that the host reads comes from flash.",
            "A flush does nothing.",
        ],
        cost: "None.",
        wins: "It shows the value of a buffer. If files are written once, from front to back, no page-level buffer gains \
               more than a few per cent over it. Over page mapping it can be faster than a buffer that mixes pages \
               that were not written together.",
        loses: "Pages that are soon rewritten, and blocks whose pages do not arrive in order.",
    },
};
