//! Files that appear under their names when they are complete.

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Seek, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, fsync, openat};
use rustix::io::Errno;

use super::identity::Identity;
use super::place::{Last, Place, find};
use super::stdio;
use super::temporary::Temporary;
use crate::error::OutputError;

/// A file that appears only when it is complete, with the permissions of the file that it replaces. A target that is
/// neither a file nor free (a pipe, `/dev/null`, `/dev/stdout`) is written directly, at its end if it has one.
pub struct WholeFile {
    path: PathBuf,
    writer: BufWriter<Box<dyn Write + Send>>,
    /// What is written to, if it is a file.
    file: Option<File>,
    unfinished: Option<Unfinished>,
}

/// A file that does not have its name yet.
struct Unfinished {
    temporary: Temporary,
    ending: Ending,
}

/// How a file gets its name.
enum Ending {
    /// It takes the name of a place.
    Named(Place),
    /// What is at the place is overwritten, since a replacement would have only one of its names, or another owner.
    Overwrite(File),
    /// It takes the first of these that is free, or the one with this number from what has it now.
    FirstFree(Names, Option<(u32, Stat)>),
}

impl WholeFile {
    /// Makes the temporary file.
    pub(super) fn begin(path: &Path, place: Place, umask: Option<u32>) -> io::Result<Self> {
        if is_special(&place) {
            return Ok(Self {
                path: path.to_owned(),
                writer: BufWriter::new(special(&place)?),
                file: None,
                unfinished: None,
            });
        }
        let existing = existing(&place)?;
        let temporary = Temporary::beside(&place, umask)?;
        // in a folder that others can write, somebody may have given a file of the user's its second name there
        let names_matter = !place.is_shared()?;
        let ending = match existing {
            Some(existing) if !made_alike(&temporary, &existing, names_matter) => {
                Ending::Overwrite(existing)
            }
            _ => Ending::Named(place),
        };
        Self::unfinished(path.to_owned(), temporary, ending)
    }

    /// Fails as [`WholeFile::begin`] does.
    pub(super) fn try_out(path: &Path, place: Place, umask: Option<u32>) -> io::Result<()> {
        // a pipe would wait for its other end
        if is_special(&place) {
            return Ok(());
        }
        Self::begin(path, place, umask).map(drop)
    }

    pub(super) fn begin_first_free(
        names: Names,
        is_own: impl Fn(File) -> bool,
        umask: Option<u32>,
    ) -> Result<Self, OutputError> {
        let path = (names.name)(1);
        let begin = || {
            let (number, place) = names.first(is_own)?;
            let temporary = Temporary::beside(&place, umask)?;
            // one that cannot be replaced keeps its name
            let existing = existing(&place).ok().flatten();
            let alike = existing.is_some_and(|old| made_alike(&temporary, &old, true));
            let old = place.found.filter(|_| alike).map(|old| (number, old));
            Self::unfinished(path.clone(), temporary, Ending::FirstFree(names, old))
        };
        begin().map_err(|error| OutputError::failed(&path, error))
    }

    fn unfinished(path: PathBuf, temporary: Temporary, ending: Ending) -> io::Result<Self> {
        let file = temporary.file().try_clone()?;
        Ok(Self {
            path,
            file: Some(file.try_clone()?),
            writer: BufWriter::new(Box::new(file)),
            unfinished: Some(Unfinished { temporary, ending }),
        })
    }

    /// The path, as the user named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the complete file its name, and returns that.
    ///
    /// # Errors
    /// The disk is full, or the file cannot be written or renamed.
    pub fn finish(mut self) -> Result<PathBuf, OutputError> {
        self.publish()?;
        Ok(self.path)
    }

    /// Gives the file its name with what was written so far. What is written later is added to it.
    ///
    /// # Errors
    /// As [`WholeFile::finish`].
    pub fn publish(&mut self) -> Result<(), OutputError> {
        let published = self.try_publish();
        published.map_err(|error| OutputError::failed(&self.path, error))
    }

    /// After an error of writing: takes back all but the first bytes, if it is a file. What is written later is lost.
    pub fn cut(&mut self, length: u64) {
        let writer = std::mem::replace(&mut self.writer, BufWriter::new(Box::new(io::sink())));
        // not dropped, since it would write again what failed
        let _ = writer.into_parts();
        if let Some(file) = self.file.take() {
            // the disk has failed already
            let _ = file.set_len(length);
        }
    }

    fn try_publish(&mut self) -> io::Result<()> {
        self.writer.flush()?;
        let Some(Unfinished { temporary, ending }) = self.unfinished.take() else {
            return Ok(());
        };
        match ending {
            Ending::Named(place) => {
                if place.found.is_some() {
                    // after a crash of the system, either the old file is there or the new one
                    temporary.file().sync_data()?;
                }
                temporary.replace(&place.name)
            }
            Ending::Overwrite(mut existing) => {
                existing.set_len(0)?;
                existing.rewind()?;
                let mut written = temporary.file();
                written.rewind()?;
                io::copy(&mut written, &mut existing)?;
                self.file = Some(existing.try_clone()?);
                self.writer = BufWriter::new(Box::new(existing));
                Ok(())
            }
            Ending::FirstFree(names, old) => {
                self.path = names.take(temporary, old)?;
                Ok(())
            }
        }
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// A file that appears when it is complete, under a name that nothing has.
pub struct NewFile {
    place: Place,
    temporary: Temporary,
}

impl NewFile {
    /// Makes the temporary file.
    ///
    /// # Errors
    /// Something has the name, a link too; or the folder cannot be written.
    pub fn create(path: &Path) -> io::Result<Self> {
        let place = find(path, Last::Itself)?;
        if place.found.is_some() || place.is_magic {
            return Err(Errno::EXIST.into());
        }
        Ok(Self {
            temporary: Temporary::beside(&place, None)?,
            place,
        })
    }

    /// The file, to read and to write.
    pub fn file(&self) -> &File {
        self.temporary.file()
    }

    /// Gives the complete file its name, so that a crash of the system does not take it back.
    ///
    /// # Errors
    /// Something has the name by now.
    pub fn finish(self) -> io::Result<()> {
        let Self { place, temporary } = self;
        // else a crash of the system may leave the name with nothing in it
        temporary.file().sync_data()?;
        if temporary.take_free(&place.name)?.is_err() {
            return Err(Errno::EXIST.into());
        }
        let readable = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        // a folder that cannot be read cannot be synced
        if let Ok(folder) = openat(&place.folder, ".", readable, Mode::empty()) {
            let _ = fsync(folder);
        }
        Ok(())
    }
}

/// Many names for a file in one folder.
pub(super) struct Names {
    name: Box<dyn Fn(u32) -> PathBuf + Send>,
    /// What has some of them.
    taken: Vec<Identity>,
}

impl Names {
    /// The numbers of the names.
    const NUMBERS: std::ops::RangeInclusive<u32> = 1..=10_000;

    pub fn new(name: impl Fn(u32) -> PathBuf + Send + 'static, taken: Vec<Identity>) -> Self {
        let name = Box::new(name);
        Self { name, taken }
    }

    /// Where a name leads, unless another file of the command has it.
    fn place(&self, number: u32) -> io::Result<Option<Place>> {
        let path = (self.name)(number);
        let place = find(&path, Last::Itself)?;
        let identity = Identity::of_place(&place, &path)?;
        let is_taken = identity.is_none_or(|identity| self.taken.contains(&identity));
        Ok((!is_taken).then_some(place))
    }

    /// The first name that is free, or whose file may be replaced, with its number.
    fn first(&self, is_own: impl Fn(File) -> bool) -> io::Result<(u32, Place)> {
        for number in Self::NUMBERS {
            let Some(place) = self.place(number)? else {
                continue;
            };
            let may_have_it = match &place.found {
                Some(found) => is_file(found) && open(&place, OFlags::RDONLY).is_ok_and(&is_own),
                None => true,
            };
            if may_have_it {
                return Ok((number, place));
            }
        }
        Err(Errno::EXIST.into())
    }

    /// Gives a file the first name that is free, or that `old` still has.
    fn take(self, temporary: Temporary, old: Option<(u32, Stat)>) -> io::Result<PathBuf> {
        let mut unnamed = temporary;
        for number in Self::NUMBERS {
            let Some(place) = self.place(number)? else {
                continue;
            };
            let taken = match (&place.found, &old) {
                (None, _) => unnamed.take_free(&place.name)?,
                (Some(_), Some((of, old))) if *of == number => {
                    unnamed.file().sync_data()?;
                    unnamed.replace_only(&place.name, old)?
                }
                _ => continue,
            };
            match taken {
                Ok(()) => return Ok((self.name)(number)),
                Err(back) => unnamed = back,
            }
        }
        Err(Errno::EXIST.into())
    }
}

fn is_file(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
}

/// Whether a place must be written directly.
fn is_special(place: &Place) -> bool {
    let kind = |found: &Stat| FileType::from_raw_mode(found.st_mode);
    let is_stored = |kind| matches!(kind, FileType::RegularFile | FileType::Directory);
    place.is_magic
        || place
            .found
            .as_ref()
            .map(kind)
            .is_some_and(|kind| !is_stored(kind))
}

/// Opens a place that must be written directly.
fn special(place: &Place) -> io::Result<Box<dyn Write + Send>> {
    let links = if place.is_magic {
        OFlags::empty()
    } else {
        OFlags::NOFOLLOW
    };
    let file = openat(
        &place.folder,
        &place.name,
        OFlags::WRONLY | OFlags::APPEND | OFlags::CLOEXEC | links,
        Mode::empty(),
    )?;
    // what is opened anew has a place of its own in a file; and standard output may be another one later
    let file = if stdio::is_output(&fstat(&file)?) {
        io::stdout().as_fd().try_clone_to_owned()?
    } else {
        file
    };
    Ok(Box::new(File::from(file)))
}

fn open(place: &Place, how: OFlags) -> io::Result<File> {
    let how = how | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(openat(&place.folder, &place.name, how, Mode::empty())?.into())
}

/// The existing file at a place, if any, opened for writing.
fn existing(place: &Place) -> io::Result<Option<File>> {
    let Some(found) = &place.found else {
        return Ok(None);
    };
    // checked by the permissions, because root may write any file
    // macOS has 16 bits
    #[allow(clippy::useless_conversion)]
    let mode = found.st_mode.into();
    if is_file(found) && Permissions::from_mode(mode).readonly() {
        let why = "it is read-only; make it writable, or choose another name";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    // a folder cannot be opened for writing
    open(place, OFlags::WRONLY).map(Some)
}

/// Gives a new file the owner and the mode of an old one. False: these cannot be set, or the old one has other names,
/// if that matters.
fn made_alike(new: &Temporary, old: &File, names_matter: bool) -> bool {
    let alike = || -> io::Result<bool> {
        let (current, wanted) = (new.file().metadata()?, old.metadata()?);
        if (current.uid(), current.gid()) != (wanted.uid(), wanted.gid()) {
            fchown(new.file(), Some(wanted.uid()), Some(wanted.gid()))?;
        }
        new.file().set_permissions(wanted.permissions())?;
        Ok(wanted.nlink() == 1 || !names_matter)
    };
    alike().unwrap_or(false)
}
