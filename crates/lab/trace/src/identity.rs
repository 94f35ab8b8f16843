//! Detects a trace that changes between two passes.

use crate::error::TraceError;
use std::fs::Metadata;
use std::path::Path;
use std::time::SystemTime;

/// The metadata of a file that change when it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Bytes.
    pub length: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    /// `None` for a file that is not regular: a pipe has neither length nor time.
    pub fn of(metadata: &Metadata) -> Option<Stamp> {
        metadata.is_file().then(|| Stamp {
            length: metadata.len(),
            modified: metadata.modified().ok(),
        })
    }
}

/// The identity of a trace, taken at the end of a pass and compared with later passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The metadata of the file at its opening.
    pub(crate) stamp: Option<Stamp>,
    /// The number of stored bytes read; all bytes, unless a limit ended the pass.
    pub(crate) bytes: u64,
    pub(crate) sha256: [u8; 32],
    pub(crate) requests: u64,
}

impl Identity {
    /// The hash in hexadecimal.
    pub(crate) fn sha256_hex(&self) -> String {
        ssdlab_words::hexadecimal(&self.sha256)
    }

    /// Compares a later pass with this one.
    ///
    /// # Errors
    /// The two differ; `name` is the name in the message.
    pub fn check(&self, name: &str, later: &Identity) -> Result<(), TraceError> {
        self.check_stamp(name, later.stamp)?;
        // After a limit, the number of bytes read ahead has no meaning.
        let same_bytes = self.bytes != later.bytes || self.sha256 == later.sha256;
        if self.requests == later.requests && same_bytes {
            Ok(())
        } else {
            Err(changed(name, "its content differs".into()))
        }
    }

    /// Compares the current metadata of the file at `path` with those of this pass.
    ///
    /// # Errors
    /// The file is gone, or its length or its time of modification differs.
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
            _ => Err(changed(name, "it was written in the meantime".into())),
        }
    }
}

fn changed(name: &str, what: String) -> TraceError {
    let name = name.to_owned();
    TraceError::Changed { name, what }
}
