//! A disk in memory that remembers every write and sync, and the states that a crash may leave; a host that sends requests to
//! a drive on it and knows what each sector may hold.
//!
//! For tests only: no part of the program uses it. May depend on `drive` alone.

mod host;
mod model;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use fastrand::Rng;
use ssdlab_drive::{Beside, Disk};

pub use host::{Host, Mix, Request, keeps_ram, new_image};
pub use model::{End, Model, SECTOR, WrongSector, data};

/// The code of the system for an input/output error.
pub const IO_ERROR: i32 = 5;
/// The code of the system for no space left on a device.
pub const NO_SPACE: i32 = 28;

/// A call that changes the disk.
#[derive(Clone, Debug)]
pub enum Call {
    /// Bytes at a place.
    Write(usize, Vec<u8>),
    /// All that was written is durable.
    Sync,
    /// A sync begins, beside the writes that follow.
    SyncBegins,
    /// All that was written before the last sync began is durable.
    SyncEnds,
}

/// The calls since the disk was opened.
#[derive(Clone, Debug, Default)]
pub struct Log {
    before: Vec<u8>,
    now: Vec<u8>,
    /// The calls, the oldest first.
    pub calls: Vec<Call>,
    /// A sync is in flight until somebody waits, or has asked this often whether it is complete.
    in_flight: Option<usize>,
}

/// A disk with a log. Clones are the same disk.
#[derive(Clone)]
pub struct LoggedDisk {
    log: Arc<Mutex<Log>>,
    is_memory: bool,
}

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
    /// A disk with this content.
    pub fn new(content: Vec<u8>) -> Self {
        Self::of(content, false)
    }

    /// A disk with this content. If it says that it is memory, pages are copied in place.
    pub fn of(content: Vec<u8>, is_memory: bool) -> Self {
        let log = Log {
            now: content.clone(),
            before: content,
            calls: Vec::new(),
            in_flight: None,
        };
        let log = Arc::new(Mutex::new(log));
        Self { log, is_memory }
    }

    /// The log.
    pub fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().expect("no panic while it is locked")
    }

    /// The writes and syncs so far.
    pub fn calls(&self) -> usize {
        self.log().calls.len()
    }

    /// A disk that begins with what this one holds now.
    pub fn again(&self) -> Self {
        Self::of(self.killed(), self.is_memory)
    }

    /// The content, as the end of the process leaves it.
    pub fn killed(&self) -> Vec<u8> {
        self.log().now.clone()
    }

    /// The content after all calls and then a crash.
    pub fn crashed(&self, crash: Crash) -> Vec<u8> {
        let log = self.log();
        log.after(log.calls.len(), crash)
    }

    /// The log; the disk must not be used any more.
    pub fn take(&self) -> Log {
        std::mem::take(&mut self.log())
    }
}

impl Log {
    /// The content after this many calls and then a crash.
    pub fn after(&self, calls: usize, crash: Crash) -> Vec<u8> {
        let calls = &self.calls[..calls];
        let last = |what: fn(&Call) -> bool, up_to: usize| calls[..up_to].iter().rposition(what);
        let ended = last(|call| matches!(call, Call::SyncEnds), calls.len());
        let begun = ended.and_then(|ended| last(|call| matches!(call, Call::SyncBegins), ended));
        let synced = last(|call| matches!(call, Call::Sync), calls.len());
        let synced = synced.max(begun).unwrap_or(0);
        let mut random = Rng::with_seed(match crash {
            Crash::SomeArrived(seed) => seed,
            Crash::Killed | Crash::NothingArrived => 0,
        });
        let mut content = self.before.clone();
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
            // its beginning or its end
            let part = if random.bool() {
                0..arrives
            } else {
                bytes.len() - arrives..bytes.len()
            };
            content[at + part.start..at + part.end].copy_from_slice(&bytes[part]);
        }
        content
    }
}

impl Beside for LoggedDisk {
    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        Disk::read(self, at, into)
    }
}

impl Disk for LoggedDisk {
    fn beside(&self) -> Option<Arc<dyn Beside>> {
        (!self.is_memory).then(|| Arc::new(self.clone()) as Arc<dyn Beside>)
    }

    fn is_memory(&self) -> bool {
        self.is_memory
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.log().now.len() as u64)
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        let at = at as usize;
        let log = self.log();
        let from = log.now.get(at..at.saturating_add(into.len()));
        into.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    /// As small holes as there can be.
    fn next_data(&self, at: u64) -> io::Result<u64> {
        let log = self.log();
        let rest = log.now.iter().skip(at as usize);
        let zeros = rest.take_while(|&&byte| byte == 0).count();
        Ok(at + zeros as u64)
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let at = at as usize;
        let mut log = self.log();
        let to = log.now.get_mut(at..at.saturating_add(bytes.len()));
        let to = to.ok_or(io::ErrorKind::UnexpectedEof)?;
        to.copy_from_slice(bytes);
        log.calls.push(Call::Write(at, bytes.to_vec()));
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.log().calls.push(Call::Sync);
        Ok(())
    }

    fn syncs_beside(&self) -> bool {
        !self.is_memory
    }

    fn begin_sync(&mut self) -> io::Result<()> {
        const LONGEST: usize = 40;
        let mut log = self.log();
        assert!(log.in_flight.is_none(), "two syncs at once");
        log.in_flight = Some(log.calls.len() % LONGEST);
        log.calls.push(Call::SyncBegins);
        Ok(())
    }

    fn end_sync(&mut self, wait: bool) -> io::Result<bool> {
        let mut log = self.log();
        match &mut log.in_flight {
            None => {}
            Some(asked) if !wait && *asked > 0 => {
                *asked -= 1;
                return Ok(false);
            }
            Some(_) => {
                log.in_flight = None;
                log.calls.push(Call::SyncEnds);
            }
        }
        Ok(true)
    }
}
