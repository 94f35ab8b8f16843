//! Runs and comparisons: a trace, replayed on one device or on many, and the reports.
//!
//! Every comparison is planned as a whole and checked before its first run; then the runs share the cores. The reports
//! are plain data that serialise to the objects of `--json`, with verdicts, causes and warnings in words. Nothing here
//! lays out a page or a table: that is the work of `report` and of the command line.
//!
//! May depend on `words`, on the crates of a device (`host` to `device`), on `config`, `simulators`, `theory` and `trace`; not on
//! `report`, `reproduce` or the command line. Reads traces, standard input among them, and the clocks, and
//! starts threads. Writes no file, prints nothing, and reads no environment variable.

mod advice;
mod aged;
mod bounds;
mod cell;
mod choices;
mod cliff;
mod clock;
mod compact;
mod compare;
mod comparison;
mod configured;
mod costs;
mod error;
mod explain;
mod extremes;
mod filled;
mod fold;
mod foresee;
mod input;
mod issued;
pub mod key;
mod lab;
mod measured;
mod outcome;
mod plan;
mod rank;
mod relative;
mod room;
mod row;
mod run;
mod sentence;
mod settle;
mod settled;
mod space;
mod spare;
mod steadiness;
mod steady;
mod steps;
mod summary;
mod threads;
mod today;
mod unseen;
mod verdict;

pub use advice::{Advice, Tried, advise_host};
pub use aged::{Spread, ageing_takes, extremes, resamplings};
pub use cell::{Cell, Measurement, cells};
pub use choices::{Choices, NoChoice};
pub use cliff::{Again, Cliff, Level, Measured as MeasuredCliff, Phase, Recovery, minutes};
pub use clock::cpu_time_ns;
pub use compact::CompactReport;
pub use compare::compare;
pub use comparison::{CompareTiming, Comparison, Varied};
pub use costs::Costs;
pub use error::SimError;
pub use explain::{Reason, causes, chip_times, explain};
pub use extremes::{CLAIRVOYANT, IDEAL, UNBOUNDED, is_bound};
pub use filled::Filled;
pub use fold::Folded;
pub use input::Trace;
pub use issued::at_their_times;
pub use lab::Lab;
pub use outcome::{LoopReport, Outcome, Timing, left_out, trace_warnings};
pub use plan::{Candidate, CompareOptions, Told, Within, ages_no_drive, candidates};
pub use rank::{Rivals, best, is_level, ranked};
pub use room::{Inside, Room, free_memory};
pub use row::{Bounds, Clocked, Relative, Row, RowKind, sized_label};
pub use run::{Replay, RunOptions, StopFlag, passes, passes_again, run, run_loaded};
pub use settle::SteadyState;
pub use settled::{Settled, State, settles};
pub use space::{Axis, Choice, MOST_COMBINATIONS, System, choices, identity, too_many};
pub use spare::{SPARE, SpareCurve, SparePoint};
pub use ssdlab_device::results::{
    BEHIND, BUSY, ERASES, LIFE, P99, P99_COMMIT, Placed, THROUGHPUT, Unit, WAF, WRITE_HIT_RATIO,
};
pub use ssdlab_device::{
    Activity, Better, Cause, Compared, Completion, Counters, Derived, Divided, Endurance,
    EraseCount, FIGURES, Figure, Figures, FlashBytes, Histogram, Histograms, Interval, Latency,
    LatencyByOp, MergeTime, OverTime, PerCause, PerFigure, Precondition, Resource, Slowest, Span,
    TimeParts, Utilisation, Wear,
};
pub use ssdlab_flash::{Lbn, Lpn};
pub use ssdlab_ftl::page::LISTED;
pub use ssdlab_ftl::{Context, Event, Events, MergeKind, Trigger, Valid};
pub use ssdlab_simulators::{Completions, Observed, Observer, Poll, Systems, no_device_begins};
pub use ssdlab_trace::TraceSummary;
pub use steady::Steady;
pub use steps::{Content, Group, Step, Steps};
pub use summary::{
    LABEL_WIDTH, Lines, advised, how_issued, how_long, how_replayed, how_sure, latency_lines,
    shares, summary, what_helps, without_clocks,
};
pub use threads::Threads;
pub use today::{SHOWN, TODAY};
pub use verdict::{Elsewhere, Margin, Verdict};
