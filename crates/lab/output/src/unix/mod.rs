//! Files on Unix: nobody can change where a path leads between a check and its use.

mod files;
mod folder;
mod identity;
mod log;
mod part;
mod place;
mod stdio;
mod temporary;
mod whole;

pub use files::Files;
pub use folder::NewFolder;
pub use part::PartFile;
pub use place::make_folder;
pub use temporary::abandon;
pub use whole::{NewFile, WholeFile};
