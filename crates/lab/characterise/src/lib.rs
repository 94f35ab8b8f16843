//! What a workload is for flash: statistics of its requests, each in one pass.
//!
//! [`Info`] counts requests, sizes and footprint; its memory follows the bounds of requests. [`Profile`] also looks at each
//! page that is written: hot set, rewrites, working set, and with [`LruCurve`] the hits of LRU write buffers of all sizes.
//!
//! May depend on `host`; knows no device and no trace format: it is given requests. Reads and writes no file, prints
//! nothing, and reads no environment variable.

mod cover;
mod curve;
mod flushes;
mod info;
mod marks;
mod numbers;
mod pages;
mod profile;
mod raster;
mod runs;
mod sizes;
mod spread;
mod stack;
mod units;
mod windows;

pub use curve::{LruCurve, LruHits, LruPoint, TooManyUnits};
pub use flushes::FlushReport;
pub use info::{Info, InfoReport, TooMany};
pub use pages::{HotShare, RewriteReport};
pub use profile::{BYTES_PER_PAGE, LruReport, PageReport, Profile, ProfileOptions, ProfileReport};
pub use raster::{Mark, Raster};
pub use runs::RunReport;
pub use sizes::SizeReport;
pub use spread::SpreadReport;
pub use units::UnitReport;
pub use windows::WindowReport;
