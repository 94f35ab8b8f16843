//! Why a paper was not reproduced.

use std::path::PathBuf;

use ssdlab_sim::SimError;

/// Display is the full message for the user.
#[derive(Debug, thiserror::Error)]
pub enum ReproduceError {
    /// No description of this name.
    #[error("{name}: {} does not exist; {hint}", path.display())]
    Unknown {
        /// What was asked for.
        name: String,
        /// Where it would be.
        path: PathBuf,
        /// What there is instead.
        hint: String,
    },
    /// A description that cannot be read.
    #[error("{}: cannot be read: {error}", path.display())]
    Unreadable {
        /// The description.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A description that cannot be used.
    #[error("{}:{line}: {text}: {why}", path.display())]
    Description {
        /// The description.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What stands there.
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
            | ReproduceError::Unreadable { .. }
            | ReproduceError::Description { .. } => true,
            ReproduceError::Sim(error) => error.is_bad_input(),
            ReproduceError::Chart(_) => false,
        }
    }
}
