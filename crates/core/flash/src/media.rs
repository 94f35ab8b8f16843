//! The operations of a flash device.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use crate::{Geometry, Lpn, Note, Pbn, Ppn};

/// The data of a page: `()` in the simulator, a version number in tests, [`Bytes`] for real data.
pub trait Payload: Clone + Send + 'static {
    /// True if pages have no data, so that they need no memory and no copying.
    const NOTHING: bool;

    /// A page that was never written: all bytes zero.
    fn blank(page_size: u32) -> Self;

    /// Overwrites this page with another of the same size.
    fn copy_from(&mut self, other: &Self);

    /// Overwrites this page with a page of the FTL's own that holds these numbers, at most a quarter of its bytes. A payload
    /// without room for them leaves them out.
    fn set_numbers(&mut self, _numbers: impl Iterator<Item = u32>) {}

    /// A page of the FTL's own that holds these numbers.
    fn of_numbers(page_size: u32, numbers: &[u32]) -> Self {
        let mut page = Self::blank(page_size);
        page.set_numbers(numbers.iter().copied());
        page
    }

    /// Whether this is a page that holds these numbers, as far as the payload can tell.
    fn has_numbers(&self, _numbers: impl Iterator<Item = u32>) -> bool {
        true
    }

    /// The number at a place of such a page; `None` if the payload has no room for numbers.
    fn number(&self, _place: usize) -> Option<u32> {
        None
    }
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
    /// Only a checksum of them.
    fn set_numbers(&mut self, numbers: impl Iterator<Item = u32>) {
        *self = checksum(numbers);
    }
    fn has_numbers(&self, numbers: impl Iterator<Item = u32>) -> bool {
        *self == checksum(numbers)
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
    fn set_numbers(&mut self, numbers: impl Iterator<Item = u32>) {
        set_numbers(&mut self.0, numbers);
    }
    fn has_numbers(&self, numbers: impl Iterator<Item = u32>) -> bool {
        has_numbers(&self.0, numbers)
    }
    fn number(&self, place: usize) -> Option<u32> {
        number(&self.0, place)
    }
}

fn checksum(numbers: impl Iterator<Item = u32>) -> u64 {
    numbers.fold(1, |sum: u64, number| {
        (sum ^ u64::from(number))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    })
}

/// Overwrites the bytes of a page with these numbers; see [`Payload::set_numbers`].
pub fn set_numbers(page: &mut [u8], numbers: impl Iterator<Item = u32>) {
    page.fill(0);
    for (bytes, number) in page.chunks_exact_mut(4).zip(numbers) {
        bytes.copy_from_slice(&number.to_le_bytes());
    }
}

/// Whether the bytes of a page hold these numbers.
pub fn has_numbers(page: &[u8], numbers: impl Iterator<Item = u32>) -> bool {
    (0..)
        .zip(numbers)
        .all(|(place, other)| number(page, place) == Some(other))
}

/// The number at a place of such a page.
pub fn number(page: &[u8], place: usize) -> Option<u32> {
    let bytes = page.get(4 * place..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}

/// Why the FTL opened a block or programmed a page. Each FTL defines the numbers it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role(pub u8);

impl Role {
    /// A data block: each page is at its own offset. The blocks of a preconditioned device have this role.
    pub const DATA: Role = Role(0);
}

/// The metadata that an FTL writes into the spare area of a page, in one atomic program with the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spare {
    /// The page whose data this page holds: a logical page, or one of the FTL's own ([`Geometry::own_page`]).
    pub lpn: Lpn,
    /// The role of the page, or the role its block got when it was opened.
    pub role: Role,
}

impl Spare {
    /// The spare area of the logical page `pages` further on.
    #[inline]
    pub const fn plus(self, pages: u32) -> Self {
        Self {
            lpn: self.lpn.plus(pages),
            ..self
        }
    }
}

/// The result of reading a spare area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpareState {
    /// Not programmed since the last erase.
    Erased,
    /// A program or an erase was interrupted here. The page is neither readable nor free.
    Torn,
    /// A programmed page and its sequence number. The numbers grow with every program and copy on the device.
    Good(Spare, u64),
}

/// Why a flash operation failed. The type is small, so that every operation returns it in registers.
///
/// Unless a fault says otherwise, the operation had no effect. Of a run, the pages before the faulty one are done, and
/// none after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The page was programmed since the last erase of its block.
    #[error("physical page {0:?} is already programmed")]
    Programmed(Ppn),
    /// A later page of the block is programmed. Pages must be programmed in ascending order; gaps stay empty until the
    /// next erase.
    #[error("physical page {0:?} lies before a page of its block that is already programmed")]
    OutOfOrder(Ppn),
    /// The page is erased or torn.
    #[error("physical page {0:?} holds no readable data")]
    Unreadable(Ppn),
    /// The block holds the newest version of a page (reported by [`Check`](crate::Check) only).
    #[error("an erase would lose logical page {0:?}")]
    EraseOfNewest(Lpn),
    /// The block was erased 2^32 times; the counter holds no more.
    #[error("physical block {0:?} was erased 2^32 times; its erase counter holds no more")]
    WornOut(Pbn),
    /// The power is off. Nothing works until the device is mounted again.
    #[error("power lost")]
    PowerLost,
    /// The medium below could not be reached; the number is its own error code. The operation may be done, not done or
    /// torn, as after a power cut. An FTL gives up; the device may be mounted again.
    #[error("the medium failed with error code {0}")]
    Io(i32),
    /// The chip could not program the page, as the target of a program or a copy. The page is torn; all other pages of
    /// the block are unchanged. An FTL may place the page again in another block, move the valid pages out of this
    /// block, and retire it. The block must not be programmed again.
    #[error("physical page {0:?} could not be programmed")]
    ProgramFailed(Ppn),
    /// The chip could not erase the block. Each of its pages is unchanged, erased or torn. An FTL may retire the block,
    /// whose pages were no longer needed, and must not program it.
    #[error("physical block {0:?} could not be erased")]
    EraseFailed(Pbn),
    /// The block is marked as bad, by its maker or after a failure. The operation had no effect. An FTL may retire the
    /// block and take another one.
    #[error("physical block {0:?} is bad")]
    BadBlock(Pbn),
    /// The page is programmed, but has more wrong bits than can be corrected; so has the source of a copy, whose target
    /// is still erased. The flash is unchanged, and another try may succeed. An FTL may give up the read: this version
    /// of the page is lost, no other page is.
    #[error("physical page {0:?} has more wrong bits than can be corrected")]
    Uncorrectable(Ppn),
}

/// A flash device. Addresses must be below the geometry's physical pages and blocks; others panic.
///
/// A power cut leaves the current operation done, not done or torn, and may lose operations after the last barrier. The
/// lost operations on a block are always its last ones.
pub trait Media: Send {
    /// The data of a page.
    type Data: Payload;

    /// Whether a clock above wants to know what the FTL does, page by page. If not, no notes are made.
    const CLOCKED: bool = false;

    /// Whether a read changes nothing that a later operation or a figure depends on. Only then may a run of reads without
    /// data be counted at once, without reaching the media.
    const PURE_READS: bool = false;

    /// Keeps a note of what the FTL did, if [`Media::CLOCKED`].
    fn note(&mut self, _: Note) {}

    /// Keeps a note of each copy of these pages to consecutive places.
    fn note_copies(&mut self, _pages: &[(Ppn, Lpn)], _to: Ppn) {}

    /// The notes; whoever reads them clears them. `None` unless notes are kept.
    fn notes(&mut self) -> Option<&mut Vec<Note>> {
        None
    }

    /// Whether the reads from here on are those of the host, of which nobody else sees the data: the media may hand them to
    /// it later.
    fn reads_for_host(&mut self, _are_those: bool) {}

    /// The geometry of the device.
    fn geometry(&self) -> &Geometry;

    /// Programs one page and its spare area.
    fn program(&mut self, to: Ppn, spare: Spare, page: &Self::Data) -> Result<(), Fault>;

    /// Programs consecutive pages of one block for consecutive logical pages, all with the same data.
    fn program_run(
        &mut self,
        to: Ppn,
        count: u32,
        first: Spare,
        page: &Self::Data,
    ) -> Result<(), Fault> {
        program_each(self, to, count, first, page)
    }

    /// Copies the page at `from`, which must be programmed, to `to` with a new spare area.
    fn copy(&mut self, from: Ppn, to: Ppn, spare: Spare) -> Result<(), Fault>;

    /// Copies consecutive pages of one block to consecutive pages of another block, for consecutive logical pages.
    fn copy_run(&mut self, from: Ppn, to: Ppn, count: u32, first: Spare) -> Result<(), Fault> {
        copy_each(self, from, to, count, first)
    }

    /// Copies `pages` of one block, in ascending order with their logical pages, to consecutive pages of another block.
    fn copy_pages(&mut self, pages: &[(Ppn, Lpn)], to: Ppn, role: Role) -> Result<(), Fault> {
        copy_pages_each(self, pages, to, role)
    }

    /// Reads a programmed page.
    fn read(&mut self, at: Ppn, into: &mut Self::Data) -> Result<(), Fault>;

    /// Erases a block.
    fn erase(&mut self, block: Pbn) -> Result<(), Fault>;

    /// Returns when all earlier operations are durable.
    fn barrier(&mut self) -> Result<(), Fault>;

    /// Records that the host discarded a logical page. All versions programmed so far become invalid, even after a
    /// mount. The record is not in the blocks of the geometry and is no flash operation of the FTL.
    fn record_discard(&mut self, lpn: Lpn) -> Result<(), Fault>;

    /// The sequence number of the last discard of a page; 0 if there is none. For mounting.
    fn discarded_at(&mut self, lpn: Lpn) -> Result<u64, Fault>;

    /// Reads the spare area of a page. For mounting and checks; not available if the payload is `()`.
    fn read_spare(&mut self, at: Ppn) -> Result<SpareState, Fault>;

    /// The number of erases of a block.
    fn erase_count(&self, block: Pbn) -> u32;
}

/// Programs a run page by page.
pub(crate) fn program_each<M: Media + ?Sized>(
    media: &mut M,
    to: Ppn,
    count: u32,
    first: Spare,
    page: &M::Data,
) -> Result<(), Fault> {
    (0..count).try_for_each(|i| media.program(to.plus(i), first.plus(i), page))
}

/// Copies a run page by page.
pub(crate) fn copy_each<M: Media + ?Sized>(
    media: &mut M,
    from: Ppn,
    to: Ppn,
    count: u32,
    first: Spare,
) -> Result<(), Fault> {
    (0..count).try_for_each(|i| media.copy(from.plus(i), to.plus(i), first.plus(i)))
}

/// Copies pages of one block page by page.
pub(crate) fn copy_pages_each<M: Media + ?Sized>(
    media: &mut M,
    pages: &[(Ppn, Lpn)],
    to: Ppn,
    role: Role,
) -> Result<(), Fault> {
    let mut pages = pages.iter().zip(to.0..);
    pages.try_for_each(|(&(from, lpn), to)| media.copy(from, Ppn(to), Spare { lpn, role }))
}
