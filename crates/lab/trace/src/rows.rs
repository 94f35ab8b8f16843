//! Formats whose lines all have the same fields.

use crate::decode::{ByLine, Decode, Facts, LineFormat, Out};
use crate::skip;
use crate::text::{fields, wrong_count, wrong_fields};

/// The fields of a line.
pub(crate) type Fields<'a, const N: usize> = [&'a [u8]; N];

/// A format whose lines are requests of N fields. Empty lines and repeated headers are left out.
pub(crate) trait Row<const N: usize>: Send + 'static {
    /// The names of the fields, for messages; a line of them is a header.
    const LAYOUT: &str;

    /// Whether a line is a header.
    fn is_header(line: &[u8]) -> bool {
        line == Self::LAYOUT.as_bytes()
    }

    /// The fields of a line; `None` if their number differs.
    fn split(line: &[u8]) -> Option<Fields<'_, N>> {
        by_commas(line)
    }

    /// The message for a line with another number of fields.
    fn wrong_count(line: &[u8]) -> String {
        wrong_count(line, Self::LAYOUT)
    }

    /// Decodes the line with this number.
    ///
    /// # Errors
    /// A message with the field, its text and the allowed values.
    fn row(&mut self, number: u64, fields: Fields<N>, out: &mut Out) -> Result<(), String>;

    /// See [`LineFormat::scan`].
    #[inline(always)]
    fn scan(&mut self, _number: u64, _text: &[u8], _out: &mut Out) -> Option<usize> {
        None
    }

    /// See [`Facts`].
    fn facts(&self) -> Facts {
        Facts::default()
    }
}

/// The decoder of a format of rows.
pub(crate) fn decoder<R: Row<N>, const N: usize>(format: R) -> Box<dyn Decode> {
    Box::new(ByLine::new(Rows(format)))
}

struct Rows<R, const N: usize>(R);

impl<R: Row<N>, const N: usize> LineFormat for Rows<R, N> {
    const LAYOUT: &str = R::LAYOUT;

    fn line(&mut self, number: u64, line: &[u8], out: &mut Out) -> Result<(), String> {
        if line.trim_ascii().is_empty() {
            out.skip(skip::BLANK);
            return Ok(());
        }
        if R::is_header(line) {
            if number > 1 {
                out.skip(skip::HEADERS);
            }
            return Ok(());
        }
        let fields = R::split(line).ok_or_else(|| R::wrong_count(line))?;
        self.0.row(number, fields, out)
    }

    #[inline(always)]
    fn scan(&mut self, number: u64, text: &[u8], out: &mut Out) -> Option<usize> {
        self.0.scan(number, text, out)
    }

    fn facts(&self) -> Facts {
        self.0.facts()
    }
}

/// The fields of a line with commas between them; `None` if their number differs.
pub(crate) fn by_commas<const N: usize>(line: &[u8]) -> Option<Fields<'_, N>> {
    exactly(line.split(|&byte| byte == b','))
}

/// The fields of a line with blanks between them; `None` if their number differs.
pub(crate) fn by_blanks<const N: usize>(line: &[u8]) -> Option<Fields<'_, N>> {
    exactly(words(line))
}

/// The parts of a line between blanks and tabs.
pub(crate) fn words(line: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    let words = line.split(u8::is_ascii_whitespace);
    words.filter(|word| !word.is_empty())
}

fn exactly<'a, const N: usize>(mut parts: impl Iterator<Item = &'a [u8]>) -> Option<Fields<'a, N>> {
    let fields = first(&mut parts)?;
    parts.next().is_none().then_some(fields)
}

/// The first fields of a line, of which there may be more; `None`: there are fewer.
pub(crate) fn first<'a, const N: usize>(
    mut parts: impl Iterator<Item = &'a [u8]>,
) -> Option<Fields<'a, N>> {
    let mut fields = [&b""[..]; N];
    for field in &mut fields {
        *field = parts.next()?;
    }
    Some(fields)
}

/// The message for a line with more or fewer fields than its `layout`, with blanks between them.
pub(crate) fn wrong_words(line: &[u8], layout: &str) -> String {
    let allowed = words(layout.as_bytes()).count();
    let allowed = format!("{allowed} fields with blanks between them: {layout}");
    wrong_fields(line, words(line).count(), &allowed)
}

/// The reason why line 1 shows a format of this layout, if it is the header.
pub(crate) fn is_header(line: &[u8], layout: &str) -> Option<String> {
    (line == layout.as_bytes()).then(|| format!("line 1 is \"{layout}\""))
}

/// The reason why line 1 shows a format, for messages.
pub(crate) fn shown_by(line: &[u8], what: &str) -> String {
    format!("line 1 has {} fields, {what}", fields(line))
}
