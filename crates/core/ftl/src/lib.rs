//! Flash translation layers (FTLs) map logical pages to flash. Each FTL is one module with the name from its paper.
//!
//! An FTL acts on the flash through `Env`, which counts its operations. It may ask the write buffer for pages,
//! but does not own it and never learns its policy.
//!
//! May depend on `flash` and `policy`; not on `host`, `device` or anything above. No input or output, no clock, no
//! environment: events go to a receiver that the caller gives.

#![no_std]

extern crate alloc;

mod aware;
pub mod bast;
mod bavbs;
pub mod block;
mod buffer;
mod check;
mod cleaned;
mod costs;
mod counts;
mod env;
mod error;
mod event;
pub mod fast;
mod found;
mod free_list;
mod ftl;
pub mod ideal;
mod kind;
mod map_log;
pub mod page;
mod ram_image;
mod registry;
pub mod replacement;
mod scan;
pub mod superblock;
mod tables;

pub use aware::{Aware, BufferAware};
pub use buffer::{Buffer, BufferView, Held, HeldPages};
pub use costs::Costs;
pub use counts::{FlashCounts, MapCounts, ReadCause, Work};
pub use env::{Env, OpenMerge};
pub use error::FtlError;
pub use event::{Context, Event, Events, MergeKind, Trigger, Valid};
pub use found::{Found, Lookup};
pub use ftl::{AHEAD, Ftl, FullSlcBlocks, LearnedMap, RegionCounts, SlcState};
pub use kind::{
    AVERAGED_MERGES, BUFFER_AWARE, CANDIDATES, COPY_BACK, Capacity, EachKind, FREE_LISTS,
    FreeLists, FtlKind, Inputs, KIND, LOG_BLOCKS, MapInFlash, Mapping, Needs, OVER_PROVISIONING,
    SPARE_BLOCKS, Shape, Size, UPDATE_PROBABILITY, WEIGH_COPY_BACKS, has_flash,
};
pub use map_log::MAP_UPDATES;
pub use page::Pace;
pub use ram_image::{RamImage, RamPage};
pub use registry::each_kind;
pub use ssdlab_policy::{Clock, Entry, Impossible, Settings};
pub use tables::{NUMBER, Tables};
