//! All tests of this crate in one program, which is built once.

mod binary;
mod blkparse;
mod blkparse_random;
mod common;
mod field;
mod floors;
mod formats;
mod layouts;
mod layouts_random;
mod malformed;
mod merge;
mod msr;
mod options;
mod parquet;
mod properties;
mod shipped;
mod sort;
mod sources;
mod streams;
