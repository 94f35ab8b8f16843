//! What the program writes: files that appear under their names when they are complete.
//!
//! A command tells [`Files`] what it reads, and gets its outputs from there. So no output is an input or another
//! output, however it is named: by its path, by another one, through a link, or as a hard link. An output is written to
//! a temporary file in the same folder, `.NAME.XXXXXXXX.unfinished`, and takes its name at the end. Symbolic links on
//! the way to it are followed by the rule of `unix::place`, and on Windows always. A [`NewFile`] and a [`NewFolder`]
//! replace nothing. A [`PartFile`] grows over several runs, under a name that says so.
//!
//! May depend on `words` alone. Writes no file but those that it is asked for, and prints nothing.

mod error;
#[cfg(any(unix, windows))]
mod temporary;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub use error::OutputError;
#[cfg(unix)]
pub use unix::{Files, NewFile, NewFolder, PartFile, WholeFile, abandon, make_folder};
#[cfg(windows)]
pub use windows::{Files, NewFile, NewFolder, PartFile, WholeFile, abandon, make_folder};
