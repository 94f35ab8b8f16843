//! Streams the requests of a trace, batch by batch.

use crate::cpus;
use crate::decode::{BATCH, MOST_PER_LINE, Malformed, Out, Skipped};
use crate::error::TraceError;
use crate::feed::{Bytes, Feed};
use crate::format::Format;
use crate::identity::Identity;
use crate::lines::Lines;
use crate::options::ReadOptions;
use crate::parquet_file;
use crate::skip;
use crate::sort::Sorter;
use crate::source::Source;
use crate::summary::TraceSummary;
use crate::tally::Tally;
use crate::text::BadLine;
use crate::volumes::{VolumeNames, Volumes};
use crate::watch::Passed;
use ssdlab_host::{Op, Request};
use ssdlab_words::shown_path;
use std::io::Read;
use std::path::Path;

/// Reads a trace of any length in constant memory.
pub struct TraceReader {
    short_name: String,
    feed: Box<dyn Feed>,
    options: ReadOptions,
    /// Set before the first request is decoded.
    detected: Option<(Format, String)>,
    /// What is taken for granted, if only numbers showed the format.
    guess: Option<String>,
    /// Whether there are no more requests.
    ended: bool,
    failed: Option<TraceError>,
    tally: Tally,
    lines: Lines,
    skipped: Skipped,
    volumes: Volumes,
    malformed: Malformed,
    sorter: Option<Sorter>,
}

impl TraceReader {
    /// Opens a trace file, or standard input for `-`.
    ///
    /// # Errors
    /// The file is missing, a folder, unreadable, empty, or its extension does not fit its bytes.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<TraceReader, TraceError> {
        let short = path.file_name().unwrap_or(path.as_os_str());
        let short = shown_path(Path::new(short));
        let feed: Box<dyn Feed> = if parquet_file::is_table(path, options) {
            parquet_file::open(path, options)?
        } else if let Some(files) = cpus::siblings(path).map_err(|what| {
            let name = shown_path(path);
            TraceError::Selection { name, what }
        })? {
            Box::new(Bytes::new(Source::together(path, &files)?))
        } else {
            Box::new(Bytes::new(Source::open(path)?))
        };
        Ok(TraceReader::new(short, feed, options))
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
        Ok(TraceReader::new(
            name.to_owned(),
            Box::new(Bytes::new(source)),
            options,
        ))
    }

    fn new(short_name: String, feed: Box<dyn Feed>, options: &ReadOptions) -> TraceReader {
        TraceReader {
            short_name,
            feed,
            options: options.clone(),
            detected: None,
            guess: None,
            ended: false,
            failed: None,
            tally: Tally::default(),
            lines: Lines::default(),
            skipped: Skipped::new(),
            volumes: Volumes::one(None, VolumeNames::AS_WRITTEN),
            malformed: Malformed {
                left: options.skip_malformed,
                first: None,
            },
            sorter: None,
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
            if self.options.watch.is_stopped() {
                let name = self.name().to_owned();
                return Err(TraceError::Stopped { name });
            }
            let begins = self.detected.is_none();
            let result = self.decode(batch);
            let result = self.select(batch).and(result);
            let result = self.sort(batch, result.is_err()).and(result);
            self.lines.give(batch);
            self.tally.add(batch);
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

    /// What [`TraceReader::line_of`] numbers: `line`, or `record` or `row` of a trace that is not text.
    pub fn unit(&self) -> &'static str {
        self.feed.at().unit
    }

    /// The volume of the request with this index in the last batch, as an index of [`TraceReader::volumes`]; 0 unless
    /// [`ReadOptions::all_volumes`] is set and the format has volumes.
    pub fn volume_of(&self, index: usize) -> u32 {
        self.lines.volume_of(index)
    }

    /// The names of the volumes of the requests so far; none if the format has no volumes.
    pub fn volumes(&self) -> &[String] {
        self.volumes.names()
    }

    /// The line of the first request, if all requests so far are on successive lines.
    pub fn successive_from(&self) -> Option<u64> {
        self.lines.successive_from()
    }

    /// The trace as the user named it, for messages.
    pub fn name(&self) -> &str {
        self.feed.name()
    }

    /// The format; `None` before the first batch.
    pub fn format(&self) -> Option<Format> {
        self.detected.as_ref().map(|(format, _)| *format)
    }

    /// The first byte after all reads, writes and discards so far.
    pub const fn end(&self) -> u64 {
        self.tally.end
    }

    /// Whether requests have streams: from a column, or by an option. Known once a batch was read.
    pub fn has_streams(&self) -> bool {
        self.options.stream_by.is_some() || self.feed.facts().has_streams
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
    pub fn finish(self) -> TraceSummary {
        let identity = self.identity();
        let last = self.feed.at();
        let has_streams = self.has_streams();
        let (Some((format, reason)), true, None) = (self.detected, self.ended, self.failed) else {
            panic!("the trace has not been read to its end");
        };
        let whole = self.feed.whole();
        let facts = self.feed.facts();
        let way_out = |option: &str, value: &str| format.way_out(option, value);
        let doubts = self.tally.doubts(facts.has_times, way_out);
        let guess = self.guess.into_iter();
        let remarks = guess.chain(facts.remarks).chain(doubts).collect();
        TraceSummary {
            name: self.short_name,
            format: format.name(),
            format_reason: reason,
            requests: self.tally.requests,
            sha256: whole.then(|| identity.sha256_hex()),
            skipped: self.skipped,
            limit: self.options.limit,
            has_streams,
            backwards: self.tally.backwards,
            worst_backwards: self.tally.worst_backwards,
            reordered: self.sorter.map_or(0, |sorter| sorter.moved()),
            malformed: (self.malformed.first)
                .map(|bad| format!("{} {}: {}", last.unit, bad.line, bad.what)),
            volumes: self.volumes.names().to_vec(),
            remarks,
            commits: self.tally.commits,
            latest: self.tally.latest,
            earliest: self.tally.earliest.unwrap_or(0),
            end: self.tally.end,
            unended: (whole && self.feed.unended()).then_some(last.number),
        }
    }

    /// The identity of the bytes read so far, to be compared with another pass over the same trace.
    pub fn identity(&self) -> Identity {
        self.feed.identity(self.tally.requests)
    }

    /// The progress of this pass: in bytes, or in requests if a limit of requests ends it earlier.
    fn passed(&self) -> Option<(u64, u64)> {
        let share = |(at, whole): &(u64, u64)| *at as f64 / *whole as f64;
        let limit = self.options.limit;
        let requests = limit.map(|limit| (self.tally.requests, limit));
        let both = [self.feed.passed(), requests].into_iter().flatten();
        both.max_by(|a, b| share(a).total_cmp(&share(b)))
    }

    /// Replaces the batch with the next requests, with the times of the file.
    fn decode(&mut self, batch: &mut Vec<Request>) -> Result<(), TraceError> {
        self.lines.clear();
        self.begin()?;
        let room = self.left().min(BATCH + 1 - MOST_PER_LINE);
        if room == 0 {
            self.ended = true;
            return Ok(());
        }
        let mut out = Out {
            requests: batch,
            lines: &mut self.lines.each,
            numbers: &mut self.lines.volumes,
            skipped: &mut self.skipped,
            volumes: &mut self.volumes,
            malformed: &mut self.malformed,
            stream: 0,
            volume: 0,
            unselected: false,
        };
        if self.feed.decode(&mut out, room)? {
            return Ok(());
        }
        self.ended = true;
        let nothing = self.feed.facts().nothing_selected;
        match nothing.or_else(|| self.volumes.missing()) {
            Some(what) => Err(self.selection_error(what)),
            None => Ok(()),
        }
    }

    /// The number of requests that the limit still allows.
    fn left(&self) -> usize {
        let limit = self.options.limit.unwrap_or(u64::MAX);
        let waiting = self.sorter.as_ref().map_or(0, Sorter::waiting) as u64;
        usize::try_from(limit.saturating_sub(self.tally.requests + waiting)).unwrap_or(usize::MAX)
    }

    /// Recognises the format before the first request is decoded.
    fn begin(&mut self) -> Result<(), TraceError> {
        if self.detected.is_some() {
            return Ok(());
        }
        let (format, reason) = self.feed.begin(&self.options)?;
        self.guess = self.feed.guess().map(|line| format.guessed_from(&line));
        self.volumes = format
            .volumes(&self.options, &reason)
            .map_err(|what| self.selection_error(what))?;
        let origin = self.feed.origin(format).filter(|_| !self.options.from_zero);
        self.tally = Tally::starting_at(origin);
        let sort = self.options.sort_ns.or(format.entry().sort_ns);
        let sort = sort.filter(|window| *window > 0);
        self.sorter = sort.map(Sorter::new);
        self.detected = Some((format, reason));
        Ok(())
    }

    /// Removes the requests that the options leave out. Sets the streams.
    ///
    /// # Errors
    /// A request without a stream of 16 bits; `batch` then contains the requests before it.
    fn select(&mut self, batch: &mut Vec<Request>) -> Result<(), TraceError> {
        self.lines.settle(self.feed.at().number, batch);
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
        set.map_err(|(index, what)| {
            batch.truncate(index);
            let line = self.lines.of(index);
            self.malformed(BadLine { line, what })
        })
    }

    /// Puts requests in the order of their times, if that is asked for; `last` if nothing follows them.
    ///
    /// # Errors
    /// Too many requests wait for others.
    fn sort(&mut self, batch: &mut Vec<Request>, last: bool) -> Result<(), TraceError> {
        let Some(sorter) = &mut self.sorter else {
            return Ok(());
        };
        let over = last || self.ended;
        let sorted = sorter.sort(batch, &mut self.lines, over);
        // The rest comes out in further batches.
        self.ended &= sorter.waiting() == 0;
        sorted.map_err(|what| self.selection_error(what))
    }

    fn malformed(&self, bad: BadLine) -> TraceError {
        bad.in_trace(self.feed.name(), self.feed.at())
    }

    fn selection_error(&self, what: String) -> TraceError {
        TraceError::Selection {
            name: self.feed.name().to_owned(),
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
