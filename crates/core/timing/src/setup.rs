//! The parameters of a schedule.

use ssdlab_flash::{Cells, Stripes};

use crate::Issue;
use crate::ahead::Ahead;
use crate::drive::{Drive, Today};
use crate::filled::Filled;
use crate::lane::Lane;
use crate::pages::Pages;
use crate::spread::Spread;

/// The times of single steps in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Times {
    /// The cells deliver a page.
    pub read_ns: u64,
    /// The cells are programmed.
    pub program_ns: u64,
    /// A block is erased.
    pub erase_ns: u64,
    /// With an SLC cache: its times.
    pub slc: Option<SlcTimes>,
    /// A page moves over a channel.
    pub channel_ns: u64,
    /// A page moves over the bus.
    pub bus_ns: u64,
    /// A page of a buffer is accessed.
    pub buffer_ns: u64,
    /// A map page comes from the host's memory.
    pub map_host_ns: u64,
}

impl Times {
    /// The times to read and to program a page of cells of this kind.
    pub(crate) fn of(&self, cells: Cells) -> (u64, u64) {
        match (cells, self.slc) {
            (Cells::Slc, Some(slc)) => (slc.read_ns, slc.program_ns),
            (Cells::Fold, Some(slc)) => (slc.read_ns, slc.fold_ns),
            _ => (self.read_ns, self.program_ns),
        }
    }
}

/// The times of cells in SLC mode, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlcTimes {
    /// The cells deliver a page.
    pub read_ns: u64,
    /// The cells are programmed.
    pub program_ns: u64,
    /// Native cells are programmed with a page that was folded.
    pub fold_ns: u64,
}

/// Which chips an FTL uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// There is one FTL for each chip.
    Alone,
    /// One FTL uses all chips: physical page p is on chip p mod chips, and an erase concerns all of them.
    Lines,
}

/// The parameters of a schedule.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Channels, at least 1.
    pub channels: u32,
    /// Chips, at least 1; chip c is on channel c mod channels.
    pub chips: u32,
    /// See [`Layout`].
    pub layout: Layout,
    /// How the pages of the device spread over the FTLs.
    pub stripes: Stripes,
    /// See [`Times`].
    pub times: Times,
    /// How the times of the cells differ from block to block; `None`: not at all. A drive of today ignores it.
    pub spread: Option<Spread>,
    /// Host reads suspend programs and erases.
    pub read_suspends: bool,
    /// See [`Issue`].
    pub issue: Issue,
    /// The slots of the write buffer.
    pub slots: u64,
    /// The slots of each FTL's region in RAM.
    pub ram_slots: u64,
    /// The logical pages of the device.
    pub logical_pages: u32,
    /// The logical blocks of the device, if the headers of blocks take slots; else 0.
    pub headers: u32,
    /// The pages of a block.
    pub pages_per_block: u32,
    /// The physical blocks of each FTL, those of a map in flash included.
    pub blocks: u32,
    /// The pages of each FTL's map in flash, if it has one.
    pub map_pages: u32,
    /// There is a read buffer.
    pub read_buffer: bool,
    /// It is a drive of today: see [`Today`]. Then `program_ns` of its times and `read_suspends` do not matter.
    pub today: Option<Today>,
}

/// With [`Issue::Timed`], the most times that may lie ahead at the issue of a request: moments when pages are in memory,
/// and stretches in which a channel or the bus is busy.
pub const BACKLOG: usize = 1 << 20;

impl Setup {
    /// The number of FTLs.
    pub(crate) fn ftls(&self) -> u32 {
        self.stripes.chips
    }

    /// An upper bound of the memory of a schedule, in bytes. With [`Issue::Closed`], what is proportional to its queue
    /// comes on top.
    pub fn bytes(&self) -> u64 {
        let pages = u64::from(self.logical_pages);
        let held = (self.slots + u64::from(self.ftls()) * self.ram_slots).min(2 * pages);
        let most = match self.issue {
            Issue::Timed { .. } => BACKLOG as u64,
            Issue::Closed { .. } => 1 << 10,
        };
        // the pages that pad a victim have times too
        let timed = most.min(held + u64::from(self.pages_per_block));
        let blocks = u64::from(self.ftls()) * u64::from(self.blocks);
        Pages::bytes(timed)
            + Ahead::<u64>::bytes(most * u64::from(self.read_buffer))
            + u64::from(self.read_suspends || self.today.is_some()) * Filled::bytes(blocks, most)
            + self.today.as_ref().map_or(0, |today| Drive::bytes(self, today))
            + 8 * u64::from(self.headers)
            + 8 * u64::from(self.ftls()) * u64::from(self.map_pages)
            + 8 * blocks * u64::from(self.times.slc.is_some())
            + (u64::from(self.channels) + 1) * Lane::bytes()
            // heaps and busy intervals grow by doubling
            + 16 * held
            + 48 * most
            // classes of latencies
            + (4 << 20)
    }
}
