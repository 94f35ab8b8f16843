//! Write-buffer policies choose the page or block that is evicted next.
//!
//! The write buffer reports each access, each page that leaves and each page that becomes clean in place. A policy
//! keeps only orders. The write buffer alone keeps residency, dirty marks and data.

mod blocks;
mod blru;
mod bplru;
mod cflru;
mod fab;
mod fifo;
mod lru;
mod pages;
mod plru_br;
mod plru_br_2q;
mod sof;
mod three_region;
mod unbounded;

use ssdlab_flash::{Geometry, Lbn, Lpn, Page};

use crate::{About, Entry};

/// The device and the parameters that a policy may use.
#[derive(Clone, Debug)]
pub struct Params {
    /// The geometry of the device.
    pub geometry: Geometry,
    /// C: pages that the buffer holds, at least 1.
    pub buffer_pages: u64,
    /// `buffer.window` (cflru): share of C.
    pub window: f64,
    /// `buffer.hot` (plru-br-2q): share of C.
    pub hot: f64,
    /// `buffer.padding` (bplru).
    pub padding: bool,
    /// `buffer.compensation` (bplru).
    pub compensation: bool,
}

impl Params {
    /// The most pages that can be held at once; the size of tables.
    fn most_pages(&self) -> u32 {
        self.buffer_pages
            .min(u64::from(self.geometry.logical_pages())) as u32
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

/// A write-buffer policy.
pub trait BufferPolicy {
    /// Name, rule and source.
    const ENTRY: Entry;

    /// Upper bounds of the memory of its tables, in bytes: for each logical page, each held page, each logical block.
    const TABLE_BYTES: [u64; 3];

    /// Whether the buffer has a size and ever evicts to make room. False for the unbounded buffer.
    const BOUNDED: bool = true;

    /// Whether a new page is evicted after all pages that are already held, as long as none is used again. Then
    /// alternating single entries and evictions gives the same result as all evictions followed by all entries.
    const ENTERS_LAST: bool = false;

    /// An empty buffer.
    fn new(params: &Params) -> Self;

    /// A read or write request begins; the next accesses belong to it.
    #[inline]
    fn begin_request(&mut self) {}

    /// The host accesses a page that is held.
    fn hit(&mut self, page: Page, access: Access);

    /// The host accesses a page that now enters.
    fn enter(&mut self, page: Page, access: Access);

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

    /// A page left: it was evicted alone, or discarded.
    fn left(&mut self, page: Page);

    /// Evicts a run of victims: at most `most` and at most as many as are held, as long as each page directly follows
    /// the one before. Returns the first page and the number of pages. Called only if `ENTERS_LAST`.
    fn leave_run(&mut self, _most: u32) -> (Lpn, u32) {
        unreachable!("{} does not evict in runs", Self::ENTRY.name);
    }

    /// The `count` given pages of a victim block left. Called after all of them have left.
    #[inline]
    fn left_together(&mut self, _lbn: Lbn, _count: u32, pages: impl Iterator<Item = Page>) {
        pages.for_each(|page| self.left(page));
    }

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

    /// Whether the policy pads a block with a dirty page that is evicted or aged: the missing pages are read from
    /// flash, and the whole block is written (BPLRU).
    #[inline]
    fn pads(&self) -> bool {
        false
    }

    /// The first page in `first..end`, which is part of one block, that stays when the block is the victim, or `end`.
    #[inline]
    fn first_staying(&self, _first: Lpn, end: Lpn) -> Lpn {
        end
    }

    /// The estimated probability that a held page will be written again before it leaves, as a numerator that is at
    /// most the denominator (BAGC 2012, section 6.3).
    fn update_probability(&self, _page: Page) -> u64 {
        1
    }

    /// The denominator of all probabilities.
    fn update_denominator(&self) -> u64 {
        2
    }

    /// The current number of block headers (`buffer.count_headers`); 0 for page-level policies.
    fn headers(&self) -> u32 {
        0
    }

    /// Whether a new page of this block needs a new header.
    fn needs_header(&self, _lbn: Lbn) -> bool {
        false
    }
}

/// An action for a policy whose type is known only by name.
pub trait WithPolicy {
    /// The result of the action.
    type Out;

    /// Runs the action.
    fn with<B: BufferPolicy + 'static>(self, new: fn(&Params) -> B) -> Self::Out;
}

macro_rules! registry {
    ($($module:ident::$policy:ident,)*) => {
        /// All policies.
        pub const ENTRIES: &[Entry] = &[NONE, $($module::$policy::ENTRY),*];

        /// Runs an action with the policy of this name. Returns `None` for `none` and for unknown names.
        pub fn with_policy<W: WithPolicy>(name: &str, action: W) -> Option<W::Out> {
            $(if name == $module::$policy::ENTRY.name {
                return Some(action.with($module::$policy::new));
            })*
            None
        }
    };
}

registry! {
    fifo::Fifo,
    lru::Lru,
    cflru::Cflru,
    sof::Sof,
    fab::Fab,
    blru::Blru,
    bplru::Bplru,
    plru_br::PlruBr,
    plru_br_2q::PlruBr2q,
    three_region::ThreeRegion,
    unbounded::Unbounded,
}

/// The name for "no buffer".
pub const NO_BUFFER: &str = "none";

const NONE: Entry = Entry {
    name: NO_BUFFER,
    rule: "no buffer: each host page goes directly to the FTL",
    paper: "the baseline of all papers",
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
