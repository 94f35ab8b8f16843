//! The common task of all trace formats: decode bytes that arrive in pieces into requests.

use crate::error::LINE;
use crate::head::Head;
use crate::skip;
use crate::text::{BadLine, MAX_LINE, line_end, lone_return, too_long, without_return};
use crate::volumes::Volumes;
use ssdlab_host::Request;
use std::collections::BTreeMap;

/// The most requests in a batch.
pub const BATCH: usize = 4096;

/// The most requests that one line can become: flush, write, flush.
pub(crate) const MOST_PER_LINE: usize = 3;

/// The output of a decoder.
pub(crate) struct Out<'a> {
    pub requests: &'a mut Vec<Request>,
    /// The line of each request; empty for a format whose requests are on successive lines.
    pub lines: &'a mut Vec<u64>,
    /// The volume of each request, if volumes are numbered.
    pub numbers: &'a mut Vec<u32>,
    /// The number of lines left out for each reason.
    pub skipped: &'a mut Skipped,
    /// The volumes of the trace.
    pub volumes: &'a mut Volumes,
    /// The malformed lines that may still be left out.
    pub malformed: &'a mut Malformed,
    /// The stream of the requests that are added.
    pub stream: u16,
    /// The volume of the requests that are added.
    pub volume: u32,
    /// Whether the fault of a line is that an option is missing, so that the line is right.
    pub unselected: bool,
}

/// The malformed lines that the user tolerates (`--skip-malformed`).
#[derive(Default)]
pub(crate) struct Malformed {
    /// The number that may still be left out.
    pub left: u64,
    /// The first one that was left out.
    pub first: Option<BadLine>,
}

pub(crate) type Skipped = BTreeMap<&'static str, u64>;

impl Out<'_> {
    /// Adds a request that is on `line`.
    pub fn push(&mut self, line: u64, request: Request) {
        self.requests.push(request.in_stream(self.stream));
        self.lines.push(line);
        if self.volumes.numbered() {
            self.numbers.push(self.volume);
        }
    }

    /// Adds the request of a line, or counts the reason why it is left out, if requests of this volume are taken.
    ///
    /// # Errors
    /// A second volume, although the user chose none.
    pub fn add(
        &mut self,
        line: u64,
        volume: &[u8],
        request: Result<Request, &'static str>,
    ) -> Result<(), String> {
        if self.take(volume)? {
            self.give(line, request);
        }
        Ok(())
    }

    /// Adds the request of a line of a format without volumes, or counts the reason why it is left out.
    pub fn give(&mut self, line: u64, request: Result<Request, &'static str>) {
        match request {
            Ok(request) => self.push(line, request),
            Err(reason) => self.skip(reason),
        }
    }

    /// Sets the volume of the requests that are added, given as in the line. False: requests of this volume are left
    /// out, and the line is counted.
    ///
    /// # Errors
    /// A second volume, although the user chose none.
    pub fn take(&mut self, volume: &[u8]) -> Result<bool, String> {
        let number = self.volumes.number(volume);
        self.unselected = number.is_err();
        match number? {
            Ok(number) => self.volume = number,
            Err(reason) => {
                self.skip(reason);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes the last of these requests, given with the time 0, out of the batch. False: it has none.
    pub fn take_back(&mut self, requests: &[Request]) -> bool {
        let same = |one: &Request, other: &Request| {
            (one.op(), one.offset, one.size()) == (other.op(), other.offset, other.size())
        };
        let numbered = self.volumes.numbered();
        let mut places = (0..=self.requests.len().saturating_sub(requests.len())).rev();
        let place = places.find(|&at| {
            let found = self.requests[at..].iter().take(requests.len());
            (!numbered || self.numbers[at] == self.volume)
                && found.len() == requests.len()
                && found.zip(requests).all(|(one, other)| same(one, other))
        });
        let Some(at) = place.filter(|_| !requests.is_empty()) else {
            return false;
        };
        let part = at..at + requests.len();
        self.requests.drain(part.clone());
        self.lines.drain(part.clone());
        if numbered {
            self.numbers.drain(part);
        }
        true
    }

    /// Leaves out a malformed line, if the user tolerates one more.
    ///
    /// # Errors
    /// The user does not.
    pub fn tolerate(&mut self, bad: BadLine) -> Result<(), BadLine> {
        if self.malformed.left == 0 || self.unselected {
            return Err(bad);
        }
        self.malformed.left -= 1;
        self.malformed.first.get_or_insert(bad);
        self.skip(skip::MALFORMED);
        Ok(())
    }

    /// Counts a line that is left out for `reason`.
    pub fn skip(&mut self, reason: &'static str) {
        *self.skipped.entry(reason).or_default() += 1;
    }
}

/// What a decoder knows of a trace besides its requests, at its end.
pub(crate) struct Facts {
    /// Whether the requests have streams.
    pub has_streams: bool,
    /// Whether the requests have times.
    pub has_times: bool,
    /// What the user should know, one sentence each.
    pub remarks: Vec<String>,
    /// If the options selected no request: a message with the possible choices.
    pub nothing_selected: Option<String>,
}

/// Requests with times, without streams, of which nothing is to be said.
impl Default for Facts {
    fn default() -> Self {
        Self {
            has_streams: false,
            has_times: true,
            remarks: Vec::new(),
            nothing_selected: None,
        }
    }
}

/// The decoder of one trace. It returns the times of the file; the reader shifts them to start at 0.
pub(crate) trait Decode: Send {
    /// Decodes whole lines at the start of `text` until there are `limit` requests. The last line may add up to
    /// [`MOST_PER_LINE`] - 1 more. Returns the number of bytes decoded; the caller must pass the rest again, with more
    /// text after it. The caller must add a missing line end to the last line.
    ///
    /// # Errors
    /// The first invalid line; `out` contains the requests before it.
    fn decode(&mut self, text: &[u8], out: &mut Out, limit: usize) -> Result<usize, BadLine>;

    /// The number of the last line decoded; 0 if there was none.
    fn line(&self) -> u64;

    /// What the parts of the trace are called that have numbers.
    fn unit(&self) -> &'static str {
        LINE
    }

    /// Called at the end of a binary trace with the bytes that are left.
    ///
    /// # Errors
    /// The last record is cut off.
    fn end(&self, rest: &[u8]) -> Result<(), BadLine> {
        debug_assert!(rest.is_empty(), "a line end was added");
        Ok(())
    }

    /// See [`Facts`].
    fn facts(&self) -> Facts {
        Facts::default()
    }
}

/// A format that is decoded line by line.
pub(crate) trait LineFormat: Send {
    /// The layout of a line, for messages.
    fn layout(&self) -> &str;

    /// Decodes a line, given without its line end; the first line has number 1.
    ///
    /// # Errors
    /// A message with the field, its text and the allowed values.
    fn line(&mut self, number: u64, line: &[u8], out: &mut Out) -> Result<(), String>;

    /// Whether a line that begins with `#` is more than a comment: a header.
    fn begins(&self, _line: &[u8]) -> bool {
        false
    }

    /// Decodes the line at the start of `text` quickly, if it is well formed. Returns its length with its line end.
    /// `None`, with `out` as it was: [`LineFormat::line`] must decode it.
    #[inline(always)]
    fn scan(&mut self, _number: u64, _text: &[u8], _out: &mut Out) -> Option<usize> {
        None
    }

    /// See [`Facts`].
    fn facts(&self) -> Facts {
        Facts::default()
    }
}

/// Cuts text into lines for a format that is decoded line by line.
pub(crate) struct ByLine<F> {
    format: F,
    line: u64,
}

impl<F> ByLine<F> {
    pub const fn new(format: F) -> Self {
        Self { format, line: 0 }
    }
}

impl<F: LineFormat> Decode for ByLine<F> {
    fn decode(&mut self, text: &[u8], out: &mut Out, limit: usize) -> Result<usize, BadLine> {
        let number = self.line + 1;
        let bad = |line, what| BadLine { line, what };
        let Some(last) = text.iter().rposition(|&byte| byte == b'\n') else {
            return match without_return(text).len() {
                0..=MAX_LINE => Ok(0),
                _ => Err(bad(number, too_long(self.format.layout()))),
            };
        };
        let mut at = 0;
        while at <= last && out.requests.len() < limit {
            let number = self.line + 1;
            if let Some(used) = self.format.scan(number, &text[at..=last], out) {
                self.line = number;
                at += used;
                continue;
            }
            let end = at + line_end(&text[at..]);
            let line = without_return(&text[at..end - 1]);
            if line.len() > MAX_LINE {
                return Err(bad(number, too_long(self.format.layout())));
            }
            let decoded = if line.contains(&b'\r') {
                Err(lone_return(line))
            } else if line.starts_with(b"#") && !self.format.begins(line) {
                out.skip(skip::COMMENTS);
                Ok(())
            } else {
                self.format.line(number, line, out)
            };
            if let Err(what) = decoded {
                out.tolerate(bad(number, what))?;
            }
            self.line = number;
            at = end;
        }
        Ok(at)
    }

    fn line(&self) -> u64 {
        self.line
    }

    fn facts(&self) -> Facts {
        self.format.facts()
    }
}

/// A format of binary records.
pub(crate) trait RecordFormat: Send {
    /// Decodes the record at the start of `bytes`; the first record has number 1. Returns its length, which may go
    /// beyond `bytes`: the bytes there are passed over. `None`: the record is not whole, and `bytes` must have more;
    /// the part that is decoded is shorter than a piece's gap.
    ///
    /// # Errors
    /// A message with the field, its value and the allowed values.
    fn record(
        &mut self,
        number: u64,
        bytes: &[u8],
        out: &mut Out,
    ) -> Result<Option<u64>, BadRecord>;

    /// Checks the header at the start of the trace, of which it gets what detection gets. Returns its length.
    ///
    /// # Errors
    /// A message with the field, its value and the allowed values.
    fn header(&mut self, _head: Head) -> Result<u64, String> {
        Ok(0)
    }

    /// See [`Facts`].
    fn facts(&self) -> Facts {
        Facts::default()
    }
}

/// An invalid record.
pub(crate) struct BadRecord {
    pub what: String,
    /// The length of the record, if the next one can be found in spite of the fault.
    pub length: Option<u64>,
}

impl BadRecord {
    /// Nothing behind this record can be found.
    pub const fn lost(what: String) -> Self {
        Self { what, length: None }
    }
}

/// The message for a header that is cut off.
pub(crate) fn short(found: &[u8], length: usize) -> String {
    format!(
        "the header is cut off, found {} bytes of it; it has {length}",
        found.len()
    )
}

/// The little-endian number of two bytes at this place of a record.
pub(crate) fn u16_at(record: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes_at(record, at))
}

/// The little-endian number of four bytes at this place of a record.
pub(crate) fn u32_at(record: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes_at(record, at))
}

/// The little-endian number of eight bytes at this place of a record.
pub(crate) fn u64_at(record: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes_at(record, at))
}

#[inline(always)]
fn bytes_at<const N: usize>(record: &[u8], at: usize) -> [u8; N] {
    *record[at..].first_chunk().expect("the record is whole")
}

/// Cuts bytes into records for a format that is decoded record by record.
pub(crate) struct ByRecord<F> {
    format: F,
    /// Records so far.
    records: u64,
    /// Bytes so far.
    at: u64,
    /// Bytes of the last record that are still to come.
    beyond: u64,
    /// Whether the header was passed.
    begun: bool,
}

impl<F> ByRecord<F> {
    pub const fn new(format: F) -> Self {
        Self {
            format,
            records: 0,
            at: 0,
            beyond: 0,
            begun: false,
        }
    }

    fn bad(&self, what: &str) -> BadLine {
        BadLine {
            line: self.records + 1,
            what: format!("{what} (at byte {})", self.at),
        }
    }
}

impl<F: RecordFormat> Decode for ByRecord<F> {
    fn decode(&mut self, bytes: &[u8], out: &mut Out, limit: usize) -> Result<usize, BadLine> {
        let mut used = 0;
        if !self.begun && !bytes.is_empty() {
            let header = self.format.header(Head::of(bytes));
            self.beyond = header.map_err(|what| BadLine { line: 1, what })?;
            self.begun = true;
        }
        loop {
            let passed = self.beyond.min((bytes.len() - used) as u64);
            used += passed as usize;
            self.at += passed;
            self.beyond -= passed;
            if self.beyond > 0 || used == bytes.len() || out.requests.len() >= limit {
                return Ok(used);
            }
            let rest = &bytes[used..];
            self.beyond = match self.format.record(self.records + 1, rest, out) {
                Ok(Some(length)) => length,
                Ok(None) => return Ok(used),
                Err(bad) => {
                    let what = self.bad(&bad.what);
                    let Some(length) = bad.length else {
                        return Err(what);
                    };
                    out.tolerate(what)?;
                    length
                }
            };
            self.records += 1;
        }
    }

    fn line(&self) -> u64 {
        self.records
    }

    fn unit(&self) -> &'static str {
        "record"
    }

    fn end(&self, rest: &[u8]) -> Result<(), BadLine> {
        if rest.is_empty() && self.beyond == 0 {
            return Ok(());
        }
        let found = rest.len();
        Err(self.bad(&match self.beyond {
            0 => format!("the last record is cut off, found {found} bytes of it"),
            more => format!("the last record is cut off, {more} bytes are missing"),
        }))
    }

    fn facts(&self) -> Facts {
        self.format.facts()
    }
}
