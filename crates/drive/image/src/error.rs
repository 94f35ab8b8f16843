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
    #[error("this image has version {found} of the format; this program knows version {supported}")]
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
