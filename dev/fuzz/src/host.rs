//! A host: its requests, and what it may find on its drive.

use std::rc::Rc;

use ssdlab_drive::{Drive, DriveError};

use crate::input::Input;

/// The smallest unit that a crash leaves whole.
pub const SECTOR: u64 = 512;

/// A request of any range.
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
    Zero {
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
    /// The next request of an input: often of a few sectors, often across their bounds, rarely beyond the capacity.
    pub fn next(input: &mut Input, capacity: u64) -> Self {
        let kind = input.byte();
        let (at, length) = range(kind >> 5, input, capacity);
        match kind & 31 {
            0..12 => Request::Write { at, length },
            12..18 => Request::Read { at, length },
            18..22 => Request::Trim { at, length },
            22..24 => Request::Zero { at, length },
            24..30 => Request::Flush,
            _ => Request::Drain,
        }
    }

    /// Whether it names bytes that a drive does not have.
    pub fn is_beyond(&self, capacity: u64) -> bool {
        match *self {
            Request::Read { at, length }
            | Request::Write { at, length }
            | Request::Zero { at, length }
            | Request::Trim { at, length } => {
                at.checked_add(length).is_none_or(|end| end > capacity)
            }
            Request::Flush | Request::Drain => false,
        }
    }
}

/// The next range of an input, of one of eight kinds.
pub fn range(kind: u8, input: &mut Input, capacity: u64) -> (u64, u64) {
    match kind {
        7 => (u64::from_le_bytes(input.array()), input.word().into()),
        // around the end
        6 => {
            let before = capacity - capacity.min(input.byte().into());
            (before, input.byte().into())
        }
        aligned @ 0..4 => {
            let sector = u64::from(input.byte()) % (capacity / SECTOR);
            let sectors = 1 + u64::from(input.byte()) % (4 << aligned);
            let most = capacity - sector * SECTOR;
            (sector * SECTOR, most.min(sectors * SECTOR))
        }
        _ => {
            let at = u64::from(input.word()) % capacity;
            (at, u64::from(input.word() % 5000).min(capacity - at))
        }
    }
}

type Sector = [u8; SECTOR as usize];

/// What each sector of a drive may hold.
#[derive(Clone)]
pub struct Model {
    /// First what was flushed, then what was written or trimmed since. Empty: anything.
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
        for (at, versions) in (0..).step_by(SECTOR as usize).zip(&mut model.sectors) {
            let mut found = [0; SECTOR as usize];
            *versions = match drive.read(at, &mut found) {
                Ok(()) => vec![Rc::new(found)],
                Err(_) => Vec::new(),
            };
        }
        model
    }

    /// The bytes of the drive.
    pub fn capacity(&self) -> u64 {
        self.sectors.len() as u64 * SECTOR
    }

    /// Sends a request. What the drive answers must be what the host knows.
    ///
    /// # Errors
    /// The drive fails.
    pub fn send(&mut self, drive: &mut Drive, request: Request) -> Result<(), DriveError> {
        self.begin(request);
        let done = match request {
            Request::Write { at, length } => drive.write(at, &self.data(at, length)),
            Request::Zero { at, length } => drive.write(at, &vec![0; length as usize]),
            Request::Trim { at, length } => drive.trim(at, length),
            Request::Flush => drive.flush(),
            Request::Drain => drive.drain(),
            Request::Read { at, length } => {
                let mut found = vec![0xAA; length as usize];
                let read = drive.read(at, &mut found);
                read.map(|()| self.knows(at, &found))
            }
        };
        self.end(request, done.is_ok());
        if request.is_beyond(self.capacity()) {
            return Ok(());
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
                self.put(at, &self.data(at, length));
            }
            Request::Zero { at, length } => self.put(at, &vec![0; length as usize]),
            Request::Trim { at, length } => {
                let first = at.next_multiple_of(self.page);
                let end = (at + length) / self.page * self.page;
                self.put(first, &vec![0; end.saturating_sub(first) as usize]);
            }
            Request::Read { .. } | Request::Flush | Request::Drain => {}
        }
    }

    /// A request was answered.
    pub fn end(&mut self, request: Request, is_done: bool) {
        if request.is_beyond(self.capacity()) {
            assert!(!is_done, "{request:?} is beyond the capacity, and done");
            return;
        }
        match request {
            Request::Flush if is_done => self.settle(),
            // nothing has changed
            Request::Read { .. } => {}
            _ => self.has_failed |= !is_done,
        }
    }

    /// Bytes that may be there from now on.
    fn put(&mut self, at: u64, data: &[u8]) {
        let end = at + data.len() as u64;
        for sector in at / SECTOR..end.div_ceil(SECTOR) {
            let versions = &mut self.sectors[sector as usize];
            let first = sector * SECTOR;
            let (from, to) = (first.max(at), (first + SECTOR).min(end));
            let mut new = match versions.last() {
                Some(newest) => **newest,
                // a part of what may be anything
                None if to - from < SECTOR => continue,
                None => [0; SECTOR as usize],
            };
            let part = &data[(from - at) as usize..(to - at) as usize];
            new[(from - first) as usize..(to - first) as usize].copy_from_slice(part);
            versions.push(Rc::new(new));
        }
    }

    /// Only the newest version is left, unless a request failed: it may not have happened.
    pub fn settle(&mut self) {
        if self.has_failed {
            return;
        }
        for versions in &mut self.sectors {
            versions.drain(..versions.len().saturating_sub(1));
        }
    }

    /// What the last write writes there.
    fn data(&self, at: u64, length: u64) -> Vec<u8> {
        Self::data_of(self.writes, at, length)
    }

    /// What the next write writes there.
    pub fn next_data(&self, at: u64, length: u64) -> Vec<u8> {
        Self::data_of(self.writes + 1, at, length)
    }

    fn data_of(write: u32, at: u64, length: u64) -> Vec<u8> {
        let word = |place: u64| (place / 4).wrapping_mul(0x9E37_79B1) as u32 ^ write << 8;
        let byte = |place: u64| word(place).to_le_bytes()[place as usize % 4];
        (0..length)
            .map(|place| byte(at.wrapping_add(place)))
            .collect()
    }

    /// Asserts that what was read is the newest version, as far as that is known.
    pub fn knows(&self, at: u64, found: &[u8]) {
        if self.has_failed {
            return;
        }
        for (place, byte) in (at..).zip(found) {
            if let Some(newest) = self.sectors[(place / SECTOR) as usize].last() {
                let expected = newest[(place % SECTOR) as usize];
                assert_eq!(*byte, expected, "byte {place} of the drive");
            }
        }
    }

    /// Whether a request reads what could be read before.
    pub fn is_read_again(&self, request: Request) -> bool {
        let Request::Read { at, length } = request else {
            return false;
        };
        let is_known = |sector: u64| !self.sectors[sector as usize].is_empty();
        !self.has_failed
            && !request.is_beyond(self.capacity())
            && (at / SECTOR..(at + length).div_ceil(SECTOR)).all(is_known)
    }

    /// Reads the whole drive. Without a crash each sector is the newest one, unless a request failed; after a crash any
    /// of what it may be. From then on it is that, and no request has failed.
    ///
    /// # Errors
    /// The last error of a sector that could be read before.
    pub fn verify(&mut self, drive: &mut Drive, crashed: bool) -> Result<(), DriveError> {
        let mut done = Ok(());
        for (at, versions) in (0..).step_by(SECTOR as usize).zip(&mut self.sectors) {
            let mut found = [0xAA; SECTOR as usize];
            if let Err(error) = drive.read(at, &mut found) {
                if !versions.is_empty() {
                    done = Err(error);
                }
                continue;
            }
            let found = Rc::new(found);
            let possible = if crashed || self.has_failed {
                versions.is_empty() || versions.contains(&found)
            } else {
                versions.last().is_none_or(|newest| *newest == found)
            };
            let count = versions.len();
            assert!(possible, "byte {at} holds none of its {count} versions");
            *versions = vec![found];
        }
        self.has_failed = false;
        done
    }
}
