//! The parameters of a device apart from its systems, as plain values.

use ssdlab_flash::Geometry;
use ssdlab_ftl::{Capacity, Needs};
use ssdlab_timing::{Issue, Spread, Today};

use crate::{Precondition, Stripes};

/// The largest number of blocks or pages: page numbers have 32 bits, and one value means "none".
pub const MAX_PAGES: u32 = u32::MAX - 1;

/// The parameters of a device. A [`Stack`](crate::Stack) says which buffer and which FTL it has.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// See [`PartialWrites`].
    pub partial_writes: PartialWrites,
    /// See [`Precondition`].
    pub precondition: Precondition,
    /// Whether the end of the trace writes the buffers back.
    pub drain: bool,
    /// The flash array.
    pub flash: Flash,
    /// The costs of operations.
    pub timing: Timing,
    /// The energy of operations, if it is known.
    pub energy: Option<Energy>,
    /// The write buffer. Ignored without one.
    pub buffer: Buffer,
    /// The size of the read buffer in bytes, at least one page. Ignored without one.
    pub read_buffer_size: u64,
    /// Whether pages that the host writes enter the read buffer when they go to the FTL. Ignored without one.
    pub read_buffer_takes_writes: bool,
}

impl Default for Parameters {
    fn default() -> Self {
        let mut parameters = Self::configure(&());
        parameters.timing = Timing::default();
        parameters
    }
}

/// How a write of part of a page is counted (`partial_writes`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PartialWrites {
    /// Like a write of the whole page, as in the papers.
    #[default]
    Whole,
    /// A mapped page that is in no buffer is read from flash first.
    Rmw,
}

/// How host reads affect the buffer (`buffer.reads`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reads {
    /// Not at all: misses do not enter, and hits do not count as uses.
    #[default]
    Bypass,
    /// Misses enter as clean pages, and hits count as uses.
    Cache,
}

/// The flash array. The default is that of the preset `bplru-2008`: 1 GiB in blocks of 128 pages of 2 KiB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flash {
    /// Capacity for the host in bytes, a multiple of [`Flash::capacity_step`].
    pub capacity: u64,
    /// Size of a page in bytes: 512 to 1 MiB in steps of 512, times the chips with [`Interleave::Superpage`].
    pub page_size: u32,
    /// Pages in an erase block, 1 to 65536, times the chips with [`Interleave::Line`].
    pub pages_per_block: u32,
    /// Planes, at least 1; block b is in plane b mod planes.
    pub planes: u32,
    /// Whether copies inside a plane avoid the flash bus.
    pub copy_back: bool,
    /// Channels, at least 1.
    pub channels: u32,
    /// Chips on each channel, at least 1.
    pub chips_per_channel: u32,
    /// See [`Interleave`].
    pub interleave: Interleave,
}

impl Default for Flash {
    fn default() -> Self {
        Self::configure(&())
    }
}

impl Flash {
    /// Size of an erase block in bytes, across all chips with [`Interleave::Superpage`] and [`Interleave::Line`].
    pub fn block_bytes(&self) -> u64 {
        u64::from(self.page_size) * u64::from(self.pages_per_block)
    }

    /// The number of chips.
    pub fn chips(&self) -> u32 {
        self.channels * self.chips_per_channel
    }

    /// The number of chips that work on their own.
    pub(crate) fn units(&self) -> u32 {
        match self.interleave {
            Interleave::Superpage => 1,
            Interleave::Page | Interleave::Block | Interleave::Line => self.chips(),
        }
    }

    /// Whether an erase is one of a line: of a block on each of several chips.
    pub fn erases_lines(&self) -> bool {
        self.interleave == Interleave::Line && self.chips() > 1
    }

    /// The number of chips with an FTL of their own: all with [`Interleave::Page`] and [`Interleave::Block`], otherwise 1.
    pub fn separate_chips(&self) -> u32 {
        match self.interleave {
            Interleave::Page | Interleave::Block => self.chips(),
            Interleave::Superpage | Interleave::Line => 1,
        }
    }

    /// How pages spread over the chips with an FTL of their own.
    pub fn stripes(&self) -> Stripes {
        Stripes {
            chips: self.separate_chips(),
            pages: match self.interleave {
                Interleave::Block => self.pages_per_block,
                Interleave::Page | Interleave::Superpage | Interleave::Line => 1,
            },
        }
    }

    /// The bytes of which each capacity is a multiple: one block on each chip with its own FTL.
    pub fn capacity_step(&self) -> u64 {
        self.block_bytes() * u64::from(self.separate_chips())
    }

    /// The number of logical blocks.
    pub fn logical_blocks(&self) -> u32 {
        (self.capacity / self.block_bytes()) as u32
    }

    /// The number of logical pages.
    pub fn logical_pages(&self) -> u32 {
        self.logical_blocks() * self.pages_per_block
    }

    /// The number of whole pages in a buffer of this size.
    pub fn pages_in(&self, bytes: u64) -> u64 {
        bytes / u64::from(self.page_size)
    }

    /// The capacity of each chip with its own FTL.
    pub fn chip_capacity(&self) -> Capacity {
        Capacity {
            logical_blocks: self.capacity / self.capacity_step(),
            pages_per_block: self.pages_per_block.into(),
            page_size: self.page_size,
        }
    }

    /// The geometry that the host sees over chips that need this.
    pub(crate) fn geometry(&self, needs: &Needs) -> Geometry {
        self.geometry_of(1, self.chip_blocks(needs) * self.separate_chips())
    }

    /// The geometry of each chip with its own FTL.
    pub(crate) fn chip_geometry(&self, needs: &Needs) -> Geometry {
        self.geometry_of(self.separate_chips(), self.chip_blocks(needs))
            .with_own_pages(needs.own_pages)
            .with_own_blocks(needs.map.map_or(0, |map| map.blocks))
    }

    /// The physical blocks of each chip with its own FTL.
    fn chip_blocks(&self, needs: &Needs) -> u32 {
        needs.physical_blocks(self.chip_capacity().logical_blocks) as u32
    }

    fn geometry_of(&self, share: u32, physical_blocks: u32) -> Geometry {
        let geometry = Geometry::new(
            self.page_size,
            self.pages_per_block,
            self.logical_blocks() / share,
            physical_blocks,
            self.planes,
        );
        match self.interleave {
            Interleave::Line => geometry.in_lines(self.chips()),
            Interleave::Superpage | Interleave::Page | Interleave::Block => geometry,
        }
    }
}

/// How pages spread over several chips (`flash.interleave`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interleave {
    /// A page and a block span all chips, which share one FTL.
    Superpage,
    /// LPN p is on chip p mod chips. Each chip has its own FTL with local pages p div chips.
    Page,
    /// Logical block b is on chip b mod chips. Each chip has its own FTL with local blocks b div chips.
    Block,
    /// A block is a *line* of one erase block on each chip: the page at its position p is on chip p mod chips. All chips
    /// share one FTL.
    Line,
}

/// Costs of operations in nanoseconds, at most one second each. The default is that of the preset `bplru-2008`.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// Reads a page from the cells into the register.
    pub read_ns: u64,
    /// Programs a page from the register into the cells: the share of a page where several are programmed at once.
    pub program_ns: u64,
    /// Erases a block.
    pub erase_ns: u64,
    /// Reads a page from the cells of an SLC cache into the register.
    pub slc_read_ns: u64,
    /// Programs a page into the cells of an SLC cache.
    pub slc_program_ns: u64,
    /// Programs a page that leaves an SLC cache.
    pub fold_program_ns: u64,
    /// Transfers a page over the flash bus. With [`Interleave::Superpage`], the parts for the chips of one channel are
    /// transferred one after the other.
    pub transfer_ns: u64,
    /// One access of a buffer: a host page that hits or enters it.
    pub buffer_ns: u64,
    /// A map page, or the entries of it that are wanted, comes from the host's memory.
    pub map_host_ns: u64,
    /// How the times of the cells differ from block to block; `None`: not at all.
    pub spread: Option<Spread>,
    /// How these times add up.
    pub model: TimeModel,
    /// What else the models with clocks need.
    pub parallel: Parallel,
    /// What else [`TimeModel::Drive`] needs.
    pub today: Today,
}

impl Timing {
    /// How long operations keep the cells busy, on all chips together: without moves and buffers, and an erase of a line on
    /// each of its chips.
    pub(crate) fn of_cells(&self, flash: &Flash) -> Self {
        let chips = match flash.interleave {
            Interleave::Line => flash.chips(),
            Interleave::Page | Interleave::Block | Interleave::Superpage => 1,
        };
        Self {
            erase_ns: self.erase_ns * u64::from(chips),
            transfer_ns: 0,
            buffer_ns: 0,
            map_host_ns: 0,
            ..self.clone()
        }
    }
}

/// The energy of operations in picojoules, at most 10^12 each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Energy {
    /// Reads a page of one chip.
    pub read_pj: u64,
    /// Programs a page of one chip.
    pub program_pj: u64,
    /// Erases a block of one chip.
    pub erase_pj: u64,
}

impl Energy {
    /// The energy in the place of the times, so that what adds up times adds up energy. An operation on all chips of a
    /// superpage or line takes that of each.
    pub(crate) fn as_times(self, flash: &Flash) -> Timing {
        let chips = u64::from(flash.chips());
        let (pages, blocks) = match flash.interleave {
            Interleave::Page | Interleave::Block => (1, 1),
            Interleave::Line => (1, chips),
            Interleave::Superpage => (chips, chips),
        };
        Timing {
            read_ns: self.read_pj * pages,
            program_ns: self.program_pj * pages,
            slc_read_ns: self.read_pj * pages,
            slc_program_ns: self.program_pj * pages,
            fold_program_ns: self.program_pj * pages,
            erase_ns: self.erase_pj * blocks,
            transfer_ns: 0,
            buffer_ns: 0,
            map_host_ns: 0,
            ..Timing::default()
        }
    }
}

/// How the times of operations add up (`timing.model`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeModel {
    /// All operations happen one after the other.
    Serial,
    /// Chips, channels and the bus have clocks. Needs [`Clocked`](ssdlab_flash::Clocked) media; other devices are serial.
    #[default]
    Parallel,
    /// The same for drives of today: chips program several pages at once, reads suspend programs and go before those that
    /// have not begun, erases are spread, and a command processor takes time.
    Drive,
}

impl Timing {
    /// Whether times depend on each operation, so that the media must note them ([`Clocked`](ssdlab_flash::Clocked)).
    pub fn needs_notes(&self) -> bool {
        self.model.has_clocks() || self.spread.is_some()
    }
}

impl TimeModel {
    /// Whether the parts of a device have clocks of their own.
    pub fn has_clocks(self) -> bool {
        self != Self::Serial
    }
}

/// The parameters of the models with clocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Parallel {
    /// Moves a page over a channel, instead of `transfer_ns`. With [`Interleave::Superpage`], the parts for all chips
    /// of one channel.
    pub channel_ns: u64,
    /// Moves a page over the bus between host and controller. With [`Interleave::Superpage`], the parts for all chips.
    pub bus_ns: u64,
    /// Host reads suspend programs and erases.
    pub read_suspends: bool,
    /// Pages of memory, in addition to the write buffer, through which pages leave; `None`: by the model, see
    /// [`Parameters::spare_slots`].
    pub spare_slots: Option<u64>,
    /// When requests are issued.
    pub issue: Issue,
}

impl Default for Parallel {
    fn default() -> Self {
        Self::configure(&())
    }
}

impl Parameters {
    /// Pages of memory beside the write buffer: those that are given, or else none, and with [`TimeModel::Drive`] three units
    /// for each chip, but at least one for each block that the FTL fills at a time.
    pub fn spare_slots(&self, needs: &Needs) -> u64 {
        self.timing.parallel.spare_slots.unwrap_or_else(|| {
            let stripe = u64::from(self.flash.units()) * u64::from(self.timing.today.unit_pages);
            match self.timing.model {
                TimeModel::Drive => (3 * stripe).max(self.open_pages(needs)),
                TimeModel::Serial | TimeModel::Parallel => 0,
            }
        })
    }

    /// The most pages that wait for the program of their unit.
    pub(crate) fn open_pages(&self, needs: &Needs) -> u64 {
        let frontiers = u64::from(needs.frontiers.unwrap_or(1));
        frontiers * u64::from(self.timing.today.unit_pages)
    }
}

impl Default for Timing {
    fn default() -> Self {
        let mut timing = Self::configure(&());
        timing.model = TimeModel::default();
        timing
    }
}

/// The write buffer apart from its policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Size in bytes, at least one page; rounded down to whole pages.
    pub size: u64,
    /// See [`Reads`].
    pub reads: Reads,
    /// Flush requests do nothing, because the memory keeps its content without power.
    pub protected: bool,
    /// Trace time in nanoseconds after which dirty pages are written; 0 means never.
    pub flush_age_ns: u64,
    /// Each block header of its policy takes the space of one page.
    pub count_headers: bool,
}

impl Default for Buffer {
    fn default() -> Self {
        Self::configure(&())
    }
}
