//! Whether a trace that is read again is still the same.

use crate::TraceError;
use std::fs::Metadata;
use std::path::Path;
use std::time::SystemTime;

/// What the system says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Bytes.
    pub length: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    /// `None` for what is no regular file: a pipe has neither.
    pub fn of(metadata: &Metadata) -> Option<Stamp> {
        metadata.is_file().then(|| Stamp {
            length: metadata.len(),
            modified: metadata.modified().ok(),
        })
    }
}

/// What a trace was when it was read to its end, to be held against a later pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// When it was opened.
    pub(crate) stamp: Option<Stamp>,
    /// Of the stored bytes that were read; all of them, unless a limit ended the reading.
    pub(crate) bytes: u64,
    pub(crate) sha256: [u8; 32],
    pub(crate) requests: u64,
}

impl Identity {
    /// The hash in hexadecimal.
    pub(crate) fn sha256_hex(&self) -> String {
        self.sha256
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    /// Compares what was read later with what was read first.
    ///
    /// # Errors
    /// They differ; `name` is for the message.
    pub fn check(&self, name: &str, later: &Identity) -> Result<(), TraceError> {
        self.check_stamp(name, later.stamp)?;
        // where a limit ends the reading, how much was read ahead tells nothing
        let same_bytes = self.bytes != later.bytes || self.sha256 == later.sha256;
        match self.requests == later.requests && same_bytes {
            true => Ok(()),
            false => Err(changed(name, "its content is another".into())),
        }
    }

    /// Compares the file of that path, as it is now, with what was read first.
    ///
    /// # Errors
    /// It is gone, or its length or time of modification differs.
    pub fn check_file(&self, name: &str, path: &Path) -> Result<(), TraceError> {
        match path.metadata() {
            Ok(metadata) => self.check_stamp(name, Stamp::of(&metadata)),
            Err(error) => Err(changed(name, error.to_string())),
        }
    }

    fn check_stamp(&self, name: &str, later: Option<Stamp>) -> Result<(), TraceError> {
        match (self.stamp, later) {
            (first, later) if first == later => Ok(()),
            (Some(first), Some(later)) if first.length != later.length => {
                let (first, later) = (first.length, later.length);
                Err(changed(name, format!("{first} bytes became {later}")))
            }
            _ => Err(changed(name, "it was written meanwhile".into())),
        }
    }
}

fn changed(name: &str, what: String) -> TraceError {
    let name = name.to_owned();
    TraceError::Changed { name, what }
}
