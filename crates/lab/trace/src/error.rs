//! The errors of reading a trace.

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
    #[error("{name}: {what} {}; copy or make the file again", after(*line))]
    Damaged {
        /// The trace as the user named it.
        name: String,
        /// The fault of the compressed data.
        what: String,
        /// The last complete and valid line; 0 if there was none.
        line: u64,
    },
    /// A line that its format does not allow.
    #[error("{name}, line {line}: {what}")]
    Line {
        /// The trace as the user named it.
        name: String,
        /// 1-based; the header is line 1.
        line: u64,
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
    #[error("{name}: cannot read {} ({what}); check the device or the program that it comes from", after(*line))]
    Io {
        /// The trace as the user named it.
        name: String,
        /// The error that the operating system reported.
        what: String,
        /// The last complete and valid line; 0 if there was none.
        line: u64,
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
}

impl TraceError {
    /// Whether the cause is the environment (exit code 1), not the input (exit code 2).
    pub const fn is_io(&self) -> bool {
        matches!(self, TraceError::Io { .. } | TraceError::Changed { .. })
    }
}

fn after(line: u64) -> String {
    match line {
        0 => "from the start".to_owned(),
        good => format!("after line {good}"),
    }
}
