//! The properties of a trace format.

use crate::decode::Decode;
use crate::options::ReadOptions;
use crate::text::{MAX_LINE, without_return};
use crate::volumes::VolumeNames;

/// The properties of a format.
pub(crate) struct Entry {
    pub name: &'static str,
    /// One line, with the units.
    pub about: &'static str,
    pub source: &'static str,
    /// An example of a first line; empty for a format that is not text.
    pub example: &'static str,
    /// The options that this format reads and some other format does not; not `--volume`.
    pub options: &'static [&'static str],
    /// The columns that `--stream-by` can name.
    pub columns: &'static [&'static str],
    /// How volumes are written; `None`: a trace has no volumes.
    pub volumes: Option<VolumeNames>,
    /// The time within which requests are sorted if the user does not say, in ns; `None`: they stay in their order.
    pub sort_ns: Option<u64>,
    /// Whether `detect` looks only at the first line, so that a live trace is recognised at once. Such formats are tried
    /// first.
    pub by_line: bool,
    /// Returns the reason if a trace that starts like this is in this format.
    pub detect: fn(Head) -> Option<String>,
    /// The time in the file that becomes time 0; `None`: the time of the first request.
    pub origin: Option<u64>,
    /// Makes a decoder, or says which option is wrong.
    pub decoder: fn(&ReadOptions) -> Result<Box<dyn Decode>, String>,
}

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
