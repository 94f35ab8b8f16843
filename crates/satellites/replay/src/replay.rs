//! Sends the requests of a trace.

use std::io;
use std::mem::take;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ssdlab_host::{Op, Request};
use ssdlab_timing::{Latencies, LatencyByOp};
use ssdlab_trace::TraceReader;

use crate::data::{Data, UNIT, Written};
use crate::report::{Completed, Counts, Late, Replayed, Verified};
use crate::{ReplayError, Target};

/// When requests are sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// As soon as fewer than the queue depth are outstanding.
    Closed,
    /// At their times in the trace, divided by this.
    Timed(f64),
}

/// How a trace is replayed.
pub struct Options<'a> {
    /// See [`Pace`].
    pub pace: Pace,
    /// The most requests that are outstanding at the same time, at least 1; each takes a thread.
    pub queue_depth: u32,
    /// Offsets are taken modulo the size of the target.
    pub wrap: bool,
    /// Reads are compared with what was written, and all that was written is read again at the end.
    pub verify: bool,
    /// Receives each request when it is complete.
    pub completed: Option<&'a mut (dyn FnMut(Completed) + Send)>,
}

/// The most bytes that are sent as one request; longer ones are sent in parts.
const PART: u64 = 4 << 20;

/// Requests that are later than this are late.
const LATE: Duration = Duration::from_millis(1);

/// A thread sleeps until so long before a time, as it wakes up late.
const EARLY: Duration = Duration::from_micros(100);

/// Replays a trace against a target named `name`, and flushes it at the end. A request waits for outstanding ones that touch
/// the same bytes, if one of them writes.
///
/// # Errors
/// The trace cannot be read, a request does not fit the target, the target fails, or it returns other data than were written.
/// The first error ends the replay.
pub fn replay(
    reader: &mut TraceReader,
    target: &dyn Target,
    name: &str,
    options: Options<'_>,
) -> Result<Replayed, ReplayError> {
    let replayer = Replayer {
        target,
        name,
        pace: options.pace,
        wrap: options.wrap,
        data: Data::new(),
        begin: Instant::now(),
        removed: Condvar::new(),
        state: Mutex::new(State {
            reader,
            batch: Vec::new(),
            next: 0,
            first_ns: None,
            requests: 0,
            writes: 0,
            outstanding: Vec::new(),
            written: options.verify.then(Written::default),
            latencies: Default::default(),
            replayed: Replayed {
                late: matches!(options.pace, Pace::Timed(_)).then(Late::default),
                verified: options.verify.then(Verified::default),
                ..Replayed::default()
            },
            completed: options.completed,
            failed: None,
        }),
    };
    thread::scope(|scope| {
        for _ in 1..options.queue_depth {
            let thread = thread::Builder::new().spawn_scoped(scope, || replayer.work());
            if let Err(error) = thread {
                let what = "a thread for each outstanding request";
                replayer.lock().failed = Some(replayer.failed(what, error));
            }
        }
        replayer.work();
    });
    replayer.end()
}

struct Replayer<'a, 'b> {
    target: &'a dyn Target,
    name: &'a str,
    pace: Pace,
    wrap: bool,
    data: Data,
    begin: Instant,
    /// A request is not outstanding any more.
    removed: Condvar,
    state: Mutex<State<'a, 'b>>,
}

struct State<'a, 'b> {
    reader: &'a mut TraceReader,
    batch: Vec<Request>,
    /// The next request of the batch.
    next: usize,
    /// The time of the first request, at which the replay begins.
    first_ns: Option<u64>,
    /// The requests sent so far.
    requests: u64,
    /// The writes so far.
    writes: u32,
    outstanding: Vec<Outstanding>,
    written: Option<Written>,
    latencies: [Latencies; Op::ALL.len()],
    replayed: Replayed,
    completed: Option<&'b mut (dyn FnMut(Completed) + Send)>,
    failed: Option<ReplayError>,
}

/// A range of bytes that a request touches now.
#[derive(Clone, Copy)]
struct Outstanding {
    number: u64,
    changes: bool,
    offset: u64,
    end: u64,
}

/// A request on its way.
struct Job {
    number: u64,
    op: Op,
    /// First byte and length of each part; none for a flush.
    parts: Vec<(u64, u64)>,
    /// The number of the write.
    write: u32,
    /// The units that a read must find, with the write that stored each.
    known: Vec<(u64, u32)>,
}

impl<'a, 'b> Replayer<'a, 'b> {
    fn lock(&self) -> MutexGuard<'_, State<'a, 'b>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let mut buffer = Aligned::default();
        while let Some(job) = self.next() {
            let done = self.send(&job, &mut buffer);
            self.complete(&job, done);
        }
    }

    /// The next request, once it may be sent; none at the end, or after an error.
    fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if state.failed.is_some() {
                return None;
            }
            let request = match state.peek() {
                Ok(request) => request?,
                Err(error) => {
                    state.failed = Some(error);
                    return None;
                }
            };
            let parts = match self.parts(&request) {
                Ok(parts) => parts,
                Err(why) => {
                    let (trace, line) = (state.reader.name(), state.reader.line_of(state.next));
                    state.failed =
                        Some(ReplayError::Refused(format!("{trace}: line {line}: {why}")));
                    return None;
                }
            };
            if state.must_wait(request.op(), &parts) {
                state = self
                    .removed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            if let Pace::Timed(speedup) = self.pace {
                let first_ns = *state.first_ns.get_or_insert(request.time_ns);
                let since_ns = request.time_ns.saturating_sub(first_ns);
                let due = self.begin + Duration::from_nanos((since_ns as f64 / speedup) as u64);
                let late = wait_until(due);
                if let Some(counted) = &mut state.replayed.late {
                    counted.requests += u64::from(late > LATE);
                    counted.longest_ns = counted.longest_ns.max(late.as_nanos() as u64);
                }
            }
            return Some(state.begin(&request, parts));
        }
    }

    /// The ranges of the target that a request touches, in parts.
    fn parts(&self, request: &Request) -> Result<Vec<(u64, u64)>, String> {
        if request.op() == Op::Flush {
            return Ok(Vec::new());
        }
        let (size, sector) = (self.target.size(), self.target.sector());
        let (mut offset, length) = (request.offset, request.size());
        if length == 0 {
            return Err("a request of 0 bytes".into());
        }
        if length > size || !self.wrap && request.end() > size {
            let hint = if length > size {
                ""
            } else {
                "; --wrap takes offsets modulo its size"
            };
            return Err(format!(
                "a request ends at byte {}, but {} has {size}{hint}",
                request.end(),
                self.name
            ));
        }
        offset %= size;
        if !(offset | length).is_multiple_of(sector) {
            return Err(format!(
                "a request of {length} bytes from byte {} on, but {} takes multiples of {sector} bytes only",
                request.offset, self.name
            ));
        }
        let first = length.min(size - offset);
        let ranges = [(offset, first), (0, length - first)];
        let most = if request.op() == Op::Discard {
            1 << 30
        } else {
            PART
        };
        let split = |(offset, length): (u64, u64)| {
            (0..length.div_ceil(most))
                .map(move |part| (offset + part * most, (length - part * most).min(most)))
        };
        Ok(ranges.into_iter().flat_map(split).collect())
    }

    /// Sends a request, and returns when that was and when it was complete.
    fn send(&self, job: &Job, buffer: &mut Aligned) -> Result<(Instant, Instant), ReplayError> {
        let (what, mut begin) = (self.what(job), Instant::now());
        let failed = |source| self.failed(&what, source);
        match job.op {
            Op::Flush => self.target.flush().map_err(failed)?,
            Op::Discard if !self.target.discards() => {}
            Op::Discard => {
                let discard = |&(offset, length): &(u64, u64)| self.target.discard(offset, length);
                job.parts.iter().try_for_each(discard).map_err(failed)?;
            }
            Op::Write => {
                for (at, &(offset, length)) in job.parts.iter().enumerate() {
                    let bytes = buffer.of(length as usize);
                    self.data.fill(offset, bytes, job.write);
                    if at == 0 {
                        begin = Instant::now();
                    }
                    self.target.write(offset, bytes).map_err(failed)?;
                }
            }
            Op::Read => {
                let mut end = begin;
                for &(offset, length) in &job.parts {
                    let bytes = buffer.of(length as usize);
                    self.target.read(offset, bytes).map_err(failed)?;
                    end = Instant::now();
                    self.verify(&what, &job.known, offset, bytes)?;
                }
                return Ok((begin, end));
            }
        }
        Ok((begin, Instant::now()))
    }

    fn what(&self, job: &Job) -> String {
        let (kind, number) = (job.op.letter(), job.number);
        match job.parts.first() {
            Some((offset, _)) => format!("request {number} ({kind} at byte {offset})"),
            None => format!("request {number} ({kind})"),
        }
    }

    fn failed(&self, what: &str, source: io::Error) -> ReplayError {
        let (target, what) = (self.name.to_owned(), what.to_owned());
        ReplayError::Failed {
            target,
            what,
            source,
        }
    }

    /// Compares the known units of a range that was read.
    fn verify(
        &self,
        what: &str,
        known: &[(u64, u32)],
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), ReplayError> {
        for &(unit, write) in known {
            let begin = (unit * UNIT)
                .checked_sub(offset)
                .map(|begin| begin as usize);
            let unit_bytes = begin.and_then(|begin| bytes.get(begin..begin + UNIT as usize));
            if let Some(fault) = unit_bytes.and_then(|bytes| self.data.fault(unit, bytes, write)) {
                return Err(ReplayError::Corrupt(format!(
                    "{}: {what}: {fault}",
                    self.name
                )));
            }
        }
        Ok(())
    }

    fn since_begin(&self, at: Instant) -> u64 {
        at.saturating_duration_since(self.begin).as_nanos() as u64
    }

    fn complete(&self, job: &Job, done: Result<(Instant, Instant), ReplayError>) {
        let mut state = self.lock();
        state.outstanding.retain(|other| other.number != job.number);
        match done {
            Ok((issued, completed)) => {
                let (issued_ns, completed_ns) =
                    (self.since_begin(issued), self.since_begin(completed));
                state.latencies[job.op as usize].add(completed_ns - issued_ns);
                let bytes = job.parts.iter().map(|&(_, length)| length).sum();
                let left_out = job.op == Op::Discard && !self.target.discards();
                state.replayed.discards_left_out += u64::from(left_out);
                state.replayed.counters.add(job.op, bytes);
                if let Some(verified) = &mut state.replayed.verified {
                    verified.read_bytes += UNIT * job.known.len() as u64;
                }
                let (number, op) = (job.number, job.op);
                if let Some(completed) = &mut state.completed {
                    completed(Completed {
                        number,
                        op,
                        issued_ns,
                        completed_ns,
                    });
                }
            }
            Err(error) => {
                state.failed.get_or_insert(error);
            }
        }
        drop(state);
        self.removed.notify_all();
    }

    /// Flushes the target, and reads again what was written.
    fn end(self) -> Result<Replayed, ReplayError> {
        let state = take_state(&self);
        if let Some(error) = state.failed {
            return Err(error);
        }
        let begin = Instant::now();
        self.target
            .flush()
            .map_err(|source| self.failed("the flush at the end", source))?;
        let end = Instant::now();
        let mut replayed = state.replayed;
        replayed.final_flush_ns = (end - begin).as_nanos() as u64;
        replayed.counters.elapsed_ns = self.since_begin(end);
        replayed.drive = self.target.counters();
        replayed.latency_ns = LatencyByOp::of(&state.latencies, &Latencies::default());
        if let (Some(written), Some(verified)) = (state.written, &mut replayed.verified) {
            let (mut buffer, sector) = (Aligned::default(), self.target.sector().max(UNIT));
            for (offset, length) in written.runs(PART) {
                let begin = offset / sector * sector;
                let end = (offset + length)
                    .next_multiple_of(sector)
                    .min(self.target.size());
                let bytes = buffer.of((end - begin) as usize);
                let what = format!("after the replay, byte {offset}");
                self.target
                    .read(begin, bytes)
                    .map_err(|source| self.failed(&what, source))?;
                self.verify(
                    "after the replay",
                    &written.known(offset, length),
                    begin,
                    bytes,
                )?;
                verified.end_bytes += length;
            }
        }
        Ok(replayed)
    }
}

/// What the threads left.
struct Left {
    written: Option<Written>,
    latencies: [Latencies; Op::ALL.len()],
    replayed: Replayed,
    failed: Option<ReplayError>,
}

fn take_state(replayer: &Replayer<'_, '_>) -> Left {
    let mut state = replayer.lock();
    Left {
        written: state.written.take(),
        latencies: take(&mut state.latencies),
        replayed: take(&mut state.replayed),
        failed: state.failed.take(),
    }
}

impl State<'_, '_> {
    fn peek(&mut self) -> Result<Option<Request>, ReplayError> {
        if self.next == self.batch.len() {
            self.next = 0;
            if !self.reader.next_batch(&mut self.batch)? {
                self.batch.clear();
                return Ok(None);
            }
        }
        Ok(self.batch.get(self.next).copied())
    }

    /// Whether an outstanding request touches the same bytes, and one of both changes them.
    fn must_wait(&self, op: Op, parts: &[(u64, u64)]) -> bool {
        let changes = op != Op::Read;
        parts.iter().any(|&(offset, length)| {
            let meets = |other: &&Outstanding| other.offset < offset + length && offset < other.end;
            self.outstanding
                .iter()
                .filter(meets)
                .any(|other| changes || other.changes)
        })
    }

    fn begin(&mut self, request: &Request, parts: Vec<(u64, u64)>) -> Job {
        self.next += 1;
        self.requests += 1;
        let (number, op) = (self.requests, request.op());
        let changes = op != Op::Read;
        let ranges = parts.iter().map(|&(offset, length)| Outstanding {
            number,
            changes,
            offset,
            end: offset + length,
        });
        self.outstanding.extend(ranges);
        if op == Op::Write {
            // 0 means unknown
            self.writes = self.writes.checked_add(1).unwrap_or(1);
        }
        let mut known = Vec::new();
        if let Some(written) = &mut self.written {
            for &(offset, length) in &parts {
                match op {
                    Op::Write => written.set(offset, length, self.writes),
                    Op::Discard => written.set(offset, length, 0),
                    Op::Read => known.extend(written.known(offset, length)),
                    Op::Flush => {}
                }
            }
        }
        Job {
            number,
            op,
            parts,
            write: self.writes,
            known,
        }
    }
}

impl Counts {
    fn add(&mut self, op: Op, bytes: u64) {
        let (requests, total) = match op {
            Op::Read => (&mut self.host_reads, &mut self.host_read_bytes),
            Op::Write => (&mut self.host_writes, &mut self.host_write_bytes),
            Op::Discard => (&mut self.host_discards, &mut self.host_discard_bytes),
            Op::Flush => return self.host_flushes += 1,
        };
        *requests += 1;
        *total += bytes;
    }
}

/// Waits for a time. Returns how long it is past.
fn wait_until(due: Instant) -> Duration {
    loop {
        let now = Instant::now();
        match due.checked_duration_since(now) {
            Some(left) if left > EARLY => thread::sleep(left - EARLY),
            Some(left) if !left.is_zero() => std::hint::spin_loop(),
            _ => return now - due,
        }
    }
}

/// Memory at a multiple of a page of the system, as requests past the page cache need.
#[derive(Default)]
struct Aligned(Vec<u8>);

const ALIGNMENT: usize = 4096;

impl Aligned {
    fn of(&mut self, length: usize) -> &mut [u8] {
        if self.0.len() < length + ALIGNMENT {
            self.0 = vec![0; length + ALIGNMENT];
        }
        let begin = self.0.as_ptr().align_offset(ALIGNMENT);
        &mut self.0[begin..begin + length]
    }
}
