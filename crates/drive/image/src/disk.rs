//! The file below an image.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{FallocateFlags, FlockOperation, SeekFrom, fallocate, flock, seek};
use rustix::io::Errno;

use crate::beside::Beside;
use crate::error::ImageError;

/// The bytes below an image. A crash may drop, reorder or tear what was written since the last sync.
pub trait Disk: Send {
    /// The length in bytes.
    ///
    /// # Errors
    /// The medium fails.
    fn length(&self) -> io::Result<u64>;

    /// Reads exactly these bytes.
    ///
    /// # Errors
    /// The medium fails; a range past the end.
    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()>;

    /// The first place from `at` on that may hold something other than zeros; the end of the disk if there is none.
    ///
    /// # Errors
    /// The medium fails.
    fn next_data(&self, at: u64) -> io::Result<u64> {
        Ok(at)
    }

    /// Writes exactly these bytes.
    ///
    /// # Errors
    /// The medium fails.
    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()>;

    /// Writes bytes, and may take them away: then none are left.
    ///
    /// # Errors
    /// As [`Disk::write`]; all bytes are left.
    fn hand(&mut self, at: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        self.write(at, bytes)
    }

    /// An empty buffer of this capacity for [`Disk::hand`], perhaps that of bytes that were taken away before.
    fn buffer(&mut self, capacity: usize) -> Vec<u8> {
        Vec::with_capacity(capacity)
    }

    /// Returns when all that was written is durable.
    ///
    /// # Errors
    /// The medium fails. What was written since the last sync may be lost then, and later syncs do not bring it
    /// back.
    fn sync(&mut self) -> io::Result<()>;

    /// Whether a sync that is begun runs beside later calls.
    fn syncs_beside(&self) -> bool {
        false
    }

    /// Begins a sync of all that was written so far. What is written while it runs may become durable with it. No other
    /// sync begins before [`Disk::end_sync`] says that this one is complete.
    ///
    /// # Errors
    /// As [`Disk::sync`].
    fn begin_sync(&mut self) -> io::Result<()> {
        self.sync()
    }

    /// Whether the sync that was begun last is complete. If `wait`, it is.
    ///
    /// # Errors
    /// As [`Disk::sync`]; told once.
    fn end_sync(&mut self, _wait: bool) -> io::Result<bool> {
        Ok(true)
    }

    /// Returns when all that was written has reached the file, so that it survives the end of the process.
    ///
    /// # Errors
    /// A write fails.
    fn drain(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// What other threads may use beside this disk; `None` if they may use nothing.
    fn beside(&self) -> Option<Arc<dyn Beside>> {
        None
    }

    /// From here on, a write has reached the file when it returns, so that it survives the end of the process.
    fn write_through(&mut self) {}

    /// Returns when all that was written has reached the file, and no thread works for this disk until the next call.
    fn settle(&mut self) {}

    /// Makes room for bytes that are written later, so that those writes do not find the disk full. Bytes already there
    /// stay.
    ///
    /// # Errors
    /// No room.
    fn reserve(&mut self, _at: u64, _length: u64) -> io::Result<()> {
        Ok(())
    }

    /// Whether this is memory: a call costs no more than the bytes that it moves, and syncs do nothing.
    fn is_memory(&self) -> bool {
        false
    }

    /// Whether copies of pages are compared with their checksums before they are made: only then does a page that does not
    /// fit never look as if it had not arrived.
    fn verifies(&self) -> bool {
        !self.is_memory()
    }

    /// The bytes where they are; `None` if they must be read.
    fn bytes(&self, _at: u64, _length: usize) -> Option<&[u8]> {
        None
    }

    /// Copies exactly these bytes to a place elsewhere. Called only for memory.
    ///
    /// # Errors
    /// The medium fails.
    fn copy(&mut self, from: u64, to: u64, length: usize) -> io::Result<()> {
        let mut bytes = vec![0; length];
        self.read(from, &mut bytes)?;
        self.write(to, &bytes)
    }
}

impl Disk for Box<dyn Disk> {
    fn is_memory(&self) -> bool {
        (**self).is_memory()
    }

    fn verifies(&self) -> bool {
        (**self).verifies()
    }

    fn bytes(&self, at: u64, length: usize) -> Option<&[u8]> {
        (**self).bytes(at, length)
    }

    fn copy(&mut self, from: u64, to: u64, length: usize) -> io::Result<()> {
        (**self).copy(from, to, length)
    }

    fn reserve(&mut self, at: u64, length: u64) -> io::Result<()> {
        (**self).reserve(at, length)
    }

    fn length(&self) -> io::Result<u64> {
        (**self).length()
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        (**self).read(at, into)
    }

    fn next_data(&self, at: u64) -> io::Result<u64> {
        (**self).next_data(at)
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        (**self).write(at, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        (**self).sync()
    }

    fn hand(&mut self, at: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        (**self).hand(at, bytes)
    }

    fn buffer(&mut self, capacity: usize) -> Vec<u8> {
        (**self).buffer(capacity)
    }

    fn syncs_beside(&self) -> bool {
        (**self).syncs_beside()
    }

    fn drain(&mut self) -> io::Result<()> {
        (**self).drain()
    }

    fn beside(&self) -> Option<Arc<dyn Beside>> {
        (**self).beside()
    }

    fn write_through(&mut self) {
        (**self).write_through();
    }

    fn settle(&mut self) {
        (**self).settle();
    }

    fn begin_sync(&mut self) -> io::Result<()> {
        (**self).begin_sync()
    }

    fn end_sync(&mut self, wait: bool) -> io::Result<bool> {
        (**self).end_sync(wait)
    }
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAccess {
    /// To read and to write. Syncs wait for the hardware.
    Durable,
    /// To read and to write. Syncs do nothing: a crash of the process loses no more than with them, a crash of the system
    /// may lose or damage everything.
    Volatile,
    /// To read only.
    ReadOnly,
}

/// A file, locked against other processes while it is open: readers exclude writers. Clones are the same open file.
#[derive(Clone, Debug)]
pub struct FileDisk {
    file: Arc<File>,
    access: FileAccess,
}

impl FileDisk {
    /// Makes a new, empty file that is open to read and to write a sparse one of `length` bytes.
    ///
    /// # Errors
    /// No room for that many bytes; a file that another process has open.
    pub fn new(file: File, length: u64) -> Result<Self, ImageError> {
        file.set_len(length)?;
        Self::locked(file, FileAccess::Durable)
    }

    /// Opens a file.
    ///
    /// # Errors
    /// No such file; a file that another process has open.
    pub fn open(path: &Path, access: FileAccess) -> Result<Self, ImageError> {
        let writes = access != FileAccess::ReadOnly;
        // opening a pipe would wait for its other end
        if !std::fs::metadata(path)?.is_file() {
            return Err(ImageError::NotAnImage);
        }
        let file = OpenOptions::new().read(true).write(writes).open(path)?;
        Self::locked(file, access)
    }

    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    fn locked(file: File, access: FileAccess) -> Result<Self, ImageError> {
        let lock = match access {
            FileAccess::ReadOnly => FlockOperation::NonBlockingLockShared,
            _ => FlockOperation::NonBlockingLockExclusive,
        };
        match flock(&file, lock) {
            Ok(()) => Ok(Self {
                file: Arc::new(file),
                access,
            }),
            Err(Errno::WOULDBLOCK) => Err(ImageError::InUse),
            Err(error) => Err(io::Error::from(error).into()),
        }
    }
}

impl Beside for FileDisk {
    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(into, at)
    }
}

impl Disk for FileDisk {
    fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(into, at)
    }

    fn beside(&self) -> Option<Arc<dyn Beside>> {
        Some(Arc::new(self.clone()))
    }

    fn next_data(&self, at: u64) -> io::Result<u64> {
        // nothing depends on the position of the file
        match seek(&self.file, SeekFrom::Data(at)) {
            Ok(place) => Ok(place),
            Err(Errno::NXIO) => self.length(),
            // a file system that does not know its holes
            Err(_) => Ok(at),
        }
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, at)
    }

    fn reserve(&mut self, at: u64, length: u64) -> io::Result<()> {
        let reserved = match length {
            0 => Ok(()),
            _ => fallocate(&self.file, FallocateFlags::KEEP_SIZE, at, length),
        };
        match reserved {
            // then a later write finds out
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
            reserved => Ok(reserved?),
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        match self.access {
            FileAccess::Durable => self.file.sync_data(),
            FileAccess::Volatile | FileAccess::ReadOnly => Ok(()),
        }
    }
}

/// Refuses what needs more memory than the process can have, so that it does not die halfway.
///
/// # Errors
/// There is no room for this many bytes.
pub fn room_for(bytes: u64) -> Result<(), ImageError> {
    /// The memory of everything small.
    const REST: u64 = 8 << 20;
    let refused = || {
        let needs = bytes.div_ceil(1 << 20);
        ImageError::Shape(format!(
            "no memory for a flash of this size; it takes about {needs} MiB"
        ))
    };
    let probe = bytes.saturating_add(bytes / 16).saturating_add(REST);
    let probe = usize::try_from(probe).map_err(|_| refused())?;
    let mut room: Vec<u8> = Vec::new();
    room.try_reserve_exact(probe).map_err(|_| refused())
}

/// An image in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryDisk(pub Vec<u8>);

impl MemoryDisk {
    /// `length` bytes of zeros.
    ///
    /// # Errors
    /// No memory for them.
    pub fn new(length: u64) -> Result<Self, ImageError> {
        room_for(length)?;
        let refused = || ImageError::Shape(format!("no memory for an image of {length} bytes"));
        let length = usize::try_from(length).map_err(|_| refused())?;
        // zeroed by the system as it is touched
        Ok(Self(vec![0; length]))
    }
}

impl Disk for MemoryDisk {
    fn is_memory(&self) -> bool {
        true
    }

    fn copy(&mut self, from: u64, to: u64, length: usize) -> io::Result<()> {
        let (from, to) = (from as usize, to as usize);
        if from.max(to) + length > self.0.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.0.copy_within(from..from + length, to);
        Ok(())
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        let from = self.0.get(at as usize..at as usize + into.len());
        into.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let to = self.0.get_mut(at as usize..at as usize + bytes.len());
        to.ok_or(io::ErrorKind::UnexpectedEof)?
            .copy_from_slice(bytes);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
