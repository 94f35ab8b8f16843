//! The summary of a trace.

use serde::Serialize;
use ssdlab_host::Request;
use std::collections::BTreeMap;

use crate::tally::Tally;

/// The summary of a trace, known at its end. It serialises to the `trace` key of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TraceSummary {
    /// The file name without folders; `-` for standard input.
    pub name: String,
    /// The name of the format.
    pub format: &'static str,
    /// The reason for this format.
    pub format_reason: String,
    /// The number of requests.
    pub requests: u64,
    /// SHA-256 of the stored (compressed) bytes, in hexadecimal. `None` if `limit` ended the reading before the last
    /// byte.
    pub sha256: Option<String>,
    /// The number of lines (or requests, where one line becomes several) left out for each [reason](crate::skip). The
    /// plain format leaves out none unless an option says so.
    pub skipped: BTreeMap<&'static str, u64>,
    /// The number of requests after which `limit` ends the reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Whether requests have streams: from a column, or by `stream_by`.
    #[serde(skip)]
    pub has_streams: bool,
    /// The number of requests with a time before that of the previous request or of the first request.
    #[serde(skip)]
    pub backwards: u64,
    /// The longest way from a request back to a later time before it, nanoseconds.
    #[serde(skip)]
    pub worst_backwards: u64,
    /// The number of requests that were moved before requests with a later time (`sort_ns`).
    #[serde(skip)]
    pub reordered: u64,
    /// The first malformed line that was left out, with the reason.
    #[serde(skip)]
    pub malformed: Option<String>,
    /// The names of the volumes; none if the format has no volumes.
    #[serde(skip)]
    pub volumes: Vec<String>,
    /// What the user should know about the units of this trace, one sentence each.
    #[serde(skip)]
    pub remarks: Vec<String>,
    /// The number of flushes with a write since the flush before.
    #[serde(skip)]
    pub commits: u64,
    /// The latest time of a request, nanoseconds.
    #[serde(skip)]
    pub latest: u64,
    /// The earliest time of a request, nanoseconds.
    #[serde(skip)]
    pub earliest: u64,
    /// The first byte after all reads, writes and discards.
    #[serde(skip)]
    pub end: u64,
    /// The last line, if it has no line end: the file may have been cut inside that line.
    #[serde(skip)]
    pub unended: Option<u64>,
}

impl TraceSummary {
    /// From the earliest request to the latest, nanoseconds; times may count from any moment.
    pub const fn span_ns(&self) -> u64 {
        self.latest - self.earliest
    }
}

/// The summary of requests that a program has in memory. Their times stay, or shift so that the first one is 0.
pub fn summarised(name: &str, requests: &mut [Request], shifts: bool) -> TraceSummary {
    let mut tally = Tally::starting_at((!shifts).then_some(0));
    tally.add(requests);
    TraceSummary {
        name: name.to_owned(),
        format: "none",
        format_reason: "made in memory".into(),
        requests: tally.requests,
        has_streams: requests.iter().any(|request| request.stream() > 0),
        backwards: tally.backwards,
        worst_backwards: tally.worst_backwards,
        remarks: tally.doubts(true, |_, _| String::new()),
        commits: tally.commits,
        latest: tally.latest,
        earliest: tally.earliest.unwrap_or(0),
        end: tally.end,
        ..TraceSummary::default()
    }
}
