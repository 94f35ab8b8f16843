//! Runs and comparisons.

mod clock;
mod compare;
mod error;
mod outcome;
mod run;
mod summary;
mod verdict;

pub use compare::{CompareOptions, UNBOUNDED, compare};
pub use error::SimError;
pub use outcome::{
    Comparison, Derived, EraseCount, Outcome, Row, RowKind, Timing, left_out, trace_warnings,
};
pub use run::{RunOptions, Trace, run};
pub use ssdlab_device::{Counters, TimeParts};
pub use ssdlab_trace::TraceSummary;
pub use summary::summary;
pub use verdict::bytes;
