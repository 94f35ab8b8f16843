//! A host: its requests, and what it may find on its drive.

use std::rc::Rc;

use ssdlab_drive::{Drive, DriveError};

use crate::input::Input;

/// The smallest unit that a crash leaves whole.
pub const SECTOR: u64 = 512;

/// A request of any bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    Read {
        at: u64,
        length: u64,
    },
    Write {
        at: u64,
        length: u64,
    },
    Trim {
        at: u64,
        length: u64,
    },
    Flush,
    /// Writes the buffers back.
    Drain,
}

impl Request {
    /// The next request of an input: often of a few sectors, often across their bounds, seldom beyond the capacity.
    pub fn next(input: &mut Input, capacity: u64) -> Self {
        let kind = input.byte();
        let (at, length) = match kind >> 5 {
            7 => (u64::from_le_bytes(input.array()), input.word().into()),
            6 => (
                capacity - capacity.min(input.byte().into()),
                input.byte().into(),
            ),
            aligned @ 0..4 => {
                let sector = u64::from(input.byte()) % (capacity / SECTOR);
                let sectors = 1 + u64::from(input.byte()) % (4 << aligned);
                (
                    sector * SECTOR,
                    (sectors * SECTOR).min(capacity - sector * SECTOR),
                )
            }
            _ => {
                let at = u64::from(input.word()) % capacity;
                (at, u64::from(input.word() % 5000).min(capacity - at))
            }
        };
        match kind & 31 {
            0..12 => Request::Write { at, length },
            12..18 => Request::Read { at, length },
            18..24 => Request::Trim { at, length },
            24..30 => Request::Flush,
            _ => Request::Drain,
        }
    }

    /// Whether it names bytes that a drive does not have.
    pub fn is_beyond(&self, capacity: u64) -> bool {
        match *self {
            Request::Read { at, length }
            | Request::Write { at, length }
            | Request::Trim { at, length } => {
                at.checked_add(length).is_none_or(|end| end > capacity)
            }
            Request::Flush | Request::Drain => false,
        }
    }
}

type Sector = [u8; SECTOR as usize];

/// What each sector of a drive may hold.
#[derive(Clone)]
pub struct Model {
    /// First what was flushed, then what was written or trimmed since. Nothing: anything.
    sectors: Vec<Vec<Rc<Sector>>>,
    page: u64,
    /// Writes so far: no two write the same.
    writes: u32,
    /// A request failed in the middle.
    pub has_failed: bool,
}

impl Model {
    /// A new drive.
    pub fn new(drive: &Drive) -> Self {
        let sectors = (drive.capacity() / SECTOR) as usize;
        Self {
            sectors: vec![vec![Rc::new([0; SECTOR as usize])]; sectors],
            page: drive.page_size(),
            writes: 0,
            has_failed: false,
        }
    }

    /// A drive as it is now. What cannot be read may be anything.
    pub fn of(drive: &mut Drive) -> Self {
        let mut model = Self::new(drive);
        for (at, known) in (0..).step_by(SECTOR as usize).zip(&mut model.sectors) {
            let mut found = [0; SECTOR as usize];
            *known = match drive.read(at, &mut found) {
                Ok(()) => vec![Rc::new(found)],
                Err(_) => Vec::new(),
            };
        }
        model
    }

    fn capacity(&self) -> u64 {
        self.sectors.len() as u64 * SECTOR
    }

    /// Sends a request. What the drive answers must be what the host knows.
    ///
    /// # Errors
    /// As the drive fails.
    pub fn send(&mut self, drive: &mut Drive, request: Request) -> Result<(), DriveError> {
        self.begin(request);
        let done = match request {
            Request::Write { at, length } => {
                // as of a host that sends more than there is
                drive.write(at, &self.data(at, length))
            }
            Request::Trim { at, length } => drive.trim(at, length),
            Request::Flush => drive.flush(),
            Request::Drain => drive.drain(),
            Request::Read { at, length } => self.read(drive, at, length),
        };
        if request.is_beyond(self.capacity()) {
            assert!(done.is_err(), "{request:?} is answered");
            return Ok(());
        }
        match &done {
            Ok(()) => self.end(request),
            // nothing has changed
            Err(_) if matches!(request, Request::Read { .. }) => {}
            Err(_) => self.has_failed = true,
        }
        done
    }

    /// From here on a request may have happened.
    pub fn begin(&mut self, request: Request) {
        if request.is_beyond(self.capacity()) {
            return;
        }
        match request {
            Request::Write { at, length } => {
                self.writes += 1;
                let data = self.data(at, length);
                for sector in at / SECTOR..(at + length).div_ceil(SECTOR) {
                    let known = &mut self.sectors[sector as usize];
                    let first = sector * SECTOR;
                    let (from, to) = (first.max(at), (first + SECTOR).min(at + length));
                    let old = match known.last() {
                        Some(newest) => **newest,
                        // a part of what may be anything
                        None if to - from < SECTOR => continue,
                        None => [0; SECTOR as usize],
                    };
                    let mut new = old;
                    new[(from - first) as usize..(to - first) as usize]
                        .copy_from_slice(&data[(from - at) as usize..(to - at) as usize]);
                    known.push(Rc::new(new));
                }
            }
            Request::Trim { at, length } => {
                let first = at.next_multiple_of(self.page);
                let end = (at + length) / self.page * self.page;
                for sector in first / SECTOR..end.max(first) / SECTOR {
                    self.sectors[sector as usize].push(Rc::new([0; SECTOR as usize]));
                }
            }
            Request::Read { .. } | Request::Flush | Request::Drain => {}
        }
    }

    /// A request was answered.
    fn end(&mut self, request: Request) {
        if request == Request::Flush {
            self.settle();
        }
    }

    /// What is newest is all there is.
    pub fn settle(&mut self) {
        for known in &mut self.sectors {
            known.drain(..known.len().saturating_sub(1));
        }
    }

    /// What the last write writes there.
    fn data(&self, at: u64, length: u64) -> Vec<u8> {
        let word = |place: u64| (place / 4).wrapping_mul(0x9E37_79B1) as u32 ^ self.writes << 8;
        let byte = |place: u64| word(place).to_le_bytes()[place as usize % 4];
        (0..length)
            .map(|place| byte(at.wrapping_add(place)))
            .collect()
    }

    fn read(&self, drive: &mut Drive, at: u64, length: u64) -> Result<(), DriveError> {
        let mut found = vec![0xAA; length as usize];
        drive.read(at, &mut found)?;
        if self.has_failed {
            return Ok(());
        }
        for (place, byte) in (at..).zip(found) {
            if let Some(newest) = self.sectors[(place / SECTOR) as usize].last() {
                let expected = newest[(place % SECTOR) as usize];
                assert_eq!(byte, expected, "byte {place} of the drive");
            }
        }
        Ok(())
    }

    /// Reads the whole drive. Without a crash each sector is the newest one, unless a request failed; after a crash any of
    /// what it may be. From then on it is that, and no request has failed.
    ///
    /// # Errors
    /// The last error of a sector that cannot be read.
    pub fn verify(&mut self, drive: &mut Drive, crashed: bool) -> Result<(), DriveError> {
        let mut done = Ok(());
        for (at, known) in (0..).step_by(SECTOR as usize).zip(&mut self.sectors) {
            let mut found = [0xAA; SECTOR as usize];
            if let Err(error) = drive.read(at, &mut found) {
                done = Err(error);
                continue;
            }
            let found = Rc::new(found);
            let possible = match crashed || self.has_failed {
                true => known.is_empty() || known.contains(&found),
                false => known.last().is_none_or(|newest| *newest == found),
            };
            let versions = known.len();
            assert!(possible, "byte {at} holds none of its {versions} versions");
            *known = vec![found];
        }
        self.has_failed = false;
        done
    }
}
