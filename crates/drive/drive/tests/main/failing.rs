//! A disk that fails.

use std::io;
use std::sync::Mutex;

use ssdlab_disks::LoggedDisk;
use ssdlab_drive::Disk;

/// A kind of call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
    Sync,
}

/// A disk that fails where a function of each call returns the code of an error.
pub struct FailingDisk<F> {
    below: LoggedDisk,
    fails: Mutex<F>,
    /// A sync is in flight.
    syncs: bool,
}

impl<F: FnMut(Access) -> Option<i32>> FailingDisk<F> {
    pub fn new(below: LoggedDisk, fails: F) -> Self {
        let fails = Mutex::new(fails);
        Self {
            below,
            fails,
            syncs: false,
        }
    }

    fn ask(&self, access: Access) -> io::Result<()> {
        let fails = &mut *self.fails.lock().unwrap();
        let code = fails(access);
        code.map_or(Ok(()), |code| Err(io::Error::from_raw_os_error(code)))
    }
}

impl<F: FnMut(Access) -> Option<i32> + Send> Disk for FailingDisk<F> {
    fn length(&self) -> io::Result<u64> {
        self.below.length()
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        self.ask(Access::Read)?;
        self.below.read(at, into)
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.ask(Access::Write)?;
        self.below.write(at, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.ask(Access::Sync)?;
        self.below.sync()
    }

    fn syncs_beside(&self) -> bool {
        true
    }

    fn begin_sync(&mut self) -> io::Result<()> {
        self.syncs = true;
        self.below.begin_sync()
    }

    /// A sync that fails does so when somebody waits for it.
    fn end_sync(&mut self, wait: bool) -> io::Result<bool> {
        if self.syncs && wait {
            self.syncs = false;
            self.ask(Access::Sync)?;
            return self.below.end_sync(true);
        }
        Ok(!self.syncs)
    }
}

/// Counts a call; true once, after this many.
pub fn is_due(left: &mut Option<usize>) -> bool {
    let is_due = *left == Some(0);
    *left = left.and_then(|left| left.checked_sub(1));
    is_due
}
