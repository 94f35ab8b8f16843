//! Runs and comparisons.

mod clock;
mod compare;
mod error;
mod outcome;
mod run;

pub use compare::{CompareOptions, compare};
pub use error::SimError;
pub use ssdlab_device::{Counters, TimeParts};
pub use outcome::{
    Comparison, Derived, EraseCount, Outcome, Row, RowKind, Timing, TraceSummary,
};
pub use run::{RunOptions, Trace, run};
