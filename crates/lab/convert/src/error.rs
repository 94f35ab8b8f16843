//! The errors of converting a trace.

use std::io;

use ssdlab_trace::TraceError;
use thiserror::Error;

/// The reason that a trace could not be converted. Its text is the whole message, but for that of `Write`.
#[derive(Debug, Error)]
pub enum ConvertError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The trace, or what is asked of it, is refused.
    #[error("{0}")]
    Refused(String),
    /// The output cannot be written.
    #[error("cannot be written: {0}")]
    Write(io::Error),
    /// A file of its own that the command works with cannot be written or read.
    #[error("a temporary file for the volumes cannot be used: {0}")]
    Temporary(io::Error),
}

/// The reason that a request could not be written.
#[derive(Debug)]
pub enum WriteError {
    /// The output cannot be written.
    Io(io::Error),
    /// The format cannot say it, and why.
    Refused(String),
}

impl From<String> for WriteError {
    fn from(why: String) -> Self {
        Self::Refused(why)
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl WriteError {
    /// The error of a request at a place of the trace, such as `usr_0.csv, line 7`.
    pub fn at(self, place: impl FnOnce() -> String) -> ConvertError {
        match self {
            Self::Io(error) => ConvertError::Write(error),
            Self::Refused(why) => ConvertError::Refused(format!("{}: {why}", place())),
        }
    }
}
