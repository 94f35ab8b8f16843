//! Sequential runs of writes.

use serde::Serialize;
use ssdlab_host::Request;

use crate::sizes::{SizeReport, Sizes};

/// The sequential runs of a trace: successive writes each of which starts where the one before ended. What is not a write
/// ends no run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunReport {
    /// The number of runs; a write that continues none is one.
    pub runs: u64,
    /// The mean number of writes in a run.
    pub mean_writes: f64,
    /// The most writes in a run.
    pub max_writes: u64,
    /// The largest length in bytes such that the runs of at least this length have half of the bytes or more.
    pub half_of_bytes_from: u64,
    /// The bytes of the runs.
    pub bytes: SizeReport,
}

/// Counts the runs of writes.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    /// The end of the last write.
    end: Option<u64>,
    /// Bytes and writes of the run that goes on.
    bytes: u64,
    writes: u64,
    ended: Sizes,
    max_writes: u64,
    sequential: u64,
}

impl Runs {
    /// Adds a write of at least one byte. The sum of all bytes must be below 2^64.
    pub fn add(&mut self, write: &Request) {
        if self.end == Some(write.offset) {
            self.sequential += 1;
        } else {
            self.end_run();
        }
        self.bytes += write.size();
        self.writes += 1;
        self.end = Some(write.end());
    }

    /// Writes that start where the one before ended.
    pub const fn sequential(&self) -> u64 {
        self.sequential
    }

    /// `None` without writes.
    pub fn report(&mut self) -> Option<RunReport> {
        self.end_run();
        self.end = None;
        let runs = self.ended.total();
        Some(RunReport {
            runs,
            mean_writes: (runs + self.sequential) as f64 / runs as f64,
            max_writes: self.max_writes,
            half_of_bytes_from: self.ended.half_of_bytes()?,
            bytes: self.ended.report()?,
        })
    }

    fn end_run(&mut self) {
        self.max_writes = self.max_writes.max(self.writes);
        if self.bytes > 0 {
            let counted = self.ended.add(self.bytes);
            counted.expect("all bytes of the trace are below 2^64");
        }
        (self.bytes, self.writes) = (0, 0);
    }
}
