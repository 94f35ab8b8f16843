//! Folders that appear when all their files are there.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;

use super::place::{Last, Place, find, make_folder};
use super::temporary::take_free;
use crate::error::OutputError;
use crate::temporary::temporary_name;

/// The temporary folders that are in use.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes unfinished folders, and lets no other one begin while the result is kept.
pub(super) fn remove_unfinished() -> impl Drop {
    let list = unfinished();
    for path in list.iter() {
        let _ = fs::remove_dir_all(path);
    }
    list
}

/// A new folder. It has a temporary name beside its own one until it is complete, and goes with this value before.
pub struct NewFolder {
    path: PathBuf,
    place: Place,
    temporary: PathBuf,
}

impl NewFolder {
    /// Makes the temporary folder.
    ///
    /// # Errors
    /// Something has the name, or the folder above cannot be written.
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        let failed = |error: io::Error| OutputError::failed(path, error);
        // a path may end in a slash
        let whole: PathBuf = path.components().collect();
        let above = match whole.parent() {
            Some(above) if !above.as_os_str().is_empty() => above,
            _ => Path::new("."),
        };
        make_folder(above).map_err(failed)?;
        let place = find(&whole, Last::Itself).map_err(failed)?;
        if place.found.is_some() || place.is_magic {
            return Err(failed(Errno::EXIST.into()));
        }
        // a signal may come when the process is in another folder
        let above = above.canonicalize().map_err(failed)?;
        let temporary = above.join(temporary_name(&place.name));
        let mut list = unfinished();
        fs::create_dir(&temporary).map_err(failed)?;
        list.push(temporary.clone());
        drop(list);
        Ok(Self {
            path: whole,
            place,
            temporary,
        })
    }

    /// Where its files are until it is complete.
    pub fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Writes a file of the folder, at a path below it.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, name: &Path, bytes: &[u8]) -> Result<(), OutputError> {
        self.add(name, |file| file.write_all(bytes))
    }

    /// Makes a file of the folder with `fill`, at a path below it.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(
        &self,
        name: &Path,
        fill: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        let to = self.temporary.join(name);
        let make = || {
            fs::create_dir_all(to.parent().expect("a folder above"))?;
            let mut file = File::create_new(&to)?;
            fill(&mut file)?;
            file.sync_all()
        };
        make().map_err(|error| OutputError::failed(&self.path.join(name), error))
    }

    /// Makes a file one that can be run.
    ///
    /// # Errors
    /// The file is not there.
    pub fn make_executable(&self, name: &Path) -> Result<(), OutputError> {
        let to = self.temporary.join(name);
        let mode = || {
            let mode = to.metadata()?.permissions().mode();
            // who reads it runs it
            fs::set_permissions(&to, Permissions::from_mode(mode | (mode & 0o444) >> 2))
        };
        mode().map_err(|error| OutputError::failed(&self.path.join(name), error))
    }

    /// Gives the complete folder its name.
    ///
    /// # Errors
    /// Something has the name by now.
    pub fn finish(self) -> Result<(), OutputError> {
        let own = self.temporary.file_name().expect("a name");
        let taken = take_free(&self.place.folder, own, &self.place.name);
        let taken = taken.and_then(|taken| taken.then_some(()).ok_or_else(|| Errno::EXIST.into()));
        taken.map_err(|error| OutputError::failed(&self.path, error))?;
        if let Some(above) = self.temporary.parent() {
            // a folder that cannot be read cannot be synced
            let _ = File::open(above).and_then(|above| above.sync_all());
        }
        Ok(())
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        let mut list = unfinished();
        // it has gone if the folder has its name
        let _ = fs::remove_dir_all(&self.temporary);
        list.retain(|path| *path != self.temporary);
    }
}
