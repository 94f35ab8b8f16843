//! A disk in memory that crashes, fills up and fails on demand.

use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fastrand::Rng;
use ssdlab_disks::{IO_ERROR, NO_SPACE, SECTOR};
use ssdlab_drive::{Beside, Disk};

/// The unit in which a sparse file gets room.
const BLOCK: usize = 4096;

/// A disk, and the handle with which a test makes it fail. Both are the same file.
#[derive(Clone)]
pub struct CrashDisk(Arc<Mutex<State>>);

/// What happens to the disk later, each time counted in calls that change the file.
#[derive(Clone, Copy, Debug, Default)]
struct Armed {
    /// The process ends in this call.
    kill: Option<u64>,
    /// From this call on, no block gets room.
    full: Option<u64>,
    /// This write fails once.
    write: Option<u64>,
    /// This read fails once.
    read: Option<u64>,
    /// This sync fails once.
    sync: Option<u64>,
}

/// How often the disk has failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FailureCounts {
    /// Writes that found no room.
    pub full: u64,
    pub writes: u64,
    pub reads: u64,
    pub syncs: u64,
}

impl FailureCounts {
    /// Whether a call failed that changes the file.
    pub fn changes(self) -> bool {
        self.full + self.writes + self.syncs > 0
    }

    pub fn any(self) -> bool {
        self.changes() || self.reads > 0
    }

    /// What failed since then.
    pub fn since(self, then: Self) -> Self {
        Self {
            full: self.full - then.full,
            writes: self.writes - then.writes,
            reads: self.reads - then.reads,
            syncs: self.syncs - then.syncs,
        }
    }
}

#[derive(Clone)]
struct State {
    /// What a process reads.
    now: Vec<u8>,
    /// What is left after the system stopped, with or without any of the writes below.
    synced: Vec<u8>,
    /// The writes since the last sync.
    unsynced: Vec<(usize, Vec<u8>)>,
    /// While a sync is in flight, how many of these it makes durable.
    syncing: Option<usize>,
    /// By block, whether it has room in `synced`, and now.
    room: Vec<[bool; 2]>,
    armed: Armed,
    /// The process has ended.
    dead: bool,
    failed: FailureCounts,
    /// A sync failed, so what was written before may be lost after all.
    doubtful: bool,
    /// Calls that change the file.
    calls: u64,
    syncs: u64,
    /// The place of the mirror of RAM, and the writes to it.
    mirror: Range<usize>,
    mirrored: u64,
    is_memory: bool,
    random: Rng,
}

/// Counts a call; true if this is the one.
fn is_due(count: &mut Option<u64>) -> bool {
    match count {
        Some(0) => {
            *count = None;
            true
        }
        Some(more) => {
            *more -= 1;
            false
        }
        None => false,
    }
}

fn error(code: i32) -> io::Error {
    io::Error::from_raw_os_error(code)
}

/// The blocks that a range touches.
fn blocks(at: usize, length: usize) -> Range<usize> {
    at / BLOCK..(at + length).div_ceil(BLOCK)
}

impl State {
    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.now[at..at + bytes.len()].copy_from_slice(bytes);
        for block in blocks(at, bytes.len()) {
            self.room[block][1] = true;
        }
        if self.is_memory {
            self.synced[at..at + bytes.len()].copy_from_slice(bytes);
        } else {
            self.unsynced.push((at, bytes.to_vec()));
        }
    }

    /// How much of a range can be written, from its start, if no block gets room.
    fn writable(&self, at: usize, length: usize) -> usize {
        let without = blocks(at, length).find(|block| !self.room[*block][1]);
        without.map_or(length, |block| (block * BLOCK).saturating_sub(at))
    }

    /// A part of a write, from its start, that ends where a sector ends.
    fn part(&mut self, at: usize, length: usize) -> usize {
        let ends = at / SECTOR..(at + length).div_ceil(SECTOR);
        let end = self.random.usize(ends) * SECTOR;
        end.saturating_sub(at).min(length)
    }

    fn alive(&self) -> io::Result<()> {
        if self.dead {
            return Err(error(IO_ERROR));
        }
        Ok(())
    }

    fn dies(&mut self) -> bool {
        self.dead |= is_due(&mut self.armed.kill);
        self.dead
    }

    fn is_full(&mut self) -> bool {
        match &mut self.armed.full {
            Some(0) => true,
            Some(more) => {
                *more -= 1;
                false
            }
            None => false,
        }
    }

    /// The system stopped. Each write since the last sync is there, in part, or not.
    fn crash(&mut self, seed: u64) {
        let mut random = Rng::with_seed(seed);
        // out of 16 writes, this many are lost
        let lost = [0, 1, 4, 8, 12, 15, 16][random.usize(..7)];
        let torn = random.u8(..4);
        for (at, bytes) in std::mem::take(&mut self.unsynced) {
            let range = at..at + bytes.len();
            if random.u8(..16) < lost {
                if random.u8(..4) >= torn {
                    continue;
                }
                self.arrive_in_part(at, &bytes, &mut random);
            } else {
                self.synced[range].copy_from_slice(&bytes);
            }
            for block in blocks(at, bytes.len()) {
                self.room[block][0] = true;
            }
        }
        self.now.copy_from_slice(&self.synced);
        for [synced, now] in &mut self.room {
            *now = *synced;
        }
        self.doubtful = false;
        self.syncing = None;
    }

    /// The first of the writes since the last sync are durable, unless this fails.
    fn sync_ends(&mut self, count: usize) -> io::Result<()> {
        self.syncing = None;
        if is_due(&mut self.armed.sync) {
            self.failed.syncs += 1;
            self.doubtful = true;
            return Err(error(IO_ERROR));
        }
        self.syncs += 1;
        // after a failed sync, the system thinks that nothing is left to write
        if !self.doubtful {
            for (at, bytes) in self.unsynced.drain(..count) {
                self.synced[at..at + bytes.len()].copy_from_slice(&bytes);
                for block in blocks(at, bytes.len()) {
                    self.room[block][0] = true;
                }
            }
        }
        Ok(())
    }

    fn arrive_in_part(&mut self, at: usize, bytes: &[u8], random: &mut Rng) {
        let mut from = at;
        while from < at + bytes.len() {
            let to = (from / SECTOR * SECTOR + SECTOR).min(at + bytes.len());
            if random.bool() {
                self.synced[from..to].copy_from_slice(&bytes[from - at..to - at]);
            }
            from = to;
        }
    }
}

impl CrashDisk {
    /// A sparse file of zeros. Memory has no syncs and no crashes of the system.
    pub fn new(length: u64, is_memory: bool) -> Self {
        let length = length as usize;
        Self(Arc::new(Mutex::new(State {
            now: vec![0; length],
            synced: vec![0; length],
            unsynced: Vec::new(),
            syncing: None,
            room: vec![[false; 2]; length.div_ceil(BLOCK)],
            armed: Armed::default(),
            dead: false,
            failed: FailureCounts::default(),
            doubtful: false,
            calls: 0,
            syncs: 0,
            mirror: 0..0,
            mirrored: 0,
            is_memory,
            random: Rng::with_seed(length as u64),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// After this many more calls, the process ends in the middle of one.
    pub fn kill_after(&self, calls: u64) {
        self.state().armed.kill = Some(calls);
    }

    /// After this many more writes, no block gets room any more.
    pub fn full_after(&self, writes: u64) {
        self.state().armed.full = Some(writes);
    }

    /// There is room again.
    pub fn has_room(&self) {
        self.state().armed.full = None;
    }

    /// After this many more writes, one fails.
    pub fn fail_write_after(&self, writes: u64) {
        self.state().armed.write = Some(writes);
    }

    /// After this many more reads, one fails.
    pub fn fail_read_after(&self, reads: u64) {
        self.state().armed.read = Some(reads);
    }

    /// After this many more syncs, one fails.
    pub fn fail_sync_after(&self, syncs: u64) {
        self.state().armed.sync = Some(syncs);
    }

    pub fn failed(&self) -> FailureCounts {
        self.state().failed
    }

    pub fn calls(&self) -> u64 {
        self.state().calls
    }

    /// Syncs so far.
    pub fn syncs(&self) -> u64 {
        self.state().syncs
    }

    /// The place of the mirror of RAM in this image.
    pub fn watch_mirror(&self, mirror: Range<usize>) {
        self.state().mirror = mirror;
    }

    /// Writes to the mirror so far.
    pub fn mirrored(&self) -> u64 {
        self.state().mirrored
    }

    /// Whether the process has ended in a call.
    pub fn is_dead(&self) -> bool {
        self.state().dead
    }

    /// Another process begins. What failed once does not fail any more; a full disk stays full.
    pub fn revive(&self) {
        let mut state = self.state();
        state.dead = false;
        state.syncing = None;
        let full = state.armed.full;
        state.armed = Armed {
            full,
            ..Armed::default()
        };
    }

    /// Whether a sync failed, so that only a crash tells what the file holds.
    pub fn is_doubtful(&self) -> bool {
        self.state().doubtful
    }

    /// The system stops: see [`State::crash`].
    pub fn crash(&self, seed: u64) {
        self.state().crash(seed);
    }

    /// What a process reads now.
    pub fn content(&self) -> Vec<u8> {
        self.state().now.clone()
    }

    /// A copy of the disk with the same content, which never fails.
    pub fn copy(&self) -> Self {
        Self(Arc::new(Mutex::new(State {
            armed: Armed::default(),
            dead: false,
            syncing: None,
            failed: FailureCounts::default(),
            calls: 0,
            syncs: 0,
            mirrored: 0,
            ..self.state().clone()
        })))
    }

    /// Takes the content of another disk, and fails as before.
    pub fn becomes(&self, other: &Self) {
        let mut state = self.state();
        let other = other.state();
        state.now.clone_from(&other.now);
        state.synced.clone_from(&other.synced);
        state.unsynced.clone_from(&other.unsynced);
        state.room.clone_from(&other.room);
    }

    /// Puts other bytes at a place, now and after every crash.
    pub fn damage(&self, at: usize, bytes: &[u8]) {
        let mut state = self.state();
        let range = at..at + bytes.len();
        state.now[range.clone()].copy_from_slice(bytes);
        state.synced[range.clone()].copy_from_slice(bytes);
        for (begin, written) in &mut state.unsynced {
            let (from, to) = (at.max(*begin), range.end.min(*begin + written.len()));
            if from < to {
                written[from - *begin..to - *begin].copy_from_slice(&bytes[from - at..to - at]);
            }
        }
    }
}

impl Beside for CrashDisk {
    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        Disk::read(self, at, into)
    }
}

impl Disk for CrashDisk {
    fn beside(&self) -> Option<Arc<dyn Beside>> {
        (!self.is_memory()).then(|| Arc::new(self.clone()) as Arc<dyn Beside>)
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.state().now.len() as u64)
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        let mut state = self.state();
        state.alive()?;
        if is_due(&mut state.armed.read) {
            state.failed.reads += 1;
            return Err(error(IO_ERROR));
        }
        let from = state.now.get(at as usize..at as usize + into.len());
        into.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    /// As small holes as there can be.
    fn next_data(&self, at: u64) -> io::Result<u64> {
        let state = self.state();
        state.alive()?;
        let zeros = state
            .now
            .iter()
            .skip(at as usize)
            .take_while(|&&byte| byte == 0);
        Ok(at + zeros.count() as u64)
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        let (at, length) = (at as usize, bytes.len());
        state.alive()?;
        state.calls += 1;
        if state.dies() {
            let part = state.part(at, length);
            state.put(at, &bytes[..part]);
            return Err(error(IO_ERROR));
        }
        if is_due(&mut state.armed.write) {
            state.failed.writes += 1;
            return Err(error(IO_ERROR));
        }
        let part = if state.is_full() {
            state.writable(at, length)
        } else {
            length
        };
        state.put(at, &bytes[..part]);
        state.mirrored += u64::from(state.mirror.contains(&at));
        if part < length {
            state.failed.full += 1;
            return Err(error(NO_SPACE));
        }
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.state();
        state.alive()?;
        state.calls += 1;
        if state.dies() {
            return Err(error(IO_ERROR));
        }
        let all = state.unsynced.len();
        state.sync_ends(all)
    }

    fn syncs_beside(&self) -> bool {
        !self.state().is_memory
    }

    fn begin_sync(&mut self) -> io::Result<()> {
        let mut state = self.state();
        state.alive()?;
        state.calls += 1;
        if state.dies() {
            return Err(error(IO_ERROR));
        }
        assert!(state.syncing.is_none(), "two syncs at once");
        state.syncing = Some(state.unsynced.len());
        Ok(())
    }

    fn end_sync(&mut self, wait: bool) -> io::Result<bool> {
        let mut state = self.state();
        state.alive()?;
        let Some(count) = state.syncing else {
            return Ok(true);
        };
        if !wait && state.random.u8(..32) > 0 {
            return Ok(false);
        }
        state.sync_ends(count).map(|()| true)
    }

    fn is_memory(&self) -> bool {
        self.state().is_memory
    }
}
