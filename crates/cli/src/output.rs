//! Writing: to standard output, and to files that appear whole or not at all.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use tempfile::{NamedTempFile, TempPath};

use crate::failure::Failure;

/// Prints to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Failure::printing(&error))
}

/// Prints warnings to standard error.
pub fn warn(warnings: &[String]) {
    for warning in warnings {
        complain("warning", warning);
    }
}

/// Prints a line to standard error. `eprintln!` would panic if whoever read it has gone.
pub fn complain(kind: &str, message: &str) {
    let _ = writeln!(io::stderr(), "{kind}: {message}");
}

/// An empty table: framed and fitted on a terminal, plain text elsewhere. All columns but the first `left` are right-aligned.
pub fn table(header: &[&str], left: usize) -> Table {
    let mut table = Table::new();
    let terminal = io::stdout().is_terminal();
    table.load_style(if terminal {
        presets::UTF8_FULL_CONDENSED
    } else {
        presets::NOTHING
    });
    table
        .set_content_arrangement(if terminal {
            ContentArrangement::Dynamic
        } else {
            ContentArrangement::Disabled
        })
        .set_header(header);
    for column in table.column_iter_mut().skip(left) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Files under way, to be removed if the user interrupts.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Makes an interrupt remove unfinished files and exit with 130.
pub fn clean_up_when_interrupted() {
    let clean_up = || {
        for path in UNFINISHED.lock().unwrap_or_else(|e| e.into_inner()).iter() {
            let _ = std::fs::remove_file(path);
        }
        std::process::exit(130);
    };
    // without the handler an interrupt still ends the program
    let _ = ctrlc::set_handler(clean_up);
}

/// An output must not take the place of an input.
pub fn refuse_to_overwrite(inputs: &[&Path], output: &Path, option: &str) -> Result<(), Failure> {
    let Ok(target) = output.canonicalize() else {
        return Ok(());
    };
    match inputs
        .iter()
        .any(|input| input.canonicalize().is_ok_and(|input| input == target))
    {
        true => Err(Failure::Input(format!(
            "{option} {}: is read by this command too",
            output.display()
        ))),
        false => Ok(()),
    }
}

/// A file that takes its name only when it is complete. What is no regular file (a pipe, `/dev/null`) is written
/// directly.
pub struct WholeFile {
    path: PathBuf,
    writer: BufWriter<Box<dyn Write>>,
    unfinished: Option<TempPath>,
}

impl WholeFile {
    /// Begins a file.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        Self::open(path).map_err(|error| Failure::writing(path, &error))
    }

    fn open(path: &Path) -> io::Result<Self> {
        let special = std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir());
        let (file, unfinished): (Box<dyn Write>, _) = if special {
            (
                Box::new(std::fs::OpenOptions::new().write(true).open(path)?),
                None,
            )
        } else {
            let folder = path
                .parent()
                .filter(|p| !p.as_os_str().is_empty())
                .unwrap_or(Path::new("."));
            // what is wrong with the folder, told without the name of a temporary file; "." is in folders only
            std::fs::metadata(folder.join("."))?;
            // locked before the file exists, so that no interrupt comes between its creation and its entry
            let mut list = UNFINISHED.lock().unwrap_or_else(|e| e.into_inner());
            let (file, unfinished) = in_folder(folder)?.into_parts();
            list.push(unfinished.to_path_buf());
            (Box::new(file), Some(unfinished))
        };
        Ok(Self {
            path: path.to_owned(),
            writer: BufWriter::new(file),
            unfinished,
        })
    }

    /// Gives the complete file its name.
    pub fn finish(mut self) -> Result<(), Failure> {
        let finished = self
            .writer
            .flush()
            .and_then(|()| match self.unfinished.take() {
                Some(unfinished) => unfinished.persist(&self.path).map_err(|error| error.error),
                None => Ok(()),
            });
        finished.map_err(|error| Failure::writing(&self.path, &error))
    }
}

/// A temporary file with the permissions that any new file would have.
fn in_folder(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
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
