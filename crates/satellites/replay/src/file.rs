//! A block device or a plain file, past the page cache of the system where that is possible.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{FallocateFlags, OFlags};

use crate::Target;

/// A file whose requests do not stay in memory (`O_DIRECT`).
pub struct BlockFile {
    file: File,
    is_device: bool,
    size: u64,
    sector: u64,
}

impl BlockFile {
    /// Opens a file to read and write. Nobody else may use a block device, such as a mounted file system.
    ///
    /// # Errors
    /// It cannot be opened, or a device is in use.
    pub fn open(path: &Path, is_device: bool) -> io::Result<Self> {
        let exclusive = if is_device {
            OFlags::EXCL
        } else {
            OFlags::empty()
        };
        let open = |flags: OFlags| {
            let mut options = OpenOptions::new();
            options.read(true).write(true);
            options
                .custom_flags((flags | exclusive).bits() as i32)
                .open(path)
        };
        // some file systems have no other way than through memory
        let mut file = match open(OFlags::DIRECT) {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput && !is_device => {
                open(OFlags::DSYNC)?
            }
            opened => opened?,
        };
        let size = file.seek(SeekFrom::End(0))?;
        let sector = if is_device {
            rustix::fs::ioctl_blksszget(&file)?.into()
        } else {
            512
        };
        Ok(Self {
            file,
            is_device,
            size,
            sector,
        })
    }
}

impl Target for BlockFile {
    fn kind(&self) -> &'static str {
        if self.is_device { "device" } else { "file" }
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn sector(&self) -> u64 {
        self.sector
    }

    fn discards(&self) -> bool {
        true
    }

    fn read(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(into, offset)
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, offset)
    }

    fn flush(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn discard(&self, offset: u64, length: u64) -> io::Result<()> {
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        match rustix::fs::fallocate(&self.file, flags, offset, length) {
            // a device without discards
            Err(rustix::io::Errno::OPNOTSUPP) => Ok(()),
            done => Ok(done?),
        }
    }

    fn close(&self) -> io::Result<()> {
        Ok(())
    }
}
