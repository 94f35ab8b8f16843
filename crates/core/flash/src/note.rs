//! What an FTL does, noted for a clock.

use alloc::vec::Vec;

use crate::{Lpn, Pbn, Ppn};

/// How many bits cells have, which decides how long reads and programs take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cells {
    /// All that they can have.
    Native,
    /// One: SLC mode.
    Slc,
    /// Copies read one and program all.
    Fold,
}

/// One step of an FTL, in the order in which it happened. Logical pages are those of the FTL. An FTL without flash
/// ([`Geometry::physical_blocks`](crate::Geometry::physical_blocks) is 0) uses the number of the logical page as place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// The write of one page begins, with all that it causes. The device begins one for each page that it writes; the
    /// FTL, for each page that leaves its region in RAM.
    Call,
    /// A page was read to the controller.
    Read {
        /// Its place.
        at: Ppn,
        /// The host itself reads it: the page is neither padding nor the rest of a page that is written in part.
        host: bool,
    },
    /// Consecutive places with consecutive pages were read to the controller, to pad a victim.
    Reads {
        /// The first place.
        at: Ppn,
        /// The first page.
        lpn: Lpn,
        /// The number of pages, at least 1.
        count: u32,
    },
    /// A page of the FTL's own was read, such as a part of its map.
    ReadOwn {
        /// Its place.
        at: Ppn,
    },
    /// A page of the FTL's own was programmed.
    ProgramOwn {
        /// Its place.
        to: Ppn,
    },
    /// A page of the FTL's own was copied through the controller.
    CopyOwn {
        /// Its old place.
        from: Ppn,
        /// Its new place.
        to: Ppn,
    },
    /// A page is looked up in a map in flash: a call of its own begins.
    LookUp,
    /// A map page was read, because an entry of it was needed.
    LoadMap {
        /// Its place.
        at: Ppn,
        /// Its number; `u32::MAX` if it is another page, which was read in its place because the map was wrong.
        page: u32,
        /// The host waits for it.
        host: bool,
    },
    /// A map page came from the host's memory.
    FetchMap {
        /// Its number if an entry of it was needed, else `u32::MAX`.
        page: u32,
    },
    /// The page was found. What follows in its call waits for the last load of its map page, whoever caused that.
    LookedUp {
        /// The number of the map page.
        page: u32,
    },
    /// A page of a map that is kept in flash, but not stored, was programmed.
    ProgramMap {
        /// Its position in a block.
        position: u32,
    },
    /// Consecutive pages from the host, the buffer or the region in RAM, or read to pad a victim, were programmed to
    /// consecutive places. The first one belongs to the call that has begun; each other one begins a call of its own.
    Programs {
        /// The first place.
        to: Ppn,
        /// The first page.
        lpn: Lpn,
        /// The number of pages, at least 1.
        count: u32,
    },
    /// A merge or cleaning programmed a page from the buffer.
    MergeProgram {
        /// Its place.
        to: Ppn,
        /// The page.
        lpn: Lpn,
    },
    /// The next copies are of pages of another group of neighbours, of which so many are valid before the first one. Only
    /// where several pages are sensed together ([`Media::CLOCKED`](crate::Media::CLOCKED) media of drives with
    /// `timing.sense_pages`).
    Group {
        /// The valid pages of the group, at least 1.
        valid: u32,
    },
    /// A page was copied through the controller.
    Copy {
        /// Its old place.
        from: Ppn,
        /// Its new place.
        to: Ppn,
    },
    /// A page was copied inside a plane.
    CopyBack {
        /// Its old place.
        from: Ppn,
        /// Its new place.
        to: Ppn,
    },
    /// A block was erased.
    Erase {
        /// The block.
        block: Pbn,
    },
    /// A block was erased from which this call and earlier ones moved the valid pages: all calls with moves since the last
    /// such erase.
    EraseVictim {
        /// The block.
        block: Pbn,
    },
    /// The operations that follow are on cells of this kind; at first they are native.
    Cells(Cells),
    /// A page was updated in the region in RAM.
    RamHit(Lpn),
    /// A page entered the region in RAM.
    RamEntry(Lpn),
    /// A page left the region in RAM.
    RamExit(Lpn),
}

impl Note {
    /// If this note continues the last program before its call, adds it to that program and drops the call. Returns
    /// whether it did.
    #[inline]
    pub(crate) fn continues(&self, notes: &mut Vec<Note>) -> bool {
        let Note::Programs { to, lpn, count } = *self else {
            return false;
        };
        let [
            ..,
            Note::Programs {
                to: at,
                lpn: page,
                count: pages,
            },
            Note::Call,
        ] = &mut notes[..]
        else {
            return false;
        };
        let goes_on = to == at.plus(*pages) && lpn == page.plus(*pages);
        if goes_on {
            *pages += count;
            notes.pop();
        }
        goes_on
    }
}
