//! Files that have no name yet but a temporary one, which a signal that ends the program removes.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::{AtFlags, Mode, OFlags, RawMode, RenameFlags, Stat};
use rustix::fs::{fchmod, linkat, openat, renameat, renameat_with, statat, unlinkat};
use rustix::io::Errno;

use super::folder;
use super::place::Place;
use crate::temporary::temporary_name;

/// The temporary names that are in use, with their folders.
static UNFINISHED: Mutex<Vec<(Arc<OwnedFd>, OsString)>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<(Arc<OwnedFd>, OsString)>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes unfinished files and exits.
pub fn abandon(code: i32) -> ! {
    // keep the locks to the end, so that no other file is created
    let _folders = folder::remove_unfinished();
    let unfinished = unfinished();
    for (folder, name) in unfinished.iter() {
        let _ = unlinkat(folder, name, AtFlags::empty());
    }
    std::process::exit(code)
}

/// A file with a temporary name, which goes with this value.
pub(super) struct Temporary {
    folder: Arc<OwnedFd>,
    name: OsString,
    file: File,
}

impl Temporary {
    /// A new file beside a place. Its permissions are those of any new file; with `umask`, of one under this umask.
    pub fn beside(place: &Place, umask: Option<u32>) -> io::Result<Self> {
        /// Names that are tried; the first one is free, unless somebody makes it on purpose.
        const TRIES: u32 = 100;
        let how = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = match umask {
            None => Mode::from(0o666),
            Some(_) => Mode::RUSR | Mode::WUSR,
        };
        // lock before the file exists, so that no signal comes between its creation and its entry in the list
        let mut list = unfinished();
        for _ in 0..TRIES {
            let name = temporary_name(&place.name);
            let file = match openat(&place.folder, &name, how, mode) {
                Ok(file) => file,
                Err(Errno::EXIST) => continue,
                Err(error) => return Err(error.into()),
            };
            list.push((Arc::clone(&place.folder), name.clone()));
            let new = Self {
                folder: Arc::clone(&place.folder),
                name,
                file: file.into(),
            };
            drop(list);
            if let Some(umask) = umask {
                fchmod(
                    &new.file,
                    Mode::from_bits_truncate((0o666 & !umask) as RawMode),
                )?;
            }
            return Ok(new);
        }
        Err(Errno::EXIST.into())
    }

    pub fn file(&self) -> &File {
        &self.file
    }

    /// Takes a name in the folder, in the place of what has it.
    pub fn replace(self, name: &OsStr) -> io::Result<()> {
        renameat(&self.folder, &self.name, &self.folder, name)?;
        Ok(())
    }

    /// Takes a name in the folder that is free. Gives the file back if it is not.
    pub fn take_free(self, name: &OsStr) -> io::Result<Result<(), Self>> {
        // where the file has two names then, Drop removes the other one
        let taken = take_free(&self.folder, &self.name, name)?;
        Ok(if taken { Ok(()) } else { Err(self) })
    }

    /// Takes the name of `old` in the folder, if that still has it. Gives the file back if it has not.
    pub fn replace_only(self, name: &OsStr, old: &Stat) -> io::Result<Result<(), Self>> {
        let (folder, own) = (&self.folder, &self.name);
        let is_old = |name: &OsStr| {
            let found = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
            found.is_ok_and(|found| is_unchanged(&found, old))
        };
        if !is_old(name) {
            return Ok(Err(self));
        }
        let exchange = || renameat_with(folder, own, folder, name, RenameFlags::EXCHANGE);
        match exchange() {
            // what had the name has the temporary one now, which Drop removes
            Ok(()) if is_old(own) => Ok(Ok(())),
            // somebody was faster: the name is theirs
            Ok(()) => {
                exchange()?;
                Ok(Err(self))
            }
            Err(Errno::NOENT) => Ok(Err(self)),
            Err(Errno::INVAL | Errno::NOSYS) => self.replace(name).map(Ok),
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut list = unfinished();
        // it has gone if the file has its name
        let _ = unlinkat(&self.folder, &self.name, AtFlags::empty());
        let is_own = |(folder, name): &(Arc<OwnedFd>, OsString)| {
            Arc::ptr_eq(folder, &self.folder) && *name == self.name
        };
        list.retain(|entry| !is_own(entry));
    }
}

/// Gives a file in a folder a name there that is free. False: the name is not. On some file systems the file keeps its old
/// name beside it.
pub(super) fn take_free(folder: &OwnedFd, own: &OsStr, name: &OsStr) -> io::Result<bool> {
    let mut taken = renameat_with(folder, own, folder, name, RenameFlags::NOREPLACE);
    if let Err(Errno::INVAL | Errno::NOSYS) = taken {
        // a file system that cannot do that
        taken = linkat(folder, own, folder, name, AtFlags::empty());
    }
    if let Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) = taken {
        // one without hard links
        taken = match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => renameat(folder, own, folder, name),
            _ => Err(Errno::EXIST),
        };
    }
    match taken {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Whether a file is the same as before. The number of one that is removed may be given to another one.
fn is_unchanged(now: &Stat, before: &Stat) -> bool {
    let of = |stat: &Stat| {
        let changed = (stat.st_mtime, stat.st_mtime_nsec);
        (stat.st_dev, stat.st_ino, stat.st_size, changed)
    };
    of(now) == of(before)
}
