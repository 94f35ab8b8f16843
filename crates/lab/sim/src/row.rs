//! One row of a comparison.

use std::collections::BTreeMap;

use serde::Serialize;
use ssdlab_device::{Figure, Histograms, OverTime, PerFigure, Slowest};
use ssdlab_simulators::Clocks;

use crate::costs::Costs;
use crate::outcome::Outcome;
use ssdlab_words::bytes;

/// The role of a row in a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RowKind {
    /// A policy that competes.
    #[default]
    Policy,
    /// A bound that does not compete.
    Bound,
}

/// One configuration of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// `lru`, `lru + bast (log_blocks 7)`, or for the bounds `unbounded buffer`, `clairvoyant buffer`, `ideal FTL`.
    pub label: String,
    /// The label without the varied keys: `lru`, `ideal FTL`.
    pub name: String,
    /// The role.
    pub kind: RowKind,
    /// The buffer policy.
    pub policy: String,
    /// The FTL.
    pub ftl: &'static str,
    /// The varied keys that the run reads, with their values.
    pub variant: BTreeMap<String, String>,
    /// Buffer size in bytes; `None` where no size applies (`none`, `unbounded`).
    pub size: Option<u64>,
    /// Best policy of its size (a policy without a size competes at every size).
    pub best: bool,
    /// Level with the best policy of its size in the figure that ranks the runs.
    pub level: bool,
    /// Of a bound: the figures for which it is valid.
    pub bounds: Option<Bounds>,
    /// The figures relative to the baseline of the same size: 0.1 is a tenth more, or ten percentage points; `None` where
    /// the baseline is 0 or unknown.
    pub relative: Relative,
    /// The causes of its time.
    pub costs: Costs,
    /// What the clocks measured for pictures; `None` under the serial model.
    pub clocked: Option<Clocked>,
    /// The report of its run.
    pub outcome: Outcome,
    /// The number of blocks for each number of erases: pairs (erases, blocks), ascending; empty for `ideal`.
    pub erase_histogram: Vec<(u32, u32)>,
}

/// What the clocks of the parallel model measured for pictures.
#[derive(Clone, Debug, Default)]
pub struct Clocked {
    /// How often latencies of each length occurred.
    pub latency_histogram: Histograms,
    /// Rates, latencies and use over time.
    pub over_time: OverTime,
    /// What the parts did while the slowest write was served.
    pub slowest: Option<Slowest>,
}

impl Clocked {
    pub(crate) fn of(clocks: Clocks) -> Self {
        let recording = clocks.recording.unwrap_or_default();
        Self {
            latency_histogram: clocks.histograms,
            over_time: recording.over_time,
            slowest: recording.slowest,
        }
    }
}

impl Row {
    /// The value of a figure.
    pub fn figure(&self, figure: &Figure) -> Option<f64> {
        (figure.value)(&self.outcome.results())
    }

    /// Whether a figure can be shown: a bound has those for which it is valid.
    pub fn shows(&self, figure: &Figure) -> bool {
        let valid = |bounds: &Bounds| bounds.get(figure) == Some(true);
        self.bounds.as_ref().is_none_or(valid)
    }

    /// Whether it is a bound that is valid for no figure.
    pub fn bounds_nothing(&self) -> bool {
        let none = |bounds: &Bounds| bounds.iter().all(|(_, valid)| !valid);
        self.bounds.as_ref().is_some_and(none)
    }

    /// The label and the size: `lru 4 MiB`.
    pub fn sized_label(&self) -> String {
        sized_label(&self.label, self.size)
    }
}

/// A label and a size: `lru 4 MiB`.
pub fn sized_label(label: &str, size: Option<u64>) -> String {
    let size = size.map(|size| format!(" {}", bytes(size)));
    format!("{label}{}", size.unwrap_or_default())
}

/// The figures that can be bounded, and whether a bound is valid for each in its comparison: no policy is better.
pub type Bounds = PerFigure<bool>;

/// The figures that are compared, relative to the baseline.
pub type Relative = PerFigure<Option<f64>>;
