//! Writes and syncs that run behind the requests that ask for them.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use crate::beside::Beside;
use crate::disk::Disk;

/// Bytes that wait at most, once those who write have made way.
const MOST: usize = 8 << 20;
/// Bytes that wait at most.
const ALL: usize = 2 * MOST;
/// The writer is woken for this many bytes, or for a sync, or if somebody waits for it.
const ENOUGH: usize = 1 << 18;
/// Buffers of writes that are done, which are kept for later ones: a new one costs a page fault for each of its pages.
const KEPT: usize = 128;
/// A smaller buffer is not worth that.
const LARGE: usize = 1 << 14;

/// A disk whose writes wait in memory, for a thread that hands them to the disk below in their order. Reads see them at
/// once. A sync that is begun covers the writes before it, and runs in another thread beside those that follow.
///
/// The end of the process takes the writes that wait with it: the file is then as at an earlier moment. A write that
/// fails is told by the next call; it and all later ones stay in memory, where reads find them.
pub struct Behind<D: Disk + Clone + 'static> {
    disk: D,
    queue: Arc<Queue>,
    writer: Option<JoinHandle<()>>,
    /// Writes do not wait.
    through: bool,
}

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    /// A job was added for a writer that has none, or the writer is to end.
    work: Condvar,
    /// Somebody waits, and a job is done or a sync has ended.
    moved: Condvar,
}

#[derive(Default)]
struct State {
    /// What the writer has to do, the oldest first. It is doing the first.
    jobs: VecDeque<Job>,
    /// The bytes of all writes among them.
    bytes: usize,
    sync: SyncBeside,
    /// Buffers of writes that are done.
    kept: Vec<Vec<u8>>,
    /// The writer has nothing to do.
    idle: bool,
    /// How many wait for it. Nobody is told in vain: that would be a call of the system for each write.
    waiting: usize,
    /// The code of the first write that failed.
    failed: Option<i32>,
    /// The writer ends when nothing waits.
    ends: bool,
}

#[derive(Clone)]
enum Job {
    Write(u64, Arc<Vec<u8>>),
    Sync,
}

/// The sync that was begun last.
#[derive(Default)]
enum SyncBeside {
    #[default]
    None,
    Begun,
    Ended(io::Result<()>),
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.waiting += 1;
        if state.idle {
            self.work.notify_one();
        }
        let state = self.moved.wait(state);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        state
    }

    /// Tells those who wait that something is done.
    fn tell(&self, state: &State) {
        if state.waiting > 0 {
            self.moved.notify_all();
        }
    }

    /// Waits until all writes have been handed on, or one has failed.
    fn drained(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        while !state.jobs.is_empty() && state.failed.is_none() {
            state = self.wait(state);
        }
        state
    }

    /// Reads from the disk below, with what waits for it. Nobody else writes here.
    fn read(
        &self,
        at: u64,
        into: &mut [u8],
        below: impl FnOnce(&mut [u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let end = at + into.len() as u64;
        let state = self.lock();
        let overlapping = |job: &&Job| match job {
            Job::Write(from, bytes) => *from < end && at < from + bytes.len() as u64,
            Job::Sync => false,
        };
        let mut waiting = state.jobs.iter().filter(overlapping).peekable();
        match waiting.peek() {
            None => {
                drop(state);
                return below(into);
            }
            Some(Job::Write(from, bytes)) if *from <= at && end <= from + bytes.len() as u64 => {}
            Some(_) => below(into)?,
        }
        for job in waiting {
            let Job::Write(from, bytes) = job else {
                continue;
            };
            let first = at.max(*from);
            let last = end.min(from + bytes.len() as u64);
            let part = &bytes[(first - from) as usize..(last - from) as usize];
            into[(first - at) as usize..(last - at) as usize].copy_from_slice(part);
        }
        Ok(())
    }

    fn ended(&self, synced: io::Result<()>) {
        let mut state = self.lock();
        state.sync = SyncBeside::Ended(synced);
        self.tell(&state);
    }

    /// The work of the writer.
    fn serve(self: &Arc<Self>, disk: &mut (impl Disk + Clone + 'static)) {
        let mut state = self.lock();
        while state.failed.is_none() {
            let Some(job) = state.jobs.front().cloned() else {
                if state.ends {
                    return;
                }
                state.idle = true;
                let woken = self.work.wait(state);
                state = woken.unwrap_or_else(PoisonError::into_inner);
                state.idle = false;
                continue;
            };
            drop(state);
            let done = match &job {
                Job::Write(at, bytes) => disk.write(*at, bytes),
                Job::Sync => {
                    self.sync_beside(disk);
                    Ok(())
                }
            };
            state = self.lock();
            if let Err(error) = done {
                let unknown = rustix::io::Errno::IO.raw_os_error();
                state.failed = Some(error.raw_os_error().unwrap_or(unknown));
                self.tell(&state);
                return;
            }
            state.jobs.pop_front();
            if let Job::Write(_, bytes) = job {
                state.bytes -= bytes.len();
                // a clone of it is gone
                state.keep(Arc::unwrap_or_clone(bytes));
            }
            self.tell(&state);
        }
    }

    /// Syncs in a thread of its own, so that the writer goes on.
    fn sync_beside(self: &Arc<Self>, disk: &mut (impl Disk + Clone + 'static)) {
        let (queue, mut beside) = (Arc::clone(self), disk.clone());
        let thread = thread::Builder::new().name("sync".into());
        let sync = move || {
            let synced = beside.sync();
            // the lock on the file ends with its last user
            drop(beside);
            queue.ended(synced);
        };
        if thread.spawn(sync).is_err() {
            // the system has no thread left
            self.ended(disk.sync());
        }
    }
}

impl State {
    fn check(&self) -> io::Result<()> {
        let failed = |code| Err(io::Error::from_raw_os_error(code));
        self.failed.map_or(Ok(()), failed)
    }

    /// Keeps the buffer of a write that is done.
    fn keep(&mut self, mut bytes: Vec<u8>) {
        if self.kept.len() < KEPT && bytes.capacity() >= LARGE {
            bytes.clear();
            self.kept.push(bytes);
        }
    }
}

impl<D: Disk + Clone + 'static> Behind<D> {
    /// A disk over another, of which each clone is the same disk.
    pub fn new(disk: D) -> Self {
        Self {
            disk,
            queue: Arc::default(),
            writer: None,
            through: false,
        }
    }

    /// Whether there is a writer, after starting one if there is none.
    fn has_writer(&mut self) -> bool {
        if self.writer.is_none() {
            let (queue, mut disk) = (Arc::clone(&self.queue), self.disk.clone());
            let thread = thread::Builder::new().name("writer".into());
            self.writer = thread.spawn(move || queue.serve(&mut disk)).ok();
        }
        self.writer.is_some()
    }

    fn add(&mut self, job: Job) -> io::Result<()> {
        let mut state = self.queue.lock();
        while state.bytes > ALL && state.failed.is_none() {
            state = self.queue.wait(state);
        }
        state.check()?;
        if let Job::Write(_, bytes) = &job {
            state.bytes += bytes.len();
        }
        let is_sync = matches!(job, Job::Sync);
        state.jobs.push_back(job);
        let wakes = state.idle && (is_sync || state.bytes >= ENOUGH);
        drop(state);
        if wakes {
            self.queue.work.notify_one();
        }
        Ok(())
    }
}

/// What others may do beside a disk that writes behind requests.
struct BesideBehind {
    queue: Arc<Queue>,
    below: Arc<dyn Beside>,
}

impl Beside for BesideBehind {
    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        self.queue.read(at, into, |into| self.below.read(at, into))
    }

    fn make_way(&self) {
        let mut state = self.queue.lock();
        while state.bytes > MOST && state.failed.is_none() {
            state = self.queue.wait(state);
        }
    }
}

impl<D: Disk + Clone + 'static> Disk for Behind<D> {
    fn length(&self) -> io::Result<u64> {
        self.disk.length()
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        self.queue.read(at, into, |into| self.disk.read(at, into))
    }

    fn beside(&self) -> Option<Arc<dyn Beside>> {
        let (queue, below) = (Arc::clone(&self.queue), self.disk.beside()?);
        Some(Arc::new(BesideBehind { queue, below }))
    }

    fn next_data(&self, at: u64) -> io::Result<u64> {
        drop(self.queue.drained());
        self.disk.next_data(at)
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.hand(at, &mut bytes.to_vec())
    }

    fn hand(&mut self, at: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        if self.through || !self.has_writer() {
            self.queue.lock().check()?;
            return self.disk.write(at, bytes);
        }
        let handed = Arc::new(std::mem::take(bytes));
        self.add(Job::Write(at, Arc::clone(&handed)))
            .inspect_err(|_| *bytes = Arc::unwrap_or_clone(handed))
    }

    fn buffer(&mut self, capacity: usize) -> Vec<u8> {
        let kept = self.queue.lock().kept.pop();
        let mut buffer = kept.unwrap_or_default();
        buffer.reserve_exact(capacity);
        buffer
    }

    fn sync(&mut self) -> io::Result<()> {
        self.queue.drained().check()?;
        self.disk.sync()
    }

    fn syncs_beside(&self) -> bool {
        true
    }

    fn begin_sync(&mut self) -> io::Result<()> {
        if !self.has_writer() {
            return self.sync();
        }
        self.queue.lock().sync = SyncBeside::Begun;
        self.add(Job::Sync)
    }

    fn end_sync(&mut self, wait: bool) -> io::Result<bool> {
        let mut state = self.queue.lock();
        loop {
            match std::mem::take(&mut state.sync) {
                SyncBeside::None => return Ok(true),
                SyncBeside::Ended(synced) => return synced.map(|()| true),
                SyncBeside::Begun => {}
            }
            // a write before it has failed, so it may never begin
            state.check()?;
            state.sync = SyncBeside::Begun;
            if !wait {
                return Ok(false);
            }
            state = self.queue.wait(state);
        }
    }

    fn reserve(&mut self, at: u64, length: u64) -> io::Result<()> {
        self.disk.reserve(at, length)
    }

    fn drain(&mut self) -> io::Result<()> {
        self.queue.drained().check()
    }

    fn write_through(&mut self) {
        drop(self.queue.drained());
        self.through = true;
    }

    fn settle(&mut self) {
        self.queue.lock().ends = true;
        self.queue.work.notify_one();
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
        self.queue.lock().ends = false;
    }
}

impl<D: Disk + Clone + 'static> Drop for Behind<D> {
    fn drop(&mut self) {
        self.settle();
        // the lock on the file ends with its last user
        let _ = self.end_sync(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::MemoryDisk;

    /// A disk in memory; clones are the same. Its writes are slow, and fail from some number on.
    #[derive(Clone)]
    struct Slow {
        below: Arc<Mutex<(MemoryDisk, usize)>>,
        fails_at: usize,
    }

    impl Slow {
        fn new(fails_at: usize) -> Self {
            let below = Arc::new(Mutex::new((MemoryDisk(vec![0; 4096]), 0)));
            Self { below, fails_at }
        }
    }

    impl Disk for Slow {
        fn length(&self) -> io::Result<u64> {
            self.below.lock().unwrap().0.length()
        }

        fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
            self.below.lock().unwrap().0.read(at, into)
        }

        fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
            thread::sleep(std::time::Duration::from_micros(50));
            let (disk, writes) = &mut *self.below.lock().unwrap();
            if *writes == self.fails_at {
                return Err(io::Error::from_raw_os_error(28));
            }
            *writes += 1;
            disk.write(at, bytes)
        }

        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Reads see all writes in their order, whatever the disk below has of them. Once nothing works for the disk, it has all.
    ///
    /// Planted bugs: an earlier write that waits is read after a later one; a part of a range that does not wait is not read.
    #[test]
    fn reads_see_what_waits() {
        let mut random = fastrand::Rng::with_seed(1);
        let below = Slow::new(usize::MAX);
        let mut disk = Behind::new(below.clone());
        let mut expected = vec![0; 4096];
        let mut read = vec![0; 4096];
        for write in 0..2000_u32 {
            let at = random.usize(..4000);
            let length = random.usize(1..=96);
            let bytes = vec![write as u8; length];
            expected[at..at + length].copy_from_slice(&bytes);
            disk.write(at as u64, &bytes).unwrap();
            let from = random.usize(..4000);
            let part = &mut read[..random.usize(1..=96)];
            disk.read(from as u64, part).unwrap();
            assert_eq!(part, &expected[from..from + part.len()]);
            match write % 100 {
                30 => disk.begin_sync().unwrap(),
                90 => assert!(disk.end_sync(true).unwrap()),
                99 => disk.settle(),
                _ => {}
            }
        }
        drop(disk);
        assert_eq!(below.below.lock().unwrap().0.0, expected);
    }

    /// After a write has failed, nothing is written and no sync succeeds, and all that was taken can be read.
    ///
    /// Planted bugs: a failed write is forgotten; a sync behind it succeeds.
    #[test]
    fn what_fails_stays_in_memory() {
        for fails_at in 0..20 {
            let mut disk = Behind::new(Slow::new(fails_at));
            let taken = (0..1000_u64).take_while(|&write| {
                let mut bytes = vec![write as u8; 3];
                let taken = disk.hand(3 * write, &mut bytes).is_ok();
                assert_eq!(bytes.len(), if taken { 0 } else { 3 });
                taken
            });
            let taken = taken.count();
            assert!(taken >= fails_at, "{taken} of {fails_at}");
            assert!(disk.sync().is_err() && disk.begin_sync().is_err());
            disk.settle();
            assert!(disk.write(0, &[9]).is_err() && disk.sync().is_err());
            for write in 0..taken as u64 {
                let mut found = [0; 3];
                disk.read(3 * write, &mut found).unwrap();
                assert_eq!(found, [write as u8; 3]);
            }
        }
    }
}
