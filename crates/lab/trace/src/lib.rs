//! Block traces: opened, decompressed, decoded into [`Request`](ssdlab_host::Request)s.
//!
//! [`TraceReader`] streams a trace of any length in constant memory.
//! The table of formats is `formats`; a format of lines with separated fields is a row of it. Detection, messages and
//! lists are made from it by `registry`.
//!
//! May depend on `words` and `host`; knows no device. Reads trace files and standard input, and nothing else. Writes no
//! file, prints nothing, and reads no environment variable.

// The floors: a module uses only modules of groups above its own.

mod error;
mod format;
pub mod skip;
mod watch;

mod coding;
mod identity;
mod lines;
mod text;

mod slots;
mod streams;
mod table;
mod tally;
mod time_unit;
mod volumes;

mod head;

mod clock;
mod decode;
mod layout;
mod options;
mod summary;

mod block_layer;

mod columns;
mod entry;
mod rows;
mod sort;

mod formats;

mod cpus;
mod registry;
mod unzstd;

mod source;

mod feed;

mod parquet_file;

mod reader;

mod merge;

pub use decode::BATCH;
pub use error::{Place, TraceError};
pub use format::Format;
pub use formats::blktrace::RecordedStep;
pub use formats::plain;
pub use identity::Identity;
pub use merge::{Merge, Merged, Part, side_by_side};
pub use options::{Action, ReadOptions};
pub use reader::{TraceReader, read_all};
pub use streams::StreamBy;
pub use summary::{TraceSummary, summarised};
pub use table::{Role, TableOptions, op_of};
pub use time_unit::TimeUnit;
pub use watch::{Passed, Watch};
