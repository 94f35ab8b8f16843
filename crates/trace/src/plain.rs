//! The plain format: a header line, then `time_ns,op,offset_bytes,size_bytes` for each request.
//!
//! `scan` accepts well-formed lines quickly; what it refuses, `explain` puts into words.

use crate::error::quoted;
use ssdlab_host::{Op, Request};

/// The name of the format in reports.
pub const NAME: &str = "plain";

/// The first line of every plain trace.
pub const HEADER: &str = "time_ns,op,offset_bytes,size_bytes";

/// The longest line in bytes, its line end not counted.
pub const MAX_LINE: usize = 4096;

/// A line that is not allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// 1-based; the header is line 1.
    pub line: u64,
    /// The field, what was found and what is allowed.
    pub what: String,
}

/// Decodes a plain trace that arrives in pieces.
#[derive(Debug, Default)]
pub struct Decoder {
    /// Good lines so far, the header among them.
    lines: u64,
    /// Empty lines since; fine only at the very end.
    empty: u64,
}

impl Decoder {
    /// The line of the last request decoded; 1 after the header, 0 before it.
    pub const fn line(&self) -> u64 {
        self.lines
    }

    /// Appends the requests of whole lines at the start of `text` until `batch` holds `limit`.
    /// Returns the number of bytes used up; the rest must come again, with more text after it.
    /// A last line without a line end must be given one.
    ///
    /// # Errors
    /// The first line that is not allowed; the requests before it are in `batch`.
    pub fn decode(
        &mut self,
        text: &[u8],
        batch: &mut Vec<Request>,
        limit: usize,
    ) -> Result<usize, BadLine> {
        let Some(last) = text.iter().rposition(|&byte| byte == b'\n') else {
            return self.wait(text);
        };
        let whole = &text[..=last];
        let mut at = 0;
        if self.lines == 0 {
            at = line_end(whole);
            check_header(&whole[..at - 1]).map_err(|what| self.bad(what))?;
            self.lines = 1;
        }
        while at < whole.len() && batch.len() < limit {
            match scan(&whole[at..]) {
                Some((request, used)) if self.empty == 0 => {
                    batch.push(request);
                    self.lines += 1;
                    at += used;
                }
                _ => at += self.odd_line(&whole[at..])?,
            }
        }
        Ok(at)
    }

    /// An incomplete line: wait for its end, but not for ever.
    fn wait(&self, text: &[u8]) -> Result<usize, BadLine> {
        if without_return(text).len() <= MAX_LINE {
            return Ok(0);
        }
        Err(self.bad(match self.lines {
            0 => check_header(text).err().unwrap_or_else(too_long),
            _ => too_long(),
        }))
    }

    /// A line that is no request: empty, hence perhaps one of the last, or an error.
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
            return Err(self.bad(explain(line)));
        }
        self.empty += 1;
        Ok(end)
    }

    fn bad(&self, what: String) -> BadLine {
        let line = self.lines + 1;
        BadLine { line, what }
    }
}

/// The length of the first line with its line end; `text` must contain one.
fn line_end(text: &[u8]) -> usize {
    text.iter().take_while(|&&byte| byte != b'\n').count() + 1
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The request at the start of `text` and the bytes of its line, if the line is well formed.
fn scan(text: &[u8]) -> Option<(Request, usize)> {
    let (time, at) = number(text, 0)?;
    let [b',', letter, b',', ..] = text[at..] else {
        return None;
    };
    let (offset, at) = number(text, at + 3)?;
    let [b',', ..] = text[at..] else { return None };
    let (size, at) = number(text, at + 1)?;
    let used = match text[at..] {
        _ if at > MAX_LINE => return None,
        [b'\n', ..] => at + 1,
        [b'\r', b'\n', ..] => at + 2,
        _ => return None,
    };
    Some((request(time, letter, offset, size)?, used))
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

/// Numbers of up to so many digits cannot overflow.
const SAFE_DIGITS: usize = 19;

/// The decimal number at `start` and where it ends.
// inlined with what it calls: results that pass through memory cost a fifth of the speed
#[inline(always)]
fn number(text: &[u8], start: usize) -> Option<(u64, usize)> {
    let (mut value, mut at) = (0u64, start);
    while let Some(eight) = text[at..].first_chunk() {
        let (head, digits) = leading_digits(u64::from_le_bytes(*eight));
        value = value.wrapping_mul(POWERS[digits]).wrapping_add(head);
        at += digits;
        if digits < 8 {
            return checked(value, text, start, at);
        }
    }
    while let Some(digit) = text.get(at).map(|byte| byte.wrapping_sub(b'0'))
        && digit <= 9
    {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    checked(value, text, start, at)
}

/// `value`, unless there were no digits or so many that it may have wrapped around.
#[inline(always)]
fn checked(value: u64, text: &[u8], start: usize, end: usize) -> Option<(u64, usize)> {
    match end - start {
        0 => None,
        1..=SAFE_DIGITS => Some((value, end)),
        _ => Some((
            std::str::from_utf8(&text[start..end]).ok()?.parse().ok()?,
            end,
        )),
    }
}

const POWERS: [u64; 9] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
];

/// How many of eight characters (the first in the lowest byte) are digits before one is not, and their value.
/// All eight are taken at once: digits are most of a trace.
#[inline(always)]
fn leading_digits(eight: u64) -> (u64, usize) {
    let values = eight ^ 0x3030_3030_3030_3030;
    // a byte above 9 sets its top bit; carries only reach bytes behind the first such
    let others = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    let digits = others.trailing_zeros() / 8;
    // the digits move to the top, zeros lead them
    let values = values.checked_shl(64 - 8 * digits).unwrap_or(0);
    let pairs = (values & 0x0F0F_0F0F_0F0F_0F0F).wrapping_mul(10 << 8 | 1) >> 8;
    let fours = (pairs & 0x00FF_00FF_00FF_00FF).wrapping_mul(100 << 16 | 1) >> 16;
    let all = (fours & 0x0000_FFFF_0000_FFFF).wrapping_mul(10_000 << 32 | 1) >> 32;
    (all, digits as usize)
}

fn check_header(line: &[u8]) -> Result<(), String> {
    let line = without_return(line);
    let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if text == HEADER.as_bytes() {
        return Ok(());
    }
    let found = quoted(line);
    Err(
        if line.starts_with(b"\xFF\xFE") || line.starts_with(b"\xFE\xFF") {
            format!("UTF-16 text, found {found}; save the trace as UTF-8")
        } else if is_binary(line) {
            format!(
                "not text, found {found}; a plain trace is text that starts with the line {HEADER}"
            )
        } else if line.is_empty() {
            format!("the line is empty; the first line must be {HEADER}")
        } else if line[0].is_ascii_digit() {
            format!("the header is missing, found {found}; put the line {HEADER} first")
        } else {
            format!("wrong header, found {found}; the first line must be exactly {HEADER}")
        },
    )
}

fn is_binary(line: &[u8]) -> bool {
    let control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    // the line may have been cut inside a character
    let foreign = std::str::from_utf8(line).is_err_and(|error| error.error_len().is_some());
    foreign || line.iter().any(control)
}

fn too_long() -> String {
    format!("the line is longer than {MAX_LINE} bytes; a request takes one short line: {HEADER}")
}

/// Why [`scan`] refuses a line that is not empty (given without its line end).
fn explain(line: &[u8]) -> String {
    match first_fault(line) {
        Err(what) => what,
        Ok(()) => format!("found {}; a request is {HEADER}", quoted(line)),
    }
}

fn first_fault(line: &[u8]) -> Result<(), String> {
    if line.len() > MAX_LINE {
        return Err(too_long());
    }
    let mut fields = line.split(|&byte| byte == b',');
    let (Some(time), Some(op), Some(offset), Some(size), None) = (
        fields.next(),
        fields.next(),
        fields.next(),
        fields.next(),
        fields.next(),
    ) else {
        return Err(wrong_count(line));
    };
    whole_number("time_ns", time)?;
    check_op(op)?;
    let offset = whole_number("offset_bytes", offset)?;
    let size = whole_number("size_bytes", size)?;
    if op == b"F" {
        Ok(())
    } else {
        check_range(offset, size)
    }
}

fn wrong_count(line: &[u8]) -> String {
    let count = line.split(|&byte| byte == b',').count();
    let fields = if count == 1 {
        "1 field"
    } else {
        &format!("{count} fields")
    };
    let found = quoted(line);
    format!("{fields}, found {found}; a request has 4 fields with commas between them: {HEADER}")
}

fn whole_number(field: &str, found: &[u8]) -> Result<u64, String> {
    let text = String::from_utf8_lossy(found);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits(&text)
        && let Ok(value) = text.parse()
    {
        return Ok(value);
    }
    let fault = if found.is_empty() {
        "is empty"
    } else if text.trim() != text {
        "has blanks around it"
    } else if digits(&text) {
        "is too large"
    } else if text.strip_prefix('-').is_some_and(digits) {
        "is negative"
    } else if text.parse().is_ok_and(f64::is_finite) {
        "is not a whole number in plain digits"
    } else {
        "is not a number"
    };
    let found = quoted(found);
    Err(format!(
        "{field} {fault}, found {found}; it must be a whole number from 0 to {}",
        u64::MAX
    ))
}

fn check_op(op: &[u8]) -> Result<(), String> {
    let fault = match op {
        b"R" | b"W" | b"F" | b"D" => return Ok(()),
        b"" => "is empty",
        b"r" | b"w" | b"f" | b"d" => "is in lower case",
        _ if op.trim_ascii() != op => "has blanks around it",
        _ => "is unknown",
    };
    Err(format!(
        "op {fault}, found {}; it must be R, W, F or D",
        quoted(op)
    ))
}

fn check_range(offset: u64, size: u64) -> Result<(), String> {
    let max = Request::MAX_SIZE;
    if size == 0 {
        return Err(format!(
            "size_bytes is 0; R, W and D need a size from 1 to {max}"
        ));
    }
    if size > max {
        return Err(format!(
            "size_bytes is too large, found {size}; it must be from 1 to {max}"
        ));
    }
    if offset.checked_add(size).is_none() {
        return Err(format!(
            "offset_bytes + size_bytes is too large, found {offset} + {size}; the sum must be at most {}",
            u64::MAX
        ));
    }
    Ok(())
}
