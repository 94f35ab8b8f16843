//! One row of a comparison.

use std::collections::BTreeMap;

use serde::Serialize;
use ssdlab_device::{Histograms, OverTime, Slowest};
use ssdlab_systems::Clocks;

use crate::costs::Costs;
use crate::outcome::Outcome;
use crate::units::bytes;

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
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// `lru`, `lru + bast (log_blocks 7)`, or for the bounds `unbounded buffer`, `ideal FTL`.
    pub label: String,
    /// The label without the varied keys: `lru`, `ideal FTL`.
    #[serde(skip)]
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
    /// Of a bound: the figures for which it is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    /// The figures relative to the baseline of the same size.
    pub relative: Relative,
    /// The causes of its time.
    #[serde(skip)]
    pub costs: Costs,
    /// What the clocks measured for pictures; `None` under the serial model.
    #[serde(flatten)]
    pub clocked: Option<Clocked>,
    /// The report of its run.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The number of blocks for each number of erases: pairs (erases, blocks), ascending; empty for `ideal`.
    pub erase_histogram: Vec<(u32, u32)>,
}

/// What the clocks of the parallel model measured for pictures.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Clocked {
    /// How often latencies of each length occurred.
    pub latency_histogram: Histograms,
    /// Rates, latencies and use over time.
    pub over_time: OverTime,
    /// What the parts did while the slowest write was served.
    #[serde(skip)]
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
    /// The label and the size: `lru 4 MiB`.
    pub fn sized_label(&self) -> String {
        let size = self.size.map(|size| format!(" {}", bytes(size)));
        format!("{}{}", self.label, size.unwrap_or_default())
    }
}

/// The figures for which a bound is valid in its comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Bounds {
    /// No policy has a higher throughput.
    pub throughput: bool,
    /// No policy erases fewer blocks.
    pub erases: bool,
    /// No policy has a lower write amplification.
    pub waf: bool,
    /// No policy has a higher write hit ratio.
    pub write_hit_ratio: bool,
    /// No policy has a shorter p99 of writes.
    pub p99: bool,
    /// No policy has a longer life.
    pub life: bool,
}

impl Bounds {
    /// Whether the bound is valid for no figure and need not be shown.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The figures of a row relative to its baseline: 0.1 is a tenth more; `None` where the baseline is 0 or unknown.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Relative {
    /// Throughput.
    pub throughput: Option<f64>,
    /// Block erases.
    pub erases: Option<f64>,
    /// Write amplification.
    pub waf: Option<f64>,
    /// Switch merges.
    pub switch_merges: Option<f64>,
    /// Partial merges.
    pub partial_merges: Option<f64>,
    /// Full merges.
    pub full_merges: Option<f64>,
    /// Write hit ratio: the difference; 0.1 is ten percentage points more.
    pub write_hit_ratio: Option<f64>,
    /// The p99 of writes.
    pub p99: Option<f64>,
    /// Life.
    pub life: Option<f64>,
}

impl Relative {
    /// The figures that are equal in both.
    pub(crate) fn common(&self, other: &Self) -> Self {
        let same = |a: Option<f64>, b: Option<f64>| a.filter(|_| a == b);
        Self {
            throughput: same(self.throughput, other.throughput),
            erases: same(self.erases, other.erases),
            waf: same(self.waf, other.waf),
            switch_merges: same(self.switch_merges, other.switch_merges),
            partial_merges: same(self.partial_merges, other.partial_merges),
            full_merges: same(self.full_merges, other.full_merges),
            write_hit_ratio: same(self.write_hit_ratio, other.write_hit_ratio),
            p99: same(self.p99, other.p99),
            life: same(self.life, other.life),
        }
    }
}
