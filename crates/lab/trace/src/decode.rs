//! The common task of all trace formats: decode bytes that arrive in pieces into requests.

use crate::text::{BadLine, MAX_LINE, line_end, lone_return, too_long, without_return};
use ssdlab_host::Request;
use std::collections::BTreeMap;

/// The most requests that one line can become: flush, write, flush.
pub(crate) const MOST_PER_LINE: usize = 3;

/// The output of a decoder.
pub(crate) struct Out<'a> {
    pub requests: &'a mut Vec<Request>,
    /// The line of each request; empty for a format whose requests are on successive lines.
    pub lines: &'a mut Vec<u64>,
    /// The number of lines left out for each reason.
    pub skipped: &'a mut Skipped,
    /// The stream of the requests that are added.
    pub stream: u16,
}

pub(crate) type Skipped = BTreeMap<&'static str, u64>;

impl Out<'_> {
    /// Adds a request that is on `line`.
    pub fn push(&mut self, line: u64, request: Request) {
        self.requests.push(request.in_stream(self.stream));
        self.lines.push(line);
    }

    /// Counts a line that is left out for `reason`.
    pub fn skip(&mut self, reason: &'static str) {
        *self.skipped.entry(reason).or_default() += 1;
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

    /// The number of the last valid line; 0 if there was none.
    fn line(&self) -> u64;

    /// Whether the requests have streams.
    fn has_streams(&self) -> bool {
        false
    }

    /// Called at the end of a trace: if the options selected no request, a message with the possible choices.
    fn nothing_selected(&self) -> Option<String> {
        None
    }
}

/// A format that is decoded line by line.
pub(crate) trait LineFormat: Send {
    /// The layout of a line, for messages.
    const LAYOUT: &str;

    /// Decodes a line, given without its line end; the first line has number 1.
    ///
    /// # Errors
    /// A message with the field, its text and the allowed values.
    fn line(&mut self, number: u64, line: &[u8], out: &mut Out) -> Result<(), String>;

    /// See [`Decode::nothing_selected`].
    fn nothing_selected(&self) -> Option<String>;
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
                _ => Err(bad(number, too_long(F::LAYOUT))),
            };
        };
        let mut at = 0;
        while at <= last && out.requests.len() < limit {
            let number = self.line + 1;
            let end = at + line_end(&text[at..]);
            let line = without_return(&text[at..end - 1]);
            if line.len() > MAX_LINE {
                return Err(bad(number, too_long(F::LAYOUT)));
            }
            if line.contains(&b'\r') {
                return Err(bad(number, lone_return(line)));
            }
            (self.format.line(number, line, out)).map_err(|what| bad(number, what))?;
            self.line = number;
            at = end;
        }
        Ok(at)
    }

    fn line(&self) -> u64 {
        self.line
    }

    fn nothing_selected(&self) -> Option<String> {
        self.format.nothing_selected()
    }
}
