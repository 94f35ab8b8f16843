//! NAND flash: geometry, addresses, spare areas, the [`Media`] trait, the [`Array`] that enforces the rules of the
//! chip, and wrappers that check the operations or cut the power.
//!
//! The array refuses what a chip cannot do, in every run and not only in tests. It knows nothing of what the pages
//! mean: mapping, merging and cleaning are the work of `ftl`.
//!
//! Depends on no other crate of ssdlab. Flash is memory here: no files, no clock, no environment, no printing.

#![no_std]

extern crate alloc;

mod array;
mod check;
mod clocked;
mod geometry;
mod media;
mod note;
mod power_cut;
mod stripes;

pub use array::{Array, ProgramOrder};
pub use check::Check;
pub use clocked::Clocked;
pub use geometry::{Geometry, Lbn, Lpn, Page, Pbn, Ppn};
pub use media::{
    Bytes, Fault, Media, Payload, Role, Spare, SpareState, has_numbers, number, set_numbers,
};
pub use note::{Cells, Note};
pub use power_cut::{Cut, InFlight, PowerCut};
pub use stripes::Stripes;
