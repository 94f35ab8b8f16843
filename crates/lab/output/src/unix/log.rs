//! Files to which several runs of the program add lines.

use std::fs::File;
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, fstat, openat};

use super::place::Place;
use crate::error::OutputError;

/// Opens a file to add to, or makes it. What is there must be a file.
pub(super) fn open(path: &Path, place: &Place) -> Result<File, OutputError> {
    let failed = |error: rustix::io::Errno| OutputError::failed(path, error.into());
    let how = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let links = match place.is_magic {
        true => OFlags::empty(),
        false => OFlags::NOFOLLOW,
    };
    let file =
        openat(&place.folder, &place.name, how | links, Mode::from(0o666)).map_err(failed)?;
    let kind = FileType::from_raw_mode(fstat(&file).map_err(failed)?.st_mode);
    let adds = matches!(
        kind,
        FileType::RegularFile | FileType::CharacterDevice | FileType::Fifo
    );
    match adds {
        true => Ok(file.into()),
        false => Err(failed(rustix::io::Errno::INVAL)),
    }
}
