//! The plain format: a header line, then `time_ns,op,offset_bytes,size_bytes` for each request, perhaps with `,stream`.
//!
//! `scan` decodes well-formed lines quickly; `explain` writes the error message for a line that `scan` refuses.

use std::fmt::Write as _;

use crate::decode::{Decode, Facts, Out};
use crate::entry::{Entry, Reads};
use crate::head::Head;
use crate::options::ReadOptions;
use crate::streams::StreamBy;
use crate::text::{
    self, line_end, lone_return, number, number_up_to, quoted, second_header, too_long,
    whole_number, without_return, wrong_count,
};
use ssdlab_host::{Op, Request};
use ssdlab_words::either;

pub use crate::text::{BadLine, MAX_LINE};

/// The first line of a plain trace without streams.
pub const HEADER: &str = "time_ns,op,offset_bytes,size_bytes";
/// The first line of a plain trace with streams.
pub const STREAM_HEADER: &str = "time_ns,op,offset_bytes,size_bytes,stream";

/// The first line of a plain trace.
pub const fn header(streams: bool) -> &'static str {
    if streams { STREAM_HEADER } else { HEADER }
}

/// Adds the line of a request, with its stream if the header has that column.
pub fn add_line(to: &mut String, request: &Request, streams: bool) {
    let (time, op) = (request.time_ns, request.op().letter());
    let written = write!(to, "{time},{op},{},{}", request.offset, request.size());
    let written = written.and_then(|()| {
        if streams {
            writeln!(to, ",{}", request.stream())
        } else {
            writeln!(to)
        }
    });
    written.expect("a text takes all");
}

pub(crate) const ENTRY: Entry = Entry {
    about: "CSV with the header time_ns,op,offset_bytes,size_bytes, or with ,stream behind it; times in ns, op R, W, F or D",
    source: "ssdlab",
    example: HEADER,
    columns: &["stream"],
    origin: Some(0),
    ..Entry::new("plain", Reads::Code { detect, decoder })
};

fn detect(head: Head) -> Option<String> {
    let streams = check_header(head.line()).ok()?;
    Some(format!("line 1 is \"{}\"", header(streams)))
}

fn decoder(options: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Ok(Box::new(Decoder {
        needs_streams: matches!(options.stream_by, Some(StreamBy::Column(_))),
        ..Decoder::default()
    }))
}

/// Decodes a plain trace that arrives in pieces.
#[derive(Debug, Default)]
pub struct Decoder {
    /// The number of lines so far, with the header.
    lines: u64,
    /// The number of empty lines after them; only the end of a trace may have any.
    empty: u64,
    /// Whether the lines have streams.
    streams: bool,
    /// Whether they must have streams.
    needs_streams: bool,
}

impl Decoder {
    /// The line of the last request decoded; 1 after the header, 0 before it.
    pub const fn line(&self) -> u64 {
        self.lines
    }

    /// Appends the requests of whole lines at the start of `text` until `batch` contains `limit`. Returns the number of
    /// bytes decoded; the caller must pass the rest again, with more text after it. The caller must add a missing line
    /// end to the last line.
    ///
    /// # Errors
    /// The first invalid line; `batch` contains the requests before it.
    pub fn decode(
        &mut self,
        text: &[u8],
        batch: &mut Vec<Request>,
        limit: usize,
    ) -> Result<usize, BadLine> {
        let mut at = 0;
        self.advance(text, &mut at, batch, limit)?;
        Ok(at)
    }

    /// Appends the requests of whole lines from `at` on, and moves `at` behind the last line decoded.
    fn advance(
        &mut self,
        text: &[u8],
        at: &mut usize,
        batch: &mut Vec<Request>,
        limit: usize,
    ) -> Result<(), BadLine> {
        let Some(last) = text[*at..].iter().rposition(|&byte| byte == b'\n') else {
            return self.wait(&text[*at..]);
        };
        let whole = &text[..=*at + last];
        if self.lines == 0 {
            let end = line_end(whole);
            self.begin(&whole[..end - 1])?;
            *at = end;
        }
        if self.streams {
            self.requests::<true>(whole, at, batch, limit)
        } else {
            self.requests::<false>(whole, at, batch, limit)
        }
    }

    fn begin(&mut self, first_line: &[u8]) -> Result<(), BadLine> {
        self.streams = check_header(first_line).map_err(|bad| self.bad(bad.what))?;
        if self.needs_streams && !self.streams {
            let what =
                format!("--stream-by column:stream: there is no such column, found {HEADER}");
            return Err(self.bad(what));
        }
        self.lines = 1;
        Ok(())
    }

    /// Appends the requests of whole lines from `at` on.
    fn requests<const STREAMS: bool>(
        &mut self,
        whole: &[u8],
        from: &mut usize,
        batch: &mut Vec<Request>,
        limit: usize,
    ) -> Result<(), BadLine> {
        let mut at = *from;
        while at < whole.len() && batch.len() < limit {
            match scan::<STREAMS>(&whole[at..]) {
                Some((request, used)) if self.empty == 0 => {
                    batch.push(request);
                    self.lines += 1;
                    at += used;
                }
                _ => {
                    *from = at;
                    at += self.odd_line(&whole[at..])?;
                }
            }
        }
        *from = at;
        Ok(())
    }

    /// Handles an incomplete line: waits for its end unless it is too long already.
    fn wait(&self, text: &[u8]) -> Result<(), BadLine> {
        if without_return(text).len() <= MAX_LINE {
            return Ok(());
        }
        Err(self.bad(match self.lines {
            0 => check_header(text).map_or_else(|bad| bad.what, |_| too_long(HEADER)),
            _ => too_long(header(self.streams)),
        }))
    }

    /// Handles a line without a request: an empty line, which the end of a trace may have, or an error.
    fn odd_line(&mut self, text: &[u8]) -> Result<usize, BadLine> {
        let end = line_end(text);
        let line = without_return(&text[..end - 1]);
        if self.empty > 0 && !line.is_empty() {
            let more = self.lines + self.empty + 1;
            return Err(self.bad(format!(
                "the line is empty, but line {more} is not; only the last lines may be empty, so remove it"
            )));
        }
        if !line.is_empty() {
            return Err(self.bad(explain(line, header(self.streams))));
        }
        self.empty += 1;
        Ok(end)
    }

    fn bad(&self, what: String) -> BadLine {
        let line = self.lines + 1;
        BadLine { line, what }
    }
}

impl Decode for Decoder {
    fn decode(&mut self, text: &[u8], out: &mut Out, limit: usize) -> Result<usize, BadLine> {
        if out.malformed.left == 0 && out.malformed.first.is_none() {
            return self.decode(text, out.requests, limit);
        }
        // The lines of the requests are then not successive.
        let mut at = 0;
        loop {
            let before = out.requests.len();
            let result = self.advance(text, &mut at, out.requests, limit);
            let made = (out.requests.len() - before) as u64;
            out.lines.extend(self.lines + 1 - made..=self.lines);
            let Err(bad) = result else { return Ok(at) };
            let end = text[at..].iter().position(|&byte| byte == b'\n');
            // A line that is too long is not always whole here.
            let Some(end) = end.filter(|&end| self.lines > 0 && end <= MAX_LINE) else {
                return Err(bad);
            };
            out.tolerate(bad)?;
            if self.empty > 0 {
                self.lines += std::mem::take(&mut self.empty);
            } else {
                self.lines += 1;
                at += end + 1;
            }
        }
    }

    fn line(&self) -> u64 {
        self.line()
    }

    fn facts(&self) -> Facts {
        Facts {
            has_streams: self.streams,
            ..Facts::default()
        }
    }
}

/// The request at the start of `text` and the bytes of its line, if the line is well formed.
#[inline(always)]
fn scan<const STREAMS: bool>(text: &[u8]) -> Option<(Request, usize)> {
    let (time, at) = number(text, 0)?;
    let [b',', letter, b',', ..] = text[at..] else {
        return None;
    };
    let (offset, at) = number(text, at + 3)?;
    let [b',', ..] = text[at..] else { return None };
    let (size, at) = number(text, at + 1)?;
    let (stream, at) = if STREAMS { stream(text, at)? } else { (0, at) };
    let used = match text[at..] {
        _ if at > MAX_LINE => return None,
        [b'\n', ..] => at + 1,
        [b'\r', b'\n', ..] => at + 2,
        _ => return None,
    };
    let request = request(time, letter, offset, size)?;
    Some((request.in_stream(stream), used))
}

/// The stream at `at`, behind a comma, and the index of its end.
fn stream(text: &[u8], at: usize) -> Option<(u16, usize)> {
    let [b',', ..] = text[at..] else { return None };
    let (stream, at) = number(text, at + 1)?;
    Some((stream.try_into().ok()?, at))
}

fn request(time: u64, letter: u8, offset: u64, size: u64) -> Option<Request> {
    let op = match letter {
        b'R' => Op::Read,
        b'W' => Op::Write,
        b'D' => Op::Discard,
        b'F' => return Request::new(time, Op::Flush, 0, 0),
        _ => return None,
    };
    if size == 0 {
        return None;
    }
    Request::new(time, op, offset, size)
}

/// A first line that is not the header.
pub(crate) struct BadHeader {
    pub what: String,
    /// Whether the text may be in another format.
    pub foreign: bool,
}

/// Checks that the first line is the header. Returns whether it has the column of streams.
pub(crate) fn check_header(line: &[u8]) -> Result<bool, BadHeader> {
    // how much of a line that is too long is in memory depends on the input
    let line = without_return(&line[..line.len().min(MAX_LINE + 1)]);
    let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    for streams in [false, true] {
        if text == header(streams).as_bytes() {
            return Ok(streams);
        }
    }
    let found = quoted(line);
    let request = [HEADER, STREAM_HEADER]
        .iter()
        .any(|header| first_fault(line, header).is_ok());
    let (what, foreign) = if line.starts_with(b"\xFF\xFE") || line.starts_with(b"\xFE\xFF") {
        let mark = quoted(&line[..2]);
        let what = format!("UTF-16 text, found {mark}; save the trace as UTF-8");
        (what, false)
    } else if is_binary(line) {
        let what = format!(
            "not text, found {found}; a plain trace is text that starts with the line {HEADER}"
        );
        (what, false)
    } else if text.starts_with(HEADER.as_bytes()) && line.contains(&b'\r') {
        (lone_return(line), false)
    } else if line.is_empty() {
        let what = format!("the line is empty; the first line must be {HEADER}");
        (what, true)
    } else if request {
        let what = format!("the header is missing, found {found}; put the line {HEADER} first");
        (what, false)
    } else {
        let what = format!("wrong header, found {found}; the first line must be exactly {HEADER}");
        (what, true)
    };
    Err(BadHeader { what, foreign })
}

fn is_binary(line: &[u8]) -> bool {
    let control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    // the end of the line may have been cut inside a character
    let foreign = std::str::from_utf8(line).is_err_and(|error| error.error_len().is_some());
    foreign || line.iter().any(control)
}

/// The reason why [`scan`] refuses a line that is not empty (given without its line end).
fn explain(line: &[u8], header: &str) -> String {
    match first_fault(line, header) {
        Err(what) => what,
        Ok(()) => format!("found {}; a request is {header}", quoted(line)),
    }
}

fn first_fault(line: &[u8], header: &str) -> Result<(), String> {
    if line.len() > MAX_LINE {
        return Err(too_long(header));
    }
    if line == header.as_bytes() {
        return Err(second_header(header));
    }
    let fields: Vec<&[u8]> = line.split(|&byte| byte == b',').collect();
    let (request, stream) = match &fields[..] {
        [request @ .., stream] if header == STREAM_HEADER => (request, Some(*stream)),
        request => (request, None),
    };
    let &[time, op, offset, size] = request else {
        return Err(wrong_count(line, header));
    };
    let time = whole_number("time_ns", time)?;
    check_op(op)?;
    let offset = whole_number("offset_bytes", offset)?;
    let size = whole_number("size_bytes", size)?;
    if let Some(stream) = stream {
        number_up_to(u16::MAX.into(), "stream", stream)?;
    }
    if op == b"F" {
        Ok(())
    } else {
        let names = ["offset_bytes", "size_bytes"];
        text::request(names, time, Op::Write, offset, size).map(drop)
    }
}

fn check_op(op: &[u8]) -> Result<(), String> {
    let is_op = |letter: u8| Op::ALL.iter().any(|op| op.letter() == char::from(letter));
    let fault = match op {
        [letter] if is_op(*letter) => return Ok(()),
        b"" => "is empty",
        [letter] if is_op(letter.to_ascii_uppercase()) => "is in lower case",
        _ if op.trim_ascii() != op => "has blanks around it",
        _ => "is unknown",
    };
    let letters = either(&Op::ALL.map(|op| op.letter().to_string()));
    Err(format!(
        "op {fault}, found {}; it must be {letters}",
        quoted(op)
    ))
}
