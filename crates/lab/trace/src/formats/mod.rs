//! The trace formats, one file each.

pub mod blkparse;
pub mod blktrace;
mod block_layer;
pub mod dm_log_writes;
pub mod lcs;
pub mod msr;
mod objects;
pub mod oracle_general;
pub mod parquet;
pub mod plain;
pub mod vscsi;
