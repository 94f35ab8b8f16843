//! All tests of this crate in one program.

mod files;
mod folder;
mod part;
