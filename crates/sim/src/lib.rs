//! Runs and comparisons.

mod clock;
mod compare;
mod error;
mod explain;
mod outcome;
mod plan;
mod relative;
mod run;
mod summary;
mod verdict;

pub use compare::compare;
pub use error::SimError;
pub use explain::{Costs, Reason};
pub use outcome::{
    CompareTiming, Comparison, Derived, EraseCount, Outcome, Row, RowKind, Timing, trace_warnings,
};
pub use plan::{Axis, CompareOptions, IDEAL, UNBOUNDED};
pub use relative::Relative;
pub use run::{RunOptions, Trace, run};
pub use ssdlab_device::{Counters, MergeTime, TimeParts};
pub use ssdlab_trace::TraceSummary;
pub use summary::summary;
pub use verdict::{Elsewhere, Margin, Verdict, bytes};
