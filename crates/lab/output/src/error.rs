//! Why an output is not written.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use ssdlab_words::shown_path;

/// Why an output is not written. Display is the full message for the user.
#[derive(Debug)]
pub enum OutputError {
    /// It must not be written: the user's mistake.
    Refused(String),
    /// It cannot be written.
    Failed {
        /// The output, as the user named it.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
}

impl OutputError {
    /// The error of an output that cannot be written.
    pub fn failed(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        Self::Failed { path, error }
    }
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) => f.write_str(why),
            Self::Failed { path, error } => {
                write!(f, "{}: cannot be written: {error}", shown_path(path))
            }
        }
    }
}

impl std::error::Error for OutputError {}
