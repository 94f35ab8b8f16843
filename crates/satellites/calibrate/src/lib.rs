//! Calibration: from the specification sheet of a drive, and from its counters before and after known workloads, to its
//! spare flash, with how sure that is, and to a configuration with the source of each figure.
//!
//! A file describes the drive ([`TEMPLATE`]). A measurement is a workload and what the counters of host and flash say
//! of it. The only unknown is the flash that holds data or waits to be cleaned: it is fitted to some of the measurements,
//! and the others are predicted and stand beside what was measured. Uniform writes in the steady state are predicted by the
//! closed form, all other loads by a simulation of a small drive with the same share of spare flash. Rates and latencies beside
//! loads tell some times of the clocks, each from one figure. A fill that a review measured tells the SLC cache of a consumer drive and the
//! speeds of its cells.
//!
//! May depend on `words`, `config`, `counters`, `theory`, `trace` and `sim`. Reads the files that it is given the names of, and starts
//! threads; writes and prints nothing.

mod calibration;
mod cliff;
mod configuration;
mod counters;
mod drive;
mod error;
mod file;
mod fit;
mod load;
mod measurement;
mod recorded;
mod sheet;
mod times;

pub use calibration::{Calibration, Compared, Explanation, Role, calibrate};
pub use cliff::{FittedCliff, ToldKey};
pub use drive::Overhead;
pub use error::CalibrateError;
pub use times::{Clocks, FittedKey, LoadCompared, Percentiles};

/// A file that describes a drive, to start from.
pub const TEMPLATE: &str = include_str!("template.toml");
