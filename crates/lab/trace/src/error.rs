//! The errors of reading a trace.

use std::fmt;
use thiserror::Error;

/// The reason that a trace could not be read. Its text is the whole message for the user.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TraceError {
    /// There is no such file.
    #[error("{name}: no such file; check the path, or give - to read standard input")]
    Missing {
        /// The trace as the user named it.
        name: String,
    },
    /// The path names a folder.
    #[error("{name}: is a directory, not a trace; name one trace file in it")]
    Directory {
        /// The trace as the user named it.
        name: String,
    },
    /// The user may not read the file.
    #[error("{name}: permission denied; make the file readable for this user")]
    Denied {
        /// The trace as the user named it.
        name: String,
    },
    /// The input has no bytes, as stored or after decompression.
    #[error(
        "{name}: {what}; a trace has at least a header or a request, so make or copy the file again"
    )]
    Empty {
        /// The trace as the user named it.
        name: String,
        /// The bytes that are missing.
        what: &'static str,
    },
    /// The extension of the file does not fit its bytes.
    #[error(
        "{name}: mislabelled: the name says {claimed}, but the file is {actual}; rename it to {rename}"
    )]
    Mislabelled {
        /// The trace as the user named it.
        name: String,
        /// The compression that the extension stands for.
        claimed: &'static str,
        /// The compression that the first bytes show.
        actual: &'static str,
        /// A name with the right extension.
        rename: String,
    },
    /// Compressed data that are cut off or corrupt.
    #[error("{name}: {what} {}; copy or make the file again", after(*at))]
    Damaged {
        /// The trace as the user named it.
        name: String,
        /// The fault of the compressed data.
        what: String,
        /// The last complete and valid place.
        at: Place,
    },
    /// A line, record or row that its format does not allow.
    #[error("{name}, {at}: {what}")]
    Malformed {
        /// The trace as the user named it.
        name: String,
        /// Where.
        at: Place,
        /// The field, the text found and the allowed values.
        what: String,
    },
    /// An option that does not fit the trace, or that leaves no request.
    #[error("{name}: {what}")]
    Selection {
        /// The trace as the user named it.
        name: String,
        /// The option and the choices of the trace.
        what: String,
    },
    /// The operating system failed to deliver the bytes.
    #[error("{name}: cannot read {} ({what}); check the device or the program that it comes from", after(*at))]
    Io {
        /// The trace as the user named it.
        name: String,
        /// The error that the operating system reported.
        what: String,
        /// The last complete and valid place.
        at: Place,
    },
    /// A file that is read several times was replaced or written between two passes.
    #[error(
        "{name}: changed while it was in use ({what}); it is read several times, so run the command again and leave the \
         file alone until it ends"
    )]
    Changed {
        /// The trace as the user named it.
        name: String,
        /// The difference.
        what: String,
    },
    /// The caller stopped the pass.
    #[error("{name}: reading was stopped")]
    Stopped {
        /// The trace as the user named it.
        name: String,
    },
}

impl TraceError {
    /// Whether the cause is the environment (exit code 1), not the input (exit code 2).
    pub const fn is_io(&self) -> bool {
        matches!(
            self,
            TraceError::Io { .. } | TraceError::Changed { .. } | TraceError::Stopped { .. }
        )
    }
}

fn after(at: Place) -> String {
    match at.number {
        0 => "from the start".to_owned(),
        _ => format!("after {at}"),
    }
}

/// A place in a trace: a line of text, a record of a binary trace, or a row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// What is numbered, such as `line`.
    pub unit: &'static str,
    /// From 1 (the header is line 1); 0 before the first.
    pub number: u64,
}

impl Place {
    /// Before the first line.
    pub(crate) const START: Place = Place {
        unit: LINE,
        number: 0,
    };
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.unit, self.number)
    }
}

/// What text formats number.
pub(crate) const LINE: &str = "line";
