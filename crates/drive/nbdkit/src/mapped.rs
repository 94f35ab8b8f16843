//! The file of an image in memory: a page is copied, where reading and writing a file take a system call each.

use std::io;
use std::path::Path;
use std::sync::Arc;

use memmap2::MmapMut;
use rustix::fs::statfs;
use rustix::param::page_size;
use ssdlab_drive::{Beside, Disk, FileAccess, FileDisk, ImageError};

/// A file whose syncs do nothing, mapped into memory.
///
/// Only pages of the file that were written as a whole are used through the map: for these there is room on the disk. A
/// write that needs room goes the way of a [`FileDisk`], so that a full disk is an error and no signal.
pub struct MappedDisk {
    file: FileDisk,
    map: MmapMut,
    /// The bytes of a memory page: the first write to one through the map needs room for all of it.
    page: usize,
    /// One bit for each page of the file: it was written.
    written: Vec<u64>,
    verifies: bool,
}

/// Whether a file is on a file system in memory (tmpfs): a sync does nothing there.
pub fn is_in_memory(path: &Path) -> bool {
    const TMPFS: i64 = 0x0102_1994;
    #[expect(clippy::unnecessary_cast, reason = "its type depends on the machine")]
    statfs(path).is_ok_and(|found| found.f_type as i64 == TMPFS)
}

impl MappedDisk {
    /// Opens a file, as [`FileDisk::open`] with [`FileAccess::Volatile`]. If it `verifies`, pages are compared with their
    /// checksums before they are copied.
    pub fn open(path: &Path, verifies: bool) -> Result<Self, ImageError> {
        let file = FileDisk::open(path, FileAccess::Volatile)?;
        // SAFETY: the file is locked against other drives, and nothing here makes it shorter
        let map = unsafe { MmapMut::map_mut(file.file())? };
        let page = page_size();
        let written = vec![0; map.len().div_ceil(64 * page)];
        Ok(Self {
            file,
            map,
            page,
            written,
            verifies,
        })
    }

    /// Whether all pages of the file in a range were written.
    fn is_mapped(&self, at: usize, bytes: usize) -> bool {
        let mut pages = at / self.page..(at + bytes).div_ceil(self.page);
        let word = |page: usize| self.written.get(page / 64).copied().unwrap_or(0);
        pages.all(|page| word(page) & 1 << (page % 64) != 0)
    }

    /// Notes the pages of the file that a write has covered.
    fn wrote(&mut self, at: usize, bytes: usize) {
        for page in at.div_ceil(self.page)..(at + bytes) / self.page {
            self.written[page / 64] |= 1 << (page % 64);
        }
    }
}

impl Disk for MappedDisk {
    fn is_memory(&self) -> bool {
        true
    }

    fn verifies(&self) -> bool {
        self.verifies
    }

    fn bytes(&self, at: u64, length: usize) -> Option<&[u8]> {
        let from = at as usize;
        self.is_mapped(from, length)
            .then(|| &self.map[from..from + length])
    }

    fn beside(&self) -> Option<Arc<dyn Beside>> {
        self.file.beside()
    }

    fn copy(&mut self, from: u64, to: u64, length: usize) -> io::Result<()> {
        let (source, place) = (from as usize, to as usize);
        if self.is_mapped(source, length) && self.is_mapped(place, length) {
            self.map.copy_within(source..source + length, place);
            return Ok(());
        }
        self.file.copy(from, to, length)?;
        self.wrote(place, length);
        Ok(())
    }

    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        match self.bytes(at, into.len()) {
            Some(bytes) => into.copy_from_slice(bytes),
            None => Disk::read(&self.file, at, into)?,
        }
        Ok(())
    }

    fn next_data(&self, at: u64) -> io::Result<u64> {
        self.file.next_data(at)
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let from = at as usize;
        if self.is_mapped(from, bytes.len()) {
            self.map[from..from + bytes.len()].copy_from_slice(bytes);
            return Ok(());
        }
        self.file.write(at, bytes)?;
        self.wrote(from, bytes.len());
        Ok(())
    }

    fn reserve(&mut self, at: u64, length: u64) -> io::Result<()> {
        self.file.reserve(at, length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use ssdlab_config::Resolver;
    use ssdlab_drive::{Design, Drive, DriveError};

    use super::*;

    const PAGE: usize = 4096;

    /// Cleaning moves a damaged page as a lost one, and the image opens after the process has ended without a close.
    ///
    /// Planted bugs: a page is copied without a look at its checksum; a write through the map goes to another place.
    #[test]
    fn a_damaged_page_moves_as_a_lost_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("d.img");
        let mut resolver = Resolver::new();
        for setting in [
            "flash.page_size=4KiB",
            "flash.pages_per_block=4",
            "flash.capacity=256KiB",
            "ftl.kind=page",
            "ftl.spare_blocks=6",
            "buffer.policy=none",
        ] {
            resolver.set(setting).unwrap();
        }
        let design = Design::new(resolver.resolve().unwrap()).unwrap();
        Drive::create(&path, &design).unwrap();
        let open = || Drive::open_disk(MappedDisk::open(&path, true).unwrap()).unwrap();
        let place = |page: u8| u64::from(page) * PAGE as u64;
        let mut random = fastrand::Rng::with_seed(1);
        let mut drive = open();
        // three times, so that the pages of the file are used through the map
        for page in (0..60).cycle().take(180) {
            drive.write(place(page), &[page + 1; PAGE]).unwrap();
        }
        drive.flush().unwrap();
        // old versions, too
        let content = std::fs::read(&path).unwrap();
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        for (at, _) in (0..)
            .zip(content.chunks(PAGE))
            .filter(|(_, page)| *page == [4; PAGE])
        {
            file.write_all_at(&[0], at * PAGE as u64 + 9).unwrap();
        }
        for _ in 0..600 {
            let other = (4 + random.u8(..59)) % 60;
            drive.write(place(other), &[other + 1; PAGE]).unwrap();
        }
        drive.flush().unwrap();
        drop(drive);
        let mut drive = open();
        for page in 0..60 {
            let mut into = [0; PAGE];
            match drive.read(place(page), &mut into) {
                Err(DriveError::Lost(at)) => assert_eq!((page, at), (3, place(3))),
                read => assert!(read.is_ok() && page != 3 && into == [page + 1; PAGE]),
            }
        }
        let damaged = drive.damaged().flat_map(Result::unwrap);
        let current: Vec<_> = damaged.filter(|page| page.newest).collect();
        assert!(matches!(current[..], [page] if page.lpn.0 == 3 && page.lost));
    }
}
