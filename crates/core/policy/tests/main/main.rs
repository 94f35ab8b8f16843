//! All tests of this crate in one program, which is built once.

mod buffer_rules;
mod cbb;
mod clairvoyant;
mod cleaning;
mod kinds;
mod papers;
mod placement;
mod structures;
