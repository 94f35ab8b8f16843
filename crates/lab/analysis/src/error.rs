//! The errors of analyses.

use std::io;
use std::path::{Path, PathBuf};

use ssdlab_results::TableError;
use ssdlab_words::shown_path;

/// Results that cannot be studied as they were asked for. Display is the full message for the user.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// A file is no table of results.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A file or folder cannot be read.
    #[error("{}: cannot be read: {error}", shown_path(path))]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// A file or folder has no results.
    #[error("{}: {what}", shown_path(path))]
    NoResults {
        /// The path.
        path: PathBuf,
        /// What was found, and what is allowed.
        what: String,
    },
    /// A name is none of the results.
    #[error("{name}: no column, key or figure of these results{near}")]
    Unknown {
        /// The name.
        name: String,
        /// The names that come near, as the end of a sentence.
        near: String,
    },
    /// What is asked for has no meaning for these rows.
    #[error("{0}")]
    InvalidRequest(String),
}

impl AnalysisError {
    pub(crate) fn unreadable(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        AnalysisError::Unreadable { path, error }
    }

    pub(crate) fn no_results(path: &Path, what: impl Into<String>) -> Self {
        let (path, what) = (path.to_owned(), what.into());
        AnalysisError::NoResults { path, what }
    }
}
