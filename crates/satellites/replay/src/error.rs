//! What goes wrong.

use std::io;

use ssdlab_trace::TraceError;

/// Why a trace was not replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The target cannot be used as it was asked.
    #[error("{0}")]
    Refused(String),
    /// The target failed.
    #[error("{target}: {what}: {source}")]
    Failed {
        /// The name of the target.
        target: String,
        /// What was tried.
        what: String,
        /// Why it failed.
        source: io::Error,
    },
    /// The target returned other data than were written.
    #[error("{0}")]
    Corrupt(String),
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

impl ReplayError {
    /// Whether what the user asked for is wrong, and not the machine; [`ReplayError::Trace`] says more itself.
    pub fn is_bad_input(&self) -> bool {
        matches!(self, Self::Refused(_))
    }
}
