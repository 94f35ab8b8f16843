//! The report of a run.

use serde::Serialize;
use ssdlab_config::Config;
use ssdlab_device::{Busy, Counters, LatencyByOp, MergeTime, TimeParts};
use ssdlab_trace::{TraceSummary, skip};

use crate::compact::CompactReport;
use crate::endurance::Endurance;
use crate::measured::Measured;
use crate::settle::SteadyState;

/// The report of one run; serialised, it is the object that `ssdlab run --json` prints.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Outcome {
    /// Exact counts.
    pub counters: Counters,
    /// Figures derived from the counters.
    pub derived: Derived,
    /// What was written to flash, and how long the flash lasts.
    pub endurance: Endurance,
    /// Under the parallel model only: the latencies of the requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ns: Option<LatencyByOp>,
    /// Under the parallel model only: the shares of the time that the parts of the device worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utilisation: Option<Utilisation>,
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
    /// The time of all operations by cause, nanoseconds. Under the serial model the parts add up to `elapsed_ns`; under
    /// the parallel model operations overlap.
    pub time_ns: TimeParts,
    /// The time of the merges of each kind, nanoseconds.
    pub merge_time_ns: MergeTime,
}

/// Shares of the simulated time in which the parts of a device worked; `None` where there was no time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Utilisation {
    /// The cells of each chip: reads, programs and erases without the moves of pages.
    pub chips: Vec<Option<f64>>,
    /// Each channel.
    pub channels: Vec<Option<f64>>,
    /// The bus between host and controller.
    pub bus: Option<f64>,
}

impl Utilisation {
    fn of(busy: &Busy, elapsed_ns: u64) -> Self {
        let each = |ns: &[u64]| ns.iter().map(|&ns| ratio(ns, elapsed_ns)).collect();
        Self {
            chips: each(&busy.chips_ns),
            channels: each(&busy.channels_ns),
            bus: ratio(busy.bus_ns, elapsed_ns),
        }
    }
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

/// The report of the counts of a device.
pub(crate) fn outcome(config: &Config, measured: &Measured, trace: &TraceSummary) -> Outcome {
    let clocks = measured.clocked.as_ref();
    Outcome {
        derived: derived(measured),
        endurance: Endurance::of(config, measured, trace),
        latency_ns: clocks.map(|clocks| clocks.latencies.clone()),
        utilisation: clocks
            .map(|clocks| Utilisation::of(&clocks.busy, measured.counters.elapsed_ns)),
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
