//! Why a drive cannot be made, opened or used.

use ssdlab_config::ConfigError;
use ssdlab_device::{BuildError, DeviceError};
use ssdlab_flash::Fault;
use ssdlab_ftl::{FtlError, Impossible};
use ssdlab_image::ImageError;

/// Why a drive cannot be made, opened or used. Display is the full message for the user, without the name of the file.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The image cannot be made or opened.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The configuration in the image is wrong.
    #[error("the configuration in this image: {0}")]
    Config(#[from] ConfigError),
    /// The configuration cannot be that of a drive.
    #[error("{key} {why}")]
    Impossible {
        /// The key.
        key: &'static str,
        /// What is allowed.
        why: String,
    },
    /// The tables cannot be rebuilt.
    #[error("this image cannot be mounted: {0}")]
    Mount(FtlError),
    /// A request was refused or failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// An earlier error of the file has made the drive read-only.
    #[error("the drive is read-only since the image failed with error code {0}")]
    ReadOnly(i32),
    /// An earlier request failed in the middle, so that what pages hold is uncertain.
    #[error("the drive has stopped after an error; open it again")]
    Stopped,
    /// The tables or the content of the image are wrong.
    #[error("{0}")]
    Wrong(String),
}

impl From<Fault> for DriveError {
    fn from(fault: Fault) -> Self {
        DeviceError::from(fault).into()
    }
}

impl From<Impossible> for DriveError {
    fn from(Impossible { key, why }: Impossible) -> Self {
        Self::Impossible { key, why }
    }
}

impl From<BuildError> for DriveError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Impossible(why) => why.into(),
            BuildError::Flash(fault) => Self::Image(fault.into()),
        }
    }
}
