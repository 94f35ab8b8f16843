//! The image of a drive, in this process.

use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use ssdlab_device::Counters;
use ssdlab_drive::{Drive, DriveSystems, OpenOptions};

use crate::Target;

/// A drive for one request after the other.
pub struct Image {
    /// None once it is closed.
    drive: Mutex<Option<Drive>>,
    size: u64,
}

impl Image {
    /// Opens an image.
    ///
    /// # Errors
    /// It is damaged, in use or read-only.
    pub fn open(path: &Path, systems: &DriveSystems, options: OpenOptions) -> io::Result<Self> {
        let drive = systems.open(path, options).map_err(io::Error::other)?;
        if let Some(why) = drive.read_only() {
            return Err(io::Error::other(format!("the drive is read-only: {why}")));
        }
        let size = drive.capacity();
        Ok(Self {
            drive: Mutex::new(Some(drive)),
            size,
        })
    }

    fn with<T>(
        &self,
        request: impl FnOnce(&mut Drive) -> Result<T, ssdlab_drive::DriveError>,
    ) -> io::Result<T> {
        let mut drive = self.drive.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *drive {
            Some(drive) => request(drive).map_err(io::Error::other),
            None => Err(io::Error::other("the drive is closed")),
        }
    }
}

impl Target for Image {
    fn kind(&self) -> &'static str {
        "image"
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn sector(&self) -> u64 {
        1
    }

    fn discards(&self) -> bool {
        true
    }

    fn read(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.with(|drive| drive.read(offset, into))
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.with(|drive| drive.write(offset, bytes))
    }

    fn flush(&self) -> io::Result<()> {
        self.with(Drive::flush)
    }

    fn discard(&self, offset: u64, length: u64) -> io::Result<()> {
        self.with(|drive| drive.trim(offset, length))
    }

    fn counters(&self) -> Option<Counters> {
        self.with(|drive| Ok(drive.counters())).ok()
    }

    fn close(&self) -> io::Result<()> {
        let drive = self
            .drive
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        drive.map_or(Ok(()), |drive| drive.close().map_err(io::Error::other))
    }
}
