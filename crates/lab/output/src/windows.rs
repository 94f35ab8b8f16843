//! Files on Windows, by the standard library. The system keeps the owner and the rights of a file that is replaced apart from
//! its name, and only who may make links can put one into a path, so links are followed.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use same_file::Handle;
use ssdlab_words::shown_path;

use crate::error::OutputError;
use crate::temporary::temporary_name;

/// The temporary files and folders that are in use.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remove(path: &Path) {
    let _ = match path.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
}

/// Removes unfinished files and folders, and exits.
pub fn abandon(code: i32) -> ! {
    // keep the lock to the end, so that no other file is created
    let list = unfinished();
    list.iter().for_each(|path| remove(path));
    std::process::exit(code)
}

/// Makes a folder, with those above it, if it is not there.
///
/// # Errors
/// It cannot be made, or something else has its name.
pub fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// The inputs and outputs of a command so far.
#[derive(Default)]
pub struct Files {
    known: Vec<Known>,
}

/// An input or an output.
struct Known {
    /// As messages name it.
    shown: String,
    is_input: bool,
    /// No file, if it is standard input.
    path: Option<PathBuf>,
}

impl Files {
    /// Windows has no such thing.
    #[must_use]
    pub fn with_umask(self, _: u32) -> Self {
        self
    }

    /// Adds an input, which messages show as `shown`.
    ///
    /// # Errors
    /// Standard output would change it.
    pub fn input(&mut self, shown: impl Into<String>, path: &Path) -> Result<(), OutputError> {
        self.add_input(shown.into(), Some(path.to_owned()))
    }

    /// Adds standard input.
    ///
    /// # Errors
    /// It is a file that standard output would change.
    pub fn stdin(&mut self, shown: impl Into<String>) -> Result<(), OutputError> {
        self.add_input(shown.into(), None)
    }

    fn add_input(&mut self, shown: String, path: Option<PathBuf>) -> Result<(), OutputError> {
        let handle = match &path {
            Some(path) => Handle::from_path(path),
            None => Handle::stdin(),
        };
        // what is not there is reported by who opens it; a terminal has no handle of this kind
        if let (Ok(own), Ok(out)) = (handle, Handle::stdout())
            && own == out
        {
            let why = format!("standard output: is also an input of this command, {shown}");
            return Err(OutputError::Refused(why));
        }
        self.known.push(Known {
            shown,
            is_input: true,
            path,
        });
        Ok(())
    }

    /// Begins an output, which messages show as `shown`.
    ///
    /// # Errors
    /// It is an input or another output, or cannot be written.
    pub fn create(
        &mut self,
        shown: impl Into<String>,
        path: &Path,
    ) -> Result<WholeFile, OutputError> {
        self.add_output(shown.into(), path)?;
        WholeFile::begin(path).map_err(|error| OutputError::failed(path, error))
    }

    /// Opens an output to which lines are added, or makes it.
    ///
    /// # Errors
    /// As [`Files::create`].
    pub fn add_to(&mut self, shown: impl Into<String>, path: &Path) -> Result<File, OutputError> {
        self.add_output(shown.into(), path)?;
        let file = OpenOptions::new().append(true).create(true).open(path);
        file.map_err(|error| OutputError::failed(path, error))
    }

    /// Checks what [`Files::create`] would, and that it can be written; writes nothing.
    ///
    /// # Errors
    /// As [`Files::create`].
    pub fn check(&mut self, shown: impl Into<String>, path: &Path) -> Result<(), OutputError> {
        self.create(shown, path).map(drop)
    }

    /// Begins an output that has the first of many names, numbered from 1, that is free at the end. A name is not free if
    /// another input or output has it. `is_own` says whether a file may be replaced; it must still be there at the end.
    ///
    /// # Errors
    /// None of the names can be written.
    pub fn create_first_free(
        &mut self,
        name: impl Fn(u32) -> PathBuf + Send + 'static,
        is_own: impl Fn(File) -> bool,
    ) -> Result<WholeFile, OutputError> {
        let first = name(1);
        let taken: Vec<PathBuf> = self.paths().cloned().collect();
        let is_taken = move |path: &Path| taken.iter().any(|taken| is_same(taken, path));
        let begin = || {
            for number in NUMBERS {
                let path = name(number);
                if is_taken(&path) {
                    continue;
                }
                let found = found(&path);
                if found.is_none() || File::open(&path).is_ok_and(&is_own) {
                    let temporary = Temporary::file(&path)?;
                    let old = found.map(|found| (number, found));
                    let ending = Ending::FirstFree {
                        name: Box::new(name),
                        is_taken: Box::new(is_taken),
                        old,
                    };
                    return WholeFile::unfinished(path, temporary, ending);
                }
            }
            Err(io::ErrorKind::AlreadyExists.into())
        };
        begin().map_err(|error| OutputError::failed(&first, error))
    }

    fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.known.iter().filter_map(|known| known.path.as_ref())
    }

    fn add_output(&mut self, shown: String, path: &Path) -> Result<(), OutputError> {
        if is_device(path) {
            return Ok(());
        }
        let known = self.known.iter().find(|known| match &known.path {
            Some(known) => is_same(known, path),
            None => Handle::stdin().is_ok_and(|stdin| is_file_of(&stdin, path)),
        });
        if let Some(known) = known {
            let what = if known.is_input {
                "an input"
            } else {
                "another output"
            };
            return Err(OutputError::Refused(format!(
                "{shown}: is also {what} of this command, {}",
                known.shown
            )));
        }
        if Handle::stdout().is_ok_and(|stdout| is_file_of(&stdout, path)) {
            let why = format!("{shown}: is also standard output");
            return Err(OutputError::Refused(why));
        }
        self.known.push(Known {
            shown,
            is_input: false,
            path: Some(path.to_owned()),
        });
        Ok(())
    }
}

/// Whether two paths lead to the same file, or to the same free name.
fn is_same(one: &Path, other: &Path) -> bool {
    match (one.exists(), other.exists()) {
        (true, true) => same_file::is_same_file(one, other).unwrap_or(false),
        (false, false) => {
            let names = (one.file_name(), other.file_name());
            // Windows does not tell capitals apart
            let same = |a: &OsStr, b: &OsStr| {
                a.to_string_lossy().to_lowercase() == b.to_string_lossy().to_lowercase()
            };
            matches!(names, (Some(a), Some(b)) if same(a, b))
                && same_file::is_same_file(above(one), above(other)).unwrap_or(false)
        }
        _ => false,
    }
}

fn is_file_of(stream: &Handle, path: &Path) -> bool {
    Handle::from_path(path).is_ok_and(|file| file == *stream)
}

/// The folder of a path.
fn above(path: &Path) -> &Path {
    match path.parent() {
        Some(above) if !above.as_os_str().is_empty() => above,
        _ => Path::new("."),
    }
}

/// Whether a path names a device, which is written directly: `NUL`, `CON` and their like, with any ending.
fn is_device(path: &Path) -> bool {
    const NAMES: [&str; 4] = ["aux", "con", "nul", "prn"];
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = name.to_lowercase();
    let port = name.strip_prefix("com").or(name.strip_prefix("lpt"));
    NAMES.contains(&&*name)
        || port.is_some_and(|number| {
            number.len() == 1 && number != "0" && number.as_bytes()[0].is_ascii_digit()
        })
}

/// The numbers of names of which the first free one is taken.
const NUMBERS: std::ops::RangeInclusive<u32> = 1..=10_000;

/// What tells whether a file is still the same.
type Found = (u64, Option<SystemTime>);

/// What is at a path, if anything.
fn found(path: &Path) -> Option<Found> {
    let found = fs::symlink_metadata(path).ok()?;
    Some((found.len(), found.modified().ok()))
}

/// A file or folder with a temporary name, which goes with this value.
struct Temporary {
    path: PathBuf,
    file: Option<File>,
}

impl Temporary {
    /// A new file beside a path.
    fn file(path: &Path) -> io::Result<Self> {
        Self::beside(path, |temporary| {
            let mut how = OpenOptions::new();
            how.read(true)
                .write(true)
                .create_new(true)
                .open(temporary)
                .map(Some)
        })
    }

    fn beside(
        path: &Path,
        make: impl FnOnce(&Path) -> io::Result<Option<File>>,
    ) -> io::Result<Self> {
        let Some(name) = path.file_name() else {
            return Err(io::ErrorKind::IsADirectory.into());
        };
        // a signal may come when the process is in another folder
        let temporary = above(path).canonicalize()?.join(temporary_name(name));
        // lock before it exists, so that no signal comes between its creation and its entry in the list
        let mut list = unfinished();
        let file = make(&temporary)?;
        list.push(temporary.clone());
        Ok(Self {
            path: temporary,
            file,
        })
    }

    fn opened(&self) -> &File {
        self.file.as_ref().expect("a file")
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut list = unfinished();
        self.file = None;
        // it has gone if it has its name
        remove(&self.path);
        list.retain(|path| *path != self.path);
    }
}

/// Gives a file or a folder a name that is free. False: the name is not.
fn take_free(own: &Path, name: &Path) -> io::Result<bool> {
    if fs::symlink_metadata(name).is_ok() {
        return Ok(false);
    }
    if own.is_dir() {
        return fs::rename(own, name).map(|()| true);
    }
    match fs::hard_link(own, name) {
        Ok(()) => fs::remove_file(own).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        // a file system without hard links
        Err(_) => fs::rename(own, name).map(|()| true),
    }
}

/// A file that appears only when it is complete. A device (`NUL`) is written directly.
pub struct WholeFile {
    path: PathBuf,
    writer: BufWriter<Box<dyn Write + Send>>,
    /// What is written to, if it is a file.
    file: Option<File>,
    unfinished: Option<(Temporary, Ending)>,
}

/// How a file gets its name.
enum Ending {
    /// It takes this one.
    Named(PathBuf),
    /// It takes the first of these that is free, or the one with this number from what has it now.
    FirstFree {
        name: Box<dyn Fn(u32) -> PathBuf + Send>,
        is_taken: Box<dyn Fn(&Path) -> bool + Send>,
        old: Option<(u32, Found)>,
    },
}

impl WholeFile {
    fn begin(path: &Path) -> io::Result<Self> {
        if is_device(path) {
            let file = OpenOptions::new().write(true).open(path)?;
            return Ok(Self {
                path: path.to_owned(),
                writer: BufWriter::new(Box::new(file)),
                file: None,
                unfinished: None,
            });
        }
        let real = path.canonicalize();
        let real = real.unwrap_or_else(|_| path.to_owned());
        if let Ok(found) = fs::metadata(&real) {
            if found.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            if found.permissions().readonly() {
                let why = "it is read-only; make it writable, or choose another name";
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
            }
        }
        let temporary = Temporary::file(&real)?;
        Self::unfinished(path.to_owned(), temporary, Ending::Named(real))
    }

    fn unfinished(path: PathBuf, temporary: Temporary, ending: Ending) -> io::Result<Self> {
        let file = temporary.opened().try_clone()?;
        Ok(Self {
            path,
            file: Some(file.try_clone()?),
            writer: BufWriter::new(Box::new(file)),
            unfinished: Some((temporary, ending)),
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
        let Some((temporary, ending)) = self.unfinished.take() else {
            return Ok(());
        };
        temporary.opened().sync_data()?;
        match ending {
            Ending::Named(path) => fs::rename(&temporary.path, path),
            Ending::FirstFree {
                name,
                is_taken,
                old,
            } => {
                for number in NUMBERS {
                    let path = name(number);
                    let is_old = old.as_ref().is_some_and(|(of, old)| {
                        *of == number && found(&path).as_ref() == Some(old)
                    });
                    if is_old {
                        fs::rename(&temporary.path, &path)?;
                    } else if is_taken(&path) || !take_free(&temporary.path, &path)? {
                        continue;
                    }
                    self.path = path;
                    return Ok(());
                }
                Err(io::ErrorKind::AlreadyExists.into())
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
    path: PathBuf,
    temporary: Temporary,
}

impl NewFile {
    /// Makes the temporary file.
    ///
    /// # Errors
    /// Something has the name, a link too; or the folder cannot be written.
    pub fn create(path: &Path) -> io::Result<Self> {
        if fs::symlink_metadata(path).is_ok() || is_device(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        Ok(Self {
            path: path.to_owned(),
            temporary: Temporary::file(path)?,
        })
    }

    /// The file, to read and to write.
    pub fn file(&self) -> &File {
        self.temporary.opened()
    }

    /// Gives the complete file its name.
    ///
    /// # Errors
    /// Something has the name by now.
    pub fn finish(self) -> io::Result<()> {
        self.file().sync_data()?;
        match take_free(&self.temporary.path, &self.path)? {
            true => Ok(()),
            false => Err(io::ErrorKind::AlreadyExists.into()),
        }
    }
}

/// A file that is `PATH.part` until it is complete, and stays so if the program ends before. Only one program at a time
/// writes it. Complete, it takes a name that nothing has.
pub struct PartFile {
    path: PathBuf,
    part: PathBuf,
    file: File,
}

impl PartFile {
    /// Opens `PATH.part`, or makes it.
    ///
    /// # Errors
    /// Something has the name PATH; another program writes the part; or it cannot be written.
    pub fn open(path: &Path) -> Result<Self, OutputError> {
        let failed = |error| OutputError::failed(path, error);
        let refused = |why: &str| OutputError::Refused(format!("{}: {why}", shown_path(path)));
        if fs::symlink_metadata(path).is_ok() || is_device(path) {
            return Err(refused(
                "is there already; remove it, or name another file with --output",
            ));
        }
        let part = with_ending(path, ".part");
        if fs::symlink_metadata(&part).is_ok_and(|found| !found.is_file()) {
            return Err(refused("its .part is not a file of yours; remove that"));
        }
        let mut how = OpenOptions::new();
        let how = how.read(true).write(true).create(true).truncate(false);
        let file = how.open(&part).map_err(failed)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(refused("another program is writing its .part")),
            // a file system without locks
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self {
                path: path.to_owned(),
                part,
                file,
            }),
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
        with_ending(&self.part, ending)
    }

    /// Gives the complete file its name.
    ///
    /// # Errors
    /// Something has the name by now; the part stays then. Or the disk fails.
    pub fn finish(self) -> Result<(), OutputError> {
        let finish = || {
            self.file.sync_data()?;
            match take_free(&self.part, &self.path)? {
                true => Ok(()),
                false => Err(io::ErrorKind::AlreadyExists.into()),
            }
        };
        finish().map_err(|error| OutputError::failed(&self.path, error))
    }

    /// Removes it.
    pub fn remove(self) {
        let _ = fs::remove_file(&self.part);
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// A new folder. It has a temporary name beside its own one until it is complete, and goes with this value before.
pub struct NewFolder {
    path: PathBuf,
    temporary: Temporary,
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
        make_folder(above(&whole)).map_err(failed)?;
        if fs::symlink_metadata(&whole).is_ok() || is_device(&whole) {
            return Err(failed(io::ErrorKind::AlreadyExists.into()));
        }
        let temporary =
            Temporary::beside(&whole, |temporary| fs::create_dir(temporary).map(|()| None));
        Ok(Self {
            temporary: temporary.map_err(failed)?,
            path: whole,
        })
    }

    /// Where its files are until it is complete.
    pub fn temporary(&self) -> &Path {
        &self.temporary.path
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
        let to = self.temporary.path.join(name);
        let make = || {
            fs::create_dir_all(above(&to))?;
            let mut file = File::create_new(&to)?;
            fill(&mut file)?;
            file.sync_all()
        };
        make().map_err(|error| OutputError::failed(&self.path.join(name), error))
    }

    /// Windows runs files by their endings: nothing is done.
    ///
    /// # Errors
    /// The file is not there.
    pub fn make_executable(&self, name: &Path) -> Result<(), OutputError> {
        let found = fs::metadata(self.temporary.path.join(name));
        found
            .map(drop)
            .map_err(|error| OutputError::failed(&self.path.join(name), error))
    }

    /// Gives the complete folder its name.
    ///
    /// # Errors
    /// Something has the name by now.
    pub fn finish(self) -> Result<(), OutputError> {
        let taken = take_free(&self.temporary.path, &self.path);
        let taken = taken.and_then(|taken| {
            taken
                .then_some(())
                .ok_or_else(|| io::ErrorKind::AlreadyExists.into())
        });
        taken.map_err(|error| OutputError::failed(&self.path, error))
    }
}
