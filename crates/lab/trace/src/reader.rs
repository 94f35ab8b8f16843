//! Streams the requests of a trace, batch by batch.

use crate::decode::{Decode, MOST_PER_LINE, Out, Skipped};
use crate::lines::Lines;
use crate::source::Source;
use crate::text::{BadLine, MAX_LINE};
use crate::{Format, Identity, Passed, ReadOptions, TraceError, TraceSummary, skip};
use ssdlab_host::{Op, Request};
use ssdlab_words::shown_path;
use std::io::Read;
use std::path::Path;

/// The most requests in a batch.
pub const BATCH: usize = 4096;

/// The number of bytes read at once; far more than a line.
const CHUNK: usize = 256 * 1024;

/// Counts over the requests read.
#[derive(Default)]
struct Tally {
    requests: u64,
    backwards: u64,
    end: u64,
    last_time: u64,
    latest: u64,
    earliest: Option<u64>,
    /// The time that becomes 0; `None`: the time of the next request.
    origin: Option<u64>,
}

impl Tally {
    /// Counts requests and shifts their times to start at 0; earlier times become 0.
    fn add(&mut self, batch: &mut [Request]) {
        for request in batch {
            let time = request.time_ns;
            let origin = *self.origin.get_or_insert(time);
            request.time_ns = time.saturating_sub(origin);
            self.requests += 1;
            self.backwards += u64::from(time < self.last_time || time < origin);
            self.last_time = time;
            self.latest = self.latest.max(request.time_ns);
            let earliest = self.earliest.get_or_insert(request.time_ns);
            *earliest = request.time_ns.min(*earliest);
            if request.op() != Op::Flush {
                self.end = self.end.max(request.end());
            }
        }
    }
}

/// Reads a trace of any length in constant memory.
pub struct TraceReader {
    short_name: String,
    source: Source,
    options: ReadOptions,
    /// Set before the first request is decoded.
    detected: Option<Detected>,
    /// `buffer[start..end]` is read but not yet decoded.
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    /// Whether all bytes of the source were read.
    drained: bool,
    /// Whether there are no more requests.
    ended: bool,
    /// Whether the last line had no line end, so that one was added.
    unended: bool,
    failed: Option<TraceError>,
    tally: Tally,
    lines: Lines,
    skipped: Skipped,
}

/// A trace whose format is known.
struct Detected {
    format: Format,
    reason: String,
    decoder: Box<dyn Decode>,
}

impl TraceReader {
    /// Opens a trace file, or standard input for `-`.
    ///
    /// # Errors
    /// The file is missing, a folder, unreadable, empty, or its extension does not fit its bytes.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<TraceReader, TraceError> {
        let source = Source::open(path)?;
        let short = path.file_name().unwrap_or(path.as_os_str());
        let short = shown_path(Path::new(short));
        Ok(TraceReader::new(short, source, options))
    }

    /// Reads a trace from `input`. The extension of `name` must fit the bytes, as for a file.
    ///
    /// # Errors
    /// The input is empty, unreadable, or its extension does not fit its bytes.
    pub fn from_reader(
        name: &str,
        input: impl Read + Send + 'static,
        options: &ReadOptions,
    ) -> Result<TraceReader, TraceError> {
        let source = Source::new(name, input)?;
        Ok(TraceReader::new(name.to_owned(), source, options))
    }

    fn new(short_name: String, source: Source, options: &ReadOptions) -> TraceReader {
        TraceReader {
            short_name,
            source,
            options: options.clone(),
            detected: None,
            buffer: vec![0; CHUNK].into(),
            start: 0,
            end: 0,
            drained: false,
            ended: false,
            unended: false,
            failed: None,
            tally: Tally::default(),
            lines: Lines::default(),
            skipped: Skipped::new(),
        }
    }

    /// Replaces the contents of `batch` with the next requests, at most [`BATCH`].
    /// Returns false, with an empty batch, at the end of the trace.
    ///
    /// # Errors
    /// The first error in the trace; `batch` then contains the requests before it. Further calls repeat the error.
    pub fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<bool, TraceError> {
        batch.clear();
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        // A batch from which all requests are left out is not the end.
        while batch.is_empty() && !self.ended {
            let begins = self.detected.is_none();
            let result = self.decode(batch);
            let result = self.select(batch).and(result);
            let at = self.passed();
            self.options.watch.tell(Passed {
                begins,
                requests: batch.len() as u64,
                at,
            });
            if let Err(error) = result {
                self.failed = Some(error.clone());
                return Err(error);
            }
        }
        Ok(!batch.is_empty())
    }

    /// The line of the request with this index in the last batch (from 0). Several requests may share one line.
    pub fn line_of(&self, index: usize) -> u64 {
        self.lines.of(index)
    }

    /// The line of the first request, if all requests so far are on successive lines.
    pub fn successive_from(&self) -> Option<u64> {
        self.lines.successive_from()
    }

    /// The trace as the user named it, for messages.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// The first byte after all reads, writes and discards so far.
    pub const fn end(&self) -> u64 {
        self.tally.end
    }

    /// All remaining requests at once; 24 bytes of memory each.
    ///
    /// # Errors
    /// As [`TraceReader::next_batch`].
    pub fn read_all(&mut self) -> Result<Vec<Request>, TraceError> {
        let mut requests = Vec::new();
        let mut batch = Vec::new();
        while self.next_batch(&mut batch)? {
            requests.extend_from_slice(&batch);
        }
        Ok(requests)
    }

    /// The summary of the trace.
    ///
    /// # Panics
    /// If [`TraceReader::next_batch`] has not yet returned false.
    pub fn finish(mut self) -> TraceSummary {
        let identity = self.identity();
        let last_line = self.line();
        let (Some(detected), true, None) = (self.detected, self.ended, self.failed) else {
            panic!("the trace has not been read to its end");
        };
        let whole = self.drained && self.start == self.end;
        TraceSummary {
            name: self.short_name,
            format: detected.format.name(),
            format_reason: detected.reason,
            requests: self.tally.requests,
            sha256: whole.then(|| identity.sha256_hex()),
            skipped: self.skipped,
            limit: self.options.limit,
            has_streams: self.options.stream_by.is_some() || detected.decoder.has_streams(),
            backwards: self.tally.backwards,
            latest: self.tally.latest,
            earliest: self.tally.earliest.unwrap_or(0),
            end: self.tally.end,
            unended: (whole && self.unended).then_some(last_line),
        }
    }

    /// The identity of the bytes read so far, to be compared with another pass over the same trace.
    pub fn identity(&mut self) -> Identity {
        self.source.identity(self.tally.requests)
    }

    /// The progress of this pass: in bytes, or in requests if a limit of requests ends it earlier.
    fn passed(&mut self) -> Option<(u64, u64)> {
        let share = |(at, whole): &(u64, u64)| *at as f64 / *whole as f64;
        let requests = self.options.limit.map(|limit| (self.tally.requests, limit));
        let both = [self.source.passed(), requests].into_iter().flatten();
        both.max_by(|a, b| share(a).total_cmp(&share(b)))
    }

    /// Appends the next requests, with the times of the file.
    fn decode(&mut self, batch: &mut Vec<Request>) -> Result<(), TraceError> {
        self.lines.each.clear();
        self.detect()?;
        let room = self.left().min(BATCH + 1 - MOST_PER_LINE);
        while batch.len() < room {
            let mut out = Out {
                requests: batch,
                lines: &mut self.lines.each,
                skipped: &mut self.skipped,
                stream: 0,
            };
            let text = &self.buffer[self.start..self.end];
            let used = match &mut self.detected {
                Some(detected) => detected.decoder.decode(text, &mut out, room),
                None => Ok(0),
            };
            self.start += used.map_err(|bad| self.line_error(bad))?;
            if batch.len() >= room {
                return Ok(());
            }
            if self.drained {
                self.ended = true;
                return self.check_selection();
            }
            self.refill()?;
        }
        self.ended = true;
        Ok(())
    }

    /// The number of requests that the limit still allows.
    fn left(&self) -> usize {
        let limit = self.options.limit.unwrap_or(u64::MAX);
        usize::try_from(limit - self.tally.requests).unwrap_or(usize::MAX)
    }

    /// Detects the format before the first request is decoded.
    fn detect(&mut self) -> Result<(), TraceError> {
        if self.detected.is_some() {
            return Ok(());
        }
        let (format, reason) = match self.options.format {
            Some(format) => (format, format!("--format {}", format.name())),
            None => Format::detect(self.first_line()?)
                .map_err(|what| self.line_error(BadLine { line: 1, what }))?,
        };
        let decoder = format
            .decoder(&self.options, &reason)
            .map_err(|what| self.selection_error(what))?;
        self.tally.origin = format.entry().origin;
        self.detected = Some(Detected {
            format,
            reason,
            decoder,
        });
        Ok(())
    }

    /// The first line without its line feed; of a line that is too long, only the start.
    fn first_line(&mut self) -> Result<&[u8], TraceError> {
        loop {
            let text = &self.buffer[..self.end];
            let end = text.iter().position(|&byte| byte == b'\n');
            if end.is_some() || self.end > MAX_LINE + 1 || self.drained {
                let end = end.unwrap_or(self.end).min(MAX_LINE + 1);
                return Ok(&self.buffer[..end]);
            }
            self.refill()?;
        }
    }

    /// Removes the requests that the options leave out and counts the rest.
    /// Sets the streams.
    ///
    /// # Errors
    /// A request without a stream of 16 bits; `batch` then contains the requests before it.
    fn select(&mut self, batch: &mut Vec<Request>) -> Result<(), TraceError> {
        self.lines.settle(self.line(), batch);
        let on_demand = [
            (self.options.drop_flushes, Op::Flush, skip::FLUSHES),
            (self.options.drop_reads, Op::Read, skip::READS),
            (self.options.drop_discards, Op::Discard, skip::DISCARDS),
        ];
        for (_, op, reason) in on_demand.into_iter().filter(|(demanded, ..)| *demanded) {
            let before = batch.len();
            self.lines.drop(op, batch);
            let dropped = before - batch.len();
            if dropped > 0 {
                *self.skipped.entry(reason).or_default() += dropped as u64;
            }
        }
        batch.truncate(self.left());
        let streams = self.options.stream_by.as_ref();
        let set = streams.map_or(Ok(()), |by| by.set(batch));
        let result = set.map_err(|(index, what)| {
            batch.truncate(index);
            self.line_error(BadLine {
                line: self.lines.of(index),
                what,
            })
        });
        self.lines.give(batch);
        self.tally.add(batch);
        result
    }

    fn check_selection(&self) -> Result<(), TraceError> {
        let detected = self.detected.as_ref();
        match detected.and_then(|detected| detected.decoder.nothing_selected()) {
            Some(what) => Err(self.selection_error(what)),
            None => Ok(()),
        }
    }

    /// The number of the last valid line.
    fn line(&self) -> u64 {
        let detected = self.detected.as_ref();
        detected.map_or(0, |detected| detected.decoder.line())
    }

    /// Reads more bytes after the rest of the buffer, which is less than a line.
    fn refill(&mut self) -> Result<(), TraceError> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let line = self.line();
        let read = self.source.read(&mut self.buffer[self.end..], line)?;
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
            self.unended = true;
        }
    }

    fn line_error(&self, bad: BadLine) -> TraceError {
        TraceError::Line {
            name: self.source.name().to_owned(),
            line: bad.line,
            what: bad.what,
        }
    }

    fn selection_error(&self, what: String) -> TraceError {
        TraceError::Selection {
            name: self.source.name().to_owned(),
            what,
        }
    }
}

/// All requests of a trace at once; 24 bytes of memory each.
///
/// # Errors
/// As [`TraceReader::open`] and [`TraceReader::next_batch`].
pub fn read_all(
    path: &Path,
    options: &ReadOptions,
) -> Result<(Vec<Request>, TraceSummary), TraceError> {
    let mut reader = TraceReader::open(path, options)?;
    let requests = reader.read_all()?;
    Ok((requests, reader.finish()))
}
