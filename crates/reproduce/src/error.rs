//! Why a study was not run again.

use std::path::PathBuf;

use ssdlab_sim::SimError;
use ssdlab_trace::shown_path;

/// Display is the full message for the user.
#[derive(Debug, thiserror::Error)]
pub enum ReproduceError {
    /// No description of this name.
    #[error("{}: {why}; {hint}", shown_path(path))]
    Unknown {
        /// The name, or the folder, that was asked for.
        path: PathBuf,
        /// What it is not or has not.
        why: String,
        /// What there is instead.
        hint: String,
    },
    /// A path where a name is wanted: what is written would end up elsewhere.
    #[error("{name}: must be the name of a folder, without a path; {hint}")]
    Path {
        /// What was asked for.
        name: String,
        /// What there is instead.
        hint: String,
    },
    /// A folder that is two studies.
    #[error("{}: has {names}; one of them must go", shown_path(path))]
    Ambiguous {
        /// The folder.
        path: PathBuf,
        /// The descriptions in it.
        names: String,
    },
    /// A description that cannot be read.
    #[error("{}: cannot be read: {error}", shown_path(path))]
    Unreadable {
        /// The description.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A description that cannot be used.
    #[error("{}:{line}: {}{why}", shown_path(path), shown(text))]
    Description {
        /// The description.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What stands there; nothing in a file without lines.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// A trace or a run.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// A chart that could not be drawn.
    #[error("chart: {0}")]
    Chart(String),
}

impl ReproduceError {
    /// Is it the user's input that is wrong (exit code 2), rather than the machine or the device (1)?
    pub fn is_bad_input(&self) -> bool {
        match self {
            ReproduceError::Unknown { .. }
            | ReproduceError::Path { .. }
            | ReproduceError::Ambiguous { .. }
            | ReproduceError::Unreadable { .. }
            | ReproduceError::Description { .. } => true,
            ReproduceError::Sim(error) => error.is_bad_input(),
            ReproduceError::Chart(_) => false,
        }
    }
}

/// A line of a description, before what is wrong with it.
fn shown(line: &str) -> String {
    match line {
        "" => String::new(),
        line => format!("{line}: "),
    }
}
