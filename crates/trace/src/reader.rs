//! Streams the requests of a trace, batch by batch.

use crate::TraceError;
use crate::plain::{self, BadLine, Decoder};
use crate::source::Source;
use serde::Serialize;
use ssdlab_host::{Op, Request};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// The most requests in a batch.
pub const BATCH: usize = 4096;

/// Bytes read at once; far more than a line.
const CHUNK: usize = 256 * 1024;

/// What a trace was, known at its end. Serialises to the `trace` key of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TraceSummary {
    /// The file name without folders; `-` for standard input.
    pub name: String,
    /// The name of the format.
    pub format: &'static str,
    /// The number of requests.
    pub requests: u64,
    /// SHA-256 of the bytes as stored (compressed), in hexadecimal.
    pub sha256: String,
    /// How many lines were left out for which reason; the plain format leaves out none.
    pub skipped: BTreeMap<String, u64>,
    /// How many requests carry a time before that of the request before them.
    #[serde(skip)]
    pub backwards: u64,
    /// The first byte past all reads, writes and discards.
    #[serde(skip)]
    pub end: u64,
}

/// What is counted while requests pass.
#[derive(Default)]
struct Tally {
    requests: u64,
    backwards: u64,
    end: u64,
    last_time: u64,
}

impl Tally {
    fn add(&mut self, request: &Request) {
        self.requests += 1;
        self.backwards += u64::from(request.time_ns < self.last_time);
        self.last_time = request.time_ns;
        if request.op() != Op::Flush {
            self.end = self.end.max(request.end());
        }
    }
}

/// Reads a trace of any length in constant memory.
pub struct TraceReader {
    short_name: String,
    source: Source,
    decoder: Decoder,
    /// `buffer[start..end]` is read but not decoded.
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    /// All bytes of the source are in.
    drained: bool,
    failed: Option<TraceError>,
    tally: Tally,
}

impl TraceReader {
    /// Opens a trace file, or standard input for `-`.
    ///
    /// # Errors
    /// A file that is missing, a folder, not readable, empty, or not what its name says.
    pub fn open(path: &Path) -> Result<TraceReader, TraceError> {
        let source = Source::open(path)?;
        let short = path.file_name().unwrap_or(path.as_os_str());
        Ok(TraceReader::new(
            short.to_string_lossy().into_owned(),
            source,
        ))
    }

    /// Reads a trace from `input`. The extension of `name` must fit the bytes, as for a file.
    ///
    /// # Errors
    /// An input that is empty, not what its name says, or cannot be read.
    pub fn from_reader(
        name: &str,
        input: impl Read + Send + 'static,
    ) -> Result<TraceReader, TraceError> {
        let source = Source::new(name, input)?;
        Ok(TraceReader::new(name.to_owned(), source))
    }

    fn new(short_name: String, source: Source) -> TraceReader {
        TraceReader {
            short_name,
            source,
            decoder: Decoder::default(),
            buffer: vec![0; CHUNK].into(),
            start: 0,
            end: 0,
            drained: false,
            failed: None,
            tally: Tally::default(),
        }
    }

    /// Replaces the contents of `batch` by the next requests, at most [`BATCH`].
    /// Returns false, with an empty batch, at the end of the trace.
    ///
    /// # Errors
    /// The first thing wrong; `batch` then holds the requests before it. Further calls repeat the error.
    pub fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<bool, TraceError> {
        batch.clear();
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let result = self.fill(batch);
        batch.iter().for_each(|request| self.tally.add(request));
        match result {
            Ok(()) => Ok(!batch.is_empty()),
            Err(error) => {
                self.failed = Some(error.clone());
                Err(error)
            }
        }
    }

    /// The line of a request, given its place in the trace (the first is 0).
    pub const fn line_of(&self, request: u64) -> u64 {
        // after the header, each line is a request: empty ones may only come last
        request.saturating_add(2)
    }

    /// The trace as the user named it, for messages.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// The first byte past all reads, writes and discards so far.
    pub const fn end(&self) -> u64 {
        self.tally.end
    }

    /// All requests that are left at once, 24 bytes each in memory.
    ///
    /// # Errors
    /// As [`TraceReader::next_batch`].
    pub fn read_all(mut self) -> Result<(Vec<Request>, TraceSummary), TraceError> {
        let mut requests = Vec::new();
        let mut batch = Vec::new();
        while self.next_batch(&mut batch)? {
            requests.extend_from_slice(&batch);
        }
        Ok((requests, self.finish()))
    }

    /// What the trace was.
    ///
    /// # Panics
    /// If [`TraceReader::next_batch`] has not yet returned false.
    pub fn finish(self) -> TraceSummary {
        assert!(
            self.drained && self.start == self.end && self.failed.is_none(),
            "the trace has not been read to its end"
        );
        TraceSummary {
            name: self.short_name,
            format: plain::NAME,
            requests: self.tally.requests,
            sha256: self.source.sha256(),
            skipped: BTreeMap::new(),
            backwards: self.tally.backwards,
            end: self.tally.end,
        }
    }

    fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), TraceError> {
        loop {
            let text = &self.buffer[self.start..self.end];
            let used = self.decoder.decode(text, batch, BATCH);
            self.start += used.map_err(|bad| self.line_error(bad))?;
            if batch.len() == BATCH || self.drained {
                return Ok(());
            }
            self.refill()?;
        }
    }

    /// Reads more behind what is left, which is less than a line.
    fn refill(&mut self) -> Result<(), TraceError> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let read = self
            .source
            .read(&mut self.buffer[self.end..], self.decoder.line())?;
        self.end += read;
        if read == 0 {
            self.drained = true;
            self.end_last_line();
        }
        Ok(())
    }

    fn end_last_line(&mut self) {
        if self.end > 0 {
            self.buffer[self.end] = b'\n';
            self.end += 1;
        }
    }

    fn line_error(&self, bad: BadLine) -> TraceError {
        TraceError::Line {
            name: self.source.name().to_owned(),
            line: bad.line,
            what: bad.what,
        }
    }
}

/// All requests of a trace at once, 24 bytes each in memory.
///
/// # Errors
/// As [`TraceReader::open`] and [`TraceReader::next_batch`].
pub fn read_all(path: &Path) -> Result<(Vec<Request>, TraceSummary), TraceError> {
    TraceReader::open(path)?.read_all()
}
