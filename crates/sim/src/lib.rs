//! Runs and comparisons.

mod outcome;

pub use outcome::{
    Comparison, Derived, EraseCount, Outcome, Row, RowKind, TimeParts, Timing, TraceSummary,
};
