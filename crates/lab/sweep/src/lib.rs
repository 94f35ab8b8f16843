//! Sweeps: every combination of traces and configurations, on one machine or many.
//!
//! A [`Sweep`] is a plan (`sweep.toml`) with the facts of its traces: it knows all runs, what they cost, and every
//! configuration error, before anything runs. Its runs are divided into shards: one decoded trace and some
//! configurations. A shard is a pure function of the plan and its number; its rows are one part, a Parquet file that
//! appears when it is complete, under a name made of its content. So a sweep needs no lock, no leader and no server: what
//! is left to do is the plan minus the parts.
//!
//! May depend on `words`, `host`, `config`, `output`, `workload`, `trace`, `arguments`, `catalogue`, `simulators`, `sim` and
//! `results`. Writes into the folder of the sweep alone, and prints nothing.

mod command;
mod cost;
mod error;
mod facts;
mod folder;
mod merge;
mod plan;
mod prices;
mod shard;
mod slurm;
mod status;
mod sweep;
mod verify;
mod visits;
mod work;

pub use cost::{Settings, Terms, decoding};
pub use error::SweepError;
pub use facts::Facts;
pub use merge::merge;
pub use plan::{Combination, Kind, Source};
pub use prices::{BUFFERS, DECODE, FTLS};
pub use shard::Shard;
pub use slurm::{Slurm, most_of_array};
pub use status::{Status, status};
pub use sweep::{Explained, Planned, Sweep};
pub use verify::Verified;
pub use visits::Visits;
pub use work::{Work, WorkEvent, chosen};
