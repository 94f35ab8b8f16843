//! The name of a trace format. What it is stands in the registry.

/// A trace format: a place in the table of formats.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Format(pub(crate) u8);
