//! All tests of this crate in one program.

mod common;
mod fit;
mod formats;
mod parquet;
mod round_trip;
mod sample;
mod select;
mod split;
mod target;
