//! The trace that a command reads.

use std::path::{Path, PathBuf};

use ssdlab_arguments::ReadArgs;
use ssdlab_trace::{ReadOptions, Watch};

/// A trace and the options of reading it.
#[derive(clap::Args)]
pub struct TraceArgs {
    #[command(flatten)]
    read: ReadArgs,
    /// The trace, or - for standard input: in any format that `ssdlab list` names, uncompressed or compressed with zstd, gzip,
    /// bzip2 or xz
    trace: PathBuf,
}

impl TraceArgs {
    /// The path of the trace.
    pub fn path(&self) -> &Path {
        &self.trace
    }

    /// The options of reading it, as a text that differs if they do.
    pub fn how_read(&self) -> String {
        format!("{:?}", self.read)
    }

    /// The options of reading it, and the receiver of the progress.
    pub fn options(&self, watch: Watch) -> ReadOptions {
        self.read.options(watch)
    }
}
