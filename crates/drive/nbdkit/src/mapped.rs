//! The file of an image in memory: a page is copied, where reading and writing a file take a system call each.

use std::io;
use std::path::Path;

use memmap2::MmapMut;
use rustix::param::page_size;
use ssdlab_drive::{Disk, FileAccess, FileDisk, ImageError};

/// A file without syncs, mapped into memory.
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
}

impl MappedDisk {
    /// Opens a file, as [`FileDisk::open`] with [`FileAccess::Volatile`].
    pub fn open(path: &Path) -> Result<Self, ImageError> {
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
        let from = at as usize;
        if self.is_mapped(from, into.len()) {
            into.copy_from_slice(&self.map[from..from + into.len()]);
            return Ok(());
        }
        self.file.read(at, into)
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
