//! The log as a ring: the block filled first is cleaned (Menon 1995; Desnoyers 2012).

use crate::classes::{Class, classes};
use crate::spare::Spare;

/// FIFO, and greedy for infinitely large blocks: A = α / (α + W0(−α·e^(−α))), with the Lambert function W0.
///
/// Computed as the only root above 1 of A = 1 / (1 − e^(−α/A)), which is equivalent.
pub fn fifo(spare: Spare) -> f64 {
    classes(
        spare,
        &[Class {
            writes: 1.0,
            data: 1.0,
        }],
    )
}
