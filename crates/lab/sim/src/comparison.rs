//! The report of a comparison.

use serde::Serialize;
use ssdlab_device::Figures;
use ssdlab_device::results::{ERASES, Unit};
use ssdlab_trace::TraceSummary;

use crate::advice::Advice;
use crate::aged::Spread;
use crate::row::Row;
use crate::spare::SpareCurve;
use crate::summary::Lines;
use crate::verdict::Verdict;

/// A key that differs between the rows of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Varied {
    /// The key of the configuration; `system` for named combinations of settings.
    pub key: String,
    /// Its values in order; sizes in bytes.
    pub values: Vec<String>,
    /// The values are sizes.
    #[serde(skip)]
    pub is_size: bool,
}

/// A comparison of buffer policies over sizes; serialised, it is the object that `ssdlab compare --json` writes, without
/// its rows: these have the columns of results.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Comparison {
    /// The input.
    pub trace: TraceSummary,
    /// The device, or the devices, in words.
    pub device: String,
    /// How many further buffers can be compared that were not asked for.
    #[serde(skip)]
    pub further_buffers: usize,
    /// The buffer sizes compared, or those of all RAM, ascending, bytes.
    pub sizes: Vec<u64>,
    /// The sizes are those of all RAM, tables included.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shares_ram: bool,
    /// The keys with more than one value: `buffer.policy`, `buffer.size`, further keys.
    pub varied: Vec<Varied>,
    /// The capacity of all runs in bytes, if no configuration gives one: that of the trace, but at least the default.
    /// `None` if a run has another one.
    pub fitted_capacity: Option<u64>,
    /// The label of the baseline.
    pub baseline: String,
    /// The winner, its lead and the causes.
    pub verdict: Verdict,
    /// The verdict in words, the closing sentence: the winner, its lead, and over whom.
    pub sentence: String,
    /// What else the verdict says, in lines: the runner-up, other sizes, the causes.
    #[serde(skip)]
    pub further: Lines,
    /// What would lessen the writes to flash of the winner, tried; `None` without a winner, or if it was not wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub would_help: Option<Advice>,
    /// If spare space varies: life and write amplification over it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spare: Vec<SpareCurve>,
    /// With [`settled`](crate::CompareOptions::settled): those of the winner and of the baseline, if their trace aged them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spreads: Vec<Spread>,
    /// Warnings about all runs.
    pub warnings: Vec<String>,
    /// Runs that have no row because the user interrupted the comparison; 0: it is complete.
    pub missing_runs: usize,
    /// All rows: for each policy its sizes in ascending order, bounds last.
    #[serde(skip)]
    pub rows: Vec<Row>,
    /// The figures that there are.
    #[serde(skip)]
    pub figures: Figures,
    /// The wall time.
    pub timing: CompareTiming,
}

impl Comparison {
    /// What the sizes are, in words.
    pub fn sized(&self) -> &'static str {
        if self.shares_ram {
            "RAM size"
        } else {
            "buffer size"
        }
    }

    /// What the devices erase at once: `block`, or `line` if each of them erases lines.
    pub fn erased(&self) -> &'static str {
        match self.figures.named(ERASES.key) {
            Some(erases) if erases.unit == Unit::Lines => "line",
            _ => "block",
        }
    }
}

/// Wall time of a comparison.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CompareTiming {
    /// Threads of the simulation.
    pub threads: usize,
    /// From the start of the first run to the end of the last, nanoseconds.
    pub simulate_ns: u64,
}
