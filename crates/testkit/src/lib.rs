//! Test code that several crates share.

pub mod against_model;
pub mod cases;
pub mod checked;
pub mod configs;
pub mod model;
pub mod power_cut;
pub mod recorder;

pub mod tally;
pub mod versions;
pub mod workload;
