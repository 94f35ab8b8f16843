//! The trace of a run: in memory, or read from its file for each replay.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};
use ssdlab_host::{Op, Request};
use ssdlab_trace::{Identity, Passed, ReadOptions, TraceError, TraceReader, TraceSummary, Watch};

use crate::error::SimError;
use crate::run::StopFlag;
use ssdlab_words::hexadecimal;

/// A trace that can be replayed as often as needed. Clones share the requests in memory.
#[derive(Clone)]
pub struct Trace {
    /// The summary of the first pass.
    pub summary: TraceSummary,
    /// The trace as the user named it.
    name: String,
    requests: Requests,
    /// Receives the progress of a replay from memory.
    watch: Watch,
    /// Of the requests, once somebody has asked for it.
    hash: OnceLock<String>,
}

#[derive(Clone)]
enum Requests {
    /// 24 bytes for each request.
    Memory {
        requests: Arc<Vec<Request>>,
        /// The line of the first request, if all requests are on successive lines.
        first_line: Option<u64>,
        /// The file in which to look up lines; `None` for an input that can be read only once.
        file: Option<File>,
    },
    File(File),
}

/// The path of a trace, how to read it, and its identity at the first pass.
#[derive(Clone)]
struct File {
    path: PathBuf,
    options: ReadOptions,
    identity: Identity,
}

impl File {
    /// Passes all requests to `serve` once more.
    ///
    /// # Errors
    /// An unreadable file, or one that changed; the change is reported before any other error.
    fn stream<E>(
        &self,
        name: &str,
        serve: impl FnMut(&[Request]) -> Result<(), Refused<E>>,
    ) -> Result<(), Stop<E>> {
        let again = || {
            let mut reader = TraceReader::open(&self.path, &self.options).map_err(Stop::Trace)?;
            stream(&mut reader, serve)?;
            Ok(reader.identity())
        };
        let again = again();
        let unchanged = self.identity.check_file(name, &self.path);
        unchanged.map_err(Stop::Trace)?;
        self.identity.check(name, &again?).map_err(Stop::Trace)
    }

    /// Reads the file up to a request to find its line.
    fn line_of(&self, request: usize) -> Option<u64> {
        let mut reader = TraceReader::open(&self.path, &self.options).ok()?;
        self.identity.check_file(reader.name(), &self.path).ok()?;
        let (mut batch, mut done) = (Vec::new(), 0);
        while reader.next_batch(&mut batch).ok()? {
            if request < done + batch.len() {
                return Some(reader.line_of(request - done));
            }
            done += batch.len();
        }
        None
    }
}

/// Whether a trace can be read again; `-` is always standard input.
pub(crate) fn is_file(path: &Path) -> bool {
    path != Path::new("-") && path.is_file()
}

/// A request that was not served: its index in the last batch, and the error.
pub(crate) type Refused<E> = (usize, E);

/// The reason why a replay ended early.
pub(crate) enum Stop<E> {
    /// The trace cannot be read.
    Trace(TraceError),
    /// A request was not served: its place and the error.
    Refused(String, E),
}

impl Trace {
    /// Reads a whole trace; `-` is standard input. A trace of more than `memory` bytes (24 for each request) is not
    /// kept in memory: each replay reads its file again.
    ///
    /// # Errors
    /// An invalid trace, or standard input that needs more memory.
    pub fn load(path: &Path, options: &ReadOptions, memory: u64) -> Result<Self, SimError> {
        let again = is_file(path).then_some(path);
        Self::of_reader(TraceReader::open(path, options)?, options, memory, again)
    }

    /// Reads a whole trace from its stored bytes, compressed or not; the extension of `name` must fit them.
    ///
    /// # Errors
    /// An invalid trace.
    pub fn read(
        name: &str,
        bytes: impl Read + Send + 'static,
        options: &ReadOptions,
    ) -> Result<Self, SimError> {
        let reader = TraceReader::from_reader(name, bytes, options)?;
        Self::of_reader(reader, options, u64::MAX, None)
    }

    /// `again`: the file that can be read once more.
    fn of_reader(
        mut reader: TraceReader,
        options: &ReadOptions,
        memory: u64,
        again: Option<&Path>,
    ) -> Result<Self, SimError> {
        let (mut requests, mut batch) = (Vec::new(), Vec::new());
        let mut kept = true;
        while reader.next_batch(&mut batch)? {
            let bytes = (requests.len() + batch.len()) * size_of::<Request>();
            if kept && bytes as u64 > memory {
                if again.is_none() {
                    let name = reader.name().to_owned();
                    return Err(SimError::TraceMemory { name, memory });
                }
                (kept, requests) = (false, Vec::new());
            }
            if kept {
                let room = requests.try_reserve(batch.len());
                room.map_err(|_| no_room(reader.name(), bytes))?;
                requests.extend_from_slice(&batch);
            }
        }
        requests.shrink_to_fit();
        let (name, first_line) = (reader.name().to_owned(), reader.successive_from());
        let file = again.map(|path| File {
            path: path.to_owned(),
            options: options.clone(),
            identity: reader.identity(),
        });
        let requests = match file {
            Some(file) if !kept => Requests::File(file),
            file => Requests::Memory {
                requests: requests.into(),
                first_line,
                file,
            },
        };
        Ok(Self {
            summary: reader.finish(),
            name,
            requests,
            watch: options.watch.clone(),
            hash: OnceLock::new(),
        })
    }

    /// A trace from requests in memory; messages use `name`.
    pub fn made(name: &str, requests: Vec<Request>) -> Self {
        let ends = requests.iter().filter(|request| request.op() != Op::Flush);
        let mut unflushed = false;
        let commits = requests.iter().filter(|request| match request.op() {
            Op::Write => {
                unflushed = true;
                false
            }
            Op::Flush => std::mem::take(&mut unflushed),
            Op::Read | Op::Discard => false,
        });
        let summary = TraceSummary {
            commits: commits.count() as u64,
            name: name.into(),
            format: "none",
            format_reason: "made in memory".into(),
            requests: requests.len() as u64,
            latest: requests.iter().map(|r| r.time_ns).max().unwrap_or(0),
            earliest: requests.iter().map(|r| r.time_ns).min().unwrap_or(0),
            end: ends.map(Request::end).max().unwrap_or(0),
            ..TraceSummary::default()
        };
        Self::summed_up(summary, requests)
    }

    /// A trace from requests in memory with their summary.
    pub fn summed_up(summary: TraceSummary, requests: Vec<Request>) -> Self {
        Self {
            name: summary.name.clone(),
            summary,
            requests: Requests::Memory {
                requests: requests.into(),
                first_line: None,
                file: None,
            },
            watch: Watch::default(),
            hash: OnceLock::new(),
        }
    }

    /// Reads a file once for its summary.
    pub(crate) fn scan(path: &Path, options: &ReadOptions) -> Result<Self, SimError> {
        Self::load(path, options, 0)
    }

    /// Reports the progress of replays to another receiver from now on.
    pub fn watched_by(&mut self, watch: Watch) {
        if let Requests::File(file)
        | Requests::Memory {
            file: Some(file), ..
        } = &mut self.requests
        {
            file.options.watch = watch.clone();
        }
        self.watch = watch;
    }

    /// A hash of its requests.
    ///
    /// # Errors
    /// As [`Trace::each`].
    pub fn identity(&self) -> Result<&str, SimError> {
        if let Some(known) = self.hash.get() {
            return Ok(known);
        }
        let mut hash = Sha256::new();
        self.each(|request| {
            hash.update(request.time_ns.to_le_bytes());
            hash.update(request.offset.to_le_bytes());
            hash.update(request.size().to_le_bytes());
            hash.update(request.stream().to_le_bytes());
            hash.update([request.op().letter() as u8]);
        })?;
        Ok(self.hash.get_or_init(|| hexadecimal(&hash.finalize())))
    }

    /// Whether each replay reads the file again.
    pub fn is_streamed(&self) -> bool {
        matches!(self.requests, Requests::File(_))
    }

    /// The requests, if they are in memory.
    pub(crate) fn in_memory(&self) -> Option<&[Request]> {
        match &self.requests {
            Requests::Memory { requests, .. } => Some(requests),
            Requests::File(_) => None,
        }
    }

    /// Reports progress that is none of a replay: the requests since the last report, and the part done of all.
    pub(crate) fn tell(&self, begins: bool, requests: u64, at: (u64, u64)) {
        self.watch.tell(Passed {
            begins,
            requests,
            at: Some(at),
        });
    }

    /// Visits all requests in order.
    ///
    /// # Errors
    /// An unreadable or changed file.
    pub fn each(&self, visit: impl FnMut(&Request)) -> Result<(), SimError> {
        self.each_unless(&StopFlag::default(), visit)
    }

    /// The same, until the flag is set.
    ///
    /// # Errors
    /// As [`Trace::each`]; [`SimError::Stopped`].
    pub fn each_unless(
        &self,
        stop: &StopFlag,
        mut visit: impl FnMut(&Request),
    ) -> Result<(), SimError> {
        let visited = self.each_batch(|batch| {
            if stop.load(Ordering::Relaxed) {
                return Err((0, ()));
            }
            batch.iter().for_each(&mut visit);
            Ok(())
        });
        match visited {
            Ok(()) => Ok(()),
            Err(Stop::Trace(error)) => Err(error.into()),
            Err(Stop::Refused(..)) => Err(SimError::Stopped),
        }
    }

    /// Passes all requests in order, in batches.
    pub(crate) fn each_batch<E>(
        &self,
        serve: impl FnMut(&[Request]) -> Result<(), Refused<E>>,
    ) -> Result<(), Stop<E>> {
        match &self.requests {
            Requests::Memory { requests, .. } => self
                .each_of(requests, serve)
                .map_err(|(request, error)| Stop::Refused(self.place_of(request), error)),
            Requests::File(file) => file.stream(&self.name, serve),
        }
    }

    /// Passes requests from memory and reports the progress after each batch.
    fn each_of<E>(
        &self,
        requests: &[Request],
        mut serve: impl FnMut(&[Request]) -> Result<(), Refused<E>>,
    ) -> Result<(), Refused<E>> {
        /// Long enough to make the cost of the progress negligible, and no longer: cleaning takes its time.
        const BATCH: usize = 1 << 12;
        let mut done = 0;
        for batch in requests.chunks(BATCH) {
            serve(batch).map_err(|(request, error)| (done + request, error))?;
            let begins = done == 0;
            done += batch.len();
            self.watch.tell(Passed {
                begins,
                requests: batch.len() as u64,
                at: Some((done as u64, requests.len() as u64)),
            });
        }
        Ok(())
    }

    /// The place of a request in memory (from 0): the trace and the line, or the number of the request if the line is
    /// unknown.
    fn place_of(&self, request: usize) -> String {
        let Requests::Memory {
            first_line, file, ..
        } = &self.requests
        else {
            unreachable!("a stream knows its lines");
        };
        let successive = first_line.map(|first| first + request as u64);
        let read = || file.as_ref()?.line_of(request);
        match successive.or_else(read) {
            Some(line) => place(&self.name, line),
            None => format!("{}, request {}", self.name, request + 1),
        }
    }
}

/// Passes the rest of a trace, in batches.
pub(crate) fn stream<E>(
    reader: &mut TraceReader,
    mut serve: impl FnMut(&[Request]) -> Result<(), Refused<E>>,
) -> Result<(), Stop<E>> {
    let mut batch = Vec::new();
    while reader.next_batch(&mut batch).map_err(Stop::Trace)? {
        serve(&batch).map_err(|(request, error)| {
            Stop::Refused(place(reader.name(), reader.line_of(request)), error)
        })?;
    }
    Ok(())
}

fn no_room(name: &str, bytes: usize) -> SimError {
    SimError::Limit(format!(
        "{name}: no memory for the requests, which take more than {} MiB; a comparison can stream a file \
         (--trace-memory), --limit takes the first requests only",
        bytes >> 20
    ))
}

fn place(name: &str, line: u64) -> String {
    format!("{name}, line {line}")
}
