//! The common parts of the text formats: lines, numbers, and their error messages.

use crate::error::{Place, TraceError};
use crate::skip;
use ssdlab_host::{Op, Request};
use ssdlab_words::either;

/// The longest line in bytes, without its line end.
pub const MAX_LINE: usize = 4096;

/// Bytes in a sector of the tools that count sectors.
pub(crate) const SECTOR: u64 = 512;

/// An invalid line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// 1-based; the header is line 1.
    pub line: u64,
    /// The field, the text found and the allowed values.
    pub what: String,
}

impl BadLine {
    /// The error of the trace of this name, whose last valid place is `at`.
    pub(crate) fn in_trace(self, name: &str, at: Place) -> TraceError {
        TraceError::Malformed {
            name: name.to_owned(),
            at: Place {
                number: self.line,
                ..at
            },
            what: self.what,
        }
    }
}

/// The length of the first line with its line end; `text` must contain one.
pub(crate) fn line_end(text: &[u8]) -> usize {
    text.iter().take_while(|&&byte| byte != b'\n').count() + 1
}

pub(crate) fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Numbers with at most this many digits cannot overflow.
const SAFE_DIGITS: usize = 19;

/// The decimal number at `start` and the index of its end.
// Inlined together with the functions it calls: results that pass through memory cost a fifth of the speed.
#[inline(always)]
pub(crate) fn number(text: &[u8], start: usize) -> Option<(u64, usize)> {
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

/// Returns `value`, unless there were no digits or so many that it may have wrapped around.
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

const POWERS: [u64; 10] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
];

/// The number of leading digits among eight characters (the first in the lowest byte), and their value. All eight are
/// decoded at once, because most characters of a trace are digits.
#[inline(always)]
fn leading_digits(eight: u64) -> (u64, usize) {
    let values = eight ^ 0x3030_3030_3030_3030;
    // a byte above 9 sets its top bit; carries reach only the bytes after the first such byte
    let others = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    let digits = others.trailing_zeros() / 8;
    // shifts the digits to the top; zeros lead them
    let values = values.checked_shl(64 - 8 * digits).unwrap_or(0);
    let pairs = (values & 0x0F0F_0F0F_0F0F_0F0F).wrapping_mul(10 << 8 | 1) >> 8;
    let fours = (pairs & 0x00FF_00FF_00FF_00FF).wrapping_mul(100 << 16 | 1) >> 16;
    let all = (fours & 0x0000_FFFF_0000_FFFF).wrapping_mul(10_000 << 32 | 1) >> 32;
    (all, digits as usize)
}

/// Reads a well-formed line quickly: each step is `None` for whatever is odd, which the slow way then explains.
#[derive(Clone, Copy)]
pub(crate) struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    pub const fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    /// The bytes so far.
    #[inline(always)]
    pub const fn at(&self) -> usize {
        self.at
    }

    /// A number in decimal digits.
    #[inline(always)]
    pub fn number(&mut self) -> Option<u64> {
        let (value, at) = number(self.text, self.at)?;
        self.at = at;
        Some(value)
    }

    /// A number of seconds with up to nine digits behind the point, in nanoseconds.
    #[inline(always)]
    pub fn seconds(&mut self) -> Option<u64> {
        let seconds = self.number()?.checked_mul(POWERS[9])?;
        if self.text.get(self.at) != Some(&b'.') {
            return Some(seconds);
        }
        let start = self.at + 1;
        let (fraction, end) = number(self.text, start)?;
        self.at = end;
        seconds.checked_add(fraction * POWERS[9usize.checked_sub(end - start)?])
    }

    /// The next byte.
    #[inline(always)]
    pub fn byte(&mut self) -> Option<u8> {
        let byte = *self.text.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// The next byte, if it is this one.
    #[inline(always)]
    pub fn expect(&mut self, byte: u8) -> Option<()> {
        (self.byte()? == byte).then_some(())
    }

    /// This word, if it comes next; a single letter in any case.
    #[inline(always)]
    pub fn word(&mut self, word: &str) -> Option<()> {
        let found = &self.text[self.at..];
        match word.as_bytes() {
            [letter] => (found.first()?.to_ascii_uppercase() == *letter).then_some(())?,
            word => found.strip_prefix(word).map(drop)?,
        }
        self.at += word.len();
        Some(())
    }

    /// The text before the next comma.
    #[inline(always)]
    pub fn field(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        loop {
            match self.text.get(self.at)? {
                b',' => return Some(&self.text[start..self.at]),
                b'\n' | b'\r' => return None,
                _ => self.at += 1,
            }
        }
    }

    /// The text between two places.
    #[inline(always)]
    pub fn between(&self, start: usize, end: usize) -> &'a [u8] {
        &self.text[start..end]
    }

    /// The length of the line, if it ends here.
    #[inline(always)]
    pub fn end(mut self) -> Option<usize> {
        if self.at > MAX_LINE {
            return None;
        }
        match self.byte()? {
            b'\n' => {}
            b'\r' => self.expect(b'\n')?,
            _ => return None,
        }
        Some(self.at)
    }
}

/// The message for a line longer than [`MAX_LINE`]; `layout` is that of a valid line.
pub(crate) fn too_long(layout: &str) -> String {
    format!("the line is longer than {MAX_LINE} bytes; a request takes one short line: {layout}")
}

/// The parts of a line between separators.
pub(crate) fn fields_between(line: &[u8], separator: u8) -> impl DoubleEndedIterator<Item = &[u8]> {
    line.split(move |&byte| byte == separator)
}

/// The parts of a line between blanks and tabs.
pub(crate) fn words(line: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    let words = line.split(u8::is_ascii_whitespace);
    words.filter(|word| !word.is_empty())
}

/// The number of comma-separated fields.
pub(crate) fn fields(line: &[u8]) -> usize {
    fields_between(line, b',').count()
}

/// The message for a line with more or fewer fields than its `layout`, with commas between them.
pub(crate) fn wrong_count(line: &[u8], layout: &str) -> String {
    let allowed = fields(layout.as_bytes());
    let allowed = format!("{allowed} fields with commas between them: {layout}");
    wrong_fields(line, fields(line), &allowed)
}

/// The message for a line with more or fewer fields than its `layout`, with blanks between them.
pub(crate) fn wrong_words(line: &[u8], layout: &str) -> String {
    let allowed = words(layout.as_bytes()).count();
    let allowed = format!("{allowed} fields with blanks between them: {layout}");
    wrong_fields(line, words(line).count(), &allowed)
}

/// The message for a line with `count` fields, not those of `allowed`.
pub(crate) fn wrong_fields(line: &[u8], count: usize, allowed: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!(
        "{count} field{plural}, found {}; a request has {allowed}",
        quoted(line)
    )
}

/// The message for a header that is not on line 1.
pub(crate) fn second_header(header: &str) -> String {
    format!(
        "a second header, found {header}; only line 1 may be one, so remove it or split the file before it"
    )
}

/// The message for a line with carriage returns inside.
pub(crate) fn lone_return(line: &[u8]) -> String {
    let before = line.iter().take_while(|&&byte| byte != b'\r').count();
    format!(
        "a carriage return inside the line, found {}; lines end with a line feed, so save the file with such line ends",
        quoted(&line[before..])
    )
}

/// Decodes a field that consists of digits only.
///
/// # Errors
/// A message that names `field`.
pub(crate) fn whole_number(field: &str, found: &[u8]) -> Result<u64, String> {
    number_up_to(u64::MAX, field, found)
}

/// Same as [`whole_number`], with an upper bound.
pub(crate) fn number_up_to(max: u64, field: &str, found: &[u8]) -> Result<u64, String> {
    match number(found, 0) {
        Some((value, end)) if end == found.len() && value <= max => Ok(value),
        _ => Err(no_number(max, field, found)),
    }
}

/// Decodes a field that counts units of so many bytes. Returns bytes.
///
/// # Errors
/// A message that names `field`.
pub(crate) fn in_bytes(unit: u64, field: &str, found: &[u8]) -> Result<u64, String> {
    Ok(number_up_to(u64::MAX / unit, field, found)? * unit)
}

/// Decodes a field that names an operation, in any case.
///
/// # Errors
/// A message that names `field`.
pub(crate) fn op(field: &str, found: &[u8], names: &[(&str, Op)]) -> Result<Op, String> {
    let named = |(name, _): &&(&str, Op)| found.eq_ignore_ascii_case(name.as_bytes());
    names.iter().find(named).map(|(_, op)| *op).ok_or_else(|| {
        let shown = |(name, op): &(&str, Op)| match name.parse::<u8>() {
            Ok(_) => format!("{name} ({})", op.letter()),
            Err(_) => (*name).to_owned(),
        };
        let names: Vec<_> = names.iter().map(shown).collect();
        let fault = if found.is_empty() { "empty" } else { "unknown" };
        format!(
            "{field} is {fault}, found {}; it must be {}",
            quoted(found),
            either(&names)
        )
    })
}

fn no_number(max: u64, field: &str, found: &[u8]) -> String {
    let fault = match fault(found) {
        "is not a plain number" => "is not a whole number in plain digits",
        fault => fault,
    };
    format!(
        "{field} {fault}, found {}; it must be a whole number from 0 to {max}",
        quoted(found)
    )
}

/// What is wrong about text that should be a number from 0 on.
pub(crate) fn fault(found: &[u8]) -> &'static str {
    let text = String::from_utf8_lossy(found);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if found.is_empty() {
        "is empty"
    } else if text.trim() != text {
        "has blanks around it"
    } else if digits(&text) {
        "is too large"
    } else if text.strip_prefix('-').is_some_and(digits) {
        "is negative"
    } else if text.parse().is_ok_and(f64::is_finite) {
        "is not a plain number"
    } else {
        "is not a number"
    }
}

/// Makes a request with a range; the names are those of its two fields.
///
/// # Errors
/// A message with the fault of the range.
pub(crate) fn request(
    names: [&str; 2],
    time: u64,
    op: Op,
    offset: u64,
    size: u64,
) -> Result<Request, String> {
    match Request::new(time, op, offset, size) {
        Some(request) if size > 0 => Ok(request),
        _ => Err(bad_range(names, offset, size)),
    }
}

/// Makes a request with a range, if it is well formed.
#[inline(always)]
pub(crate) fn quick_request(time: u64, op: Op, offset: u64, size: u64) -> Option<Request> {
    Request::new(time, op, offset, size).filter(|_| size > 0)
}

/// Same as [`request`], but without a size there is no request, only the reason why it is left out.
///
/// # Errors
/// A message with the fault of the range.
pub(crate) fn request_with_data(
    names: [&str; 2],
    time: u64,
    op: Op,
    offset: u64,
    size: u64,
) -> Result<Result<Request, &'static str>, String> {
    match size {
        0 => Ok(Err(skip::NO_DATA)),
        _ => request(names, time, op, offset, size).map(Ok),
    }
}

fn bad_range([offset_name, size_name]: [&str; 2], offset: u64, size: u64) -> String {
    let max = Request::MAX_SIZE;
    if size == 0 {
        format!("{size_name} is 0; R, W and D need a size from 1 to {max}")
    } else if size > max {
        format!("{size_name} is too large, found {size}; it must be from 1 to {max}")
    } else {
        format!(
            "{offset_name} + {size_name} is too large, found {offset} + {size}; the sum must be at most {}",
            u64::MAX
        )
    }
}

/// The longest excerpt of a trace that a message quotes, in bytes.
const EXCERPT: usize = 48;
/// The bytes that an excerpt takes in the message, where bytes are escaped.
const SHOWN: usize = 2 * EXCERPT;

/// `bytes` in double quotes for a message: unprintable bytes escaped, long text shortened.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(EXCERPT)];
    let escaped = head.utf8_chunks().flat_map(|chunk| {
        let valid = chunk.valid().chars();
        let valid = valid.map(|c| (c.len_utf8(), c.escape_debug().to_string()));
        let invalid = chunk.invalid().iter();
        valid.chain(invalid.map(|byte| (1, byte.escape_ascii().to_string())))
    });
    let (mut text, mut shown) = (String::new(), 0);
    for (length, escape) in escaped {
        if text.len() + escape.len() > SHOWN {
            break;
        }
        text += &escape;
        shown += length;
    }
    match bytes.len() {
        whole if whole == shown => format!("\"{text}\""),
        // how much of such a line is in memory depends on the input
        long if long > MAX_LINE => format!("\"{text}…\" (more than {MAX_LINE} bytes)"),
        long => format!("\"{text}…\" ({long} bytes)"),
    }
}
