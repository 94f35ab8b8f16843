//! Block traces: opened, decompressed, decoded into [`Request`](ssdlab_host::Request)s and characterised.
//!
//! [`TraceReader`] streams a trace of any length in constant memory; [`Info`] says what a trace holds.
//! Each trace format has one file of its own; [`plain`] is the first.

mod error;
mod heat;
mod info;
pub mod plain;
mod reader;
mod sizes;
mod source;

pub use error::TraceError;
pub use info::{Info, InfoReport, TooLarge};
pub use reader::{BATCH, TraceReader, TraceSummary, read_all};
pub use sizes::SizeReport;
