//! Block traces: opened, decompressed, decoded into [`Request`](ssdlab_host::Request)s and characterised.
//!
//! [`TraceReader`] streams a trace of any length in constant memory; [`Info`] says what a trace holds.
//! Each trace format has one file of its own and a line in `registry`, from which detection, messages and lists are
//! made. [`synthetic`] workloads need no trace, and [`workload`] describes them in words.
//!
//! May depend on `words` and `host`; knows no device. Reads trace files and standard input, and nothing else. Writes no
//! file, prints nothing, and reads no environment variable.

mod cover;
mod decode;
mod entry;
mod error;
mod feed;
mod formats;
mod identity;
mod info;
mod lines;
mod merge;
mod options;
mod raster;
mod reader;
mod registry;
mod rows;
mod sizes;
pub mod skip;
mod slots;
mod sort;
mod source;
mod streams;
mod summary;
pub mod synthetic;
mod table;
mod tally;
mod text;
mod time_unit;
mod units;
mod volumes;
mod watch;
pub mod workload;

pub use error::{Place, TraceError};
pub use formats::plain;
pub use identity::Identity;
pub use info::{Info, InfoReport, TooMany};
pub use merge::{Merge, Merged, Part, side_by_side};
pub use options::{Action, ReadOptions};
pub use raster::{Mark, Raster};
pub use reader::{BATCH, TraceReader, read_all};
pub use registry::Format;
pub use sizes::SizeReport;
pub use streams::StreamBy;
pub use summary::TraceSummary;
pub use table::{Role, TableOptions};
pub use time_unit::TimeUnit;
pub use units::UnitReport;
pub use watch::{Passed, Watch};
