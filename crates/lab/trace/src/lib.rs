//! Block traces: opened, decompressed, decoded into [`Request`](ssdlab_host::Request)s.
//!
//! [`TraceReader`] streams a trace of any length in constant memory.
//! Each trace format has one file of its own and a line in `registry`, from which detection, messages and lists are
//! made.
//!
//! May depend on `words` and `host`; knows no device. Reads trace files and standard input, and nothing else. Writes no
//! file, prints nothing, and reads no environment variable.

mod cpus;
mod decode;
mod entry;
mod error;
mod feed;
mod formats;
mod identity;
mod lines;
mod merge;
mod options;
mod reader;
mod registry;
mod rows;
pub mod skip;
mod slots;
mod sort;
mod source;
mod streams;
mod summary;
mod table;
mod tally;
mod text;
mod time_unit;
mod volumes;
mod watch;

pub use error::{Place, TraceError};
pub use formats::blktrace::RecordedStep;
pub use formats::plain;
pub use identity::Identity;
pub use merge::{Merge, Merged, Part, side_by_side};
pub use options::{Action, ReadOptions};
pub use reader::{BATCH, TraceReader, read_all};
pub use registry::Format;
pub use streams::StreamBy;
pub use summary::{TraceSummary, summarised};
pub use table::{Role, TableOptions, op_of};
pub use time_unit::TimeUnit;
pub use watch::{Passed, Watch};
