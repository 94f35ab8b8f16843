//! Images in memory that outlive their drives.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ssdlab_drive::{Disk, MemoryDisk};

/// A disk in memory. Clones are the same disk.
#[derive(Clone)]
pub struct SharedMemory(Arc<Mutex<MemoryDisk>>);

impl SharedMemory {
    pub fn new(disk: MemoryDisk) -> Self {
        Self(Arc::new(Mutex::new(disk)))
    }

    fn disk(&self) -> MutexGuard<'_, MemoryDisk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Disk for SharedMemory {
    fn length(&self) -> io::Result<u64> {
        self.disk().length()
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        self.disk().read(at, into)
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.disk().write(at, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn is_memory(&self) -> bool {
        true
    }

    fn copy(&mut self, from: u64, to: u64, length: usize) -> io::Result<()> {
        self.disk().copy(from, to, length)
    }
}
