//! The errors of a study.

use std::path::PathBuf;

use ssdlab_output::OutputError;
use ssdlab_sim::SimError;
use ssdlab_words::shown_path;

/// The reason why a study failed. Display is the full message for the user.
#[derive(Debug, thiserror::Error)]
pub enum ReproduceError {
    /// No description of this name.
    #[error("{}: {why}; {hint}", shown_path(path))]
    Unknown {
        /// The name or the folder that the user gave.
        path: PathBuf,
        /// The missing part.
        why: String,
        /// The existing studies.
        hint: String,
    },
    /// A path in place of a name: the output would go to another folder.
    #[error("{name}: must be the name of a folder, without a path; {hint}")]
    Path {
        /// The text that the user gave.
        name: String,
        /// The existing studies.
        hint: String,
    },
    /// A folder with two descriptions.
    #[error("{}: has {names}; remove one of them", shown_path(path))]
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
        /// The reason.
        error: std::io::Error,
    },
    /// An invalid description.
    #[error("{}:{line}: {}{why}", shown_path(path), shown(text))]
    Description {
        /// The description.
        path: PathBuf,
        /// The line number, from 1.
        line: usize,
        /// The text of the line; empty in an empty file.
        text: String,
        /// The error.
        why: String,
    },
    /// Causes that their runs do not show, all of them: the runs take minutes.
    #[error("{}", lines(.0))]
    Causes(Vec<ReproduceError>),
    /// A kept result that cannot be taken.
    #[error("{}: {why}; delete it, and its run is run again", shown_path(path))]
    Kept {
        /// Its file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A result that cannot be kept.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// An error of a trace or a run.
    #[error(transparent)]
    Sim(#[from] SimError),
}

impl ReproduceError {
    /// Whether the user's input is wrong (exit code 2), not the machine or the device (1).
    pub fn is_bad_input(&self) -> bool {
        match self {
            ReproduceError::Unknown { .. }
            | ReproduceError::Path { .. }
            | ReproduceError::Ambiguous { .. }
            | ReproduceError::Unreadable { .. }
            | ReproduceError::Description { .. }
            | ReproduceError::Kept { .. }
            | ReproduceError::Causes(_) => true,
            ReproduceError::Output(_) => false,
            ReproduceError::Sim(error) => error.is_bad_input(),
        }
    }
}

/// A line for each error.
fn lines(errors: &[ReproduceError]) -> String {
    let lines: Vec<String> = errors.iter().map(ReproduceError::to_string).collect();
    lines.join("\n")
}

/// The text of a line before the error message.
fn shown(line: &str) -> String {
    match line {
        "" => String::new(),
        line => format!("{line}: "),
    }
}
