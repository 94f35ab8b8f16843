//! What lies between flushes.

use serde::Serialize;

use crate::spread::{Spread, SpreadReport};

/// What comes before each flush: since the flush before, or since the start of the trace. What follows the last flush
/// does not count. All are `None` without flushes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlushReport {
    /// Other requests.
    pub requests: Option<SpreadReport>,
    /// Bytes written.
    pub bytes: Option<SpreadReport>,
    /// Nanoseconds.
    pub ns: Option<SpreadReport>,
}

/// Counts what lies between flushes.
#[derive(Debug, Default)]
pub(crate) struct Flushes {
    requests: u64,
    /// Bytes written until the last flush.
    bytes: u64,
    /// The time of the last flush, or of the start.
    at: Option<u64>,
    spreads: [Spread; 3],
}

impl Flushes {
    /// A request other than a flush.
    pub fn other(&mut self, now_ns: u64) {
        self.at.get_or_insert(now_ns);
        self.requests += 1;
    }

    /// A flush after so many bytes written in all.
    pub fn flush(&mut self, now_ns: u64, bytes: u64) {
        let since = now_ns - self.at.unwrap_or(now_ns);
        let between = [self.requests, bytes - self.bytes, since];
        for (spread, number) in self.spreads.iter_mut().zip(between) {
            spread.add(number);
        }
        (self.requests, self.bytes, self.at) = (0, bytes, Some(now_ns));
    }

    pub fn report(&self) -> FlushReport {
        let [requests, bytes, ns] = &self.spreads;
        FlushReport {
            requests: requests.report(),
            bytes: bytes.report(),
            ns: ns.report(),
        }
    }
}
