//! Pages on their way to the file: programs of consecutive pages become one write.

use std::io;
use std::ops::Range;

use crate::disk::Disk;

/// Runs that wait at a time: the frontiers of an FTL.
const MOST: usize = 8;
/// A run of this many bytes is written at once.
const LONGEST: usize = 1 << 16;

/// Pages that wait to be written.
#[derive(Debug, Default)]
pub struct Runs(Vec<Run>);

/// Consecutive pages.
#[derive(Debug)]
struct Run {
    at: u64,
    bytes: Vec<u8>,
}

impl Run {
    fn end(&self) -> u64 {
        self.at + self.bytes.len() as u64
    }
}

impl Runs {
    /// Takes a page, which [`Runs::write`] writes at the latest. If a write fails, the page is not taken, and what
    /// waited before stays in memory.
    pub fn put(&mut self, disk: &mut dyn Disk, at: u64, page: &[u8]) -> io::Result<()> {
        let Some(place) = self.0.iter().position(|run| run.end() == at) else {
            return self.begin(disk, at, page);
        };
        let run = &mut self.0[place];
        let before = run.bytes.len();
        run.bytes.extend_from_slice(page);
        if run.bytes.len() >= LONGEST {
            if let Err(error) = disk.hand(run.at, &mut run.bytes) {
                // a drive that only reads from now on may program this page again
                run.bytes.truncate(before);
                return Err(error);
            }
            self.0.remove(place);
        }
        Ok(())
    }

    /// Begins a run, in place of the oldest one if there are many.
    fn begin(&mut self, disk: &mut dyn Disk, at: u64, page: &[u8]) -> io::Result<()> {
        if page.len() >= LONGEST || disk.is_memory() {
            return disk.write(at, page);
        }
        if self.0.len() == MOST {
            let oldest = &mut self.0[0];
            disk.hand(oldest.at, &mut oldest.bytes)?;
            self.0.remove(0);
        }
        let mut bytes = disk.buffer(LONGEST + page.len());
        bytes.extend_from_slice(page);
        self.0.push(Run { at, bytes });
        Ok(())
    }

    /// Whether pages in this range wait.
    pub fn have(&self, range: &Range<u64>) -> bool {
        let mut runs = self.0.iter();
        runs.any(|run| run.at < range.end && range.start < run.end())
    }

    /// Reads a page that waits; false if it does not.
    pub fn read(&self, at: u64, into: &mut [u8]) -> bool {
        let run = self.0.iter().find(|run| run.at <= at && at < run.end());
        run.is_some_and(|run| {
            let from = (at - run.at) as usize;
            into.copy_from_slice(&run.bytes[from..from + into.len()]);
            true
        })
    }

    /// Writes all pages that wait.
    pub fn write(&mut self, disk: &mut dyn Disk) -> io::Result<()> {
        while let Some(run) = self.0.last_mut() {
            disk.hand(run.at, &mut run.bytes)?;
            self.0.pop();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::MemoryDisk;

    const PAGE: usize = 16 << 10;

    /// A disk that is full for a while.
    struct Full {
        below: MemoryDisk,
        full: bool,
    }

    impl Disk for Full {
        fn length(&self) -> io::Result<u64> {
            self.below.length()
        }

        fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
            self.below.read(at, into)
        }

        fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
            if self.full {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.below.write(at, bytes)
        }

        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A page that could not be written is not taken: put again with other bytes, it is there once, with these bytes.
    #[test]
    fn a_page_that_fails_is_not_taken() {
        let per_run = LONGEST / PAGE;
        let mut disk = Full {
            below: MemoryDisk(vec![0; 2 * LONGEST]),
            full: true,
        };
        let mut runs = Runs::default();
        let at = |page: usize| (page * PAGE) as u64;
        for page in 0..per_run - 1 {
            runs.put(&mut disk, at(page), &[page as u8 + 1; PAGE])
                .unwrap();
        }
        let last = per_run - 1;
        let mut read = vec![0; PAGE];
        for _ in 0..3 {
            let failed = runs.put(&mut disk, at(last), &[99; PAGE]).unwrap_err();
            assert_eq!(failed.kind(), io::ErrorKind::StorageFull);
            for page in 0..2 * per_run {
                let waits = runs.read(at(page), &mut read);
                assert_eq!(waits, page < last, "page {page}");
                assert!(!waits || read == [page as u8 + 1; PAGE], "page {page}");
            }
        }
        disk.full = false;
        for page in last..=per_run {
            runs.put(&mut disk, at(page), &[page as u8 + 1; PAGE])
                .unwrap();
        }
        runs.write(&mut disk).unwrap();
        for (page, found) in disk.below.0.chunks(PAGE).enumerate() {
            let expected = if page <= per_run { page as u8 + 1 } else { 0 };
            assert_eq!(found, [expected; PAGE], "page {page}");
        }
    }
}
