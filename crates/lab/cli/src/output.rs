//! Output to standard output, and the files of a command.

use std::fs::File;
use std::io::{self, StdoutLock, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use ssdlab_output::OutputError;
pub use ssdlab_output::{WholeFile, abandon};
use ssdlab_words::{either, shown_path};

use crate::failure::Failure;
use crate::start;

/// Prints to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// Prints bytes as they are to standard output.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let print = |mut out: StdoutLock| {
        out.write_all(bytes)?;
        out.flush()
    };
    stdout()
        .and_then(print)
        .map_err(|error| Failure::printing(&error))
}

/// Prints one JSON value.
pub fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value);
    let text = text.map_err(|error| Failure::Machine(error.to_string()))?;
    print(&(text + "\n"))
}

/// Standard output.
///
/// # Errors
/// It was closed at the start of the program. The runtime then replaces it by the null device, which accepts
/// everything.
pub fn stdout() -> io::Result<StdoutLock<'static>> {
    if start::stdout_was_closed() {
        Err(io::Error::other("it is closed"))
    } else {
        Ok(io::stdout().lock())
    }
}

/// What a command reads and writes: every output of every command comes from here, and none of them is an input.
#[derive(Default)]
pub struct Files(ssdlab_output::Files);

impl Files {
    /// Adds an input. `what` it is: `the trace`.
    ///
    /// # Errors
    /// Standard output is the same file.
    pub fn input(&mut self, what: &str, path: &Path) -> Result<(), Failure> {
        let shown = format!("{what} {}", shown_path(path));
        if path.as_os_str() == "-" {
            self.0.stdin(shown)?
        } else {
            self.0.input(shown, path)?
        }
        Ok(())
    }

    /// Begins the file of an option.
    ///
    /// # Errors
    /// It is an input or another output, or cannot be written.
    pub fn create(&mut self, option: &str, path: &Path) -> Result<WholeFile, Failure> {
        let shown = format!("{option} {}", shown_path(path));
        if path.as_os_str() == "-" {
            let why = "must be a file, because the results go to standard output";
            return Err(Failure::Input(format!("{shown}: {why}")));
        }
        Ok(self.0.create(shown, path)?)
    }

    /// Opens the file of an option to which lines are added, or makes it.
    ///
    /// # Errors
    /// As [`Files::create`].
    pub fn add_to(&mut self, option: &str, path: &Path) -> Result<File, Failure> {
        let shown = format!("{option} {}", shown_path(path));
        Ok(self.0.add_to(shown, path)?)
    }

    /// Checks a file that another program will write: as [`Files::create`], but writes nothing.
    ///
    /// # Errors
    /// As [`Files::create`].
    pub fn check(&mut self, option: &str, path: &Path) -> Result<(), Failure> {
        let shown = format!("{option} {}", shown_path(path));
        Ok(self.0.check(shown, path)?)
    }

    /// Begins a file that has the first of many names, numbered from 1, that is free at the end, or whose file is its
    /// own.
    ///
    /// # Errors
    /// None of the names can be written.
    pub fn create_first_free(
        &mut self,
        name: impl Fn(u32) -> PathBuf + Send + 'static,
        is_own: impl Fn(File) -> bool,
    ) -> Result<WholeFile, Failure> {
        Ok(self.0.create_first_free(name, is_own)?)
    }
}

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        match error {
            OutputError::Refused(why) => Failure::Input(why),
            OutputError::Failed { path, error } => Failure::writing(&path, &error),
        }
    }
}

/// The format of the ending of an option's file.
pub fn by_ending<T: Copy>(option: &str, path: &Path, formats: &[(&str, T)]) -> Result<T, Failure> {
    let ending = path
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default();
    let known = formats.iter().find(|(name, _)| *name == ending);
    known.map(|(_, format)| *format).ok_or_else(|| {
        let endings: Vec<String> = formats.iter().map(|(name, _)| format!(".{name}")).collect();
        Failure::Input(format!(
            "{option} {}: must end in {}",
            shown_path(path),
            either(&endings)
        ))
    })
}
