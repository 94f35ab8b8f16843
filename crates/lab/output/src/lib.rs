//! What the program writes: files that appear under their names when they are complete.
//!
//! A command tells [`Files`] what it reads, and gets its outputs from there. So no output is an input or another
//! output, however it is named: by its path, by another one, through a link, or as a hard link. An output is written to
//! a temporary file in the same folder, `.NAME.XXXXXXXX.unfinished`, and takes its name at the end. Symbolic links on
//! the way to it are followed by the rule of `place`. A [`NewFile`] replaces nothing.
//!
//! May depend on `words` alone. Writes no file but those that it is asked for, and prints nothing.

#[cfg(unix)]
mod error;
#[cfg(unix)]
mod files;
#[cfg(unix)]
mod identity;
#[cfg(unix)]
mod place;
#[cfg(unix)]
mod stdio;
#[cfg(unix)]
mod temporary;
#[cfg(unix)]
mod whole;

#[cfg(unix)]
pub use error::OutputError;
#[cfg(unix)]
pub use files::Files;
#[cfg(unix)]
pub use place::make_folder;
#[cfg(unix)]
pub use temporary::abandon;
#[cfg(unix)]
pub use whole::{NewFile, WholeFile};
