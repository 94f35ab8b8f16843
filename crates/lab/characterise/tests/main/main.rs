//! All tests of this crate in one program, which is built once.

mod common;
mod info;
mod lru;
mod profile;
mod raster;
mod shipped;
mod simulated;
