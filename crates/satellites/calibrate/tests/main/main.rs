//! All tests of this crate in one program, which is built once.

mod cliff;
mod common;
mod configuration;
mod counters;
mod errors;
mod fitting;
mod published;
mod times;
