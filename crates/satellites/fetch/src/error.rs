//! Why a file is not fetched.

use std::io;

use ssdlab_output::OutputError;
use ssdlab_words::{shown_text, thousands};

use crate::source::shown_address;

/// Why a file is not fetched. Display is the full message for the user.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// What was asked for cannot be had: the user's mistake, or the publisher's terms.
    #[error("{0}")]
    Refused(String),
    /// The server does not give it.
    #[error("{address}: the server answers {status}{}", meaning(*.status))]
    Status {
        /// The address.
        address: String,
        /// The status of its answer.
        status: u16,
    },
    /// All tries failed. What has arrived is kept.
    #[error("{address}: {why}, after {tries} tries{}", keeps(*.kept))]
    GaveUp {
        /// The address.
        address: String,
        /// Why the last try failed.
        why: String,
        /// The number of tries without progress.
        tries: u32,
        /// The bytes that have arrived.
        kept: u64,
    },
    /// The server does not serve parts of a file.
    #[error("{address}: the server serves only whole files, no byte ranges{0}", .hint)]
    NoRanges {
        /// The address.
        address: String,
        /// What to do instead.
        hint: String,
    },
    /// The answer does not make sense.
    #[error("{address}: {why}")]
    Nonsense {
        /// The address.
        address: String,
        /// What is wrong.
        why: String,
    },
    /// What arrived is not what the catalogue says.
    #[error(
        "{address}: {what} is {found}, but the catalogue has {expected}: it is damaged or has changed. It was removed; \
         `ssdlab trace fetch {address}` (with --volume MEMBER for one of an archive) takes it as it is"
    )]
    Different {
        /// The address.
        address: String,
        /// `its SHA-256`, `its size`.
        what: &'static str,
        /// What it is.
        found: String,
        /// What it should be.
        expected: String,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl FetchError {
    /// Whether the user can change it.
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::Refused(_) | Self::NoRanges { .. } => true,
            Self::Status { status, .. } => matches!(status, 400..=499),
            _ => false,
        }
    }

    pub(crate) fn nonsense(address: &str, why: impl Into<String>) -> Self {
        Self::Nonsense {
            address: shown_address(address),
            why: why.into(),
        }
    }
}

fn keeps(bytes: u64) -> String {
    match bytes {
        0 => String::new(),
        _ => format!(
            "; {} bytes are kept, and the same command goes on from there",
            thousands(bytes)
        ),
    }
}

/// What a status means for the user.
fn meaning(status: u16) -> &'static str {
    match status {
        401 | 403 | 407 => ", access is refused: it may need a registration",
        404 | 410 => ", it is not there: see the page of the set for its present address",
        416 => ", it has fewer bytes",
        _ => "",
    }
}

/// An error of the network, in a line.
pub(crate) fn of_network(error: &ureq::Error) -> String {
    let text = match error {
        ureq::Error::Io(error) => of_reading(error),
        ureq::Error::Timeout(_) => "the server does not answer in time".to_owned(),
        ureq::Error::HostNotFound => "no such host".to_owned(),
        ureq::Error::TooManyRedirects => "it redirects without end".to_owned(),
        error => error.to_string(),
    };
    let hint = match text.contains("certificate") {
        true => "; SSL_CERT_FILE names a file with those that are trusted",
        false => "",
    };
    shown_text(&text) + hint
}

/// An error while the body of an answer is read.
pub(crate) fn of_reading(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "the connection ended early".to_owned(),
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
            "the server does not answer in time".to_owned()
        }
        _ => shown_text(&error.to_string()),
    }
}
