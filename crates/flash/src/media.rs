//! What a flash device can do.

use crate::{Geometry, Lpn, Pbn, Ppn};

/// What a page carries: `()` in the simulator, a version number in tests, [`Bytes`] in memory.
pub trait Payload: Clone {
    /// True if pages carry nothing, so that stores of payload cost nothing.
    const NOTHING: bool;

    /// A page nobody has written: all zero.
    fn blank(page_size: u32) -> Self;

    /// Overwrites this page with another of the same size.
    fn copy_from(&mut self, other: &Self);
}

impl Payload for () {
    const NOTHING: bool = true;
    fn blank(_: u32) {}
    fn copy_from(&mut self, (): &()) {}
}

impl Payload for u64 {
    const NOTHING: bool = false;
    fn blank(_: u32) -> u64 {
        0
    }
    fn copy_from(&mut self, other: &u64) {
        *self = *other;
    }
}

/// The bytes of one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes(pub Box<[u8]>);

impl Payload for Bytes {
    const NOTHING: bool = false;
    fn blank(page_size: u32) -> Bytes {
        Bytes(vec![0; page_size as usize].into_boxed_slice())
    }
    fn copy_from(&mut self, other: &Bytes) {
        self.0.copy_from_slice(&other.0);
    }
}

/// What the FTL opened a block for, or programmed a page for; the meaning of the number is the FTL's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role(pub u8);

impl Role {
    /// A block that holds every page at its own offset. The blocks of a preconditioned device have this role.
    pub const DATA: Role = Role(0);
}

/// What an FTL writes into the spare area of a page, in one atomic program with the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spare {
    /// The logical page that this is a version of.
    pub lpn: Lpn,
    /// The role of the block, from when it was opened, or of the page.
    pub role: Role,
}

impl Spare {
    /// Of the page so many pages further on.
    #[inline]
    pub const fn plus(self, pages: u32) -> Self {
        Self {
            lpn: self.lpn.plus(pages),
            ..self
        }
    }
}

/// What reading a spare area finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpareState {
    /// Not programmed since the last erase.
    Erased,
    /// A program or an erase was interrupted here: neither readable nor free.
    Torn,
    /// A programmed page with its sequence number. Numbers grow with every program and copy of the device.
    Good(Spare, u64),
}

/// Why an operation of the flash failed. Small: it comes back in registers from every page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A page may be programmed once between two erases of its block.
    #[error("physical page {0:?} is programmed already")]
    Programmed(Ppn),
    /// Pages of a block are programmed in ascending order; gaps stay empty until the next erase.
    #[error("physical page {0:?} lies before a page of its block that is programmed already")]
    OutOfOrder(Ppn),
    /// There is nothing to read.
    #[error("physical page {0:?} holds no readable data")]
    Unreadable(Ppn),
    /// The block still holds the newest version of a page (seen in checked mode only).
    #[error("an erase would lose logical page {0:?}")]
    EraseOfNewest(Lpn),
    /// A block was erased more often than is counted.
    #[error("physical block {0:?} was erased 2^32 times, more than is counted")]
    WornOut(Pbn),
    /// The power went; nothing works until the device is mounted anew.
    #[error("power lost")]
    PowerLost,
}

/// A flash device. Addresses are below the geometry's physical pages and blocks; anything else panics, as an index does.
///
/// A power loss leaves the operation under way done, not done or torn, and may lose operations that no barrier has
/// followed; operations on one block are lost only from the last one backwards.
pub trait Media {
    /// What a page carries.
    type Page: Payload;

    /// The shape.
    fn geometry(&self) -> &Geometry;

    /// Programs one page together with its spare area.
    fn program(&mut self, to: Ppn, spare: Spare, page: &Self::Page) -> Result<(), Fault>;

    /// Programs consecutive pages of one block with consecutive logical pages that all carry the same data.
    fn program_run(
        &mut self,
        to: Ppn,
        count: u32,
        first: Spare,
        page: &Self::Page,
    ) -> Result<(), Fault> {
        program_each(self, to, count, first, page)
    }

    /// Programs `to` with the page at `from`, which must be programmed; the spare area is new.
    fn copy(&mut self, from: Ppn, to: Ppn, spare: Spare) -> Result<(), Fault>;

    /// Copies consecutive pages of one block to consecutive pages of another, for consecutive logical pages.
    fn copy_run(&mut self, from: Ppn, to: Ppn, count: u32, first: Spare) -> Result<(), Fault> {
        copy_each(self, from, to, count, first)
    }

    /// Copies pages of one block, given in ascending order with their logical pages, to consecutive pages of another.
    fn copy_pages(&mut self, pages: &[(Ppn, Lpn)], to: Ppn, role: Role) -> Result<(), Fault> {
        copy_pages_each(self, pages, to, role)
    }

    /// Reads a programmed page.
    fn read(&mut self, at: Ppn, into: &mut Self::Page) -> Result<(), Fault>;

    /// Erases a block.
    fn erase(&mut self, block: Pbn) -> Result<(), Fault>;

    /// Returns when everything before it is durable.
    fn barrier(&mut self) -> Result<(), Fault>;

    /// Records that the host discarded a page: every version programmed so far is void, after a mount as well.
    /// The record lies outside the blocks of the geometry and is no flash operation of the FTL.
    fn record_discard(&mut self, lpn: Lpn) -> Result<(), Fault>;

    /// The sequence number of the newest discard of a page, 0 if there is none. For mounting.
    fn discarded_at(&mut self, lpn: Lpn) -> Result<u64, Fault>;

    /// The spare area of a page. For mounting and checks; not available where pages carry nothing.
    fn read_spare(&mut self, at: Ppn) -> Result<SpareState, Fault>;

    /// How often a block was erased.
    fn erase_count(&self, block: Pbn) -> u32;
}

/// A run of programs, page by page.
pub(crate) fn program_each<M: Media + ?Sized>(
    media: &mut M,
    to: Ppn,
    count: u32,
    first: Spare,
    page: &M::Page,
) -> Result<(), Fault> {
    (0..count).try_for_each(|i| media.program(to.plus(i), first.plus(i), page))
}

/// A run of copies, page by page.
pub(crate) fn copy_each<M: Media + ?Sized>(
    media: &mut M,
    from: Ppn,
    to: Ppn,
    count: u32,
    first: Spare,
) -> Result<(), Fault> {
    (0..count).try_for_each(|i| media.copy(from.plus(i), to.plus(i), first.plus(i)))
}

/// Pages of one block, page by page.
pub(crate) fn copy_pages_each<M: Media + ?Sized>(
    media: &mut M,
    pages: &[(Ppn, Lpn)],
    to: Ppn,
    role: Role,
) -> Result<(), Fault> {
    let mut pages = pages.iter().zip(to.0..);
    pages.try_for_each(|(&(from, lpn), to)| media.copy(from, Ppn(to), Spare { lpn, role }))
}
