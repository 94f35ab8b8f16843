//! What a trace was.

use serde::Serialize;
use std::collections::BTreeMap;

/// What a trace was, known at its end. Serialises to the `trace` key of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TraceSummary {
    /// The file name without folders; `-` for standard input.
    pub name: String,
    /// The name of the format.
    pub format: &'static str,
    /// Why it was taken for that format.
    pub format_reason: String,
    /// The number of requests.
    pub requests: u64,
    /// SHA-256 of the bytes as stored (compressed), in hexadecimal. `None` if `limit` ended the reading: then the
    /// bytes behind were not read.
    pub sha256: Option<String>,
    /// How many lines (or requests, of those that one line can become several) were left out for which
    /// [reason](crate::skip); the plain format by itself leaves out none.
    pub skipped: BTreeMap<&'static str, u64>,
    /// After how many requests the reading was to end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// How many requests carry a time before that of the request before them, or before that of the first one.
    #[serde(skip)]
    pub backwards: u64,
    /// The latest time of a request, nanoseconds.
    #[serde(skip)]
    pub latest: u64,
    /// The first byte past all reads, writes and discards.
    #[serde(skip)]
    pub end: u64,
    /// The last line, if it has no line end: the file may have been cut inside it.
    #[serde(skip)]
    pub unended: Option<u64>,
}
