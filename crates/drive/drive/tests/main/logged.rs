//! A disk that remembers every write and sync, and the states that a crash may leave.

use std::io;
use std::sync::{Arc, Mutex};

use fastrand::Rng;
use ssdlab_drive::Disk;

/// A call that changes the file.
#[derive(Clone, Debug)]
pub enum Call {
    Write(u64, Vec<u8>),
    Sync,
}

/// The calls since the disk was opened.
#[derive(Clone, Debug, Default)]
pub struct Log {
    before: Vec<u8>,
    now: Vec<u8>,
    pub calls: Vec<Call>,
}

/// A disk in memory; its log is shared.
#[derive(Clone)]
pub struct LoggedDisk(pub Arc<Mutex<Log>>);

/// What a crash does with the writes since the last sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crash {
    /// The process died: all writes are there.
    Killed,
    /// The system died: no write has arrived.
    NothingArrived,
    /// The system died: any writes have arrived, some of them in part. The seed says which.
    SomeArrived(u64),
}

impl LoggedDisk {
    pub fn new(content: Vec<u8>) -> Self {
        Self(Arc::new(Mutex::new(Log {
            now: content.clone(),
            before: content,
            calls: Vec::new(),
        })))
    }

    /// The calls so far.
    pub fn len(&self) -> usize {
        self.0.lock().unwrap().calls.len()
    }

    /// The content, as the end of the process leaves it.
    pub fn killed(&self) -> Vec<u8> {
        self.0.lock().unwrap().now.clone()
    }

    /// The log; the disk must not be used any more.
    pub fn take(&self) -> Log {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Log {
    /// The content after these calls and then a crash.
    pub fn after(&self, calls: usize, crash: Crash) -> Vec<u8> {
        let mut content = self.before.clone();
        let calls = &self.calls[..calls];
        let synced = calls.iter().rposition(|call| matches!(call, Call::Sync));
        let synced = synced.unwrap_or(0);
        let mut random = Rng::with_seed(match crash {
            Crash::SomeArrived(seed) => seed,
            _ => 0,
        });
        for (index, call) in calls.iter().enumerate() {
            let Call::Write(at, bytes) = call else {
                continue;
            };
            let arrives = match crash {
                _ if index < synced => bytes.len(),
                Crash::Killed => bytes.len(),
                Crash::NothingArrived => 0,
                Crash::SomeArrived(_) => match random.u8(0..4) {
                    0 => 0,
                    1 => random.usize(..=bytes.len()),
                    _ => bytes.len(),
                },
            };
            let at = *at as usize;
            if random.bool() {
                content[at..at + arrives].copy_from_slice(&bytes[..arrives]);
            } else {
                let from = bytes.len() - arrives;
                content[at + from..at + bytes.len()].copy_from_slice(&bytes[from..]);
            }
        }
        content
    }
}

impl Disk for LoggedDisk {
    fn length(&self) -> io::Result<u64> {
        Ok(self.0.lock().unwrap().now.len() as u64)
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        let at = at as usize;
        into.copy_from_slice(&self.0.lock().unwrap().now[at..at + into.len()]);
        Ok(())
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let mut log = self.0.lock().unwrap();
        log.now[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
        log.calls.push(Call::Write(at, bytes.to_vec()));
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.lock().unwrap().calls.push(Call::Sync);
        Ok(())
    }
}

/// A kind of call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
    Sync,
}

pub const IO_ERROR: i32 = 5;
pub const NO_SPACE: i32 = 28;

/// A disk that fails where a function of each call returns the code of an error.
pub struct FailingDisk<F> {
    below: LoggedDisk,
    fails: Mutex<F>,
}

impl<F: FnMut(Access) -> Option<i32>> FailingDisk<F> {
    pub fn new(below: LoggedDisk, fails: F) -> Self {
        let fails = Mutex::new(fails);
        Self { below, fails }
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
}

/// Counts a call; true once, after this many.
pub fn is_due(left: &mut Option<usize>) -> bool {
    let is_due = *left == Some(0);
    *left = left.and_then(|left| left.checked_sub(1));
    is_due
}
