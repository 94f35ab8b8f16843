//! All tests of this crate in one program, which is built once.

mod blkparse;
mod blkparse_random;
mod common;
mod info;
mod layouts;
mod layouts_random;
mod lfs;
mod malformed;
mod merge;
mod msr;
mod options;
mod properties;
mod raster;
mod shipped;
mod sources;
mod streams;
mod synthetic;
mod workload;
