//! Files that grow over several runs of the program.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags};
use rustix::fs::{flock, fstat, openat, statat, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;
use ssdlab_words::shown_path;

use super::place::{Last, Place, find};
use super::temporary::take_free;
use crate::error::OutputError;

/// A file that is `PATH.part` until it is complete, and stays so if the program ends before. Only one program at a time
/// writes it. Complete, it takes a name that nothing has.
pub struct PartFile {
    path: PathBuf,
    place: Place,
    part: OsString,
    file: File,
}

impl PartFile {
    /// Opens `PATH.part`, or makes it.
    ///
    /// # Errors
    /// Something has the name PATH; another program writes the part; in a folder that others can write, the part is
    /// not the user's own; or it cannot be written.
    pub fn open(path: &Path) -> Result<Self, OutputError> {
        let failed = |error| OutputError::failed(path, error);
        let refused = |why: &str| OutputError::Refused(format!("{}: {why}", shown_path(path)));
        let place = find(path, Last::Followed).map_err(failed)?;
        if place.is_magic || place.found.is_some() {
            return Err(refused(
                "is there already; remove it, or name another file with --output",
            ));
        }
        let mut part = place.name.clone();
        part.push(".part");
        loop {
            let file = match open(&place, &part) {
                Ok(file) => file,
                Err(Errno::LOOP) => return Err(refused("its .part is a link; remove that")),
                Err(error) => return Err(failed(error.into())),
            };
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => {
                    return Err(refused("another program is writing its .part"));
                }
                // a file system without locks
                Err(_) => {}
            }
            let found = fstat(&file).map_err(|error| failed(error.into()))?;
            let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
            let is_own = found.st_uid == geteuid().as_raw() && found.st_nlink == 1;
            let is_shared = place.is_shared().map_err(failed)?;
            if !is_file || is_shared && !is_own && found.st_nlink > 0 {
                return Err(refused("its .part is not a file of yours; remove that"));
            }
            let named = statat(&place.folder, &part, AtFlags::SYMLINK_NOFOLLOW);
            let same = named
                .is_ok_and(|named| (named.st_dev, named.st_ino) == (found.st_dev, found.st_ino));
            // otherwise its writer has just finished
            if same {
                return Ok(Self {
                    path: path.to_owned(),
                    place,
                    part,
                    file,
                });
            }
        }
    }

    /// The file, to read and to write.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The path that the file will have, as the user named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a note beside the part, with this ending.
    pub fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(".part");
        name.push(ending);
        name.into()
    }

    /// Gives the complete file its name.
    ///
    /// # Errors
    /// Something has the name by now; the part stays then. Or the disk fails.
    pub fn finish(self) -> Result<(), OutputError> {
        let finish = || -> io::Result<bool> {
            self.file.sync_data()?;
            take_free(&self.place.folder, &self.part, &self.place.name)
        };
        match finish() {
            Ok(true) => {
                // the other name, where a file has taken the new one as a second
                let _ = unlinkat(&self.place.folder, &self.part, AtFlags::empty());
                Ok(())
            }
            Ok(false) => Err(OutputError::failed(&self.path, Errno::EXIST.into())),
            Err(error) => Err(OutputError::failed(&self.path, error)),
        }
    }

    /// Removes it.
    pub fn remove(self) {
        let _ = unlinkat(&self.place.folder, &self.part, AtFlags::empty());
    }
}

fn open(place: &Place, part: &OsString) -> Result<File, Errno> {
    let how = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = openat(&place.folder, part, how, Mode::from(0o666))?;
    Ok(file.into())
}
