//! The properties of a trace format.

use crate::decode::Decode;
use crate::head::Head;
use crate::layout::Layout;
use crate::options::ReadOptions;
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
    /// The time in the file that becomes time 0; `None`: the time of the first request.
    pub origin: Option<u64>,
    pub reads: Reads,
}

/// How a format is recognised and decoded.
#[derive(Clone, Copy)]
pub(crate) enum Reads {
    /// Lines with the fields of a layout.
    Rows {
        layout: &'static Layout,
        decoder: fn(&'static Layout, &ReadOptions) -> Box<dyn Decode>,
    },
    Code {
        /// Returns the reason if a trace that starts like this is in this format.
        detect: fn(Head) -> Option<String>,
        /// Makes a decoder, or says which option is wrong.
        decoder: fn(&ReadOptions) -> Result<Box<dyn Decode>, String>,
    },
}

impl Entry {
    /// What most formats have in common: the first line shows them, and no option is for them.
    pub const fn new(name: &'static str, reads: Reads) -> Entry {
        Entry {
            name,
            about: "",
            source: "",
            example: "",
            options: &[],
            columns: &[],
            volumes: None,
            sort_ns: None,
            by_line: true,
            origin: None,
            reads,
        }
    }

    /// The reason if a trace that starts like this is in this format.
    pub fn detect(&self, head: Head) -> Option<String> {
        match self.reads {
            Reads::Rows { layout, .. } => layout.detect(head),
            Reads::Code { detect, .. } => detect(head),
        }
    }

    /// A decoder that follows the options.
    ///
    /// # Errors
    /// Which option is wrong.
    pub fn decoder(&self, options: &ReadOptions) -> Result<Box<dyn Decode>, String> {
        match self.reads {
            Reads::Rows { layout, decoder } => Ok(decoder(layout, options)),
            Reads::Code { decoder, .. } => decoder(options),
        }
    }
}
