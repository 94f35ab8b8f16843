//! The errors of tables.

use std::io;
#[cfg(feature = "files")]
use std::path::Path;
use std::path::PathBuf;

use ssdlab_words::shown_path;

/// A table that cannot be read or written. Display is the full message for the user.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file cannot be opened or read.
    #[error("{}: cannot be read: {error}", shown_path(path))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The file is no table of results.
    #[error("{}: {what}", shown_path(path))]
    NoTable {
        /// The file.
        path: PathBuf,
        /// What was found, and what is allowed.
        what: String,
    },
    /// The output failed.
    #[error("cannot be written: {0}")]
    Output(#[from] io::Error),
}

#[cfg(feature = "files")]
impl TableError {
    pub(crate) fn unreadable(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        TableError::Unreadable { path, error }
    }

    pub(crate) fn no_table(path: &Path, what: impl Into<String>) -> Self {
        let (path, what) = (path.to_owned(), what.into());
        TableError::NoTable { path, what }
    }
}
