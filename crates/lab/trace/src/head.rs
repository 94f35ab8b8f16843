//! The first bytes of a trace.

use crate::text::{MAX_LINE, without_return};
use crate::time_unit::shifted;

/// The start of a reason that is behind comments.
pub(crate) const BEHIND: &str = "behind ";

/// The first bytes of a trace, from which its format is detected.
#[derive(Clone, Copy)]
pub(crate) struct Head<'a> {
    /// [`Head::LENGTH`] bytes, or the whole trace.
    pub bytes: &'a [u8],
}

impl<'a> Head<'a> {
    /// The bytes that detection may look at.
    pub const LENGTH: usize = 16 * 1024;

    /// The head of a trace of which at least so many bytes are known, or all.
    pub fn of(bytes: &'a [u8]) -> Self {
        let bytes = &bytes[..bytes.len().min(Self::LENGTH)];
        Self { bytes }
    }

    /// The first line without its line end; of a line that is too long, only the start.
    pub fn line(self) -> &'a [u8] {
        self.lines().next().unwrap_or_default()
    }

    /// The line that showed the format, for this reason, if it is made of numbers alone.
    pub fn numbers(self, reason: &str) -> Option<&'a [u8]> {
        let line = match reason.starts_with(BEHIND) {
            true => self.behind_comments().last()?.line(),
            false => self.line(),
        };
        let mut words = line
            .split(|byte| byte.is_ascii_whitespace() || *byte == b',')
            .peekable();
        words.peek()?;
        let is_number = |word: &[u8]| word.is_empty() || shifted(word, 0).is_some();
        (!line.is_empty() && words.all(is_number)).then_some(line)
    }

    /// The heads behind each of the empty lines and comments at its start.
    pub fn behind_comments(self) -> impl Iterator<Item = Head<'a>> {
        let behind = |head: &Head<'a>| {
            let end = head.bytes.iter().position(|&byte| byte == b'\n')?;
            let is_comment =
                head.bytes.starts_with(b"#") || head.bytes[..end].trim_ascii().is_empty();
            let bytes = &head.bytes[end + 1..];
            (is_comment && !bytes.is_empty()).then_some(Head { bytes })
        };
        std::iter::successors(behind(&self), behind)
    }

    /// What `form` makes of the lines; those without a form say nothing, unless it is the first one: `None`.
    pub fn forms<F>(self, form: impl Fn(&'a [u8]) -> Option<F>) -> Option<Vec<F>> {
        let whole = self.bytes.len() < Self::LENGTH;
        let mut lines: Vec<_> = self.lines().collect();
        if !whole && lines.len() > 1 {
            lines.pop();
        }
        form(lines.first()?)?;
        Some(lines.into_iter().filter_map(form).collect())
    }

    /// The lines without their line ends; the last one may be cut off.
    pub fn lines(self) -> impl Iterator<Item = &'a [u8]> {
        let lines = self.bytes.split(|&byte| byte == b'\n');
        lines.map(|line| without_return(&line[..line.len().min(MAX_LINE + 1)]))
    }
}
