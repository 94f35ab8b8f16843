//! What the program writes: files that appear under their names when they are complete.
//!
//! A command tells [`Files`] what it reads, and gets its outputs from there. So no output is an input or another
//! output, however it is named: by its path, by another one, through a link, or as a hard link. An output is written to
//! a temporary file in the same folder, `.NAME.XXXXXXXX.unfinished`, and takes its name at the end. Symbolic links on
//! the way to it are followed by the rule of `place`. A [`NewFile`] and a [`NewFolder`] replace nothing. A [`PartFile`]
//! grows over several runs, under a name that says so.
//!
//! May depend on `words` alone. Writes no file but those that it is asked for, and prints nothing.
#![cfg(unix)]

mod error;
mod files;
mod folder;
mod identity;
mod log;
mod part;
mod place;
mod stdio;
mod temporary;
mod whole;

pub use error::OutputError;
pub use files::Files;
pub use folder::NewFolder;
pub use part::PartFile;
pub use place::make_folder;
pub use temporary::abandon;
pub use whole::{NewFile, WholeFile};
