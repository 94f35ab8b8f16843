//! When requests are issued.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// When requests are issued.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Issue {
    /// Each as soon as fewer than `depth` are outstanding; `depth` is at least 1.
    Closed {
        /// The most requests that are outstanding.
        depth: u32,
    },
    /// At its time in the trace, or with the one before it if that is later.
    Timed {
        /// The times since the first request are divided by this; above 0.
        speedup: f64,
    },
}

/// Gives requests their times.
#[derive(Clone, Debug)]
pub(crate) struct Issuer {
    issue: Issue,
    /// The time of the last request.
    at: u64,
    /// With [`Issue::Timed`]: the time of the first request in the trace.
    first: Option<u64>,
    /// With [`Issue::Closed`]: the completions of the outstanding requests, the earliest on top.
    outstanding: BinaryHeap<Reverse<u64>>,
    /// The latest completion so far.
    pub latest: u64,
}

impl Issuer {
    pub fn new(issue: Issue) -> Self {
        Self {
            issue,
            at: 0,
            first: None,
            outstanding: BinaryHeap::new(),
            latest: 0,
        }
    }

    /// The time of the last request; `None` before the first one.
    pub fn last(&self) -> Option<u64> {
        self.first.map(|_| self.at)
    }

    /// Whether there was a request. For the end of the trace, which takes one of the outstanding ones.
    pub fn has_begun(&self) -> bool {
        self.first.is_some() || !self.outstanding.is_empty()
    }

    /// The time of the next request, whose time in the trace is `time_ns`.
    pub fn next(&mut self, time_ns: u64) -> u64 {
        match self.issue {
            Issue::Closed { depth } => self.next_closed(depth),
            Issue::Timed { speedup } => {
                let first = *self.first.get_or_insert(time_ns);
                let since = time_ns.saturating_sub(first) as f64 / speedup;
                // a conversion that is too large saturates
                self.at = self.at.max(since.round_ties_even() as u64);
            }
        }
        self.at
    }

    /// The speed-up of the trace, if its times matter.
    pub fn speedup(&self) -> Option<f64> {
        match self.issue {
            Issue::Closed { .. } => None,
            Issue::Timed { speedup } => Some(speedup),
        }
    }

    /// The time of the end of the trace, which is like a request behind the last one.
    pub fn end(&mut self) -> u64 {
        match self.issue {
            Issue::Closed { depth } => self.next_closed(depth),
            Issue::Timed { .. } => self.at = self.at.max(self.latest),
        }
        self.at
    }

    fn next_closed(&mut self, depth: u32) {
        if self.outstanding.len() >= depth as usize
            && let Some(Reverse(earliest)) = self.outstanding.pop()
        {
            self.at = self.at.max(earliest);
        }
    }

    /// The last request is complete.
    pub fn complete(&mut self, at: u64) {
        self.latest = self.latest.max(at);
        if let Issue::Closed { .. } = self.issue {
            self.outstanding.push(Reverse(at));
        }
    }
}
