//! The reports of a run and of a comparison.

use std::collections::BTreeMap;

use serde::Serialize;
use ssdlab_config::Config;
use ssdlab_device::{Counters, MergeTime, TimeParts};
use ssdlab_trace::{TraceSummary, skip};

use crate::compact::CompactReport;
use crate::explain::Costs;
use crate::measured::Measured;
use crate::settle::SteadyState;
use crate::{Bounds, Relative, Verdict, bytes};

/// The report of one run; serialised, it is the object that `ssdlab run --json` prints.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Outcome {
    /// Exact counts.
    pub counters: Counters,
    /// Figures derived from the counters.
    pub derived: Derived,
    /// The resolved configuration, nested as in the file, sizes in bytes.
    pub config: serde_json::Value,
    /// The keys that the run reads and that differ from their defaults, with their values.
    #[serde(skip)]
    pub changed: Vec<(&'static str, String)>,
    /// The input.
    pub trace: TraceSummary,
    /// The progress towards a steady state.
    pub steady_state: SteadyState,
    /// Warnings for the user, one sentence each.
    pub warnings: Vec<String>,
    /// With `--compact` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compact: Option<CompactReport>,
    /// With several loops only: each loop; the fields above report the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loops: Option<Vec<LoopReport>>,
    /// With `--repeat` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
}

impl Outcome {
    /// Adds a warning if the figures are not those of a steady state.
    pub(crate) fn with_warning(mut self) -> Self {
        self.warnings.extend(self.steady_state.warning());
        self
    }
}

/// One replay of a trace that is replayed several times on one device.
#[derive(Clone, Debug, Serialize)]
pub struct LoopReport {
    /// Counts of this replay alone.
    pub counters: Counters,
    /// Figures derived from the counters.
    pub derived: Derived,
}

impl From<&Measured> for LoopReport {
    fn from(measured: &Measured) -> Self {
        Self {
            counters: measured.counters.clone(),
            derived: derived(measured),
        }
    }
}

/// Figures derived from the counters; `None` where a denominator is 0.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Derived {
    /// Write amplification: bytes programmed for each byte that the host wrote.
    pub waf: Option<f64>,
    /// Write amplification as papers count it: pages programmed for each page written.
    pub waf_pages: Option<f64>,
    /// Host bytes read and written per simulated second, in 10^6 bytes.
    pub throughput_mb_s: Option<f64>,
    /// Share of the page lookups of writes that hit in the buffer.
    pub write_hit_ratio: Option<f64>,
    /// Share of the page lookups of reads that hit in the buffer.
    pub read_hit_ratio: Option<f64>,
    /// Erases per physical block.
    pub erase_count: EraseCount,
    /// Simulated time by cause, nanoseconds; the parts add up to `elapsed_ns`.
    pub time_ns: TimeParts,
    /// The time of the merges of each kind, nanoseconds.
    pub merge_time_ns: MergeTime,
}

/// Distribution of erases over the physical blocks (`ideal` has none).
#[derive(Clone, Debug, Default, Serialize)]
pub struct EraseCount {
    /// Fewest.
    pub min: Option<u32>,
    /// Mean.
    pub mean: Option<f64>,
    /// Most.
    pub max: Option<u32>,
    /// Population standard deviation.
    pub stddev: Option<f64>,
}

/// Thread CPU time of `--repeat`, nanoseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Timing {
    /// Reading, decompressing and parsing the trace.
    pub decode_ns: u64,
    /// From the first request to the end of the drain, best repetition.
    pub simulate_ns_best: u64,
    /// The same, median repetition.
    pub simulate_ns_median: u64,
}

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
    /// The report of its run.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The number of blocks for each number of erases: pairs (erases, blocks), ascending; empty for `ideal`.
    pub erase_histogram: Vec<(u32, u32)>,
}

impl Row {
    /// The label and the size: `lru 4 MiB`.
    pub fn sized_label(&self) -> String {
        let size = self.size.map(|size| format!(" {}", bytes(size)));
        format!("{}{}", self.label, size.unwrap_or_default())
    }
}

/// A key that differs between the rows of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Varied {
    /// The key of the configuration; `system` for named combinations of settings.
    pub key: String,
    /// Its values in order; sizes in bytes.
    pub values: Vec<String>,
}

/// A comparison of buffer policies over sizes; serialised, it is the object that `ssdlab compare --json` writes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Comparison {
    /// The input.
    pub trace: TraceSummary,
    /// The buffer sizes compared, ascending, bytes.
    pub sizes: Vec<u64>,
    /// The keys with more than one value: `buffer.policy`, `buffer.size`, further keys.
    pub varied: Vec<Varied>,
    /// The capacity in bytes, if the configuration gives none: that of the trace, but at least the default.
    pub fitted_capacity: Option<u64>,
    /// The label of the baseline.
    pub baseline: String,
    /// The winner, its lead and the causes.
    pub verdict: Verdict,
    /// The verdict in words: the closing sentence.
    pub sentence: String,
    /// Warnings about all runs.
    pub warnings: Vec<String>,
    /// Runs that have no row because the user interrupted the comparison; 0: it is complete.
    pub missing_runs: usize,
    /// All rows: for each policy its sizes in ascending order, bounds last.
    pub rows: Vec<Row>,
    /// The wall time.
    pub timing: CompareTiming,
}

/// Wall time of a comparison.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CompareTiming {
    /// Threads of the simulation.
    pub threads: usize,
    /// From the start of the first run to the end of the last, nanoseconds.
    pub simulate_ns: u64,
}

/// The report of the counts of a device.
pub(crate) fn outcome(config: &Config, measured: &Measured, trace: &TraceSummary) -> Outcome {
    Outcome {
        derived: derived(measured),
        counters: measured.counters.clone(),
        config: config.to_json(),
        changed: config.changed(),
        trace: trace.clone(),
        steady_state: SteadyState::default(),
        warnings: warnings(config, trace),
        compact: None,
        loops: None,
        timing: None,
    }
}

fn derived(measured: &Measured) -> Derived {
    let c = &measured.counters;
    // bytes per nanosecond are 1000 times 10^6 bytes per second
    let throughput = ratio(c.host_read_bytes + c.host_write_bytes, c.elapsed_ns).map(|r| r * 1e3);
    Derived {
        waf: c.waf(measured.page_size),
        waf_pages: c.waf_pages(),
        throughput_mb_s: throughput,
        write_hit_ratio: ratio(
            c.buffer_write_hits,
            c.buffer_write_hits + c.buffer_write_misses,
        ),
        read_hit_ratio: ratio(
            c.buffer_read_hits,
            c.buffer_read_hits + c.buffer_read_misses,
        ),
        erase_count: erase_count(&measured.erases),
        time_ns: measured.time.clone(),
        merge_time_ns: measured.merge_time.clone(),
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn erase_count(erases: &[u32]) -> EraseCount {
    let mean = ratio(
        erases.iter().map(|&n| u64::from(n)).sum(),
        erases.len() as u64,
    );
    let variance = mean.map(|mean| {
        erases
            .iter()
            .map(|&n| (f64::from(n) - mean).powi(2))
            .sum::<f64>()
            / erases.len() as f64
    });
    EraseCount {
        min: erases.iter().copied().min(),
        mean,
        max: erases.iter().copied().max(),
        stddev: variance.map(f64::sqrt),
    }
}

fn warnings(config: &Config, trace: &TraceSummary) -> Vec<String> {
    let mut warnings = config.warnings.clone();
    warnings.extend(trace_warnings(trace));
    warnings
}

/// The oddities of a trace.
pub fn trace_warnings(trace: &TraceSummary) -> Vec<String> {
    let name = match trace.name.as_str() {
        "-" => "standard input",
        name => name,
    };
    let mut warnings = Vec::new();
    if trace.requests == 0 {
        warnings.push(format!("{}: the trace has no requests", name));
    }
    for (reason, count) in &trace.skipped {
        if skip::is_unexpected(reason) {
            warnings.push(format!("{}: {count} left out ({reason})", name));
        }
    }
    if let Some(line) = trace.unended {
        let why =
            "the last line has no line end: if the file was cut, its last request may be wrong";
        warnings.push(format!("{}, line {line}: {why}", name));
    }
    let what = match trace.backwards {
        0 => return warnings,
        1 => "1 request has an earlier time stamp".to_owned(),
        n => format!("{n} requests have an earlier time stamp"),
    };
    warnings.push(format!("{}: {what} than the previous request", name));
    warnings
}

/// The requests and lines that were left out of a trace, in words; `None`: none.
pub fn left_out(trace: &TraceSummary) -> Option<String> {
    let mut reasons: Vec<_> = (trace.skipped.iter())
        .map(|(reason, count)| format!("{count} {reason}"))
        .collect();
    if let Some(limit) = trace.limit.filter(|_| trace.sha256.is_none()) {
        reasons.push(format!("all after request {limit} (--limit)"));
    }
    (!reasons.is_empty()).then(|| reasons.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: the deviation of a sample, divided by n - 1; blocks without an erase left out
    #[test]
    fn erases_are_those_of_all_blocks() {
        let EraseCount {
            min,
            mean,
            max,
            stddev,
        } = erase_count(&[0, 4, 0, 4]);
        assert_eq!((min, max), (Some(0), Some(4)));
        assert_eq!((mean, stddev), (Some(2.0), Some(2.0)));
        assert_eq!(erase_count(&[7]).stddev, Some(0.0));
        assert_eq!(erase_count(&[]).stddev, None);
    }
}
