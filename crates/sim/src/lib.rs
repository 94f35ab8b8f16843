//! Runs and comparisons.

mod bounds;
mod clock;
mod compact;
mod compare;
mod configured;
mod error;
mod explain;
mod fold;
mod input;
mod measured;
mod outcome;
mod plan;
mod relative;
mod run;
mod sentence;
mod settle;
mod steady;
mod summary;
mod threads;
mod verdict;

pub use bounds::Bounds;
pub use compact::CompactReport;
pub use compare::{compare, labels};
pub use error::SimError;
pub use explain::{Costs, Reason, causes, duration, explain, thousands};
pub use fold::Folded;
pub use input::Trace;
pub use outcome::{
    CompareTiming, Comparison, Derived, EraseCount, LoopReport, Outcome, Row, RowKind, Timing,
    Varied, left_out, trace_warnings,
};
pub use plan::{Axis, CompareOptions, IDEAL, System, UNBOUNDED};
pub use relative::Relative;
pub use run::{Replay, RunOptions, StopFlag, passes, run};
pub use sentence::bytes;
pub use settle::SteadyState;
pub use ssdlab_device::{Counters, MergeTime, TimeParts};
pub use ssdlab_trace::TraceSummary;
pub use steady::Steady;
pub use summary::{LABEL_WIDTH, how_replayed, summary};
pub use threads::Threads;
pub use verdict::{Elsewhere, Margin, Verdict};
