//! The errors of sharing.

use std::io;
use std::path::{Path, PathBuf};

use ssdlab_analysis::AnalysisError;
use ssdlab_output::OutputError;
use ssdlab_results::TableError;
use ssdlab_sweep::SweepError;
use ssdlab_words::shown_path;

/// An artifact that cannot be made. Display is the full message for the user.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// A file cannot be read.
    #[error("{}: cannot be read: {error}", shown_path(path))]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// What is asked for is not there.
    #[error("{}: {what}", shown_path(path))]
    Refused {
        /// The path.
        path: PathBuf,
        /// What was found, and what to do.
        what: String,
    },
    /// The sweep.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// The table of results.
    #[error(transparent)]
    Table(#[from] TableError),
    /// What the results say.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// The folder cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl PublishError {
    pub(crate) fn unreadable(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        PublishError::Unreadable { path, error }
    }

    pub(crate) fn refused(path: &Path, what: impl Into<String>) -> Self {
        let (path, what) = (path.to_owned(), what.into());
        PublishError::Refused { path, what }
    }
}
