//! The durability contract, sector by sector.

use fastrand::Rng;
use ssdlab_drive::{Drive, DriveError};

pub const SECTOR: u64 = 512;

/// A request of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    Write { sector: u64, sectors: u64 },
    Trim { sector: u64, sectors: u64 },
    Flush,
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

/// What a sector may hold: a version, or 0 for zeros.
#[derive(Clone)]
pub struct Contract {
    /// For each sector, what a crash may leave: first the last version that was flushed.
    allowed: Vec<Vec<u64>>,
    page: u64,
    version: u64,
    /// A request is safe as soon as it is answered.
    pub safe_on_return: bool,
}

/// The content of a sector.
fn content(sector: u64, version: u64) -> [u8; SECTOR as usize] {
    let mut bytes = [0; SECTOR as usize];
    if version > 0 {
        for (place, chunk) in (0u64..).zip(bytes.chunks_mut(8)) {
            let word = [version << 24 | sector, version ^ place][place as usize % 2];
            chunk.copy_from_slice(&word.to_le_bytes());
        }
    }
    bytes
}

impl Contract {
    /// A new drive of this many sectors, in pages of this many bytes.
    pub fn new(sectors: u64, page: u64) -> Self {
        Self {
            allowed: vec![vec![0]; sectors as usize],
            page: page / SECTOR,
            version: 0,
            safe_on_return: false,
        }
    }

    /// From here on, a sector may hold these versions and no others.
    pub fn allow(&mut self, sector: u64, versions: &[u64]) {
        self.allowed[sector as usize] = versions.to_vec();
    }

    pub fn sectors(&self) -> u64 {
        self.allowed.len() as u64
    }

    /// The host sends a request. From here on it may have happened.
    pub fn begin(&mut self, request: Request) {
        match request {
            Request::Flush => {}
            Request::Write { sector, sectors } => {
                self.version += 1;
                for sector in sector..sector + sectors {
                    self.allowed[sector as usize].push(self.version);
                }
            }
            Request::Trim { sector, sectors } => {
                let first = sector.next_multiple_of(self.page);
                let end = (sector + sectors) / self.page * self.page;
                for sector in first..end.max(first) {
                    self.allowed[sector as usize].push(0);
                }
            }
        }
    }

    /// The drive has answered.
    pub fn end(&mut self, request: Request) {
        if request == Request::Flush || self.safe_on_return {
            for allowed in &mut self.allowed {
                allowed.drain(..allowed.len() - 1);
            }
        }
    }

    /// What happened up to a call: the requests, and the calls at which each began and ended.
    pub fn follow(&mut self, requests: &[(Request, usize, usize)], calls: usize) {
        for &(request, begun, ended) in requests {
            if begun > calls {
                break;
            }
            self.begin(request);
            if ended <= calls {
                self.end(request);
            }
        }
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
                let all = (sector..sector + sectors).flat_map(|at| content(at, self.version));
                drive.write(sector * SECTOR, &all.collect::<Vec<u8>>())
            }
        }
    }

    /// Reads sector by sector what the drive can read: each must hold a version that is allowed.
    ///
    /// # Errors
    /// [`DriveError::Wrong`] for any other content; the last error of a sector that cannot be read.
    pub fn holds(&self, drive: &mut Drive) -> Result<(), DriveError> {
        let mut unreadable = Ok(());
        for (sector, allowed) in (0..).zip(&self.allowed) {
            let mut found = [0; SECTOR as usize];
            match drive.read(sector * SECTOR, &mut found) {
                Ok(())
                    if allowed
                        .iter()
                        .any(|&version| content(sector, version) == found) => {}
                Ok(()) => {
                    let what = format!("sector {sector} holds none of {allowed:?}");
                    return Err(DriveError::Wrong(what));
                }
                Err(error) => unreadable = Err(error),
            }
        }
        unreadable
    }

    /// Reads everything after a crash: each sector must hold a version that is allowed. That one is flushed now.
    pub fn verify_after_crash(&mut self, drive: &mut Drive) -> Result<(), String> {
        self.verify(drive, |allowed| allowed)
    }

    /// Reads everything without a crash: each sector must hold its newest version.
    pub fn verify_newest(&mut self, drive: &mut Drive) -> Result<(), String> {
        self.verify(drive, |allowed| &allowed[allowed.len() - 1..])
    }

    fn verify(
        &mut self,
        drive: &mut Drive,
        which: impl Fn(&[u64]) -> &[u64],
    ) -> Result<(), String> {
        let mut bytes = vec![1; self.allowed.len() * SECTOR as usize];
        drive
            .read(0, &mut bytes)
            .map_err(|error| error.to_string())?;
        for ((sector, found), allowed) in (0..)
            .zip(bytes.chunks(SECTOR as usize))
            .zip(&mut self.allowed)
        {
            let fits = |version: &&u64| content(sector, **version) == found;
            match which(allowed).iter().find(fits) {
                Some(&version) => *allowed = vec![version],
                None => {
                    let word = u64::from_le_bytes(found[..8].try_into().unwrap());
                    return Err(format!(
                        "sector {sector} holds version {} of sector {}; allowed are {allowed:?}",
                        word >> 24,
                        word & 0xff_ffff
                    ));
                }
            }
        }
        Ok(())
    }
}
