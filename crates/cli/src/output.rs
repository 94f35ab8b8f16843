//! Output to standard output, and to files that appear only when they are complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ssdlab_trace::shown_path;
use tempfile::{NamedTempFile, TempPath};

use crate::failure::Failure;

/// Prints to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    let print = |mut out: StdoutLock| {
        out.write_all(text.as_bytes())?;
        out.flush()
    };
    stdout()
        .and_then(print)
        .map_err(|error| Failure::printing(&error))
}

/// Standard output.
///
/// # Errors
/// It was closed at the start of the program. The runtime then replaces it by the null device, which accepts
/// everything.
pub fn stdout() -> io::Result<StdoutLock<'static>> {
    match ssdlab_start::stdout_was_closed() {
        true => Err(io::Error::other("it is closed")),
        false => Ok(io::stdout().lock()),
    }
}

/// Unfinished files, which a signal that ends the program must remove.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes unfinished files and exits.
pub fn abandon(code: i32) -> ! {
    // keep the lock to the end, so that no other file is created
    let unfinished = UNFINISHED.lock().unwrap_or_else(|e| e.into_inner());
    for path in unfinished.iter() {
        let _ = fs::remove_file(path);
    }
    std::process::exit(code)
}

/// Checks that an output is a file and neither an input nor another output.
pub fn check_place(
    inputs: &[&Path],
    others: &[PathBuf],
    output: &Path,
    option: &str,
) -> Result<(), Failure> {
    let refused = |why: &str| {
        let output = shown_path(output);
        Err(Failure::Input(format!("{option} {output}: {why}")))
    };
    if output.as_os_str() == "-" {
        return refused("must be a file, because the results go to standard output");
    }
    let place = place(output);
    if inputs.iter().any(|input| self::place(input) == place) {
        return refused("is also an input of this command");
    }
    if others.iter().any(|other| self::place(other) == place) {
        return refused("is also another output of this command");
    }
    Ok(())
}

/// One path for all paths that lead to the same file.
fn place(path: &Path) -> PathBuf {
    let (at, _) = target(path);
    let folder = folder_of(&at).canonicalize();
    match (folder, at.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => at,
    }
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// The target of a path, and whether it must be written in place, because it is not a regular file or because an open
/// file has this number. Links are followed, so that they remain links.
fn target(path: &Path) -> (PathBuf, bool) {
    /// The largest number of links that the kernel follows.
    const LINKS: u32 = 40;
    let mut at = path.to_owned();
    for _ in 0..LINKS {
        let Ok(link) = fs::read_link(&at) else { break };
        if at.starts_with("/dev") || at.starts_with("/proc") {
            return (at, true);
        }
        at = folder_of(&at).join(link);
    }
    let is_special = fs::metadata(&at).is_ok_and(|m| !m.is_file() && !m.is_dir());
    (at, is_special)
}

/// Opens a target that must be written in place, at its end if it has one.
fn special(path: &Path) -> io::Result<Box<dyn Write + Send>> {
    match is_stdout(path) {
        true => stdout().map(|_| Box::new(io::stdout()) as _),
        false => Ok(Box::new(OpenOptions::new().append(true).open(path)?)),
    }
}

/// Whether a path is another name of this program's standard output.
#[cfg(unix)]
fn is_stdout(path: &Path) -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let own = io::stdout().as_fd().try_clone_to_owned();
    let own = own.and_then(|own| File::from(own).metadata());
    let file = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    own.is_ok_and(|own| fs::metadata(path).is_ok_and(|other| file(own) == file(other)))
}

#[cfg(not(unix))]
fn is_stdout(_: &Path) -> bool {
    false
}

/// A file that appears only when it is complete. A target that is not a regular file (a pipe, `/dev/null`,
/// `/dev/stdout`) is written directly.
pub struct WholeFile {
    path: PathBuf,
    writer: BufWriter<Box<dyn Write + Send>>,
    unfinished: Option<Unfinished>,
}

/// The parts of an unfinished file.
struct Unfinished {
    /// A temporary file in the same folder.
    temporary: TempPath,
    /// The existing file, if it has other names: it is overwritten, since a replacement would have only one name.
    linked: Option<File>,
}

impl WholeFile {
    /// Creates the temporary file.
    ///
    /// # Errors
    /// The folder or file cannot be written, or the existing file is read-only.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        Self::open(path).map_err(|error| Failure::writing(path, &error))
    }

    fn open(path: &Path) -> io::Result<Self> {
        let (path, is_special) = target(path);
        let (file, unfinished): (Box<dyn Write + Send>, _) = if is_special {
            (special(&path)?, None)
        } else {
            let folder = folder_of(&path);
            // check the folder first, so that an error does not name the temporary file; only folders have a "."
            fs::metadata(folder.join("."))?;
            let existing = existing(&path)?;
            // lock before the file exists, so that no signal comes between its creation and its entry in the list
            let mut list = UNFINISHED.lock().unwrap_or_else(|e| e.into_inner());
            let (file, temporary) = in_folder(folder)?.into_parts();
            list.push(temporary.to_path_buf());
            drop(list);
            let linked = existing.filter(|existing| !made_alike(&file, existing));
            (Box::new(file), Some(Unfinished { temporary, linked }))
        };
        Ok(Self {
            path,
            writer: BufWriter::new(file),
            unfinished,
        })
    }

    /// Moves the complete file to its name.
    ///
    /// # Errors
    /// The disk is full, or the file cannot be written or renamed.
    pub fn finish(mut self) -> Result<(), Failure> {
        let finished = self
            .writer
            .flush()
            .and_then(|()| match self.unfinished.take() {
                Some(unfinished) => unfinished.finish(&self.path),
                None => Ok(()),
            });
        finished.map_err(|error| Failure::writing(&self.path, &error))
    }
}

impl Unfinished {
    fn finish(self, path: &Path) -> io::Result<()> {
        let Some(mut linked) = self.linked else {
            return self.temporary.persist(path).map_err(|error| error.error);
        };
        linked.set_len(0)?;
        linked.rewind()?;
        io::copy(&mut File::open(&self.temporary)?, &mut linked)?;
        Ok(())
    }
}

/// The existing file at the path, if any, opened for writing.
fn existing(path: &Path) -> io::Result<Option<File>> {
    match fs::metadata(path) {
        // the later renaming reports the error
        Ok(metadata) if metadata.is_dir() => Ok(None),
        // checked by the permissions, because root may write any file
        Ok(metadata) if metadata.permissions().readonly() => {
            let why = "it is read-only; make it writable, or choose another name";
            Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
        }
        Ok(_) => OpenOptions::new().write(true).open(path).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Gives a new file the owner and the mode of the file that it replaces. False: it must not replace that file, which
/// has other names or an owner that cannot be set.
#[cfg(unix)]
fn made_alike(new: &File, old: &File) -> bool {
    use std::os::unix::fs::{MetadataExt, fchown};
    let alike = || -> io::Result<bool> {
        let (own, wanted) = (new.metadata()?, old.metadata()?);
        if (own.uid(), own.gid()) != (wanted.uid(), wanted.gid()) {
            fchown(new, Some(wanted.uid()), Some(wanted.gid()))?;
        }
        new.set_permissions(wanted.permissions())?;
        Ok(wanted.nlink() == 1)
    };
    alike().unwrap_or(false)
}

#[cfg(not(unix))]
fn made_alike(_: &File, _: &File) -> bool {
    true
}

/// A temporary file with the permissions that any new file would have.
fn in_folder(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
