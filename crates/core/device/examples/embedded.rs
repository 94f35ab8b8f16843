//! A drive inside a program: real bytes in memory, behind a lock, shared by several threads. It is built from typed
//! parameters; nothing has a name and nothing is parsed.
//!
//!     cargo run --release -p ssdlab-device --example embedded

use std::io::{Error, ErrorKind, Result};
use std::sync::{Mutex, MutexGuard};

use ssdlab_device::{BufferMaker, Device, FtlMaker, Parameters, RequestBytes, Stack};
use ssdlab_flash::{Array, Bytes};
use ssdlab_ftl::page::{self, PageMapping};
use ssdlab_host::{Op, Request};
use ssdlab_policy::buffer::lru::Lru;
use ssdlab_policy::cleaning::{self, greedy::Greedy};
use ssdlab_policy::placement::{self, single, single::Single};

/// A drive that all threads may use at once.
pub struct Drive {
    device: Mutex<Device<Array<Bytes>>>,
}

impl Drive {
    /// A drive of this many MiB, full of zeros, with page mapping behind a write buffer of 16 pages.
    pub fn new(mib: u64) -> Result<Self> {
        let mut parameters = Parameters::default();
        parameters.flash.capacity = mib << 20;
        parameters.flash.page_size = 4096;
        parameters.flash.pages_per_block = 64;
        parameters.buffer.size = 16 * 4096;
        let page = page::PageConfig::plain(
            6,
            3,
            cleaning::Chosen::of::<Greedy>(()),
            placement::Chosen::of::<Single>(single::SingleConfig::default()),
        );
        let stack = Stack::new(FtlMaker::of::<PageMapping<()>>(page))
            .with_buffer(BufferMaker::of::<Lru>(()));
        let device = Device::fresh(&parameters, &stack).map_err(Error::other)?;
        Ok(Self {
            device: Mutex::new(device),
        })
    }

    /// Writes bytes from `offset` on. They survive a power cut after the next [`Drive::flush`].
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        self.submit(Op::Write, offset, &mut bytes.to_vec())
    }

    /// Reads bytes from `offset` on.
    pub fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<()> {
        self.submit(Op::Read, offset, bytes)
    }

    /// Writes the buffer back.
    pub fn flush(&self) -> Result<()> {
        self.submit(Op::Flush, 0, &mut [])
    }

    /// The flash blocks erased so far.
    pub fn erases(&self) -> u64 {
        self.device().counters().erases
    }

    fn submit(&self, op: Op, offset: u64, bytes: &mut [u8]) -> Result<()> {
        let request = Request::new(0, op, offset, bytes.len() as u64);
        let request = request.ok_or(ErrorKind::InvalidInput)?;
        let served = self.device().submit(&request, &mut RequestBytes(bytes));
        served.map_err(Error::other)
    }

    fn device(&self) -> MutexGuard<'_, Device<Array<Bytes>>> {
        self.device.lock().expect("no request panics")
    }
}

/// Each thread fills its own half of the drive over and over, in pieces that are no multiple of a page.
fn fill(drive: &Drive, half: u64, rounds: u8) -> Result<()> {
    for round in 1..=rounds {
        for piece in 0..PIECES {
            let offset = (half * PIECES + piece) * PIECE as u64;
            drive.write(offset, &[content(half, round); PIECE])?;
        }
    }
    drive.flush()
}

const PIECE: usize = 5000;
const PIECES: u64 = 400;

fn content(half: u64, round: u8) -> u8 {
    100 * half as u8 + round
}

/// Fills both halves from two threads at once.
fn fill_from_two_threads(drive: &Drive, rounds: u8) -> Result<()> {
    std::thread::scope(|threads| {
        let halves = [0, 1].map(|half| threads.spawn(move || fill(drive, half, rounds)));
        let mut filled = halves
            .into_iter()
            .map(|half| half.join().expect("no panic"));
        filled.try_for_each(|filled| filled)
    })
}

fn main() -> Result<()> {
    let drive = Drive::new(4)?;
    fill_from_two_threads(&drive, 5)?;
    let mut bytes = [0; 4];
    drive.read(PIECE as u64 - 2, &mut bytes)?;
    println!("{bytes:?} after {} erases", drive.erases());
    Ok(())
}

/// Planted bugs that these tests catch: a piece written over zeros instead of the rest of its page; data of one thread in
/// the pages of the other; a device that cannot be shared.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_threads_read_what_they_wrote() {
        let drive = Drive::new(4).unwrap();
        fill_from_two_threads(&drive, 5).unwrap();
        for half in 0..2 {
            let mut bytes = vec![0; PIECES as usize * PIECE];
            let offset = half * bytes.len() as u64;
            drive.read(offset, &mut bytes).unwrap();
            assert!(bytes.iter().all(|&byte| byte == content(half, 5)), "{half}");
        }
        assert!(drive.erases() > 0, "cleaning never ran");
    }

    #[test]
    fn bytes_never_written_are_zeros_and_none_are_beyond_the_end() {
        let drive = Drive::new(4).unwrap();
        drive.write(10, &[7; 3]).unwrap();
        let mut bytes = [1; 8];
        drive.read(8, &mut bytes).unwrap();
        assert_eq!(bytes, [0, 0, 7, 7, 7, 0, 0, 0]);
        assert!(drive.write((4 << 20) - 1, &[1, 2]).is_err());
        assert!(drive.read(u64::MAX, &mut bytes).is_err());
    }
}
