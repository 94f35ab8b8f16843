//! Which file a path, an output or a stream is.

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use rustix::fs::{FileType, Stat, fstat};

use super::place::Place;

/// What distinguishes a file from all others, whatever its names are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Identity {
    /// The device and the number of a file.
    File(u64, u64),
    /// The number of a disk, which may have several files.
    Disk(u64),
    /// A name that is free, in a folder.
    Free(u64, u64, OsString),
}

// macOS has other types of numbers of devices
#[allow(clippy::unnecessary_cast)]
impl Identity {
    /// That of a file, unless it is one that takes several outputs, such as a terminal or `/dev/null`.
    pub fn of(stat: &Stat) -> Option<Self> {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::CharacterDevice | FileType::Socket => None,
            FileType::BlockDevice => Some(Self::Disk(stat.st_rdev as u64)),
            _ => Some(Self::File(stat.st_dev as u64, stat.st_ino)),
        }
    }

    /// That of what a path leads to, if anything is there.
    pub fn at(path: &Path) -> Option<Self> {
        let file = std::fs::metadata(path).ok()?;
        match file.file_type() {
            kind if kind.is_char_device() || kind.is_socket() => None,
            kind if kind.is_block_device() => Some(Self::Disk(file.rdev())),
            _ => Some(Self::File(file.dev(), file.ino())),
        }
    }

    /// That of an output.
    pub fn of_place(place: &Place, path: &Path) -> io::Result<Option<Self>> {
        if place.is_magic {
            return Ok(Self::at(path));
        }
        if let Some(found) = &place.found {
            return Ok(Self::of(found));
        }
        let folder = fstat(&place.folder)?;
        let name = place.name.clone();
        Ok(Some(Self::Free(folder.st_dev as u64, folder.st_ino, name)))
    }
}
