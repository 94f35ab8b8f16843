//! A host: the requests that it sends to a drive, and what it may read from it.

use std::ops::Range;

use fastrand::Rng;
use ssdlab_drive::{Design, Drive, DriveError, MemoryDisk};

use crate::Crash;
use crate::model::{End, Model, SECTOR, WrongSector, data};

/// A request of the host, for any bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Reads.
    Read {
        /// The first byte.
        at: u64,
        /// The number of bytes.
        length: u64,
    },
    /// Writes data that no other request writes.
    Write {
        /// The first byte.
        at: u64,
        /// The number of bytes.
        length: u64,
    },
    /// Writes zeros.
    Zero {
        /// The first byte.
        at: u64,
        /// The number of bytes.
        length: u64,
    },
    /// Discards.
    Trim {
        /// The first byte.
        at: u64,
        /// The number of bytes.
        length: u64,
    },
    /// Makes all durable.
    Flush,
    /// Writes the buffers back.
    Drain,
}

impl Request {
    /// A write of whole sectors.
    pub fn write(sector: u64, sectors: u64) -> Self {
        let [at, length] = [sector, sectors].map(|sectors| sectors * SECTOR as u64);
        Request::Write { at, length }
    }

    /// A trim of whole sectors.
    pub fn trim(sector: u64, sectors: u64) -> Self {
        let [at, length] = [sector, sectors].map(|sectors| sectors * SECTOR as u64);
        Request::Trim { at, length }
    }

    /// The first byte and the number of bytes; none for a flush or a drain.
    pub fn range(self) -> Option<(u64, u64)> {
        match self {
            Request::Read { at, length }
            | Request::Write { at, length }
            | Request::Zero { at, length }
            | Request::Trim { at, length } => Some((at, length)),
            Request::Flush | Request::Drain => None,
        }
    }

    /// The same request for other bytes.
    pub fn with_range(self, at: u64, length: u64) -> Self {
        match self {
            Request::Read { .. } => Request::Read { at, length },
            Request::Write { .. } => Request::Write { at, length },
            Request::Zero { .. } => Request::Zero { at, length },
            Request::Trim { .. } => Request::Trim { at, length },
            Request::Flush | Request::Drain => self,
        }
    }
}

/// How a host draws its requests.
#[derive(Clone, Debug)]
pub struct Mix {
    /// How often it writes, beside the others.
    pub writes: u32,
    /// How often it reads.
    pub reads: u32,
    /// How often it trims.
    pub trims: u32,
    /// How often it flushes.
    pub flushes: u32,
    /// The bytes of the drive.
    pub capacity: u64,
    /// The bytes where two of three requests begin.
    pub hot: Range<u64>,
    /// The most bytes of seven of eight requests.
    pub usual: u64,
    /// The most bytes of the others.
    pub longest: u64,
    /// Places and lengths are multiples of one of these.
    pub aligned: &'static [u64],
}

impl Mix {
    /// Mostly small writes of sectors, near each other.
    pub fn of_sectors(capacity: u64) -> Self {
        Self {
            writes: 84,
            reads: 0,
            trims: 8,
            flushes: 8,
            capacity,
            hot: 0..capacity / 8,
            usual: 5 * SECTOR as u64,
            longest: 24 * SECTOR as u64,
            aligned: &[SECTOR as u64],
        }
    }

    /// The sum of all rates.
    pub fn rate(&self) -> u32 {
        self.writes + self.reads + self.trims + self.flushes
    }

    /// The next request, of the kind that a number below the sum of all rates stands for.
    pub fn drawn(&self, kind: u32, random: &mut Rng) -> Request {
        let moved = self.writes + self.reads;
        if kind >= moved + self.trims {
            return Request::Flush;
        }
        let (at, length) = self.range(random);
        match kind {
            kind if kind < self.writes => Request::Write { at, length },
            kind if kind < moved => Request::Read { at, length },
            _ => Request::Trim { at, length },
        }
    }

    /// The next requests.
    pub fn requests(&self, random: &mut Rng, count: usize) -> Vec<Request> {
        let request = |_| {
            let kind = random.u32(..self.rate());
            self.drawn(kind, random)
        };
        (0..count).map(request).collect()
    }

    fn range(&self, random: &mut Rng) -> (u64, u64) {
        let at = match random.u8(..3) {
            0 => random.u64(..self.capacity),
            _ => random.u64(self.hot.clone()),
        };
        let longest = match random.u8(..8) {
            0 => self.longest,
            _ => self.longest.min(self.usual),
        };
        let length = random.u64(1..=longest);
        let aligned = self.aligned[random.usize(..self.aligned.len())];
        let (at, length) = (at / aligned * aligned, length.next_multiple_of(aligned));
        (at, length.min(self.capacity - at))
    }
}

/// A host, and what it knows of its drive.
#[derive(Clone)]
pub struct Host {
    /// What each sector may hold.
    pub model: Model,
    /// The requests so far.
    sent: u32,
}

impl Host {
    /// A host of a new drive.
    pub fn new(design: &Design) -> Self {
        let flash = &design.config().flash;
        let (capacity, page) = (flash.capacity as usize, flash.page_size as usize);
        Self {
            model: Model::new(capacity, page, keeps_ram(design)),
            sent: 0,
        }
    }

    /// A host of a drive that holds what it returns now. What cannot be read may be anything.
    pub fn of(drive: &mut Drive) -> Self {
        let (capacity, page) = (drive.capacity() as usize, drive.page_size() as usize);
        let mut model = Model::new(capacity, page, false);
        for at in (0..capacity).step_by(SECTOR) {
            let mut found = [0; SECTOR];
            let read = drive.read(at as u64, &mut found);
            model.holds(at / SECTOR, read.ok().map(|()| found));
        }
        Self { model, sent: 0 }
    }

    /// The bytes of the drive.
    pub fn capacity(&self) -> u64 {
        self.model.capacity() as u64
    }

    /// The sectors of the drive.
    pub fn sectors(&self) -> u64 {
        self.capacity() / SECTOR as u64
    }

    /// Whether a request names bytes that the drive does not have.
    pub fn is_beyond(&self, request: Request) -> bool {
        let range = request.range();
        range.is_some_and(|(at, length)| {
            let end = at.checked_add(length);
            end.is_none_or(|end| end > self.capacity())
        })
    }

    /// Random requests: mostly small writes, near each other.
    pub fn requests(&self, random: &mut Rng, count: usize) -> Vec<Request> {
        Mix::of_sectors(self.capacity()).requests(random, count)
    }

    /// What the last request writes.
    fn data(&self, at: u64, length: u64) -> Vec<u8> {
        data_of(self.sent, at, length)
    }

    /// What the next request writes.
    pub fn next_data(&self, at: u64, length: u64) -> Vec<u8> {
        data_of(self.sent + 1, at, length)
    }

    /// The host sends a request. From here on it may have happened.
    pub fn begin(&mut self, request: Request) {
        self.sent += 1;
        if self.is_beyond(request) {
            return;
        }
        match request {
            Request::Write { at, length } => {
                let data = self.data(at, length);
                self.model.write(self.sent, at as usize, &data);
            }
            Request::Zero { at, length } => {
                let zeros = vec![0; length as usize];
                self.model.write(self.sent, at as usize, &zeros);
            }
            Request::Trim { at, length } => {
                self.model.trim(self.sent, at as usize, length as usize);
            }
            Request::Read { .. } | Request::Flush | Request::Drain => {}
        }
    }

    /// The drive has done the request that was begun last.
    pub fn end(&mut self, request: Request) {
        assert!(
            !self.is_beyond(request),
            "{request:?} is beyond the capacity, and done"
        );
        self.model.answered(self.sent);
        if request == Request::Flush {
            self.model.flushed(true);
        }
    }

    /// Sends the request that was begun last.
    ///
    /// # Errors
    /// The drive fails.
    ///
    /// # Panics
    /// If it returns what the host does not know.
    pub fn send(&self, drive: &mut Drive, request: Request) -> Result<(), DriveError> {
        match request {
            Request::Write { at, length } => drive.write(at, &self.data(at, length)),
            Request::Zero { at, length } => drive.write(at, &vec![0; length as usize]),
            Request::Trim { at, length } => drive.trim(at, length),
            Request::Flush => drive.flush(),
            Request::Drain => drive.drain(),
            Request::Read { at, length } => {
                let mut found = vec![0xAA; length as usize];
                drive.read(at, &mut found)?;
                self.knows(at, &found);
                Ok(())
            }
        }
    }

    /// Begins a request, sends it, and ends it if it is done.
    ///
    /// # Errors
    /// See [`Host::send`].
    pub fn request(&mut self, drive: &mut Drive, request: Request) -> Result<(), DriveError> {
        self.begin(request);
        self.send(drive, request)?;
        self.end(request);
        Ok(())
    }

    /// What happened up to a call of the disk: the requests, and the calls at which each began and ended.
    pub fn follow(&mut self, requests: &[(Request, usize, usize)], calls: usize) {
        if let [(request, begun, _), ..] = self.finish(requests, calls)
            && *begun <= calls
        {
            self.begin(*request);
        }
    }

    /// The requests that were done up to a call. Returns the others.
    pub fn finish<'a>(
        &mut self,
        mut requests: &'a [(Request, usize, usize)],
        calls: usize,
    ) -> &'a [(Request, usize, usize)] {
        while let [(request, _, ended), others @ ..] = requests
            && *ended <= calls
        {
            self.begin(*request);
            self.end(*request);
            requests = others;
        }
        requests
    }

    /// Asserts that any bytes are what the open drive may return.
    pub fn knows(&self, at: u64, found: &[u8]) {
        let allowed = self.model.allows_part(at as usize, found);
        allowed.unwrap_or_else(|wrong| panic!("{}", text(wrong)));
    }

    /// Reads sector by sector what the drive can read: each must hold what it may.
    ///
    /// # Errors
    /// [`DriveError::Wrong`] for any other content; the last error of a sector that cannot be read.
    pub fn holds(&self, drive: &mut Drive) -> Result<(), DriveError> {
        let mut unreadable = Ok(());
        for at in (0..self.model.capacity()).step_by(SECTOR) {
            let mut found = [0xAA; SECTOR];
            match drive.read(at as u64, &mut found) {
                Ok(()) => {
                    let allowed = self.model.allows_part(at, &found);
                    allowed.map_err(|wrong| DriveError::Wrong(text(wrong)))?;
                }
                Err(error) => unreadable = Err(error),
            }
        }
        unreadable
    }

    /// The sectors that hold what was flushed and lack what came later, though they must not; all others are right.
    pub fn lost(&self, drive: &mut Drive) -> Vec<u64> {
        let is_lost = |sector: &u64| {
            let at = sector * SECTOR as u64;
            let mut found = [0; SECTOR];
            drive.read(at, &mut found).unwrap();
            let missing = self.model.missing(at as usize, &found);
            !missing
                .unwrap_or_else(|wrong| panic!("{}", text(wrong)))
                .is_empty()
        };
        (0..self.sectors()).filter(is_lost).collect()
    }

    /// The drive is gone: what the next one may return.
    pub fn leave(&mut self, crash: Crash) {
        self.model.leave(match crash {
            Crash::Killed => End::Killed,
            Crash::NothingArrived | Crash::SomeArrived(_) => End::Crashed,
        });
    }

    /// Reads everything after a crash: each sector must hold what it may. That is flushed now.
    ///
    /// # Errors
    /// The drive fails, or the first sector that is wrong, in words.
    pub fn verify_after_crash(&mut self, drive: &mut Drive, crash: Crash) -> Result<(), String> {
        self.leave(crash);
        self.verify(drive, true)
    }

    /// Reads everything without a crash: each sector must hold its newest version.
    ///
    /// # Errors
    /// See [`Host::verify_after_crash`].
    pub fn verify_newest(&mut self, drive: &mut Drive) -> Result<(), String> {
        self.verify(drive, false)
    }

    fn verify(&mut self, drive: &mut Drive, settled: bool) -> Result<(), String> {
        let mut bytes = vec![1; self.model.capacity()];
        let read = drive.read(0, &mut bytes);
        read.map_err(|error| error.to_string())?;
        self.model.compare(0, &bytes, settled).map_err(text)
    }

    /// Reads sector by sector what a drive that was opened again can read: each must hold what the end allows. From then on it
    /// is that.
    ///
    /// # Errors
    /// The last error of a sector that is known.
    ///
    /// # Panics
    /// If a sector is wrong.
    pub fn verify_what_is_left(&mut self, drive: &mut Drive, end: End) -> Result<(), DriveError> {
        self.model.leave(end);
        let mut unreadable = Ok(());
        for at in (0..self.model.capacity()).step_by(SECTOR) {
            let mut found = [0xAA; SECTOR];
            match drive.read(at as u64, &mut found) {
                Ok(()) => {
                    let compared = self.model.compare(at, &found, true);
                    compared.unwrap_or_else(|wrong| panic!("{}", text(wrong)));
                }
                Err(error) if self.model.knows(at, SECTOR) => unreadable = Err(error),
                Err(_) => {}
            }
        }
        unreadable
    }
}

/// Any data, where no drive is as large.
fn data_of(request: u32, at: u64, length: u64) -> Vec<u8> {
    data(request, at.min(1 << 40) as usize, length as usize)
}

fn text(wrong: WrongSector) -> String {
    format!("sector {}: {}", wrong.sector, wrong.what)
}

/// Whether RAM of this drive survives the end of its process: requests are safe as soon as they are answered.
pub fn keeps_ram(design: &Design) -> bool {
    let config = design.config();
    config.reads("buffer.protected") && config.buffer.protected || config.reads("ftl.ram")
}

/// A new image of this design.
///
/// # Errors
/// A design that is too large.
pub fn new_image(design: &Design) -> Result<Vec<u8>, DriveError> {
    let mut disk = MemoryDisk::new(design.image_bytes()?)?;
    design.create_on(&mut disk)?;
    Ok(disk.0)
}
