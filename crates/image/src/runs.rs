//! Pages on their way to the file: programs of consecutive pages become one write.

use std::io;

use crate::disk::Disk;

/// Runs that wait at a time: the frontiers of an FTL.
const MOST: usize = 8;
/// A run of so many bytes is written at once.
const LONGEST: usize = 1 << 16;

/// Pages that wait to be written.
#[derive(Debug, Default)]
pub struct Runs(Vec<Run>);

/// Pages side by side.
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
    /// Takes a page that is written at the latest by [`Runs::write`]. What waited stays in memory if a write fails.
    pub fn put(&mut self, disk: &mut dyn Disk, at: u64, page: &[u8]) -> io::Result<()> {
        let Some(place) = self.0.iter().position(|run| run.end() == at) else {
            return self.begin(disk, at, page);
        };
        let run = &mut self.0[place];
        run.bytes.extend_from_slice(page);
        if run.bytes.len() >= LONGEST {
            disk.write(run.at, &run.bytes)?;
            self.0.remove(place);
        }
        Ok(())
    }

    /// Begins a run, in place of the oldest one if there are many.
    fn begin(&mut self, disk: &mut dyn Disk, at: u64, page: &[u8]) -> io::Result<()> {
        if page.len() >= LONGEST || !disk.gathers() {
            return disk.write(at, page);
        }
        let mut bytes = Vec::with_capacity(LONGEST + page.len());
        if self.0.len() == MOST {
            disk.write(self.0[0].at, &self.0[0].bytes)?;
            bytes = self.0.remove(0).bytes;
            bytes.clear();
        }
        bytes.extend_from_slice(page);
        self.0.push(Run { at, bytes });
        Ok(())
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

    /// Writes all that waits.
    pub fn write(&mut self, disk: &mut dyn Disk) -> io::Result<()> {
        while let Some(run) = self.0.last() {
            disk.write(run.at, &run.bytes)?;
            self.0.pop();
        }
        Ok(())
    }
}
