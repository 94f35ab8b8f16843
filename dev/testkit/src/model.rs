//! A reference model of the simulator: the test oracle.
//!
//! It is written from `docs/semantics.md` alone; read the two side by side. Its files name the sections of that page. It
//! keeps as little state as it can, looks everything up by scanning, and prefers simple code to fast code. It covers the
//! buffer policies of [`ModelPolicy`] on the FTLs of [`ModelFtl`] under both models of time. Only plain parameters and the
//! values of keys come from the device that it is compared with.

mod babm;
mod bast;
mod bavbs;
mod block;
mod buffer;
mod clock;
mod config;
mod device;
mod drive;
mod fast;
mod flash;
mod ftl;
mod ftls;
mod ideal;
mod map;
mod number;
mod page;
mod placement;
mod recency;
mod record;
mod replacement;
mod result;
mod seeing;
mod segments;
mod settings;
mod superblock;
mod view;

use ssdlab_host::Request;

use device::Device;

pub use buffer::ModelPolicy;
pub use config::{
    BlockKind, ModelBlocks, ModelCleaning, ModelConfig, ModelFtl, ModelPage, ModelPlacement,
    ModelSlc,
};
pub use map::{ModelCache, ModelMapInFlash};
pub use number::{Lbn, Lpn, Pbn};
pub use result::{Choice, Estimate, Event, Merge, ModelMap, ModelResult, Operation, OperationKind};

/// Runs `requests` on the system that `config` describes.
///
/// # Panics
/// If a request is empty or reaches past the capacity (with `wrap`: is larger than it), and if the configuration is
/// impossible.
pub fn run(config: &ModelConfig, requests: &[Request]) -> ModelResult {
    let mut device = Device::new(config, requests);
    for request in requests {
        device.serve(request);
    }
    device.finish()
}
