//! The trace formats, one file each.

pub mod alibaba;
pub mod baleen;
pub mod blkparse;
pub mod blktrace;
mod block_layer;
pub mod camelab;
pub mod csv;
pub mod diskmon;
pub mod disksim;
pub mod dm_log_writes;
pub mod fio;
pub mod fiu;
pub mod lcs;
pub mod midas;
pub mod mqsim;
pub mod msr;
mod objects;
pub mod oracle_general;
pub mod parquet;
pub mod plain;
pub mod spc;
pub mod systor17;
pub mod tencent;
pub mod thesios;
pub mod vscsi;
