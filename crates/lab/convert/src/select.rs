//! The requests that are converted.

use ssdlab_host::{Op, Request};

use crate::notes::Notes;

/// Chooses requests; by default all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Select {
    /// Only these operations; `None`: all.
    pub only: Option<Vec<Op>>,
    /// From this time after the first request on, nanoseconds; it becomes time 0.
    pub from_ns: u64,
    /// Before this time after the first request, nanoseconds.
    pub until_ns: Option<u64>,
    /// Only what lies in these bytes, from the first to before the second; requests that reach beyond are cut. Flushes
    /// stay.
    pub range: Option<(u64, u64)>,
}

impl Select {
    /// What is chosen of a request.
    pub(crate) fn apply(&self, request: &Request, notes: &mut Notes) -> Option<Request> {
        let op = request.op();
        if self.only.as_ref().is_some_and(|only| !only.contains(&op)) {
            notes.leave_out("other operations (--only)");
            return None;
        }
        let is_late = self.until_ns.is_some_and(|until| request.time_ns >= until);
        if request.time_ns < self.from_ns || is_late {
            notes.leave_out("other times (--from, --until)");
            return None;
        }
        let (mut start, mut end) = (request.offset, request.end());
        if let Some((first, behind)) = self.range
            && op != Op::Flush
        {
            (start, end) = (start.max(first), end.min(behind));
            if start >= end {
                notes.leave_out("other addresses (--range)");
                return None;
            }
            if end - start < request.size() {
                notes.change("cut at the ends of --range");
            }
        }
        part(request, request.time_ns - self.from_ns, start, end - start)
    }
}

/// A part of a request, perhaps at another time and place.
pub(crate) fn part(request: &Request, time: u64, offset: u64, size: u64) -> Option<Request> {
    let part = Request::new(time, request.op(), offset, size);
    part.map(|part| part.in_stream(request.stream()))
}
