//! The properties of a trace format.

use crate::decode::Decode;
use crate::options::ReadOptions;

/// The properties of a format.
pub(crate) struct Entry {
    pub name: &'static str,
    /// One line, with the units.
    pub about: &'static str,
    pub source: &'static str,
    /// An example of a first line.
    pub example: &'static str,
    /// The options that this format reads and some other format does not.
    pub options: &'static [&'static str],
    /// The columns that `--stream-by` can name.
    pub columns: &'static [&'static str],
    /// Returns the reason if a first line, given without its line feed, is in this format.
    pub detect: fn(&[u8]) -> Option<String>,
    /// The time in the file that becomes time 0; `None`: the time of the first request.
    pub origin: Option<u64>,
    /// Makes a decoder, or says which option is wrong.
    pub decoder: fn(&ReadOptions) -> Result<Box<dyn Decode>, String>,
}
