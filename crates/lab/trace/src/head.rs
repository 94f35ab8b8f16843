//! The first bytes of a trace.

use crate::text::{MAX_LINE, without_return};

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
