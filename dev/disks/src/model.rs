//! What each sector may hold.

use std::ops::Range;
use std::rc::Rc;

/// The smallest unit that a crash leaves whole, in bytes.
pub const SECTOR: usize = 512;

/// The content of a sector after a request.
#[derive(Clone)]
struct Version {
    /// The number of the request; 0: the factory.
    request: u32,
    is_trim: bool,
    /// `None`: anything.
    bytes: Option<Rc<[u8; SECTOR]>>,
}

impl Version {
    /// Whether a sector that holds it may have these bytes from `from` on.
    fn fits(&self, from: usize, found: &[u8]) -> bool {
        let bytes = self.bytes.as_ref();
        bytes.is_none_or(|bytes| bytes[from..from + found.len()] == *found)
    }

    /// Whether these are its bytes.
    fn is(&self, found: &[u8]) -> bool {
        self.bytes.as_ref().is_some_and(|bytes| bytes[..] == *found)
    }
}

/// All contents of a sector that still matter, the oldest first.
#[derive(Clone)]
struct Sector {
    versions: Vec<Version>,
    /// What the drive that is open may return, or the next one that opens.
    live: Range<usize>,
    /// The first one that the end of the process may leave, if RAM survives.
    answered: usize,
    /// The first one that any crash may leave.
    flushed: usize,
    /// The same before the last flush.
    before: usize,
    /// Versions that must not come back, to tell which one did.
    past: Vec<Version>,
}

/// How a drive ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All that was answered is durable.
    Kept,
    /// The process ended. What it wrote is there.
    Killed,
    /// The system stopped.
    Crashed,
    /// The system stopped, and then the file was damaged: a commit that had not been confirmed looks as if it had never
    /// arrived.
    CrashedAndDamaged,
}

/// The promise of a drive, sector by sector.
#[derive(Clone)]
pub struct Model {
    sectors: Vec<Sector>,
    page: usize,
    /// RAM survives the end of the process.
    protected: bool,
}

/// A sector that holds what it must not.
#[derive(Debug)]
pub struct WrongSector {
    /// Its number.
    pub sector: usize,
    /// It is older than the last flush, or nothing that the sector ever held.
    pub is_older: bool,
    /// What it holds, and what it may.
    pub what: String,
}

/// The data of a request. They differ in each byte from those of any other request.
pub fn data(request: u32, offset: usize, length: usize) -> Vec<u8> {
    let (first, end) = (offset / 8, (offset + length).div_ceil(8));
    let mut bytes = vec![0; 8 * (end - first)];
    for (word, into) in (first..end).zip(bytes.chunks_exact_mut(8)) {
        let mixed = (u64::from(request) << 32 | word as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        into.copy_from_slice(&(mixed ^ mixed >> 29).to_le_bytes());
    }
    bytes.truncate(offset + length - 8 * first);
    bytes.split_off(offset - 8 * first)
}

impl Model {
    /// A new drive.
    pub fn new(capacity: usize, page: usize, protected: bool) -> Self {
        let zeros = Version {
            request: 0,
            is_trim: false,
            bytes: Some(Rc::new([0; SECTOR])),
        };
        let new = || Sector {
            versions: vec![zeros.clone()],
            live: 0..1,
            answered: 0,
            flushed: 0,
            before: 0,
            past: Vec::new(),
        };
        Self {
            sectors: std::iter::repeat_with(new)
                .take(capacity / SECTOR)
                .collect(),
            page,
            protected,
        }
    }

    /// A sector holds this and nothing else; `None`: it may be anything.
    pub fn holds(&mut self, sector: usize, found: Option<[u8; SECTOR]>) {
        self.sectors[sector].versions[0].bytes = found.map(Rc::new);
    }

    /// Whether it is known what all sectors of these bytes may hold.
    pub fn knows(&self, offset: usize, length: usize) -> bool {
        let mut sectors = self.sectors[offset / SECTOR..(offset + length).div_ceil(SECTOR)].iter();
        sectors.all(|sector| {
            let mut live = sector.versions[sector.live.clone()].iter();
            live.all(|version| version.bytes.is_some())
        })
    }

    /// The bytes of the drive.
    pub fn capacity(&self) -> usize {
        self.sectors.len() * SECTOR
    }

    /// The bytes of a page.
    pub fn page(&self) -> usize {
        self.page
    }

    /// A write begins. From here on it may have happened.
    pub fn write(&mut self, request: u32, offset: usize, bytes: &[u8]) {
        let end = offset + bytes.len();
        for number in offset / SECTOR..end.div_ceil(SECTOR) {
            let begin = number * SECTOR;
            let (from, to) = (offset.max(begin), end.min(begin + SECTOR));
            let (at, part) = (from - begin, &bytes[from - offset..to - offset]);
            self.sectors[number].change(request, false, at, part);
        }
    }

    /// A trim begins.
    pub fn trim(&mut self, request: u32, offset: usize, length: usize) {
        let first = offset.next_multiple_of(self.page);
        let end = (offset + length) / self.page * self.page;
        for number in first / SECTOR..end.max(first) / SECTOR {
            self.sectors[number].change(request, true, 0, &[0; SECTOR]);
        }
    }

    /// The drive has answered a request.
    pub fn answered(&mut self, request: u32) {
        for sector in &mut self.sectors {
            sector.answer(request);
        }
    }

    /// The drive has flushed all that was answered. `synced`: it had something to write, and before that the flush before
    /// was confirmed.
    pub fn flushed(&mut self, synced: bool) {
        for sector in &mut self.sectors {
            if synced {
                sector.before = sector.flushed;
            }
            sector.answered = sector.live.start;
            sector.flushed = sector.live.start;
        }
    }

    /// The drive is gone. How it ended decides what the next one may return.
    pub fn leave(&mut self, end: End) {
        let protected = self.protected;
        for sector in &mut self.sectors {
            match end {
                End::Kept => sector.flushed = sector.live.start,
                End::Killed => {}
                End::Crashed | End::CrashedAndDamaged => sector.answered = sector.flushed,
            }
            let first = match end {
                End::Killed if protected => sector.answered,
                End::Kept | End::Killed | End::Crashed => sector.flushed,
                End::CrashedAndDamaged => sector.before,
            };
            sector.live = first..sector.versions.len();
        }
    }

    /// Compares what an open drive has returned with what it may. `settled`: what it returns will survive every crash.
    ///
    /// # Errors
    /// The first sector that is wrong.
    pub fn compare(
        &mut self,
        first: usize,
        bytes: &[u8],
        settled: bool,
    ) -> Result<(), WrongSector> {
        for (number, found) in (first / SECTOR..).zip(bytes.chunks_exact(SECTOR)) {
            let sector = &mut self.sectors[number];
            let mut candidates = sector.live.clone().rev();
            let fits = candidates.find(|at| sector.versions[*at].fits(0, found));
            match fits {
                Some(at) if settled => sector.settle(at, found),
                Some(at) => sector.live = at..at + 1,
                None => {
                    return Err(sector.wrong(number, found));
                }
            }
        }
        Ok(())
    }

    /// Whether RAM has data that were not flushed.
    pub fn has_unflushed(&self) -> bool {
        self.sectors
            .iter()
            .any(|sector| sector.answered > sector.flushed)
    }

    /// The records of RAM that are missing if these bytes of whole sectors are what a drive returns: the numbers of the
    /// requests, and of a write the page.
    ///
    /// # Errors
    /// The first sector that is wrong even then.
    pub fn missing(&self, first: usize, bytes: &[u8]) -> Result<Vec<(u32, usize)>, WrongSector> {
        let mut missing = Vec::new();
        for (number, found) in (first / SECTOR..).zip(bytes.chunks_exact(SECTOR)) {
            let sector = &self.sectors[number];
            let is_found = |version: &Version| version.fits(0, found);
            if sector.versions[sector.live.clone()].iter().any(is_found) {
                continue;
            }
            if !sector.versions[sector.flushed..].iter().any(is_found) {
                return Err(sector.wrong(number, found));
            }
            let answered = &sector.versions[sector.live.start];
            let page = if answered.is_trim {
                0
            } else {
                first / self.page
            };
            missing.push((answered.request, page));
        }
        Ok(missing)
    }

    /// Whether any bytes are what an open drive may return.
    ///
    /// # Errors
    /// The first sector that is wrong.
    pub fn allows_part(&self, offset: usize, bytes: &[u8]) -> Result<(), WrongSector> {
        let end = offset + bytes.len();
        for number in offset / SECTOR..end.div_ceil(SECTOR) {
            let sector = &self.sectors[number];
            let begin = number * SECTOR;
            let (from, to) = (offset.max(begin), end.min(begin + SECTOR));
            let found = &bytes[from - offset..to - offset];
            let mut candidates = sector.versions[sector.live.clone()].iter();
            if !candidates.any(|version| version.fits(from - begin, found)) {
                return Err(WrongSector {
                    sector: number,
                    is_older: false,
                    what: format!(
                        "bytes {from} to {to} are not those of {}",
                        sector.expected()
                    ),
                });
            }
        }
        Ok(())
    }
}

impl Sector {
    fn change(&mut self, request: u32, is_trim: bool, at: usize, part: &[u8]) {
        let first = self.versions.len();
        for base in self.live.clone() {
            let old = match &self.versions[base].bytes {
                None if part.len() == SECTOR => Some([0; SECTOR]),
                old => old.as_deref().copied(),
            };
            let bytes = old.map(|mut bytes| {
                bytes[at..at + part.len()].copy_from_slice(part);
                Rc::new(bytes)
            });
            let mut new = self.versions[first..].iter();
            if !new.any(|version| version.bytes == bytes) {
                self.versions.push(Version {
                    request,
                    is_trim,
                    bytes,
                });
            }
        }
        self.live.end = self.versions.len();
    }

    /// The drive that is open must not return versions from before this request any more.
    fn answer(&mut self, request: u32) {
        let is_older = |version: &Version| version.request != request;
        if self.versions.last().is_some_and(is_older) {
            return;
        }
        let first = self.versions.iter().rposition(is_older);
        self.live.start = first.map_or(0, |at| at + 1);
        self.answered = self.live.start;
    }

    /// Only this version is left, and flushed. It is what was found.
    fn settle(&mut self, at: usize, found: &[u8]) {
        if self.versions[at].bytes.is_none() {
            self.versions[at].bytes = found.try_into().ok().map(Rc::new);
        }
        let settled = self.versions[at].clone();
        let is_last = at + 1 == self.versions.len();
        self.past.extend(self.versions.drain(..self.flushed));
        self.before = 0;
        if !is_last {
            self.versions.push(settled);
        }
        self.flushed = self.versions.len() - 1;
        self.answered = self.flushed;
        self.live = self.flushed..self.versions.len();
    }

    fn expected(&self) -> String {
        let requests: Vec<_> = self.versions[self.live.clone()]
            .iter()
            .map(|version| version.request)
            .collect();
        format!("requests {requests:?}")
    }

    fn wrong(&self, sector: usize, found: &[u8]) -> WrongSector {
        let mut since = self.versions[self.flushed..].iter();
        WrongSector {
            sector,
            is_older: !since.any(|version| version.fits(0, found)),
            what: self.describe(found),
        }
    }

    fn describe(&self, found: &[u8]) -> String {
        let versions = self.past.iter().chain(&self.versions);
        let same = versions.rev().find(|version| version.is(found));
        let found = match same {
            Some(version) if version.request == 0 => "zeros".to_owned(),
            Some(version) => format!("what request {} wrote", version.request),
            None if found.iter().all(|byte| *byte == 0) => "zeros".to_owned(),
            None => format!("something else: {:02x?}...", &found[..16]),
        };
        format!("it holds {found}, not {}", self.expected())
    }
}
