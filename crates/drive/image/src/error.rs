//! Why an image cannot be made or opened.

use std::io;

use ssdlab_flash::Fault;

/// Why an image cannot be made or opened. Display is the full message for the user, without the name of the file.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// The file cannot be reached.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The flash failed.
    #[error("{0}")]
    Flash(#[from] Fault),
    /// Another process has the image open.
    #[error("another process has this image open")]
    InUse,
    /// The file is no image.
    #[error("this is no flash image: it does not begin with \"ssdlabFL\"")]
    NotAnImage,
    /// The image is of another version of the format.
    #[error("this image has version {found} of the format; this program knows version {supported}{}", who_reads(*found))]
    Version {
        /// Its version.
        found: u32,
        /// The version of this program.
        supported: u32,
    },
    /// The file is too short or too long.
    #[error("the file has {found} bytes; an image of this geometry has {needs}")]
    Length {
        /// Its bytes.
        found: u64,
        /// What it should have.
        needs: u64,
    },
    /// The shape of the flash is impossible.
    #[error("{0}")]
    Shape(String),
    /// The image is damaged in a way that no crash explains.
    #[error("this image is damaged: {0}")]
    Damaged(String),
}

/// The last sources that read an older version.
fn who_reads(version: u32) -> String {
    const LAST: [(u32, &str); 3] = [(1, "46912e0e"), (2, "fc69d500"), (3, "6c4e1ccf")];
    let last = LAST.iter().find(|(older, _)| *older == version);
    last.map_or(String::new(), |(_, revision)| {
        format!(
            "; the sources of ssdlab up to revision {revision} read it: serve it with them, and copy its data to a new image"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{VERSION, WITHOUT_OWN_BLOCKS};

    // planted bug: a new version of the format, and nobody says who reads the one before
    #[test]
    fn every_older_version_has_its_sources() {
        for found in 0..VERSION + 2 {
            let error = ImageError::Version {
                found,
                supported: VERSION,
            };
            let says = error.to_string().contains("up to revision");
            assert_eq!(says, (1..WITHOUT_OWN_BLOCKS).contains(&found), "{error}");
        }
    }
}
