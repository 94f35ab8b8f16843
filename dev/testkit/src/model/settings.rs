//! The systems of a configuration, by the values of their keys.

use ssdlab_config::Config;
use ssdlab_device::Parameters;
use ssdlab_ftl::bast::PARTIAL_MERGE;
use ssdlab_ftl::block::OPEN_BLOCKS;
use ssdlab_ftl::page::{
    CELL_BITS, COPY_STRIPES, EAGER, EAGER_FREE, GC_HIGH, GC_LOW, IDLE_CLEANING_US, MAP, MAP_BATCH,
    MAP_BLOCKS, MAP_CACHE, MAP_ENTRY, MAP_GAMMA, MAP_HOST, MAP_LIST, MAP_PREFETCH, MAP_PROTECTED,
    MAP_SYNC, MapKind, PACE, Prefetch, SLC, SLC_BESIDE, SLC_DYNAMIC, SLC_FULL, SLC_GONE_AT,
    SLC_IDLE_US, SLC_KEEP, SLC_RECLAIM, SLC_REST, SLC_STATIC, SLC_VICTIM, SlcKind,
};
use ssdlab_ftl::superblock::{BLOCKS_PER_SUPERBLOCK, MAX_UPDATE_BLOCKS};
use ssdlab_ftl::{
    AVERAGED_MERGES, BUFFER_AWARE, CANDIDATES, Clock, FREE_LISTS, FreeLists, Inputs, LOG_BLOCKS,
    MAP_UPDATES, Settings, UPDATE_PROBABILITY, WEIGH_COPY_BACKS,
};
use ssdlab_policy::placement::fdp::{HANDLE_TYPES, HANDLES};
use ssdlab_policy::placement::single::GC_FRONTIER;
use ssdlab_policy::placement::tt::HEADS;
use ssdlab_policy::placement::{RAM, RAM_THRESHOLD, REGIONS, STABLE_S};

use super::buffer::ModelPolicy;
use super::config::{
    BlockKind, ModelBlocks, ModelCleaning, ModelConfig, ModelFtl, ModelPage, ModelPlacement,
    ModelSlc,
};
use super::map::{ModelCache, ModelMapInFlash};
use crate::cases::Case;

impl From<&Case> for ModelConfig {
    /// # Panics
    /// If the model does not know one of the systems.
    fn from(case: &Case) -> Self {
        Self {
            wrap: case.wrap,
            ..Self::from(&case.config())
        }
    }
}

impl From<&Config> for ModelConfig {
    /// # Panics
    /// If the model does not know one of the systems.
    fn from(config: &Config) -> Self {
        let inputs = config.inputs();
        let settings = inputs.settings;
        Self {
            parameters: Parameters::clone(config),
            wrap: false,
            ftl: ftl(config.ftl, &inputs),
            aware: BUFFER_AWARE.of(settings),
            candidates: CANDIDATES.of(settings),
            weigh_copy_backs: WEIGH_COPY_BACKS.of(settings),
            averaged_merges: AVERAGED_MERGES.of(settings),
            update_probability: update_probability(settings),
            free_lists: if reads_free_lists(config.ftl) {
                FREE_LISTS.of(settings)
            } else {
                FreeLists::One
            },
            policy: ModelPolicy::named(config.policy, settings),
            read_policy: ModelPolicy::named(config.read_policy, settings),
        }
    }
}

fn reads_free_lists(ftl: &str) -> bool {
    ["bast", "fast", "superblock"].contains(&ftl)
}

/// In millionths.
fn update_probability(settings: &dyn Settings) -> Option<u64> {
    let given = UPDATE_PROBABILITY.get(settings)?;
    Some((given * 1e6).round() as u64)
}

fn ftl(name: &str, inputs: &Inputs) -> ModelFtl {
    let settings = inputs.settings;
    let kind = match name {
        "ideal" => return ModelFtl::Ideal,
        "page" => return ModelFtl::Page(Box::new(page(inputs))),
        "block" => BlockKind::Block,
        "replacement" => BlockKind::Replacement,
        "bast" => BlockKind::Bast {
            partial_merge: PARTIAL_MERGE.of(settings),
        },
        "fast" => BlockKind::Fast,
        "superblock" => BlockKind::Superblock {
            blocks_per_superblock: BLOCKS_PER_SUPERBLOCK.of(settings),
            max_update_blocks: MAX_UPDATE_BLOCKS.of(settings),
        },
        other => panic!("the model has no FTL {other:?} yet"),
    };
    let log_blocks = if kind == BlockKind::Block {
        OPEN_BLOCKS.of(settings)
    } else {
        LOG_BLOCKS.of(settings)
    };
    ModelFtl::Blocks(ModelBlocks {
        kind,
        log_blocks,
        spare_blocks: inputs.spare_blocks.into(),
        map_is_written: MAP_UPDATES.of(settings) && !matches!(kind, BlockKind::Superblock { .. }),
    })
}

fn page(inputs: &Inputs) -> ModelPage {
    let settings = inputs.settings;
    ModelPage {
        spare_blocks: inputs.spare_blocks.into(),
        cleaning: cleaning(inputs.cleaning.entry().name),
        placement: placement(inputs.placement.entry().name),
        gc_frontier: GC_FRONTIER.of(settings),
        stable: stable(inputs),
        ram_bytes: RAM.of(settings),
        ram_threshold: RAM_THRESHOLD.get(settings),
        gc_low: GC_LOW.of(settings),
        pace: PACE.of(settings),
        idle_cleaning_ns: (IDLE_CLEANING_US.of(settings) * 1e3).round_ties_even() as u64,
        gc_high: GC_HIGH.of(settings),
        clock: inputs.clock,
        regions: REGIONS.get(settings).unwrap_or(2).max(2),
        isolated: isolated(settings),
        heads: HEADS.of(settings),
        copy_stripes: COPY_STRIPES.of(settings),
        eager: EAGER.of(settings).to_bits(),
        eager_free: EAGER_FREE.of(settings),
        slc: slc(inputs),
        map: map(inputs),
    }
}

fn slc(inputs: &Inputs) -> Option<ModelSlc> {
    let (settings, shape) = (inputs.settings, &inputs.shape);
    if SLC.of(settings) == SlcKind::Off {
        return None;
    }
    let chips = shape.pages_per_block / shape.chip_pages;
    let pages = shape.chip_pages / CELL_BITS.of(settings) * chips;
    let blocks = |bytes: u64| bytes / shape.ftls / (pages * shape.page_bytes);
    let dynamic = SLC_DYNAMIC.get(settings);
    Some(ModelSlc {
        pages,
        fixed: SLC_STATIC.get(settings).map_or(0, blocks),
        dynamic: dynamic.map_or(0, |bytes| bytes.map_or(u64::MAX, blocks)),
        gone_at: SLC_GONE_AT.of(settings).to_bits(),
        keep: SLC_KEEP.get(settings).unwrap_or(GC_LOW.of(settings) + 1),
        when_full: SLC_FULL.of(settings),
        beside: (1e3 * SLC_BESIDE.get(settings).unwrap_or(1.0)).round_ties_even() as u64,
        greedy: SLC_VICTIM.of(settings),
        idle_ns: (SLC_IDLE_US.of(settings) * 1e3).round_ties_even() as u64,
        rest: blocks(SLC_REST.of(settings)),
        reclaim: SLC_RECLAIM.of(settings).to_bits(),
    })
}

fn map(inputs: &Inputs) -> Option<ModelMapInFlash> {
    let (settings, shape) = (inputs.settings, &inputs.shape);
    let bytes = MAP_CACHE.of(settings) / shape.ftls;
    let prefetch = MAP_PREFETCH.of(settings);
    let cache = match MAP.of(settings) {
        MapKind::Ram => return None,
        MapKind::Dftl => ModelCache::Dftl {
            protected: (MAP_PROTECTED.of(settings) * (bytes / 8) as f64) as u64,
            batch: MAP_BATCH.of(settings),
        },
        MapKind::Tpftl => ModelCache::Tpftl {
            request: prefetch != Prefetch::Nothing,
            selective: prefetch == Prefetch::Both,
        },
        MapKind::Pages => ModelCache::Pages,
        MapKind::Leaftl => ModelCache::Leaftl {
            gamma: MAP_GAMMA.of(settings).into(),
        },
    };
    Some(ModelMapInFlash {
        cache,
        bytes,
        entry_bytes: MAP_ENTRY.of(settings),
        page_bytes: shape.page_bytes,
        blocks: MAP_BLOCKS.get(settings),
        list: MAP_LIST.get(settings),
        sync: MAP_SYNC.of(settings),
        host: MAP_HOST.of(settings) / shape.ftls / shape.page_bytes,
    })
}

fn isolated(settings: &dyn Settings) -> Vec<bool> {
    let types: Vec<&str> = HANDLE_TYPES.of(settings).split(',').collect();
    let handles = HANDLES.of(settings) as usize;
    (0..handles)
        .map(|handle| *types.get(handle).unwrap_or(&types[0]) == "pi")
        .collect()
}

fn cleaning(name: &str) -> ModelCleaning {
    match name {
        "greedy" => ModelCleaning::Greedy,
        "fifo" => ModelCleaning::Fifo,
        "cost-benefit" => ModelCleaning::CostBenefit,
        "cat" => ModelCleaning::Cat,
        "jffs2" => ModelCleaning::Jffs2,
        other => panic!("the model has no cleaning {other:?}"),
    }
}

fn placement(name: &str) -> ModelPlacement {
    match name {
        "single" => ModelPlacement::Single,
        "dac" => ModelPlacement::Dac,
        "dac+" => ModelPlacement::DacPlus,
        "deb" => ModelPlacement::Deb,
        "fdp" => ModelPlacement::Fdp,
        "dac-updates" => ModelPlacement::DacUpdates,
        "sepbit" => ModelPlacement::SepBit,
        "tt" => ModelPlacement::Tt,
        "2a" => ModelPlacement::TwoA,
        "future" => ModelPlacement::Future,
        other => panic!("the model has no placement {other:?}"),
    }
}

/// The boundaries of the regions, in nanoseconds of the trace or in pages (section 1).
fn stable(inputs: &Inputs) -> Vec<u64> {
    let unit = match inputs.clock {
        Clock::Trace => 1e9,
        Clock::Writes => 1.0,
    };
    let times = STABLE_S.of(inputs.settings).iter();
    times
        .map(|time| (time * unit).round_ties_even() as u64)
        .collect()
}
