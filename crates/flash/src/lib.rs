//! NAND flash as the rest of the laboratory sees it: geometry, addresses, spare areas, the [`Media`] trait, the
//! [`Array`] that enforces the chip's rules, and wrappers that check it or cut its power.

mod array;
mod check;
mod geometry;
mod media;
mod power_cut;

pub use array::{Array, ProgramOrder};
pub use check::Check;
pub use geometry::{Geometry, Lbn, Lpn, Page, Pbn, Ppn};
pub use media::{Bytes, Fault, Media, Payload, Role, Spare, SpareState};
pub use power_cut::{Cut, InFlight, PowerCut};
