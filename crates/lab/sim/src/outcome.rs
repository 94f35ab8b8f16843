//! The report of a run.

use serde::Serialize;
use ssdlab_config::{Config, Value};
use ssdlab_device::keys;
use ssdlab_device::keys::drive::HOLD_MS;
use ssdlab_device::results::{BUSY, LEVEL, Placed};
use ssdlab_device::{
    Controller, Counters, Derived, Endurance, Issue, LatencyByOp, Results, Utilisation, Wearing,
    flash_bytes,
};
use ssdlab_ftl::SlcState;
use ssdlab_trace::{TraceSummary, skip};
use ssdlab_words::{duration, fixed, thousands};

use crate::cliff::Cliff;
use crate::compact::CompactReport;
use crate::measured::Measured;
use crate::settle::SteadyState;

/// The report of one run; serialised, it is the object that `ssdlab run --json` prints.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Outcome {
    /// The device in words.
    #[serde(skip)]
    pub device: String,
    /// The least and the most P/E cycles that are usual, if those of the preset are an assumption.
    #[serde(skip)]
    pub usual_pe_cycles: Option<[u64; 2]>,
    /// Exact counts.
    pub counters: Counters,
    /// What was written to each handle or region of the placement, and copied out of it, beside the counters; with page
    /// mapping only.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub placed: Option<Placed>,
    /// With an SLC cache only: what it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slc: Option<SlcState>,
    /// With an SLC cache only: how the empty drive takes a sequential fill.
    #[serde(skip)]
    pub cliff: Option<Cliff>,
    /// Figures derived from the counters.
    pub derived: Derived,
    /// What was written to flash, and how long the flash lasts.
    pub endurance: Endurance,
    /// What a controller needs for this device: RAM, and time to start up and to save its buffers.
    pub controller: Controller,
    /// Under the parallel model only: the latencies of the requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ns: Option<LatencyByOp>,
    /// Under the parallel model only: the shares of the time that the parts of the device worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utilisation: Option<Utilisation>,
    /// The resolved configuration, nested as in the file, sizes in bytes.
    pub config: serde_json::Value,
    /// The device did not serve the trace in its time.
    #[serde(skip)]
    pub too_slow: bool,
    /// Blocks are erased in lines, so that erases and cycles are those of lines.
    #[serde(skip)]
    pub erases_lines: bool,
    /// The keys that the run reads, with their values, in the order of the schema.
    #[serde(skip)]
    pub keys: Vec<(&'static str, Value)>,
    /// Of these, the keys that differ from their defaults, with their values in the syntax of `--set`.
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

/// The start of the note on a drive that was scaled, which may differ from run to run.
const SCALED: &str = "--scale-to ";

impl Outcome {
    /// The note on the drive, if it was scaled.
    pub fn scaled(&self) -> Option<&String> {
        self.warnings.iter().find(|note| note.starts_with(SCALED))
    }

    /// What figures are computed from.
    pub fn results(&self) -> Results<'_> {
        Results {
            counters: &self.counters,
            derived: &self.derived,
            endurance: &self.endurance,
            controller: &self.controller,
            placed: self.placed.as_ref(),
            latency_ns: self.latency_ns.as_ref(),
            utilisation: self.utilisation.as_ref(),
        }
    }

    /// How far the device is behind the times of the trace at its end, if it did not keep up with them.
    pub fn falls_behind(&self) -> Option<u64> {
        self.derived.behind_ns.filter(|_| self.too_slow)
    }

    /// What is erased at once: `block` or `line`.
    pub(crate) fn erased(&self) -> &'static str {
        if self.erases_lines { "line" } else { "block" }
    }

    /// Under the parallel model, the share of the simulated time in which the mean chip worked.
    pub fn chips_busy(&self) -> Option<f64> {
        (BUSY[0].value)(&self.results())
    }

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
            derived: measured.derived(),
        }
    }
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
pub(crate) fn outcome(
    config: &Config,
    measured: &Measured,
    trace: &TraceSummary,
    replays: usize,
) -> Outcome {
    let clocks = measured.clocked.as_ref();
    Outcome {
        device: config.device(),
        usual_pe_cycles: config.usual_pe_cycles(),
        derived: Derived {
            behind_ns: behind_ns(config, measured, trace, replays),
            ..measured.derived()
        },
        too_slow: !keeps_up(config, measured, trace, replays),
        endurance: endurance(config, measured, trace, replays),
        controller: (config.large).map_or_else(|| config.controller(), |large| large.controller),
        slc: measured.slc,
        cliff: Cliff::of(config, 0.0),
        placed: Placed::of(&measured.regions, config.handles()),
        latency_ns: clocks.map(|clocks| clocks.latencies.clone()),
        utilisation: clocks
            .map(|clocks| Utilisation::of(&clocks.busy, measured.counters.elapsed_ns)),
        counters: measured.counters.clone(),
        config: config.to_json(),
        erases_lines: config.flash.erases_lines(),
        keys: keys(config),
        changed: config.changed(),
        trace: trace.clone(),
        steady_state: SteadyState::default(),
        warnings: warnings(config, trace, &measured.counters),
        compact: None,
        loops: None,
        timing: None,
    }
}

fn keys(config: &Config) -> Vec<(&'static str, Value)> {
    let keys = config.effective();
    keys.map(|(key, value)| (key.path, value.clone())).collect()
}

/// How long after the time of the last request of some replays a device under timed replay was done with all.
fn behind_ns(
    config: &Config,
    measured: &Measured,
    trace: &TraceSummary,
    replays: usize,
) -> Option<u64> {
    match config.timing.parallel.issue {
        Issue::Timed { speedup } if config.has_clocks() => {
            let span = replays as f64 * trace.span_ns() as f64 / speedup;
            Some(measured.served_ns?.saturating_sub(span.round() as u64))
        }
        _ => None,
    }
}

/// Whether the device served the last of some replays in the time of the trace, or the host waited for it.
fn keeps_up(config: &Config, measured: &Measured, trace: &TraceSummary, replays: usize) -> bool {
    match config.timing.parallel.issue {
        // the trace takes its time; what counts is how far the device is behind at the end
        Issue::Timed { speedup } if config.has_clocks() => {
            let span = trace.span_ns() as f64 / speedup;
            let served = measured.served_ns.unwrap_or(0) as f64;
            served <= (replays as f64 + LEVEL) * span
        }
        _ => measured.counters.elapsed_ns <= trace.span_ns(),
    }
}

fn endurance(
    config: &Config,
    measured: &Measured,
    trace: &TraceSummary,
    replays: usize,
) -> Endurance {
    let counters = &measured.counters;
    let padding = counters.flash_programs - measured.host_programs;
    let (moves, page_size) = (config.moves, measured.page_size);
    Endurance::of(&Wearing {
        counters,
        flash_bytes: flash_bytes(counters, padding, moves, page_size),
        page_size,
        pages_per_block: config.flash.pages_per_block,
        erases: &measured.erases,
        scaled_by: config.large.map(|large| large.times),
        span_ns: trace.span_ns(),
        kept_up: keeps_up(config, measured, trace, replays),
        capacity: config.flash.capacity,
        pe_cycles: config.pe_cycles(),
        slc: measured
            .slc
            .map(|slc| config.slc_wearing(&slc, &measured.slc_erases)),
        rated_tbw: (config.large).map_or_else(|| config.rated_tbw(), |large| large.rated_tbw),
    })
}

fn warnings(config: &Config, trace: &TraceSummary, counters: &Counters) -> Vec<String> {
    let mut warnings = config.warnings.clone();
    if let Some(handles) = config.handles()
        && counters.invalid_streams > 0
    {
        warnings.push(format!(
            "{} pages came with a stream that is none of the {} of ftl.handles; they went to handle 0, as NVMe wants it",
            counters.invalid_streams,
            handles.handles()
        ));
    }
    if let Some(handles) = config.handles()
        && !trace.has_streams
        && handles.handles() > 1
    {
        warnings.push(format!(
            "the trace tells no streams, so all its writes go to handle 0 of {}; --stream-by numbers them",
            handles.handles()
        ));
    }
    let of_image = |path: &&str| path.starts_with("drive.") && *path != HOLD_MS.key.path;
    let keys = keys::all().map(|key| key.path).filter(of_image);
    let given = keys.filter(|path| config.given_at(path).is_some());
    warnings.extend(given.map(|path| {
        format!("{path} has no effect in a simulation; drives with an image have it (ssdlab drive create)")
    }));
    warnings.extend(in_cache(counters));
    warnings.extend(trace_warnings(trace));
    warnings
}

/// Says that a trace ends inside an SLC cache, so that what folding costs is still to come.
fn in_cache(counters: &Counters) -> Option<String> {
    let (now, settled) = (counters.waf_pages()?, counters.waf_settled()?);
    (settled > (1.0 + LEVEL) * now).then(|| {
        format!(
            "{} pages lie in the SLC cache at the end and are still to be folded: {} programs for each page written so far, {} with them \
             (waf_settled)",
            thousands(counters.valid_in_slc),
            fixed(now, 2),
            fixed(settled, 2)
        )
    })
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
    if let Some(what) = &trace.malformed {
        warnings.push(format!("{name}: the first malformed one is {what}"));
    }
    let doubts = trace.remarks.iter();
    warnings.extend(doubts.map(|what| format!("{name}: {what}")));
    let what = match trace.backwards {
        0 => return warnings,
        1 => "1 request has an earlier time stamp".to_owned(),
        n => format!("{n} requests have an earlier time stamp"),
    };
    let worst = duration(trace.worst_backwards as f64);
    let sort = window(trace.worst_backwards);
    warnings.push(format!(
        "{name}: {what} than the previous request, by up to {worst}; --sort {sort} puts them in order"
    ));
    warnings
}

/// The value of `--sort` that is as long as this, or a little longer.
fn window(ns: u64) -> String {
    let (unit, name) = match ns {
        0..1_000 => (1, "ns"),
        1_000..1_000_000 => (1_000, "us"),
        1_000_000..1_000_000_000 => (1_000_000, "ms"),
        _ => (1_000_000_000, "s"),
    };
    format!("{}{name}", ns.div_ceil(unit))
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
