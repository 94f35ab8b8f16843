//! Names of what is not complete.

use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, RandomState};

/// A name that tells what the file is, with random digits.
pub(crate) fn temporary_name(name: &OsStr) -> OsString {
    /// What leaves room for the rest in the names of every file system.
    const LONGEST: usize = 100;
    let name = name.to_string_lossy();
    let mut shown = &*name;
    while shown.len() > LONGEST {
        let last = shown.chars().next_back().map_or(1, char::len_utf8);
        shown = &shown[..shown.len() - last];
    }
    let digits = RandomState::new().hash_one(0) as u32;
    format!(".{shown}.{digits:08x}.unfinished").into()
}
