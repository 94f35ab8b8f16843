//! The configuration of a run of the model.

use ssdlab_policy::buffer::cbb;

/// The configuration of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelConfig {
    /// Bytes of a page.
    pub page_size: u64,
    /// Pages of a block, at least 1.
    pub pages_per_block: u64,
    /// Blocks that the host sees, a whole number for each chip.
    pub logical_blocks: u64,
    /// Chips with an FTL of their own (`interleave = "page"`), at least 1: page p is on chip `p mod chips`.
    pub chips: u64,
    /// Chips that each block spans (`interleave = "line"`), at least 1: position j is on chip `j mod line_chips`.
    pub line_chips: u64,
    /// Planes: physical block `b` is in plane `b mod planes`.
    pub planes: u64,
    /// Whether a copy inside a plane is a copy-back.
    pub copy_back: bool,
    /// Whether every logical page was written before the trace starts.
    pub precondition_full: bool,
    /// Whether a write of part of a page reads the page first.
    pub partial_rmw: bool,
    /// Whether the dirty pages in the buffer are written at the end of the trace.
    pub drain: bool,
    /// Whether page numbers are taken modulo the capacity.
    pub wrap: bool,
    /// The flash translation layer.
    pub ftl: ModelFtl,
    /// Whether merges and cleaning ask the buffer.
    pub aware: ModelAware,
    /// The number of candidates among which BAVBS chooses a victim; 0: all.
    pub candidates: u64,
    /// Whether BAVBS knows which pages a copy-back can move.
    pub weigh_copy_backs: bool,
    /// The policy of the write buffer.
    pub policy: ModelPolicy,
    /// Bytes of the write buffer.
    pub buffer_bytes: u64,
    /// Whether reads enter and promote (`reads = "cache"`).
    pub reads_cache: bool,
    /// Whether the buffer survives a power loss, so that flushes do nothing.
    pub protected: bool,
    /// The age at which dirty pages are written, in nanoseconds; 0: never.
    pub flush_age_ns: u64,
    /// Whether block headers take page slots in the buffer.
    pub count_headers: bool,
    /// The policy of the read buffer: none, `fifo`, `lru` or `sof`.
    pub read_policy: ModelPolicy,
    /// Bytes of the read buffer.
    pub read_buffer_bytes: u64,
    /// The costs of single operations.
    pub times: ModelTimes,
    /// The parallel model of time; `None`: the serial one.
    pub clocks: Option<ModelClocks>,
}

/// The parallel model of time.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelClocks {
    /// Channels, at least 1.
    pub channels: u64,
    /// One page over a channel, in nanoseconds.
    pub channel_ns: u64,
    /// One page over the bus, in nanoseconds.
    pub bus_ns: u64,
    /// Whether host reads suspend programs and erases.
    pub read_suspends: bool,
    /// Slots beside those of the buffer.
    pub spare_slots: u64,
    /// Requests outstanding at a time, in closed replay.
    pub depth: u64,
    /// Timed replay: the times are divided by this.
    pub speedup: Option<f64>,
}

impl Default for ModelConfig {
    /// The configuration of an empty configuration file.
    fn default() -> Self {
        Self {
            page_size: 2048,
            pages_per_block: 128,
            logical_blocks: 4096,
            chips: 1,
            line_chips: 1,
            planes: 1,
            copy_back: false,
            precondition_full: true,
            partial_rmw: false,
            drain: true,
            wrap: false,
            ftl: ModelFtl::Bast {
                log_blocks: 7,
                spare_blocks: 2,
                partial_merge: true,
            },
            aware: ModelAware::Off,
            candidates: 0,
            weigh_copy_backs: true,
            policy: ModelPolicy::Bplru {
                padding: true,
                compensation: true,
            },
            buffer_bytes: 16 << 20,
            reads_cache: false,
            protected: false,
            flush_age_ns: 0,
            count_headers: false,
            read_policy: ModelPolicy::None,
            read_buffer_bytes: 8 << 20,
            times: ModelTimes::default(),
            clocks: None,
        }
    }
}

impl ModelConfig {
    /// Logical blocks of one chip.
    pub(super) fn blocks_per_chip(&self) -> u64 {
        self.logical_blocks / self.chips
    }

    /// Pages of the RAM region of each chip, with the page that enters `deb` before others leave.
    pub(super) fn ram_slots(&self) -> u64 {
        match &self.ftl {
            ModelFtl::Page(page) => match page.placement {
                ModelPlacement::DacPlus => page.ram_bytes / self.page_size,
                ModelPlacement::Deb => page.ram_bytes / self.page_size + 1,
                ModelPlacement::Single | ModelPlacement::Dac => 0,
            },
            _ => 0,
        }
    }

    /// Whether the FTL keeps pages in RAM.
    pub fn has_ram_region(&self) -> bool {
        let kind = match &self.ftl {
            ModelFtl::Page(page) => page.placement,
            _ => return false,
        };
        matches!(kind, ModelPlacement::DacPlus | ModelPlacement::Deb)
    }
}

/// A flash translation layer; its numbers of blocks are for each chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelFtl {
    /// The bound without merges.
    Ideal,
    /// Block mapping.
    Block {
        /// Replacement blocks open at a time, at least 1.
        open_blocks: u64,
        /// Physical blocks beside the logical and the replacement blocks.
        spare_blocks: u64,
    },
    /// The replacement-block algorithm.
    Replacement {
        /// Blocks of the pool, at least 1.
        log_blocks: u64,
        /// Physical blocks beside the logical ones and the pool, at least 1: a fold needs a free one.
        spare_blocks: u64,
    },
    /// One log block per logical block written.
    Bast {
        /// Log blocks, at least 1.
        log_blocks: u64,
        /// Physical blocks beside the logical and the log blocks, at least 1: a full merge needs a free one.
        spare_blocks: u64,
        /// Whether a log block may be completed from its data block.
        partial_merge: bool,
    },
    /// Log blocks that all logical blocks share, and one for sequential writes.
    Fast {
        /// Log blocks including the sequential one, at least 2.
        log_blocks: u64,
        /// Physical blocks beside the logical and the log blocks, at least 1: a full merge needs a free one.
        spare_blocks: u64,
    },
    /// Page mapping inside groups of adjacent logical blocks.
    Superblock {
        /// Update blocks of all superblocks together, at least 1.
        log_blocks: u64,
        /// Physical blocks beside the logical and the update blocks, at least 1: cleaning needs a free one.
        spare_blocks: u64,
        /// S, at least 1.
        blocks_per_superblock: u64,
        /// K: update blocks of one superblock, at least 1.
        max_update_blocks: u64,
    },
    /// Page mapping in a log.
    Page(ModelPage),
}

/// Page mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelPage {
    /// Physical blocks beside the logical ones, at least `gc_low` + frontiers + 1.
    pub spare_blocks: u64,
    /// The cleaning policy.
    pub cleaning: ModelCleaning,
    /// The placement of pages.
    pub placement: ModelPlacement,
    /// Whether, under `single`, cleaning copies share the frontier of host writes.
    pub shared_frontier: bool,
    /// The stable time from which on a page is too cold for each region of a clustering placement, the hottest region
    /// first, in units of `clock`; ascending.
    pub stable: Vec<u64>,
    /// Bytes of the RAM region of each chip, if the placement has one.
    pub ram_bytes: u64,
    /// Cleaning starts when the free list has at most this number of blocks, at least 1.
    pub gc_low: u64,
    /// The unit of ages and stable times.
    pub clock: ModelClock,
}

impl ModelPage {
    /// Regions in flash, that is, the number of blocks that are filled at the same time.
    pub fn frontiers(&self) -> u64 {
        let regions = self.stable.len() as u64;
        match self.placement {
            ModelPlacement::Single if self.shared_frontier => 1,
            ModelPlacement::Single => 2,
            ModelPlacement::Dac | ModelPlacement::Deb => regions,
            ModelPlacement::DacPlus => regions - 1,
        }
    }
}

/// A placement of page mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelPlacement {
    /// One region for host writes, one for cleaning copies.
    Single,
    /// Clustering by the time between updates.
    Dac,
    /// As `Dac`, with the hottest region in RAM.
    DacPlus,
    /// As `Dac`, with a further region in RAM for new pages and for pages updated fast twice.
    Deb,
}

/// A cleaning policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelCleaning {
    /// The fewest valid pages.
    Greedy,
    /// The block filled first.
    Fifo,
    /// The greatest age * (1 - u) / 2u.
    CostBenefit,
    /// The smallest u / (1 - u) / age * (erases + 1).
    Cat,
    /// Greedy, but fifo for each hundredth victim.
    Jffs2,
}

/// The unit of the ages of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelClock {
    /// Pages written to the FTL.
    Writes,
    /// Nanoseconds of trace time.
    Trace,
}

/// Whether merges and cleaning ask the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelAware {
    /// No.
    Off,
    /// They take the pages that it holds (BABM).
    Merge,
    /// They also use it to choose their victims (BAVBS).
    MergeAndVictim,
}

/// A policy of a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ModelPolicy {
    /// No buffer.
    None,
    /// The page that entered first.
    Fifo,
    /// The least recent page.
    Lru,
    /// The least recent clean page near the least-recent end, else the least recent page.
    Cflru {
        /// The fraction of the capacity in which it searches for a clean page.
        window: f64,
    },
    /// The page with the smallest LPN.
    Sof,
    /// The block with the most pages.
    Fab,
    /// The least recent block.
    Blru,
    /// The least recent block, padded. Blocks written in sequence count as least recent.
    Bplru {
        /// Whether a victim's missing pages are read and written too.
        padding: bool,
        /// Whether a block written in sequence becomes the least recent one.
        compensation: bool,
    },
    /// All pages of the block of the least recent page.
    PlruBr,
    /// As `PlruBr`, but the hot pages stay.
    PlruBr2q {
        /// The fraction of the capacity that is hot.
        hot: f64,
    },
    /// The block with the greatest age x held / pages to write, padded where that is cheaper.
    Cbb(cbb::Config),
    /// Three regions of blocks by their updates (`three-region`).
    ThreeRegion,
    /// The fullest block among those that the clock hand has found unused (`lb-clock`).
    LbClock,
    /// The coldest group of pages that one request wrote (`req-block`).
    ReqBlock {
        /// The most pages of a small group.
        small: u64,
    },
    /// The bound: it has room for every page and ignores `buffer_bytes`.
    Unbounded,
}

/// The costs of single operations, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelTimes {
    /// Cell to register.
    pub read: u64,
    /// Register to cell.
    pub program: u64,
    /// Erase of a block.
    pub erase: u64,
    /// One page over the flash bus.
    pub transfer: u64,
    /// One page access of the buffer.
    pub buffer: u64,
}

impl Default for ModelTimes {
    /// The costs of an empty configuration file.
    fn default() -> Self {
        Self {
            read: 50_000,
            program: 800_000,
            erase: 1_500_000,
            transfer: 50_000,
            buffer: 0,
        }
    }
}
