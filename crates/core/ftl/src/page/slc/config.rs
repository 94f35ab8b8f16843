//! The keys of the SLC cache, and what they may be together.

use alloc::format;
use alloc::string::String;

use ssdlab_policy::{AutoBytes, Choice, Count, Number, Settings};

use super::super::GC_LOW;
use super::super::config::PLACEMENT;
use crate::{BUFFER_AWARE, BufferAware, Impossible, Inputs};

/// Which blocks are in SLC mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlcKind {
    /// None: there is no cache.
    #[default]
    Off,
    /// Some blocks always.
    Static,
    /// Blocks that are taken from the free list.
    Dynamic,
    /// Both.
    Hybrid,
}

impl SlcKind {
    fn has_fixed(self) -> bool {
        matches!(self, Self::Static | Self::Hybrid)
    }

    fn has_dynamic(self) -> bool {
        matches!(self, Self::Dynamic | Self::Hybrid)
    }
}

/// What the host does when there is no room in the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenFull {
    /// It writes past the cache.
    #[default]
    Direct,
    /// The same, and pages are folded beside that, until the cache is empty.
    Beside,
    /// It waits until a block is folded.
    Fold,
}

/// `ftl.slc`.
pub const SLC: Choice<SlcKind> = Choice::new(
    "ftl.slc",
    &["off", "static", "dynamic", "hybrid"],
    &[
        SlcKind::Off,
        SlcKind::Static,
        SlcKind::Dynamic,
        SlcKind::Hybrid,
    ],
    "cache of blocks with one bit a cell: none, fixed blocks, free blocks, or both",
);

/// Whether there is a cache.
pub fn has_slc(settings: &dyn Settings) -> bool {
    SLC.of(settings) != SlcKind::Off
}

fn has_dynamic(settings: &dyn Settings) -> bool {
    SLC.of(settings).has_dynamic()
}

/// `flash.cell_bits`.
pub const CELL_BITS: Count = Count::new(
    "flash.cell_bits",
    [2, 5],
    3,
    "bits of a cell in native mode; at most flash.pages_per_block",
)
.if_value(SLC.key.path, has_slc);

/// `ftl.slc_static`.
pub const SLC_STATIC: Count = Count::open_bytes(
    "ftl.slc_static",
    "bytes of data that the fixed blocks of the cache hold",
)
.if_value(SLC.key.path, has_slc);

/// `ftl.slc_dynamic`.
pub const SLC_DYNAMIC: AutoBytes = AutoBytes::open_or(
    "ftl.slc_dynamic",
    "all",
    "bytes of data that free blocks may hold in SLC mode",
)
.if_value(SLC.key.path, has_slc);

/// `ftl.slc_gone_at`.
pub const SLC_GONE_AT: Number = Number::share(
    "ftl.slc_gone_at",
    Some(0.0),
    "share of mapped pages in native blocks at which slc_dynamic has shrunk to nothing; 0: it stays",
)
.if_value(SLC.key.path, has_slc);

/// `ftl.slc_keep`.
pub const SLC_KEEP: Count = Count::open(
    "ftl.slc_keep",
    [3, 1 << 32],
    "free blocks that the cache leaves; default, and at least, gc_low + 1",
)
.if_value(SLC.key.path, has_dynamic);

/// `ftl.slc_full`.
pub const SLC_FULL: Choice<WhenFull> = Choice::new(
    "ftl.slc_full",
    &["direct", "beside", "fold"],
    &[WhenFull::Direct, WhenFull::Beside, WhenFull::Fold],
    "when the cache is full: write past it, fold beside that, or fold first",
)
.if_value(SLC.key.path, has_slc);

/// `ftl.slc_beside`.
pub const SLC_BESIDE: Number = Number::open(
    "ftl.slc_beside",
    [0.001, 65535.0],
    "beside: pages folded for each direct page, rounded to thousandths; default 1",
)
.if_value(SLC.key.path, has_slc);

/// `ftl.slc_victim`: whether it is greedy.
pub const SLC_VICTIM: Choice<bool> = Choice::new(
    "ftl.slc_victim",
    &["fifo", "greedy"],
    &[false, true],
    "the block of the cache to fold: filled first, or with the fewest valid pages",
)
.if_value(SLC.key.path, has_slc);

/// `ftl.slc_idle_us`.
pub const SLC_IDLE_US: Number = Number::new(
    "ftl.slc_idle_us",
    [0.0, 1e12],
    0.0,
    "fold in gaps between requests, this long after the last work, in µs; 0: never",
)
.if_value(SLC.key.path, has_slc);

/// `ftl.slc_rest`.
pub const SLC_REST: Count = Count::bytes(
    "ftl.slc_rest",
    0,
    "bytes of data that folding in gaps and beside leaves in the cache",
)
.if_value(SLC.key.path, has_slc);

/// `ftl.slc_reclaim`.
pub const SLC_RECLAIM: Number = Number::share(
    "ftl.slc_reclaim",
    Some(0.0),
    "in gaps, clean blocks with at most this share of valid pages for the cache; 0: none",
)
.if_value(SLC.key.path, has_slc);

/// As many as the native pool has: see [`SlcConfig::dynamic`].
pub const ALL: u32 = u32::MAX;

/// An SLC cache. Sizes are in blocks of one FTL.
#[derive(Clone, Debug, PartialEq)]
pub struct SlcConfig {
    /// Pages of a block in SLC mode.
    pub pages: u32,
    /// Blocks that are always in SLC mode.
    pub fixed: u32,
    /// Whether free blocks may be used in SLC mode.
    pub has_dynamic: bool,
    /// The most of them at a time; [`ALL`]: no bound.
    pub dynamic: u32,
    /// The fill level at which `dynamic` is 0, as a share of the logical pages; 0.0: none.
    pub gone_at: f64,
    /// Free blocks that the cache leaves.
    pub keep: u32,
    /// What the host does without room.
    pub full: WhenFull,
    /// Thousandths of a page that are folded for each direct one.
    pub beside: u64,
    /// The victim is the block with the fewest valid pages.
    pub greedy: bool,
    /// Folding in gaps begins this long after the last work; 0: never.
    pub idle_ns: u64,
    /// Full blocks that folding in gaps and beside leaves.
    pub rest: u32,
    /// The most valid pages of a block that is cleaned for the cache, as a share; 0.0: none is.
    pub reclaim: f64,
    /// What cannot be.
    refused: Option<Impossible>,
}

impl SlcConfig {
    /// The cache with these values of the keys, if there is one. What it refuses, [`FtlKind::needs`](crate::FtlKind::needs) says.
    pub fn configure(inputs: &Inputs) -> Option<Self> {
        let settings = inputs.settings;
        let kind = SLC.of(settings);
        if kind == SlcKind::Off {
            return None;
        }
        let shape = &inputs.shape;
        let bits = CELL_BITS.of(settings);
        let pages = shape.chip_pages / bits * (shape.pages_per_block / shape.chip_pages);
        let block = (pages * shape.page_bytes).max(1);
        let blocks = |bytes: u64| u32::try_from(bytes / shape.ftls / block).unwrap_or(ALL);
        let fixed = SLC_STATIC.get(settings).map(blocks);
        let dynamic = SLC_DYNAMIC.get(settings);
        let dynamic = dynamic.map(|bytes| bytes.map_or(ALL, blocks));
        let gc_low = GC_LOW.of(settings);
        let beside = SLC_BESIDE.get(settings);
        Some(Self {
            pages: pages as u32,
            fixed: fixed.filter(|_| kind.has_fixed()).unwrap_or_default(),
            has_dynamic: kind.has_dynamic(),
            dynamic: dynamic.filter(|_| kind.has_dynamic()).unwrap_or_default(),
            gone_at: SLC_GONE_AT.of(settings),
            keep: SLC_KEEP.get(settings).unwrap_or(gc_low + 1) as u32,
            full: SLC_FULL.of(settings),
            beside: libm::rint(beside.unwrap_or(1.0) * 1e3) as u64,
            greedy: SLC_VICTIM.of(settings),
            idle_ns: libm::rint(SLC_IDLE_US.of(settings) * 1e3) as u64,
            rest: blocks(SLC_REST.of(settings)),
            reclaim: SLC_RECLAIM.of(settings),
            refused: refused(inputs, kind, block, fixed, dynamic),
        })
    }

    /// Refuses what cannot be.
    pub(in super::super) fn check(&self) -> Result<(), Impossible> {
        self.refused.clone().map_or(Ok(()), Err)
    }

    /// The blocks that cleaning cannot count on: the fixed ones, and one if blocks change their mode.
    pub(in super::super) fn withheld(&self) -> u32 {
        self.fixed.saturating_add(self.has_dynamic.into())
    }

    pub(in super::super) fn table_bytes(&self, blocks: u64) -> u64 {
        // mode, valid pages, erases, order of filling, free list, order of native blocks
        (1 + 4 + 4 + 4 + 8 + 10) * (blocks + 8)
    }
}

/// The blocks of an SLC cache that [`default_gc_high`](super::super::default_gc_high) must leave out.
pub fn slc_withheld(inputs: &Inputs) -> u32 {
    SlcConfig::configure(inputs).map_or(0, |slc| slc.withheld())
}

/// The first rule that the keys break.
fn refused(
    inputs: &Inputs,
    kind: SlcKind,
    block: u64,
    fixed: Option<u32>,
    dynamic: Option<u32>,
) -> Option<Impossible> {
    let settings = inputs.settings;
    let refuse = |key: &'static str, why: String| Some(Impossible { key, why });
    let with = format!("with {} {:?}", SLC.key.path, SLC.name(kind));
    let placement = inputs.placement.entry().name;
    if placement != "single" {
        let why = format!("must be \"off\" with {} {placement:?}", PLACEMENT.key.path);
        return refuse(SLC.key.path, why);
    }
    if inputs.placement.wants().in_place {
        return refuse(
            SLC.key.path,
            "must be \"off\" with ftl.gc_frontier \"in-place\"".into(),
        );
    }
    if BUFFER_AWARE.of(settings) != BufferAware::Off {
        return refuse(BUFFER_AWARE.key.path, format!("must be off {with}"));
    }
    if super::super::EAGER.of(settings) > 0.0 {
        return refuse(super::super::EAGER.key.path, format!("must be 0 {with}"));
    }
    let gc_low = GC_LOW.of(settings);
    if gc_low < 2 {
        let why = format!("must be at least 2 {with}");
        return refuse(GC_LOW.key.path, why);
    }
    let bits = CELL_BITS.of(settings);
    if bits > inputs.shape.chip_pages {
        let pages = inputs.shape.chip_pages;
        let why = format!("must be at most the {pages} of flash.pages_per_block {with}");
        return refuse(CELL_BITS.key.path, why);
    }
    // the size of each part, whether there is such a part, and the key
    let parts = [
        (fixed, kind.has_fixed(), SLC_STATIC.key.path),
        (dynamic, kind.has_dynamic(), SLC_DYNAMIC.key.path),
    ];
    for (blocks, wanted, key) in parts {
        match blocks {
            None if wanted => return refuse(SLC.key.path, format!("needs {key}, a size")),
            Some(_) if !wanted => return refuse(key, format!("must not be given {with}")),
            Some(0) => {
                let ftls = inputs.shape.ftls;
                let of = match ftls {
                    1 => String::new(),
                    _ => format!(" on each of {ftls} chips"),
                };
                let why = format!(
                    "must hold a block in SLC mode{of}: at least {} bytes",
                    block * ftls
                );
                return refuse(key, why);
            }
            _ => {}
        }
    }
    let gone_at = SLC_GONE_AT.of(settings);
    if gone_at > 0.0 && !kind.has_dynamic() {
        return refuse(SLC_GONE_AT.key.path, format!("must be 0 {with}"));
    }
    if SLC_KEEP.get(settings).is_some_and(|keep| keep <= gc_low) && kind.has_dynamic() {
        let why = format!("must be more than the {gc_low} of {}", GC_LOW.key.path);
        return refuse(SLC_KEEP.key.path, why);
    }
    let full = SLC_FULL.of(settings);
    if SLC_BESIDE.get(settings).is_some() && full != WhenFull::Beside {
        let why = format!("must be given with {} \"beside\" only", SLC_FULL.key.path);
        return refuse(SLC_BESIDE.key.path, why);
    }
    let in_gaps = SLC_IDLE_US.of(settings) > 0.0;
    if SLC_REST.of(settings) > 0 && !in_gaps && full != WhenFull::Beside {
        let why = format!(
            "must be 0 unless {} is above 0 or {} is \"beside\"",
            SLC_IDLE_US.key.path, SLC_FULL.key.path
        );
        return refuse(SLC_REST.key.path, why);
    }
    if SLC_RECLAIM.of(settings) > 0.0 && (!in_gaps || !kind.has_dynamic()) {
        let why = format!(
            "must be 0 unless {} is above 0 and {} is \"dynamic\" or \"hybrid\"",
            SLC_IDLE_US.key.path, SLC.key.path
        );
        return refuse(SLC_RECLAIM.key.path, why);
    }
    None
}

/// Refuses a fill level that is no page.
pub(in super::super) fn check_fill(slc: &SlcConfig, logical_pages: u64) -> Result<(), Impossible> {
    if slc.gone_at > 0.0 && logical_pages > 0 && slc.gone_pages(logical_pages) == 0 {
        return Err(Impossible {
            key: SLC_GONE_AT.key.path,
            why: format!(
                "must be at least one of the {logical_pages} logical pages of an FTL, or 0"
            ),
        });
    }
    Ok(())
}

impl SlcConfig {
    /// The pages in native blocks at which the dynamic part is gone; 0: it stays.
    pub fn gone_pages(&self, logical_pages: u64) -> u64 {
        // the product of two doubles
        (self.gone_at * logical_pages as f64) as u64
    }
}
