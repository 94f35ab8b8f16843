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
    /// The data of a page cannot be read any more.
    #[error("the data of the page at byte {0} are lost")]
    Lost(u64),
    /// Nothing can be written any more.
    #[error("the drive is read-only: {0}")]
    ReadOnly(ReadOnly),
    /// An earlier request failed, and what the flash holds cannot be read.
    #[error("the drive has stopped after an error; open it again")]
    Stopped,
    /// The tables or the content of the image are wrong.
    #[error("{0}")]
    Wrong(String),
}

/// Why a drive only reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadOnly {
    /// The file of the image failed, with this code of the system.
    #[error("its image failed: {}", std::io::Error::from_raw_os_error(*.0))]
    Image(i32),
    /// The file of the image may not be written, with this code of the system.
    #[error("its image cannot be written: {}", std::io::Error::from_raw_os_error(*.0))]
    Protected(i32),
    /// An erase block failed, and no spare one was left. The image remembers it.
    #[error("an erase block failed, and no spare one is left")]
    WornOut,
    /// The FTL failed.
    #[error("its FTL failed; open it again")]
    Ftl,
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
            BuildError::Ageing(error) => DeviceError::from(error).into(),
        }
    }
}
