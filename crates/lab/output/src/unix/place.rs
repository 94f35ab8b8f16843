//! Where a path leads, found folder by folder, so that nobody can change it between a check and its use.
//!
//! A symbolic link is followed if it is the user's own, if it is of the owner of its folder, or if no other user can write
//! that folder. Others could lead the output to a file of the user's. The rule is that of the kernel
//! (`fs.protected_symlinks`), for each link on the way instead of the last one, for each folder that others can write
//! instead of sticky ones that all can write, and whether the kernel is told to apply it or not.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use ssdlab_words::shown_path;

use rustix::fs::{CWD, FileType, Mode, OFlags, Stat, fstat, mkdirat, open, openat};
use rustix::io::Errno;
use rustix::process::geteuid;

/// A name in a folder that is open.
#[derive(Clone)]
pub(super) struct Place {
    pub folder: Arc<OwnedFd>,
    pub name: OsString,
    /// What is there.
    pub found: Option<Stat>,
    /// A link of the kernel, such as `/proc/self/fd/1`, which has no path that leads to the same.
    pub is_magic: bool,
}

impl Place {
    /// Whether other users can write the folder.
    pub fn is_shared(&self) -> io::Result<bool> {
        Ok(others_can_write(&fstat(&self.folder)?))
    }
}

/// What a path ends in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    /// A link at the end is followed.
    Followed,
    /// A link at the end is itself what is found.
    Itself,
}

/// To open a folder on the way: it need not be readable.
#[cfg(target_os = "linux")]
const ON_THE_WAY: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const ON_THE_WAY: OFlags = OFlags::RDONLY;

/// Finds the place that a path leads to.
///
/// # Errors
/// A folder that is missing or closed, a path that ends in a folder, or a link that is not followed.
pub(super) fn find(path: &Path, last: Last) -> io::Result<Place> {
    let mut way = Way::begin(path)?;
    while let Some(part) = way.rest.pop_front() {
        let is_last = way.rest.is_empty();
        let found = if is_name(&part) {
            look(&way.folder, &part)?
        } else {
            None
        };
        match found {
            Some(Entry {
                link: Some(link),
                stat,
            }) if !is_last || last == Last::Followed => {
                if is_of_kernel(&way.folder)? {
                    if is_last {
                        return Ok(way.at(part, None, true));
                    }
                    way.enter(&part, OFlags::empty())?;
                } else {
                    way.follow(&part, &stat, link)?;
                }
            }
            found if is_last && is_name(&part) => {
                let stat = found.map(|entry| entry.stat);
                return Ok(way.at(part, stat, false));
            }
            _ => way.enter(&part, OFlags::NOFOLLOW)?,
        }
    }
    let is_empty = path.as_os_str().is_empty();
    Err(if is_empty { Errno::NOENT } else { Errno::ISDIR }.into())
}

/// Makes a folder, with those above it, if it is not there.
///
/// # Errors
/// It cannot be made, something else has its name, or the way leads over a link that is not followed.
pub fn make_folder(path: &Path) -> io::Result<()> {
    let mut so_far = PathBuf::new();
    for part in path.components() {
        so_far.push(part);
        let Component::Normal(_) = part else { continue };
        match find(&so_far, Last::Followed)? {
            Place { found: Some(_), .. } | Place { is_magic: true, .. } => {}
            Place { folder, name, .. } => match mkdirat(&folder, name, Mode::from(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            },
        }
    }
    let folder = OFlags::DIRECTORY | ON_THE_WAY | OFlags::CLOEXEC;
    open(path, folder, Mode::empty())?;
    Ok(())
}

/// A walk along a path.
struct Way {
    folder: Arc<OwnedFd>,
    /// The folder, in messages.
    shown: PathBuf,
    rest: VecDeque<OsString>,
    links: u32,
}

impl Way {
    fn begin(path: &Path) -> io::Result<Self> {
        let folder = OFlags::DIRECTORY | ON_THE_WAY | OFlags::CLOEXEC;
        Ok(Self {
            folder: Arc::new(open(".", folder, Mode::empty())?),
            shown: PathBuf::new(),
            rest: parts(path).collect(),
            links: 0,
        })
    }

    fn at(self, name: OsString, found: Option<Stat>, is_magic: bool) -> Place {
        Place {
            folder: self.folder,
            name,
            found,
            is_magic,
        }
    }

    /// Goes on in a folder; `/` is the root.
    fn enter(&mut self, part: &OsStr, how: OFlags) -> io::Result<()> {
        let how = OFlags::DIRECTORY | ON_THE_WAY | OFlags::CLOEXEC | how;
        self.folder = if part == "/" {
            Arc::new(openat(CWD, "/", how, Mode::empty())?)
        } else {
            Arc::new(openat(&self.folder, part, how, Mode::empty())?)
        };
        self.shown.push(part);
        Ok(())
    }

    /// Goes on where a link leads.
    fn follow(&mut self, part: &OsStr, link: &Stat, to: PathBuf) -> io::Result<()> {
        /// The most links that the kernel follows.
        const LINKS: u32 = 40;
        self.links += 1;
        if self.links > LINKS {
            return Err(Errno::LOOP.into());
        }
        let folder = fstat(&self.folder)?;
        let owners = [geteuid().as_raw(), folder.st_uid];
        if others_can_write(&folder) && !owners.contains(&link.st_uid) {
            let why = format!(
                "{} is a symbolic link of another user, in a folder that others can write; it is not followed: name the \
                 file that it leads to",
                shown_path(&self.shown.join(part))
            );
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        for part in parts(&to).collect::<Vec<_>>().into_iter().rev() {
            self.rest.push_front(part);
        }
        Ok(())
    }
}

/// Whether users beside the owner can write a folder.
fn others_can_write(folder: &Stat) -> bool {
    folder.st_mode & 0o022 != 0
}

fn parts(path: &Path) -> impl Iterator<Item = OsString> {
    let there = |part: &Component| *part != Component::CurDir;
    let parts = path.components().filter(there);
    parts.map(|part| part.as_os_str().to_owned())
}

fn is_name(part: &OsStr) -> bool {
    part != "/" && part != ".."
}

/// What is at a name in a folder.
struct Entry {
    stat: Stat,
    /// Where it leads, if it is a link.
    link: Option<PathBuf>,
}

/// Looks at a name, and reads the very link whose owner is seen.
#[cfg(target_os = "linux")]
fn look(folder: &OwnedFd, name: &OsStr) -> io::Result<Option<Entry>> {
    let how = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let found = match openat(folder, name, how, Mode::empty()) {
        Ok(found) => found,
        Err(Errno::NOENT) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let stat = fstat(&found)?;
    let link = match FileType::from_raw_mode(stat.st_mode) {
        FileType::Symlink => Some(rustix::fs::readlinkat(&found, "", Vec::new())?),
        _ => None,
    };
    let link = link.map(|link| OsString::from_vec(link.into_bytes()).into());
    Ok(Some(Entry { stat, link }))
}

#[cfg(not(target_os = "linux"))]
fn look(folder: &OwnedFd, name: &OsStr) -> io::Result<Option<Entry>> {
    let stat = match rustix::fs::statat(folder, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let link = match FileType::from_raw_mode(stat.st_mode) {
        FileType::Symlink => Some(rustix::fs::readlinkat(folder, name, Vec::new())?),
        _ => None,
    };
    let link = link.map(|link| OsString::from_vec(link.into_bytes()).into());
    Ok(Some(Entry { stat, link }))
}

/// Whether the links in a folder are the kernel's.
#[cfg(target_os = "linux")]
fn is_of_kernel(folder: &OwnedFd) -> io::Result<bool> {
    Ok(rustix::fs::fstatfs(folder)?.f_type == rustix::fs::PROC_SUPER_MAGIC)
}

#[cfg(not(target_os = "linux"))]
fn is_of_kernel(_: &OwnedFd) -> io::Result<bool> {
    Ok(false)
}
