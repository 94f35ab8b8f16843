//! Traces side by side on one device, as of programs that run at the same time.

use std::path::{Path, PathBuf};

use ssdlab_host::{Op, Request};

use crate::error::TraceError;
use crate::identity::Identity;
use crate::options::ReadOptions;
use crate::reader::TraceReader;
use crate::summary::TraceSummary;

/// Parts of the device begin at multiples of this, unless something else is asked for.
const PART: u64 = 1 << 30;

/// Where each of some traces begins on one device, in bytes, if they end at `ends`: at multiples of `each`, or behind the
/// trace before, at a multiple of 1 GiB. `None` if there is no room for them below 2^64 bytes.
pub fn side_by_side(ends: &[u64], each: Option<u64>) -> Option<Vec<u64>> {
    let mut next = Some(0_u64);
    let place = |end: &u64| {
        let start = next?;
        start.checked_add(*end)?;
        let room = each.map_or_else(|| end.checked_next_multiple_of(PART), Some);
        next = room.and_then(|room| start.checked_add(room));
        Some(start)
    };
    ends.iter().map(place).collect()
}

/// How traces are merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merge {
    /// The distance of two traces on the device in bytes; see [`side_by_side`].
    pub offset_each: Option<u64>,
    /// Each trace begins at time 0 and lasts so long, in nanoseconds; `None`: times stay as they are.
    pub stretch_ns: Option<u64>,
}

/// The requests of several traces in the order of their times; those of equal times in the order of the traces, those
/// of one trace in their order.
pub struct Merged {
    parts: Vec<Part>,
}

/// One of the traces.
pub struct Part {
    /// Its summary.
    pub summary: TraceSummary,
    /// Where it begins on the device, in bytes.
    pub start: u64,
    path: PathBuf,
    identity: Identity,
    stretch_ns: Option<u64>,
    reader: TraceReader,
    batch: Vec<Request>,
    /// The place of the next request in the batch.
    next: usize,
    ended: bool,
}

fn refused<T>(name: &str, what: impl Into<String>) -> Result<T, TraceError> {
    Err(TraceError::Selection {
        name: name.to_owned(),
        what: what.into(),
    })
}

impl Merged {
    /// Reads all traces once, to know where they end. They are read again while they are merged.
    ///
    /// # Errors
    /// A trace that cannot be read, or not twice; one that reaches into the next one; one whose times cannot be stretched
    /// because they are all the same.
    pub fn open(paths: &[PathBuf], how: &Merge, options: &ReadOptions) -> Result<Self, TraceError> {
        let mut parts = Vec::new();
        for path in paths {
            parts.push(Part::open(path, how.stretch_ns, options)?);
        }
        if let Some(each) = how.offset_each
            && let Some(Part { summary, .. }) = parts.iter().find(|part| part.summary.end > each)
        {
            let why = format!(
                "it ends at byte {}, so it reaches into the next trace, {each} bytes further on",
                summary.end
            );
            return refused(&summary.name, why);
        }
        let ends: Vec<u64> = parts.iter().map(|part| part.summary.end).collect();
        let Some(starts) = side_by_side(&ends, how.offset_each) else {
            let name = parts.last().map_or("", |part| &part.summary.name);
            return refused(name, "it would end beyond 2^64 bytes");
        };
        for (part, start) in parts.iter_mut().zip(starts) {
            part.start = start;
        }
        Ok(Self { parts })
    }

    /// The traces.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn next_request(&mut self) -> Result<Option<Request>, TraceError> {
        let mut first: Option<(u64, usize)> = None;
        for (place, part) in self.parts.iter_mut().enumerate() {
            if let Some(time) = part.next_time()?
                && first.is_none_or(|(earliest, _)| time < earliest)
            {
                first = Some((time, place));
            }
        }
        first.map_or(Ok(None), |(time, place)| {
            self.parts[place].take(time).map(Some)
        })
    }
}

impl Iterator for Merged {
    type Item = Result<Request, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_request().transpose()
    }
}

impl Part {
    fn open(
        path: &Path,
        stretch_ns: Option<u64>,
        options: &ReadOptions,
    ) -> Result<Self, TraceError> {
        if path == Path::new("-") {
            let why = "the traces are read twice, which standard input cannot be; write it to a file first";
            return refused("standard input", why);
        }
        let mut reader = TraceReader::open(path, options)?;
        let mut batch = Vec::new();
        while reader.next_batch(&mut batch)? {}
        let identity = reader.identity();
        let summary = reader.finish();
        let is_short = summary.requests > 0 && summary.span_ns() == 0;
        if stretch_ns.is_some() && is_short {
            let why = format!(
                "its times cannot be stretched: all of them are {} ns",
                summary.latest
            );
            return refused(&summary.name, why);
        }
        Ok(Self {
            summary,
            start: 0,
            path: path.to_owned(),
            identity,
            stretch_ns,
            reader: TraceReader::open(path, options)?,
            batch,
            next: 0,
            ended: false,
        })
    }

    /// The time of its next request; `None` at its end.
    fn next_time(&mut self) -> Result<Option<u64>, TraceError> {
        if self.next == self.batch.len() && !self.ended {
            self.next = 0;
            self.ended = !self.reader.next_batch(&mut self.batch)?;
            if self.ended {
                let name = &self.summary.name;
                self.identity.check_file(name, &self.path)?;
                self.identity.check(name, &self.reader.identity())?;
            }
        }
        let request = self.batch.get(self.next);
        Ok(request.map(|request| self.stretched(request.time_ns)))
    }

    fn stretched(&self, time: u64) -> u64 {
        let Some(length) = self.stretch_ns else {
            return time;
        };
        let TraceSummary {
            earliest, latest, ..
        } = self.summary;
        // a file that has changed may have other times; that is told at its end
        let since = time.clamp(earliest, latest) - earliest;
        (u128::from(since) * u128::from(length) / u128::from(latest - earliest)) as u64
    }

    /// Its next request, on its part of the device.
    fn take(&mut self, time: u64) -> Result<Request, TraceError> {
        let request = self.batch[self.next];
        self.next += 1;
        let offset = match request.op() {
            Op::Flush => Some(0),
            _ => self.start.checked_add(request.offset),
        };
        let moved = offset.and_then(|at| Request::new(time, request.op(), at, request.size()));
        match moved {
            Some(moved) => Ok(moved.in_stream(request.stream())),
            None => refused(&self.summary.name, "it has changed while it was read"),
        }
    }
}
