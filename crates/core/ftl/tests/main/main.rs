//! All tests of this crate in one program, which is built once.

mod buffer_aware;
mod contradictions;
mod over_filled;
mod reads;
mod types;
