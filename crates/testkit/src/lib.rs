//! What the tests of several crates share.

pub mod configs;
pub mod model;
pub mod power_cut;
pub mod versions;
pub mod workload;
