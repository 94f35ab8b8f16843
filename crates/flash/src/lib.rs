//! NAND flash: geometry, addresses, spare areas, the [`Media`] trait, the [`Array`] that enforces the rules of the
//! chip, and wrappers that check the operations or cut the power.

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
