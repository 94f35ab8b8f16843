//! Block traces: opened, decompressed, decoded into [`Request`](ssdlab_host::Request)s and characterised.
//!
//! [`TraceReader`] streams a trace of any length in constant memory; [`Info`] says what a trace holds.
//! Each trace format has one file of its own and an entry in [`Format`]. [`synthetic`] workloads need no trace.

mod blkparse;
mod decode;
mod error;
mod format;
mod heat;
mod info;
mod lines;
mod msr;
mod options;
pub mod plain;
mod reader;
mod sizes;
pub mod skip;
mod source;
mod summary;
pub mod synthetic;
mod text;
mod volumes;

pub use error::TraceError;
pub use format::Format;
pub use info::{Info, InfoReport, TooLarge};
pub use options::{Action, ReadOptions};
pub use reader::{BATCH, TraceReader, read_all};
pub use sizes::SizeReport;
pub use summary::TraceSummary;
