//! What a run and a comparison report.

use serde::Serialize;
use ssdlab_config::Config;
use ssdlab_device::{Counters, TimeParts};
use ssdlab_trace::{TraceSummary, skip};

use crate::run::SimDevice;

/// The report of one run; serialised, it is the object that `ssdlab run --json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Exact counts.
    pub counters: Counters,
    /// Figures derived from them.
    pub derived: Derived,
    /// The resolved configuration, nested as in the file, sizes in bytes.
    pub config: serde_json::Value,
    /// The input.
    pub trace: TraceSummary,
    /// What the user should know, one sentence each.
    pub warnings: Vec<String>,
    /// With `--repeat` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
}

/// Figures derived from the counters; `None` where a denominator is 0.
#[derive(Clone, Debug, Serialize)]
pub struct Derived {
    /// Page programs of any cause per page written by the host.
    pub waf: Option<f64>,
    /// Host bytes read and written per simulated second, in 10^6 bytes.
    pub throughput_mb_s: Option<f64>,
    /// Written pages found in the buffer, of all that asked it.
    pub write_hit_ratio: Option<f64>,
    /// Read pages found in the buffer, of all that asked it.
    pub read_hit_ratio: Option<f64>,
    /// Erases per physical block.
    pub erase_count: EraseCount,
    /// Where the simulated time went, nanoseconds; the parts add up to `elapsed_ns`.
    pub time_ns: TimeParts,
}

/// Distribution of erases over the physical blocks (`ideal` has none).
#[derive(Clone, Debug, Serialize)]
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

/// What a row of a comparison is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// A buffer policy that competes.
    Policy,
    /// A bound that no policy competes with.
    Bound,
}

/// One configuration of a comparison.
#[derive(Clone, Debug)]
pub struct Row {
    /// `lru`, or `unbounded buffer`, `ideal FTL` for the bounds.
    pub label: String,
    /// Does it compete?
    pub kind: RowKind,
    /// Buffer size in bytes; `None` where it means nothing (`none`, `unbounded`).
    pub size: Option<u64>,
    /// Best policy of its size (a policy without a size competes at every size).
    pub best: bool,
    /// Its run.
    pub outcome: Outcome,
    /// How many physical blocks were erased how often: pairs (erases, blocks), ascending; empty for `ideal`.
    pub erase_histogram: Vec<(u32, u32)>,
}

/// A comparison of buffer policies over sizes.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The buffer sizes compared, ascending, bytes.
    pub sizes: Vec<u64>,
    /// All rows: for each policy its sizes in ascending order, bounds last.
    pub rows: Vec<Row>,
    /// The closing sentence, which names the winner.
    pub sentence: String,
    /// What the user should know of all runs.
    pub warnings: Vec<String>,
}

/// The report of a device that has replayed a trace.
pub(crate) fn outcome(config: &Config, device: &SimDevice, trace: &TraceSummary) -> Outcome {
    let counters = device.counters();
    Outcome {
        derived: derived(&counters, device),
        counters,
        config: config.to_json(),
        trace: trace.clone(),
        warnings: warnings(config, trace),
        timing: None,
    }
}

fn derived(c: &Counters, device: &SimDevice) -> Derived {
    let programs = c.flash_programs + c.merge_programs + c.flash_copies + c.copy_backs;
    // bytes per nanosecond are 10^3 times 10^6 bytes per second
    let throughput = ratio(c.host_read_bytes + c.host_write_bytes, c.elapsed_ns).map(|r| r * 1e3);
    Derived {
        waf: ratio(programs, c.host_write_pages),
        throughput_mb_s: throughput,
        write_hit_ratio: ratio(
            c.buffer_write_hits,
            c.buffer_write_hits + c.buffer_write_misses,
        ),
        read_hit_ratio: ratio(
            c.buffer_read_hits,
            c.buffer_read_hits + c.buffer_read_misses,
        ),
        erase_count: erase_count(&device.erase_counts()),
        time_ns: device.time(),
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

/// What is odd about a trace.
pub fn trace_warnings(trace: &TraceSummary) -> Vec<String> {
    let mut warnings = Vec::new();
    if trace.requests == 0 {
        warnings.push(format!("{}: the trace holds no requests", trace.name));
    }
    for (reason, count) in &trace.skipped {
        if skip::is_unexpected(reason) {
            warnings.push(format!("{}: {count} left out ({reason})", trace.name));
        }
    }
    let what = match trace.backwards {
        0 => return warnings,
        1 => "1 request has a time stamp".to_owned(),
        n => format!("{n} requests have time stamps"),
    };
    warnings.push(format!(
        "{}: {what} before the one of its predecessor",
        trace.name
    ));
    warnings
}

/// What was left out of a trace, in words; `None`: nothing.
pub fn left_out(trace: &TraceSummary) -> Option<String> {
    let mut reasons: Vec<_> = (trace.skipped.iter())
        .map(|(reason, count)| format!("{count} {reason}"))
        .collect();
    if let Some(limit) = trace.limit.filter(|_| trace.sha256.is_none()) {
        reasons.push(format!("all behind request {limit} (--limit)"));
    }
    (!reasons.is_empty()).then(|| reasons.join(", "))
}
