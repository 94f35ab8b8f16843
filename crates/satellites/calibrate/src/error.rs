//! The errors of a calibration.

use std::io;
use std::path::PathBuf;

use ssdlab_sim::SimError;
use ssdlab_words::{shown_path, shown_text};

/// The reason that a drive was not calibrated. Display is the full message for the user.
#[derive(Debug, thiserror::Error)]
pub enum CalibrateError {
    /// A file that cannot be read.
    #[error("{}: cannot be read: {error}", shown_path(path))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// A wrong line of the file of the drive.
    #[error("{}, line {line}: {}: {why}", shown_path(path), shown_text(text))]
    Drive {
        /// The file.
        path: PathBuf,
        /// From 1 on.
        line: usize,
        /// The line.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// A log of counters that says nothing of use.
    #[error(transparent)]
    Counters(#[from] ssdlab_counters::CounterError),
    /// A recorded workload, or a configuration that cannot be.
    #[error("{}: {why}", shown_path(path))]
    Log {
        /// The file.
        path: PathBuf,
        /// What is wrong with it; names the field.
        why: String,
    },
    /// A recorded workload that cannot be read.
    #[error(transparent)]
    Trace(#[from] ssdlab_trace::TraceError),
    /// The counters of a measurement contradict each other or its workload.
    #[error("measurement {name:?}: {why}")]
    Measurement {
        /// Its name.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// A simulation failed.
    #[error("measurement {name:?}: {error}")]
    Simulation {
        /// The name of the measurement.
        name: String,
        /// The reason.
        error: Box<SimError>,
    },
}

impl CalibrateError {
    /// Whether the user's input is wrong (exit code 2), not the machine (1).
    pub fn is_bad_input(&self) -> bool {
        match self {
            CalibrateError::Simulation { error, .. } => error.is_bad_input(),
            CalibrateError::Trace(error) => !error.is_io(),
            _ => true,
        }
    }
}
