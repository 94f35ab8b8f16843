//! The trace formats, one file each.

pub mod alibaba;
pub mod blkparse;
pub mod fiu;
pub mod msr;
pub mod plain;
pub mod spc;
pub mod systor17;
pub mod tencent;
