//! The files that are standard input and standard output.

use rustix::fs::{FileType, Stat, fstat};
use rustix::stdio;

/// Standard input, if it is a file or a disk.
pub(super) fn input() -> Option<Stat> {
    fstat(stdio::stdin()).ok().filter(is_stored)
}

/// Standard output, if it is a file or a disk.
pub(super) fn output() -> Option<Stat> {
    fstat(stdio::stdout()).ok().filter(is_stored)
}

/// Whether this is standard output, whatever that is.
pub(super) fn is_output(stat: &Stat) -> bool {
    let same = |own: Stat| (own.st_dev, own.st_ino) == (stat.st_dev, stat.st_ino);
    fstat(stdio::stdout()).is_ok_and(same)
}

fn is_stored(stat: &Stat) -> bool {
    let kind = FileType::from_raw_mode(stat.st_mode);
    matches!(kind, FileType::RegularFile | FileType::BlockDevice)
}
