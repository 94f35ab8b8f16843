//! What a workload is for flash: statistics of its requests, each in one pass.
//!
//! May depend on `host`; knows no device and no trace format: it is given requests. Reads and writes no file, prints
//! nothing, and reads no environment variable.

mod cover;
mod info;
mod raster;
mod sizes;
mod units;

pub use info::{Info, InfoReport, TooMany};
pub use raster::{Mark, Raster};
pub use sizes::SizeReport;
pub use units::UnitReport;
