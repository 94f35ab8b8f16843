//! Page mapping: its keys, what they may be together, and what it needs.

use alloc::boxed::Box;
use alloc::format;

use ssdlab_flash::{Geometry, Media};
use ssdlab_policy::cleaning::CleaningKind;
use ssdlab_policy::cleaning::greedy::Greedy;
use ssdlab_policy::placement;
use ssdlab_policy::{About, CLOCK, Count, Entry, Family, Number, Source, Words, papers};

use super::PageMapping;
use super::map::{
    self, MAP, MAP_BATCH, MAP_BLOCKS, MAP_CACHE, MAP_ENTRY, MAP_GAMMA, MAP_HOST, MAP_LIST,
    MAP_PREFETCH, MAP_PROTECTED, MAP_SYNC, MapConfig,
};
use super::pace::{GC_HIGH, IDLE_CLEANING_US, PACE, Pace};
use super::slc::{
    self, SLC, SLC_BESIDE, SLC_DYNAMIC, SLC_FULL, SLC_GONE_AT, SLC_IDLE_US, SLC_KEEP, SLC_RECLAIM,
    SLC_REST, SLC_STATIC, SLC_VICTIM, SlcConfig,
};
use crate::kind::too_few_spare;
use crate::{
    AVERAGED_MERGES, Aware, BUFFER_AWARE, BufferAware, CANDIDATES, Capacity, Clock, Ftl, FtlError,
    FtlKind, Impossible, Inputs, Mapping, Needs, OVER_PROVISIONING, SPARE_BLOCKS, Size, Tables,
    UPDATE_PROBABILITY, WEIGH_COPY_BACKS,
};

/// `ftl.cleaning`. Under merge+victim the FTL chooses the victims.
pub const CLEANING: Words = Words::selector(
    Family::Cleaning,
    "greedy",
    "policy that chooses the block to clean",
)
.if_value(BUFFER_AWARE.key.path, |settings| {
    BUFFER_AWARE.of(settings) != BufferAware::MergeAndVictim
});

/// `ftl.placement`.
pub const PLACEMENT: Words = Words::selector(
    Family::Placement,
    "single",
    "policy that chooses the region of each page",
);

/// `ftl.gc_low`.
pub const GC_LOW: Count = Count::open(
    "ftl.gc_low",
    [0, 65535],
    "clean when this many blocks or fewer are free; default frontiers + 1, with gc_frontier in-place 0",
);

/// The most blocks of a reclaim unit.
const MOST_UNIT_BLOCKS: i64 = 4096;

/// The most pages of a block, unit or line: orders of blocks count their valid pages in 24 bits.
const MOST_PAGES: u64 = (1 << 24) - 1;

/// `ftl.unit_blocks`.
pub const UNIT_BLOCKS: Count = Count::new(
    "ftl.unit_blocks",
    [1, MOST_UNIT_BLOCKS],
    1,
    "consecutive erase blocks that are one reclaim unit: spare_blocks, gc_low and erases count units then",
);

/// `ftl.copy_stripes`.
pub const COPY_STRIPES: Count = Count::new(
    "ftl.copy_stripes",
    [1, MOST_UNIT_BLOCKS << 16],
    1,
    "cleaning copies every n-th page of a victim, then those behind them, and so on, as dies copied one by one",
);

/// `ftl.eager`.
pub const EAGER: Number = Number::new(
    "ftl.eager",
    [0.0, MOST_EAGER],
    0.0,
    "clean blocks with at most this share of valid pages behind writes, before free blocks are short; 0: off",
);

/// The greatest share below 1.
const MOST_EAGER: f64 = 1.0 - f64::EPSILON / 2.0;

/// `ftl.eager_free`.
pub const EAGER_FREE: Count = Count::new(
    "ftl.eager_free",
    [0, 1 << 32],
    0,
    "free blocks at which eager cleaning ends; more than gc_low",
)
.if_value(EAGER.key.path, |settings| EAGER.of(settings) > 0.0);

/// The parameters of page mapping.
#[derive(Clone, Debug)]
pub struct PageConfig {
    /// Spare erase blocks: at least `gc_low`, one for each region in flash, and one more.
    pub spare_blocks: u32,
    /// `ftl.gc_low`: cleaning runs when at most this many blocks are free; at least 1.
    pub gc_low: u32,
    /// `ftl.pace`.
    pub pace: Pace,
    /// `ftl.idle_cleaning_us`, in ns: cleaning runs in gaps between requests, this long after the last work; 0: it does not.
    pub idle_cleaning_ns: u64,
    /// `ftl.gc_high`: cleaning in gaps ends when this many blocks are free.
    pub gc_high: u32,
    /// The unit of ages and stable times.
    pub clock: Clock,
    /// The policy that chooses victims.
    pub cleaning: ssdlab_policy::cleaning::Chosen,
    /// The policy that chooses the region of a page.
    pub placement: placement::Chosen,
    /// `ftl.copy_stripes`: divides the pages of a block.
    pub copy_stripes: u32,
    /// `ftl.eager`: the share of valid pages of blocks that are cleaned early; 0: none.
    pub eager: f64,
    /// `ftl.eager_free`: more than `gc_low` if blocks are cleaned early.
    pub eager_free: u32,
    /// How cleaning uses the write buffer.
    pub aware: Aware,
    /// The SLC cache, if there is one.
    pub slc: Option<SlcConfig>,
    /// The map, if it is in flash.
    pub map: Option<MapConfig>,
    /// Chips with an FTL of their own.
    pub ftls: u64,
}

impl PageConfig {
    /// A plain frame: whole victims, in the order of their pages, none early and none by the buffer.
    pub fn plain(
        spare_blocks: u32,
        gc_low: u32,
        cleaning: ssdlab_policy::cleaning::Chosen,
        placement: placement::Chosen,
    ) -> Self {
        Self {
            spare_blocks,
            gc_low,
            pace: Pace::Whole,
            idle_cleaning_ns: 0,
            gc_high: gc_low + 1,
            clock: Clock::default(),
            cleaning,
            placement,
            copy_stripes: 1,
            eager: 0.0,
            eager_free: 0,
            aware: Aware::default(),
            slc: None,
            map: None,
            ftls: 1,
        }
    }

    /// The blocks that an SLC cache takes away from cleaning.
    fn withheld(&self) -> u32 {
        self.slc.as_ref().map_or(0, SlcConfig::withheld)
    }

    fn check(&self, capacity: &Capacity) -> Result<(), Impossible> {
        self.placement.check()?;
        if let Some(slc) = &self.slc {
            slc.check()?;
            slc::check_fill(slc, capacity.logical_pages())?;
        }
        if let Some(map) = &self.map {
            map::check_placement(&self.placement)?;
            map.check(capacity, self.ftls)?;
            if self.slc.is_some() {
                let why = "must be \"off\" with a map in flash (ftl.map)".into();
                return Err(Impossible {
                    key: SLC.key.path,
                    why,
                });
            }
        }
        self.check_wants()?;
        // the region of a block takes one byte
        if !(1..=256).contains(&self.placement.regions()) {
            return Err(Impossible {
                key: PLACEMENT.key.path,
                why: "must have 1 to 256 regions in flash".into(),
            });
        }
        let least =
            least_spare_blocks(self.gc_low, &self.placement).saturating_add(self.withheld());
        if self.spare_blocks < least {
            let why = if self.slc.is_some() {
                "those of ftl.slc_static, ftl.gc_low, plus one frontier for each region, plus one block to clean, plus one if free blocks change their mode"
            } else if self.placement.wants().in_place {
                "one block that is not full"
            } else {
                "ftl.gc_low, plus one frontier for each region, plus one block to clean"
            };
            return Err(too_few_spare("page", least, why));
        }
        self.check_frame(capacity)?;
        if self.idle_cleaning_ns == 0 {
            return Ok(());
        }
        if self.pace == Pace::Whole {
            return Err(Impossible {
                key: IDLE_CLEANING_US.key.path,
                why: "must be 0 with ftl.pace \"whole\"; cleaning in gaps is for \"paced\"".into(),
            });
        }
        let (least, most) = (
            self.gc_low + 1,
            self.spare_blocks - self.placement.regions() - self.withheld(),
        );
        if !(least..=most).contains(&self.gc_high) {
            return Err(Impossible {
                key: GC_HIGH.key.path,
                why: format!(
                    "must be {least} to {most}: more than ftl.gc_low, and at most the spare blocks without frontiers"
                ),
            });
        }
        Ok(())
    }

    /// Refuses what the placement does not work with.
    fn check_wants(&self) -> Result<(), Impossible> {
        let wants = self.placement.wants();
        let with = match wants.in_place {
            true => "ftl.gc_frontier \"in-place\"".into(),
            false => format!("ftl.placement {:?}", self.placement.entry().name),
        };
        let refused = |key, why: &str| {
            let why = format!("{why} with {with}");
            Err(Impossible { key, why })
        };
        if wants.no_awareness && self.aware.mode != BufferAware::Off {
            return refused(BUFFER_AWARE.key.path, "must be off");
        }
        if wants.greedy && self.cleaning.entry().name != Greedy::ENTRY.name {
            return refused(CLEANING.key.path, "must be greedy");
        }
        if wants.in_place && self.pace == Pace::Paced {
            return refused(PACE.key.path, "must be whole");
        }
        if wants.in_place && self.eager > 0.0 {
            return refused(EAGER.key.path, "must be 0");
        }
        if wants.in_place && self.gc_low > 0 {
            return refused(GC_LOW.key.path, "must be 0");
        }
        if !wants.in_place && self.gc_low == 0 {
            let why = "must be at least 1; 0 is for ftl.gc_frontier \"in-place\"".into();
            return Err(Impossible {
                key: GC_LOW.key.path,
                why,
            });
        }
        Ok(())
    }

    /// Refuses an order of copies, or an eager cleaning, that cannot work.
    fn check_frame(&self, capacity: &Capacity) -> Result<(), Impossible> {
        let pages = capacity.pages_per_block;
        if pages > MOST_PAGES {
            return Err(Impossible {
                key: UNIT_BLOCKS.key.path,
                why: format!(
                    "makes units of {pages} pages, with lines over all chips; must be at most {MOST_PAGES}"
                ),
            });
        }
        if !pages.is_multiple_of(self.copy_stripes.into()) {
            return Err(Impossible {
                key: COPY_STRIPES.key.path,
                why: format!("must divide the {pages} pages of a block"),
            });
        }
        if self.eager == 0.0 {
            return Ok(());
        }
        if self.pace == Pace::Paced {
            return Err(Impossible {
                key: EAGER.key.path,
                why: "must be 0 with ftl.pace \"paced\", which cleans in portions".into(),
            });
        }
        if self.eager_free <= self.gc_low {
            return Err(Impossible {
                key: EAGER_FREE.key.path,
                why: format!("must be more than the {} of ftl.gc_low", self.gc_low),
            });
        }
        Ok(())
    }

    /// The orders of blocks for eager cleaning and for groups, 10 bytes for each block.
    fn order_bytes(&self, size: &Size) -> u64 {
        let has_emptiest = self.eager > 0.0 || self.slc.is_some();
        let orders = u64::from(self.placement.groups()) + u64::from(has_emptiest);
        10 * orders * (size.physical_blocks + 8)
    }

    fn table_bytes(&self, size: &Size) -> u64 {
        let ram = match self.placement.ram_pages() {
            0 => 0,
            pages => 4 * size.logical_pages + 16 * u64::from(pages).min(size.logical_pages),
        };
        // both directions of the map, and the valid bits; the placement; the regions of blocks; the cleaning policy; the
        // pages that cleaning moves; frontiers
        4 * size.logical_pages
            + 4 * size.physical_pages
            + size.physical_pages / 8
            + self.placement.table_bytes(size.physical_pages)
            + size.physical_blocks
            + self
                .cleaning
                .table_bytes(size.physical_blocks, size.pages_per_block)
            + 17 * size.pages_per_block
            + 80 * 256
            + self.order_bytes(size)
            + self
                .slc
                .as_ref()
                .map_or(0, |slc| slc.table_bytes(size.physical_blocks))
            + ram
            + self.map.as_ref().map_or(0, |map| map.table_bytes(size))
            + size.free_list()
    }
}

impl FtlKind for PageMapping<()> {
    const ENTRY: Entry = Entry {
        name: "page",
        rule: "maps any logical page to any physical page of a log; cleaning copies the valid pages out of full blocks",
        source: Source::of("{}, sections 2 and 3", &[&papers::LFSS]),
        keys: &[
            SPARE_BLOCKS.key,
            OVER_PROVISIONING.key,
            CLEANING.key,
            PLACEMENT.key,
            GC_LOW.key,
            UNIT_BLOCKS.key,
            COPY_STRIPES.key,
            EAGER.key,
            EAGER_FREE.key,
            PACE.key,
            IDLE_CLEANING_US.key,
            GC_HIGH.key,
            MAP.key,
            MAP_CACHE.key,
            MAP_ENTRY.key,
            MAP_BLOCKS.key,
            MAP_PROTECTED.key,
            MAP_BATCH.key,
            MAP_PREFETCH.key,
            MAP_GAMMA.key,
            MAP_LIST.key,
            MAP_SYNC.key,
            MAP_HOST.key,
            SLC.key,
            SLC_STATIC.key,
            SLC_DYNAMIC.key,
            SLC_GONE_AT.key,
            SLC_KEEP.key,
            SLC_FULL.key,
            SLC_BESIDE.key,
            SLC_VICTIM.key,
            SLC_IDLE_US.key,
            SLC_REST.key,
            SLC_RECLAIM.key,
            BUFFER_AWARE.key,
            CANDIDATES.key,
            WEIGH_COPY_BACKS.key,
            UPDATE_PROBABILITY.key,
            AVERAGED_MERGES.key,
        ],
        about: About {
            file: file!(),
            lines: [
                "Any logical page can be at any physical page: writes are appended to the open block of their region.",
                "When free blocks run short, a full block is cleaned: its valid pages are copied, and it is erased.",
                "`ftl.cleaning` chooses the block to clean, `ftl.placement` the region of each page.",
            ],
            cost: "O(1) for each page, plus the cleaning policy; 9 bytes for each page, the most RAM of all FTLs. With \
                   `merge+victim`, every full block, or `ftl.candidates` of them, is weighed for each victim.",
            wins: "Nearly all workloads, with a few per cent of spare blocks: there are no merges that copy pages only \
                   to put them in order.",
            loses: "Very few spare blocks: each cleaning then gains only a page or two, while log-block FTLs and block \
                    mapping still use switch merges for sequential writes.",
        },
    };

    const CLEANS: bool = true;

    const MAPPING: Option<Mapping> = Some(Mapping::Page);

    type Config = PageConfig;

    fn configure(inputs: &Inputs) -> PageConfig {
        PageConfig {
            spare_blocks: inputs.spare_blocks,
            gc_low: GC_LOW.of(inputs.settings) as u32,
            pace: PACE.of(inputs.settings),
            idle_cleaning_ns: libm::rint(IDLE_CLEANING_US.of(inputs.settings) * 1e3) as u64,
            gc_high: GC_HIGH.of(inputs.settings) as u32,
            clock: inputs.clock,
            cleaning: inputs.cleaning.clone(),
            placement: inputs.placement.clone(),
            copy_stripes: COPY_STRIPES.of(inputs.settings) as u32,
            eager: EAGER.of(inputs.settings),
            eager_free: EAGER_FREE.of(inputs.settings) as u32,
            aware: Aware::configure(inputs),
            slc: SlcConfig::configure(inputs),
            map: MapConfig::configure(inputs),
            ftls: inputs.shape.ftls,
        }
    }

    fn default_spare_blocks(inputs: &Inputs, logical_blocks: Option<u32>) -> Option<u32> {
        let share = libm::ceil(SPARE * f64::from(logical_blocks?)) as u32;
        let least = least_spare_blocks(GC_LOW.of(inputs.settings) as u32, &inputs.placement);
        Some(share.max(least.saturating_add(slc::slc_withheld(inputs))))
    }

    fn needs(config: &PageConfig, capacity: &Capacity) -> Result<Needs, Impossible> {
        config.check(capacity)?;
        let placement = &config.placement;
        let size = capacity.over(0, config.spare_blocks);
        let reads_clock = |entry: &Entry| entry.reads(CLOCK.key.path);
        let weighs = config.aware.mode == BufferAware::MergeAndVictim;
        let map = config.map.as_ref().map(|map| map.in_flash(&size));
        Ok(Needs {
            aware: config.aware,
            tables: Some(Tables {
                cleaning: config.cleaning.block_bytes() * size.physical_blocks,
                updates: placement.update_bytes(size.logical_pages),
                ..match &config.map {
                    None => Tables::by_page(&size),
                    Some(map) => map.tables(&size, placement.regions()),
                }
            }),
            own_pages: map.map_or(0, |map| map.pages),
            map,
            ram_pages: placement.ram_pages(),
            streams: placement.wants().streams,
            future: placement.wants().future,
            in_place: placement.wants().in_place,
            frontiers: (!placement.wants().in_place).then(|| placement.regions()),
            idle_cleaning_ns: config.idle_cleaning_ns,
            has_slc: config.slc.is_some(),
            slc_idle_ns: config.slc.as_ref().map_or(0, |slc| slc.idle_ns),
            trace_time: config.clock == Clock::Trace
                && (reads_clock(placement.entry())
                    || !weighs && reads_clock(config.cleaning.entry())),
            ..size.needs(config.table_bytes(&size))
        })
    }

    fn fresh<M: Media>(config: &PageConfig, geometry: &Geometry, full: bool) -> Box<dyn Ftl<M>> {
        Box::new(PageMapping::<M::Data>::new(config, geometry, full))
    }

    fn mount<M: Media>(config: &PageConfig, media: &mut M) -> Result<Box<dyn Ftl<M>>, FtlError> {
        Ok(Box::new(PageMapping::<M::Data>::from_flash(config, media)?))
    }
}

/// The default of `ftl.spare_blocks`, as a share of the logical blocks.
const SPARE: f64 = 0.07;

/// With this many spare blocks, some full block has an invalid page whenever cleaning runs.
fn least_spare_blocks(gc_low: u32, placement: &placement::Chosen) -> u32 {
    if placement.wants().in_place {
        1
    } else {
        gc_low + placement.regions() + 1
    }
}
