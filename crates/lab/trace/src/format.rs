//! The names of the trace formats.

/// A trace format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// ssdlab's own CSV.
    Plain,
    /// The default text of blkparse.
    Blkparse,
    /// The CSV of the MSR Cambridge traces.
    Msr,
}

impl Format {
    /// All formats, in the order in which detection tries them.
    pub const ALL: [Format; 3] = [Format::Plain, Format::Blkparse, Format::Msr];
}
