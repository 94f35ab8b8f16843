//! The trace formats, one file each.

pub mod blkparse;
pub mod msr;
pub mod plain;
