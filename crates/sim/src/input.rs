//! The trace of a run: in memory, or streamed from its file as often as it is replayed.

use std::convert::Infallible;
use std::path::{Path, PathBuf};

use ssdlab_host::{Op, Request};
use ssdlab_trace::{ReadOptions, TraceError, TraceReader, TraceSummary};

use crate::SimError;

/// A trace that can be replayed as often as needed.
pub struct Trace {
    /// What was read.
    pub summary: TraceSummary,
    /// The trace as the user named it.
    name: String,
    requests: Requests,
}

enum Requests {
    /// 24 bytes each.
    Memory {
        requests: Vec<Request>,
        /// The line of the first request, if all stand on successive lines.
        first_line: Option<u64>,
        /// Where their lines can be looked up; `None` for what can be read only once.
        file: Option<File>,
    },
    File(File),
}

/// Where a trace is and how to read it.
#[derive(Clone)]
struct File {
    path: PathBuf,
    options: ReadOptions,
}

/// Whether a trace can be read again; `-` is standard input, whatever files there are.
pub(crate) fn is_file(path: &Path) -> bool {
    path != Path::new("-") && path.is_file()
}

/// A request that was not served, by its number in what was handed out last.
pub(crate) type Refused<E> = (usize, E);

/// Why a replay ended early.
pub(crate) enum Stop<E> {
    /// The trace cannot be read.
    Trace(TraceError),
    /// A request was not served: where it stands, and why.
    Refused(String, E),
}

impl Trace {
    /// Reads a whole trace; `-` is standard input. One that needs more than `memory` bytes, 24 for each request, is
    /// not kept: its file is read anew for each replay.
    ///
    /// # Errors
    /// What is wrong with the trace; standard input that needs more memory.
    pub fn load(path: &Path, options: &ReadOptions, memory: u64) -> Result<Self, SimError> {
        let file = is_file(path).then(|| File {
            path: path.to_owned(),
            options: options.clone(),
        });
        let mut reader = TraceReader::open(path, options)?;
        let (mut requests, mut batch) = (Vec::new(), Vec::new());
        let mut kept = true;
        while reader.next_batch(&mut batch)? {
            let bytes = (requests.len() + batch.len()) * size_of::<Request>();
            if kept && bytes as u64 > memory {
                if file.is_none() {
                    let name = reader.name().to_owned();
                    return Err(SimError::TraceMemory { name, memory });
                }
                (kept, requests) = (false, Vec::new());
            }
            if kept {
                requests.extend_from_slice(&batch);
            }
        }
        requests.shrink_to_fit();
        let (name, first_line) = (reader.name().to_owned(), reader.successive_from());
        let requests = match file {
            Some(file) if !kept => Requests::File(file),
            file => Requests::Memory {
                requests,
                first_line,
                file,
            },
        };
        Ok(Self {
            summary: reader.finish(),
            name,
            requests,
        })
    }

    /// Requests that were made in memory, under a name for messages.
    pub fn made(name: &str, requests: Vec<Request>) -> Self {
        let ends = requests.iter().filter(|request| request.op() != Op::Flush);
        Self {
            summary: TraceSummary {
                name: name.into(),
                format: "none",
                format_reason: "made in memory".into(),
                requests: requests.len() as u64,
                latest: requests.iter().map(|r| r.time_ns).max().unwrap_or(0),
                end: ends.map(Request::end).max().unwrap_or(0),
                ..TraceSummary::default()
            },
            name: name.into(),
            requests: Requests::Memory {
                requests,
                first_line: None,
                file: None,
            },
        }
    }

    /// Reads a file once for its summary.
    pub(crate) fn scan(path: &Path, options: &ReadOptions) -> Result<Self, SimError> {
        Self::load(path, options, 0)
    }

    /// Whether its file is read anew for each replay.
    pub fn is_streamed(&self) -> bool {
        matches!(self.requests, Requests::File(_))
    }

    /// Visits all requests in order.
    ///
    /// # Errors
    /// A file that can no longer be read.
    pub fn each(&self, mut visit: impl FnMut(&Request)) -> Result<(), SimError> {
        let visited = self.each_batch(|batch| {
            batch.iter().for_each(&mut visit);
            Ok::<(), Refused<Infallible>>(())
        });
        match visited {
            Ok(()) => Ok(()),
            Err(Stop::Trace(error)) => Err(error.into()),
        }
    }

    /// Hands out all requests in order, in batches.
    pub(crate) fn each_batch<E>(
        &self,
        mut serve: impl FnMut(&[Request]) -> Result<(), Refused<E>>,
    ) -> Result<(), Stop<E>> {
        match &self.requests {
            Requests::Memory { requests, .. } => serve(requests)
                .map_err(|(request, error)| Stop::Refused(self.place_of(request), error)),
            Requests::File(file) => {
                let reader = TraceReader::open(&file.path, &file.options);
                stream(&mut reader.map_err(Stop::Trace)?, serve)
            }
        }
    }

    /// Where a request in memory (the first is 0) stands: the trace and the line, or the number of the request if
    /// nothing tells its line.
    fn place_of(&self, request: usize) -> String {
        let Requests::Memory {
            first_line, file, ..
        } = &self.requests
        else {
            unreachable!("a stream knows its lines");
        };
        let successive = first_line.map(|first| first + request as u64);
        let read = || read_line_of(file.as_ref()?, request);
        match successive.or_else(read) {
            Some(line) => place(&self.name, line),
            None => format!("{}, request {}", self.name, request + 1),
        }
    }
}

/// Hands out what is left of a trace, in batches.
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

/// Reads up to a request again for its line.
fn read_line_of(file: &File, request: usize) -> Option<u64> {
    let mut reader = TraceReader::open(&file.path, &file.options).ok()?;
    let (mut batch, mut done) = (Vec::new(), 0);
    while reader.next_batch(&mut batch).ok()? {
        if request < done + batch.len() {
            return Some(reader.line_of(request - done));
        }
        done += batch.len();
    }
    None
}

fn place(name: &str, line: u64) -> String {
    format!("{name}, line {line}")
}
