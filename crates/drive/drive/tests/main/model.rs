//! The durability contract, sector by sector.

use fastrand::Rng;
use ssdlab_disks::Crash;
use ssdlab_drive::{Drive, DriveError};
use ssdlab_host::Op;
use ssdlab_lives::{End, Model, WrongSector, data};

pub const SECTOR: u64 = 512;

/// A request of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    Write { sector: u64, sectors: u64 },
    Trim { sector: u64, sectors: u64 },
    Flush,
}

impl Request {
    /// The same request for the simulator.
    pub fn at(self, time_ns: u64) -> ssdlab_host::Request {
        let (op, sector, sectors) = match self {
            Request::Write { sector, sectors } => (Op::Write, sector, sectors),
            Request::Trim { sector, sectors } => (Op::Discard, sector, sectors),
            Request::Flush => (Op::Flush, 0, 0),
        };
        ssdlab_host::Request::new(time_ns, op, sector * SECTOR, sectors * SECTOR).unwrap()
    }
}

/// Random requests over a drive of this many sectors: mostly small writes, near each other.
pub fn requests(random: &mut Rng, sectors: u64, count: usize) -> Vec<Request> {
    let one = |_| {
        let sector = if random.bool() {
            random.u64(..sectors)
        } else {
            random.u64(..sectors / 8)
        };
        let longest = match random.u8(..8) {
            0 => 24,
            _ => 5,
        };
        let sectors = random.u64(1..=longest).min(sectors - sector);
        match random.u8(..100) {
            0..8 => Request::Flush,
            8..16 => Request::Trim { sector, sectors },
            _ => Request::Write { sector, sectors },
        }
    };
    (0..count).map(one).collect()
}

/// What a drive may hold after the requests of a host.
#[derive(Clone)]
pub struct Contract {
    model: Model,
    /// The requests so far.
    sent: u32,
}

impl Contract {
    /// A new drive of this many bytes, in pages of `page` bytes. With `keeps_ram`, requests are safe from the death of the
    /// process as soon as they are answered.
    pub fn new(capacity: u64, page: u64, keeps_ram: bool) -> Self {
        Self {
            model: Model::new(capacity as usize, page as usize, keeps_ram),
            sent: 0,
        }
    }

    pub fn sectors(&self) -> u64 {
        self.model.capacity() as u64 / SECTOR
    }

    /// What the last request writes.
    fn data(&self, sector: u64, sectors: u64) -> Vec<u8> {
        let [at, length] = [sector, sectors].map(|sectors| (sectors * SECTOR) as usize);
        data(self.sent, at, length)
    }

    /// The host sends a request. From here on it may have happened.
    pub fn begin(&mut self, request: Request) {
        self.sent += 1;
        match request {
            Request::Flush => {}
            Request::Write { sector, sectors } => {
                let data = self.data(sector, sectors);
                self.model
                    .write(self.sent, (sector * SECTOR) as usize, &data);
            }
            Request::Trim { sector, sectors } => {
                let [at, length] = [sector, sectors].map(|sectors| (sectors * SECTOR) as usize);
                self.model.trim(self.sent, at, length);
            }
        }
    }

    /// The drive has answered.
    pub fn end(&mut self, request: Request) {
        self.model.answered(self.sent);
        if request == Request::Flush {
            self.model.flushed(true);
        }
    }

    /// What happened up to a call: the requests, and the calls at which each began and ended.
    pub fn follow(&mut self, requests: &[(Request, usize, usize)], calls: usize) {
        if let [(request, begun, _), ..] = self.finish(requests, calls)
            && *begun <= calls
        {
            self.begin(*request);
        }
    }

    /// The requests that were answered up to a call. Returns the others.
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

    /// Sends the request that was begun to the drive.
    pub fn send(&self, drive: &mut Drive, request: Request) {
        let sent = self.try_send(drive, request);
        sent.unwrap_or_else(|error| panic!("{request:?}: {error}"));
    }

    pub fn try_send(&self, drive: &mut Drive, request: Request) -> Result<(), DriveError> {
        match request {
            Request::Flush => drive.flush(),
            Request::Trim { sector, sectors } => drive.trim(sector * SECTOR, sectors * SECTOR),
            Request::Write { sector, sectors } => {
                drive.write(sector * SECTOR, &self.data(sector, sectors))
            }
        }
    }

    /// The drive is gone: what the next one may return.
    pub fn leave(&mut self, crash: Crash) {
        self.model.leave(match crash {
            Crash::Killed => End::Killed,
            Crash::NothingArrived | Crash::SomeArrived(_) => End::Crashed,
        });
    }

    /// Reads sector by sector what the drive can read: each must hold what it may.
    ///
    /// # Errors
    /// [`DriveError::Wrong`] for any other content; the last error of a sector that cannot be read.
    pub fn holds(&self, drive: &mut Drive) -> Result<(), DriveError> {
        let mut unreadable = Ok(());
        for sector in 0..self.sectors() {
            let mut found = [0; SECTOR as usize];
            match drive.read(sector * SECTOR, &mut found) {
                Ok(()) => {
                    let allowed = self.model.allows_part((sector * SECTOR) as usize, &found);
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
            let mut found = [0; SECTOR as usize];
            drive.read(sector * SECTOR, &mut found).unwrap();
            let missing = self.model.missing((sector * SECTOR) as usize, &found);
            !missing
                .unwrap_or_else(|wrong| panic!("{}", text(wrong)))
                .is_empty()
        };
        (0..self.sectors()).filter(is_lost).collect()
    }

    /// Reads everything after a crash: each sector must hold what it may. That is flushed now.
    pub fn verify_after_crash(&mut self, drive: &mut Drive, crash: Crash) -> Result<(), String> {
        self.leave(crash);
        self.verify(drive, true)
    }

    /// Reads everything without a crash: each sector must hold its newest version.
    pub fn verify_newest(&mut self, drive: &mut Drive) -> Result<(), String> {
        self.verify(drive, false)
    }

    fn verify(&mut self, drive: &mut Drive, settled: bool) -> Result<(), String> {
        let mut bytes = vec![1; self.model.capacity()];
        let read = drive.read(0, &mut bytes);
        read.map_err(|error| error.to_string())?;
        self.model.compare(0, &bytes, settled).map_err(text)
    }
}

fn text(wrong: WrongSector) -> String {
    format!("sector {}: {}", wrong.sector, wrong.what)
}
