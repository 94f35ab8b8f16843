//! Write-buffer policies: which page or block leaves next.
//!
//! A policy is told of every access, of every page that leaves and of every page that is cleaned in place. It keeps
//! orders, never residency, dirty marks or data: these belong to the one write buffer.

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

/// What a policy may know of its device and its parameters.
#[derive(Clone, Debug)]
pub struct Params {
    /// The device's shape.
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
    /// The most pages that can be held at once, for tables.
    fn most_pages(&self) -> u32 {
        self.buffer_pages
            .min(u64::from(self.geometry.logical_pages())) as u32
    }
}

/// What the host does to a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It reads the page.
    Read,
    /// It writes the page, which is dirty from then on.
    Write,
}

/// What leaves next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victim {
    /// One page.
    Page(Lpn),
    /// All pages held of a block but those that stay.
    Block(Lbn),
}

/// A write-buffer policy.
pub trait BufferPolicy {
    /// Name, rule and source.
    const ENTRY: Entry;

    /// Whether a victim is needed for room at all: false for the bound without a size.
    const BOUNDED: bool = true;

    /// Whether a page that enters leaves after all that are held already, as long as nobody touches them: then the
    /// order in which entries and evictions alternate makes no difference.
    const ENTERS_LAST: bool = false;

    /// An empty buffer.
    fn new(params: &Params) -> Self;

    /// A request begins that reads or writes: what is touched from now on is touched by it.
    #[inline]
    fn begin_request(&mut self) {}

    /// The host touched a page that is held already.
    fn hit(&mut self, page: Page, access: Access);

    /// The host touched a page that now enters.
    fn enter(&mut self, page: Page, access: Access);

    /// The host touched consecutive pages of one block that are held already, one after the other.
    #[inline]
    fn hit_run(&mut self, first: Page, count: u32, access: Access) {
        (0..count).for_each(|i| self.hit(first.plus(i), access));
    }

    /// Consecutive pages of one block enter, one after the other.
    #[inline]
    fn enter_run(&mut self, first: Page, count: u32, access: Access) {
        (0..count).for_each(|i| self.enter(first.plus(i), access));
    }

    /// A page left: it was named as victim by itself, or discarded.
    fn left(&mut self, page: Page);

    /// Names victims, at most so many as are held, as long as each is the page behind the one before, and takes note
    /// that they leave; the first and how many. Asked only of policies with `ENTERS_LAST`.
    fn leave_run(&mut self, _most: u32) -> (Lpn, u32) {
        unreachable!("{} may name pages that enter", Self::ENTRY.name);
    }

    /// These pages of a block that it named as victim left, one after the other; they are `count`. Told when all have left.
    #[inline]
    fn left_together(&mut self, _lbn: Lbn, _count: u32, pages: impl Iterator<Item = Page>) {
        pages.for_each(|page| self.left(page));
    }

    /// A dirty page was written and stays, clean. Changes no order.
    fn cleaned(&mut self, _page: Page) {}

    /// Names what leaves next, by its rule alone. Asked only while a page is held (by the unbounded buffer: a dirty
    /// one); all that is named leaves before the next question.
    fn victim(&mut self) -> Victim;

    /// As `victim`, because the buffer is full and a page wants to enter: a policy may learn from that.
    #[inline]
    fn victim_for_room(&mut self) -> Victim {
        self.victim()
    }

    /// Whether a block with a dirty page that is evicted or aged is padded: its gaps are read from flash, and the whole block
    /// is written (BPLRU).
    #[inline]
    fn pads(&self) -> bool {
        false
    }

    /// The first page from `first` on and before `end`, in one block, that stays when the block is the victim, else
    /// `end`.
    #[inline]
    fn first_staying(&self, _first: Lpn, end: Lpn) -> Lpn {
        end
    }

    /// The estimate that a page that is held will be written again before it leaves: a numerator, at most the denominator
    /// (BAGC 2012, section 6.3).
    fn update_probability(&self, _page: Page) -> u64 {
        1
    }

    /// The denominator of all estimates.
    fn update_denominator(&self) -> u64 {
        2
    }

    /// Block headers kept at the moment (SPEC `count_headers`); page-level policies have none.
    fn headers(&self) -> u32 {
        0
    }

    /// Whether entering needs a new block header.
    fn needs_header(&self, _lbn: Lbn) -> bool {
        false
    }
}

/// Something to be done with a policy whose type is known only by name.
pub trait WithPolicy {
    /// What comes of it.
    type Out;

    /// Does it.
    fn with<B: BufferPolicy + 'static>(self, new: fn(&Params) -> B) -> Self::Out;
}

macro_rules! registry {
    ($($module:ident::$policy:ident,)*) => {
        /// Every policy that can run.
        pub const ENTRIES: &[Entry] = &[NONE, $($module::$policy::ENTRY),*];

        /// Does something with the policy of this name; `None` for `none` and for unknown names.
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

/// The name that means no buffer at all.
pub const NO_BUFFER: &str = "none";

const NONE: Entry = Entry {
    name: NO_BUFFER,
    rule: "no buffer: each host page goes straight to the FTL",
    paper: "all papers' baseline",
    keys: &[],
    about: About {
        file: file!(),
        lines: [
            "Nothing is held: every page that the host writes goes to the FTL at once.",
            "Every page that it reads comes from flash.",
            "A flush has nothing to do.",
        ],
        cost: "Nothing.",
        wins: "It shows what a buffer is worth. Where files are written once, from front to back, no page-level \
               buffer gains more than a few per cent over it; over page mapping it may be ahead of one that mixes \
               what was written together.",
        loses: "Wherever pages are soon written again, or those of a block do not come in order.",
    },
};
