//! What a run of the model depends on: the plain parameters of a device, and its systems.

use std::ops::{Deref, DerefMut};

use ssdlab_device::{Flash, Interleave, Parameters, TimeModel};
use ssdlab_ftl::page::{Pace, WhenFull};
use ssdlab_ftl::{BufferAware, Clock, FreeLists};
use ssdlab_policy::placement::single::GcFrontier;

use super::buffer::ModelPolicy;
use super::map::ModelMapInFlash;

/// The configuration of one run. It dereferences to the parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelConfig {
    /// Shape, times and sizes.
    pub parameters: Parameters,
    /// Whether page numbers are taken modulo the capacity.
    pub wrap: bool,
    /// The flash translation layer.
    pub ftl: ModelFtl,
    /// Whether merges and cleaning ask the buffer.
    pub aware: BufferAware,
    /// The number of candidates among which BAVBS chooses a victim; 0: all.
    pub candidates: u64,
    /// Whether BAVBS knows which pages a copy-back can move.
    pub weigh_copy_backs: bool,
    /// The merges of which C_avg is the mean.
    pub averaged_merges: u64,
    /// P(update) of all pages, in millionths; `None`: the policy knows it.
    pub update_probability: Option<u64>,
    /// How free blocks are kept.
    pub free_lists: FreeLists,
    /// The policy of the write buffer.
    pub policy: ModelPolicy,
    /// The policy of the read buffer: none, `fifo`, `lru`, `sof` or `zone`.
    pub read_policy: ModelPolicy,
}

impl Deref for ModelConfig {
    type Target = Parameters;

    fn deref(&self) -> &Parameters {
        &self.parameters
    }
}

impl DerefMut for ModelConfig {
    fn deref_mut(&mut self) -> &mut Parameters {
        &mut self.parameters
    }
}

impl ModelConfig {
    /// A full device with one chip under the serial model. Its pages have one byte, so the bytes of a request are its
    /// pages.
    pub fn with_pages_of_a_byte(
        pages_per_block: u32,
        logical_blocks: u64,
        ftl: ModelFtl,
        policy: ModelPolicy,
    ) -> Self {
        let mut parameters = Parameters {
            flash: Flash {
                page_size: 1,
                pages_per_block,
                capacity: u64::from(pages_per_block) * logical_blocks,
                ..Flash::default()
            },
            ..Parameters::default()
        };
        parameters.timing.model = TimeModel::Serial;
        Self {
            parameters,
            wrap: false,
            ftl,
            aware: BufferAware::Off,
            candidates: 0,
            weigh_copy_backs: true,
            averaged_merges: 16,
            update_probability: None,
            free_lists: FreeLists::One,
            policy,
            read_policy: ModelPolicy::None,
        }
    }

    /// Bytes of a page.
    pub fn page_size(&self) -> u64 {
        self.flash.page_size.into()
    }

    /// N.
    pub fn pages_per_block(&self) -> u64 {
        self.flash.pages_per_block.into()
    }

    /// Blocks that the host sees.
    pub fn logical_blocks(&self) -> u64 {
        self.flash.capacity / self.page_size() / self.pages_per_block()
    }

    /// Pages that the host sees.
    pub fn logical_pages(&self) -> u64 {
        self.logical_blocks() * self.pages_per_block()
    }

    /// Chips with an FTL of their own.
    pub fn chips(&self) -> u64 {
        self.chips_if(Interleave::Page) * self.chips_if(Interleave::Block)
    }

    /// The pages that lie together on one of these chips.
    fn together(&self) -> u64 {
        match self.flash.interleave {
            Interleave::Block => self.pages_per_block(),
            _ => 1,
        }
    }

    /// The chip of a page, and the number of the page there.
    pub fn on_chip(&self, lpn: u64) -> (u64, u64) {
        let (group, at) = (lpn / self.together(), lpn % self.together());
        (
            group % self.chips(),
            group / self.chips() * self.together() + at,
        )
    }

    /// The page of the host that is this page of a chip.
    pub(super) fn of_host(&self, chip: u64, local: u64) -> u64 {
        let (group, at) = (local / self.together(), local % self.together());
        (group * self.chips() + chip) * self.together() + at
    }

    /// The last of these pages of the host that is on the chip of the first: its number there.
    pub(super) fn last_on_chip(&self, first: u64, last: u64) -> u64 {
        let (chip, mut local) = self.on_chip(first);
        for lpn in first..=last {
            if self.on_chip(lpn).0 == chip {
                local = self.on_chip(lpn).1;
            }
        }
        local
    }

    /// Chips that each block spans, but no page: position j is on chip j mod `line_chips`.
    pub(super) fn line_chips(&self) -> u64 {
        self.chips_if(Interleave::Line)
    }

    /// All chips with this interleaving, 1 with any other.
    fn chips_if(&self, interleave: Interleave) -> u64 {
        if self.flash.interleave == interleave {
            u64::from(self.flash.channels) * u64::from(self.flash.chips_per_channel)
        } else {
            1
        }
    }

    /// Logical blocks of one chip.
    pub(super) fn blocks_per_chip(&self) -> u64 {
        self.logical_blocks() / self.chips()
    }

    /// Whether the FTL keeps pages in RAM.
    pub fn has_ram_region(&self) -> bool {
        let ModelFtl::Page(page) = &self.ftl else {
            return false;
        };
        matches!(
            page.placement,
            ModelPlacement::DacPlus | ModelPlacement::Deb
        )
    }
}

/// A flash translation layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelFtl {
    /// The bound without merges.
    Ideal,
    /// One that maps blocks, or groups of blocks.
    Blocks(ModelBlocks),
    /// Page mapping in a log.
    Page(Box<ModelPage>),
}

/// An FTL that maps blocks, or groups of blocks; its numbers of blocks are for each chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelBlocks {
    /// Its rules.
    pub kind: BlockKind,
    /// The most blocks of all replacement, log or update blocks together: at least 1, 2 under `fast`.
    pub log_blocks: u64,
    /// Physical blocks beside the logical and the log blocks: at least 1, but 0 under `block`. A merge, a fold or cleaning
    /// needs a free one.
    pub spare_blocks: u64,
    /// Whether changes of the block map are written.
    pub map_is_written: bool,
}

impl ModelBlocks {
    /// Physical blocks beside the logical ones.
    pub fn further_blocks(&self) -> u64 {
        self.log_blocks + self.spare_blocks
    }
}

/// The rules of an FTL that maps blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Block mapping with open replacement blocks.
    Block,
    /// The replacement-block algorithm with a pool of blocks.
    Replacement,
    /// One log block per logical block written.
    Bast {
        /// Whether a log block may be completed from its data block.
        partial_merge: bool,
    },
    /// Log blocks that all logical blocks share, and one for sequential writes.
    Fast,
    /// Page mapping inside groups of adjacent logical blocks, with a pool of update blocks.
    Superblock {
        /// S, at least 1.
        blocks_per_superblock: u64,
        /// K: update blocks of one superblock, at least 1.
        max_update_blocks: u64,
    },
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
    /// The frontier of cleaning copies under `single`.
    pub gc_frontier: GcFrontier,
    /// The stable time from which on a page is too cold for each region of a clustering placement, the hottest region
    /// first, in units of `clock`; ascending.
    pub stable: Vec<u64>,
    /// Bytes of the RAM region of each chip, if the placement has one.
    pub ram_bytes: u64,
    /// Bytes in that region above which pages leave under `deb`: a page to `ram_bytes`; `None`: `ram_bytes`.
    pub ram_threshold: Option<u64>,
    /// Cleaning starts when the free list has at most this number of blocks, at least 1.
    pub gc_low: u64,
    /// How a victim is cleaned.
    pub pace: Pace,
    /// Cleaning in gaps begins this long after the last work; 0: never.
    pub idle_cleaning_ns: u64,
    /// Free blocks at which cleaning in gaps ends.
    pub gc_high: u64,
    /// The unit of ages and stable times.
    pub clock: Clock,
    /// Regions of a placement that learns, or knows the future.
    pub regions: u64,
    /// Whether each reclaim unit handle is persistently isolated (`fdp`).
    pub isolated: Vec<bool>,
    /// Ranges of update intervals (`tt`, `2a`).
    pub heads: u64,
    /// The stripes in which a victim is copied.
    pub copy_stripes: u64,
    /// The share of valid pages of blocks that are cleaned early, as bits of a double; 0: none.
    pub eager: u64,
    /// Free blocks at which that ends.
    pub eager_free: u64,
    /// The SLC cache, if there is one.
    pub slc: Option<ModelSlc>,
    /// The map in flash, if it is there.
    pub map: Option<ModelMapInFlash>,
}

/// An SLC cache; sizes are in blocks of one FTL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSlc {
    /// M: pages of a block in SLC mode.
    pub pages: u64,
    /// F: blocks that are always in SLC mode.
    pub fixed: u64,
    /// The most others; no more than there are.
    pub dynamic: u64,
    /// The fill level at which these are gone, as bits of a double; 0: they stay.
    pub gone_at: u64,
    /// K: free blocks that the cache leaves.
    pub keep: u64,
    /// What the host does without room.
    pub when_full: WhenFull,
    /// Thousandths of pages that are folded for each direct one.
    pub beside: u64,
    /// The block with the fewest valid pages is folded, not the one filled first.
    pub greedy: bool,
    /// Folding in gaps begins this long after the last work; 0: never.
    pub idle_ns: u64,
    /// R: full blocks that folding beside and in gaps leaves.
    pub rest: u64,
    /// The share of valid pages of native blocks that are cleaned for the cache, as bits of a double; 0: none.
    pub reclaim: u64,
}

impl ModelPage {
    /// Bytes in RAM above which pages leave under `deb`.
    pub(super) fn threshold(&self) -> u64 {
        self.ram_threshold.unwrap_or(self.ram_bytes)
    }

    /// Regions in flash, that is, the number of blocks that are filled at the same time.
    pub fn frontiers(&self) -> u64 {
        let regions = self.stable.len() as u64;
        match self.placement {
            ModelPlacement::Single if self.gc_frontier == GcFrontier::Shared => 1,
            ModelPlacement::Single => 2,
            ModelPlacement::Dac | ModelPlacement::Deb => regions,
            ModelPlacement::DacPlus => regions - 1,
            ModelPlacement::Fdp => {
                let isolated = self.isolated.iter().filter(|isolated| **isolated).count();
                let common = u64::from(isolated < self.isolated.len());
                (self.isolated.len() + isolated) as u64 + common
            }
            ModelPlacement::DacUpdates | ModelPlacement::Future => self.regions,
            ModelPlacement::SepBit => 6,
            ModelPlacement::Tt | ModelPlacement::TwoA => 2 * self.heads,
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
    /// By the reclaim unit handle of the host.
    Fdp,
    /// By updates less copies.
    DacUpdates,
    /// By expected lifetimes.
    SepBit,
    /// By update intervals.
    Tt,
    /// As `Tt`, with victims by group.
    TwoA,
    /// By the next write.
    Future,
}

impl ModelPlacement {
    /// Whether it sees each page that is written and copied.
    pub fn sees_pages(self) -> bool {
        !matches!(self, Self::Single | Self::Dac | Self::DacPlus | Self::Deb)
    }
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
