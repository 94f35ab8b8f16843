//! Disks below a drive.

use std::io;

use ssdlab_drive::Disk;

// a disk that remembers, as the tests of `drive` have it
#[path = "../../crates/drive/tests/logged.rs"]
mod logged;

pub use logged::{Crash, LoggedDisk};

/// A disk that says that it is memory.
pub struct AsMemory(pub LoggedDisk);

impl Disk for AsMemory {
    fn is_memory(&self) -> bool {
        true
    }

    fn length(&self) -> io::Result<u64> {
        self.0.length()
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        self.0.read(at, into)
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write(at, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync()
    }
}
