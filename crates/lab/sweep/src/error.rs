//! The errors of sweeps.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use ssdlab_output::OutputError;
use ssdlab_results::TableError;
use ssdlab_sim::{SimError, StopFlag};
use ssdlab_words::shown_path;

/// A sweep that cannot be planned, or go on. Display is the full message for the user.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The plan says what cannot be.
    #[error("{name}:{line}: {why}")]
    Plan {
        /// The file, as the user named it.
        name: String,
        /// The line, from 1.
        line: usize,
        /// What was found, and what is allowed.
        why: String,
    },
    /// Runs that the device or the trace refuses: the first of them, one a line.
    #[error("{}", .0.join("\n"))]
    Refused(Vec<String>),
    /// A file or folder cannot be read.
    #[error("{}: cannot be read: {error}", shown_path(path))]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The folder has another sweep.
    #[error("{}: {what}", shown_path(path))]
    Folder {
        /// The path.
        path: PathBuf,
        /// What was found, and what to do.
        what: String,
    },
    /// A trace is not the one that was planned.
    #[error(
        "{name}: changed since the sweep was planned: {what}; plan it again, into another folder"
    )]
    Changed {
        /// The trace.
        name: String,
        /// What differs.
        what: String,
    },
    /// A part has the name of another one, and other bytes.
    #[error(
        "{}: made again, this part has other bytes: runs of one version with one configuration and one trace must be the \
         same; keep the file and report this",
        shown_path(path)
    )]
    Differs {
        /// The part that was there.
        path: PathBuf,
    },
    /// A run failed.
    #[error("{run}: {error}")]
    Run {
        /// Its trace and settings.
        run: String,
        /// The reason.
        error: Box<SimError>,
    },
    /// The machine has no threads for the runs.
    #[error(transparent)]
    Threads(Box<SimError>),
    /// A table cannot be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// An output cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The user, or the cluster, stopped the sweep.
    #[error("stopped")]
    Stopped,
}

/// An error of no run.
impl From<SimError> for SweepError {
    fn from(error: SimError) -> Self {
        SweepError::Threads(Box::new(error))
    }
}

impl SweepError {
    /// An error once the flag is set.
    pub(crate) fn unless(stop: &StopFlag) -> Result<(), Self> {
        match stop.load(Ordering::Relaxed) {
            true => Err(SweepError::Stopped),
            false => Ok(()),
        }
    }

    pub(crate) fn unreadable(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        SweepError::Unreadable { path, error }
    }

    pub(crate) fn folder(path: &Path, what: impl Into<String>) -> Self {
        let (path, what) = (path.to_owned(), what.into());
        SweepError::Folder { path, what }
    }
}
