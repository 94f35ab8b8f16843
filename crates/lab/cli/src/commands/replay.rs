//! `ssdlab replay`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value};
use ssdlab_drive::{DriveSystems, OpenOptions};
use ssdlab_replay::{
    Completed, Options, Pace, Permission, ReplayError, Replayed, replay as replay_on,
};
use ssdlab_sim::{LABEL_WIDTH, Lines, latency_lines};
use ssdlab_trace::{TraceReader, TraceSummary};
use ssdlab_words::{bytes, duration, fixed, known, shown_text, thousands};

use super::run::LATENCIES;
use super::trace_args::TraceArgs;
use crate::failure::Failure;
use crate::message;
use crate::output::{self, Files};
use crate::progress::Progress;
use crate::screen::Screen;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    trace: TraceArgs,
    /// What to replay against: nbd://HOST[:PORT][/EXPORT], nbd+unix://[/EXPORT]?socket=PATH, the socket of a server, a block
    /// device, the image of a virtual SSD, or a plain file
    target: String,
    /// The most requests that are outstanding at the same time [default: 1; with --timed, 32]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    queue_depth: Option<u32>,
    /// Send requests at the times of the trace, not as soon as possible
    #[arg(long)]
    timed: bool,
    /// Divide the times of the trace by this
    #[arg(long, value_name = "X", requires = "timed", default_value_t = 1.0, value_parser = speedup)]
    speedup: f64,
    /// Take offsets modulo the size of the target
    #[arg(long)]
    wrap: bool,
    /// Compare all reads with what was written, and read all of it again at the end
    #[arg(long)]
    verify: bool,
    /// Allow to overwrite the data of a block device or a plain file
    #[arg(long)]
    destroy: bool,
    /// Image: flushes do not wait for the disk below
    #[arg(long)]
    no_sync: bool,
    /// Print one JSON object instead of a summary
    #[arg(long)]
    json: bool,
    /// Write the times of each request to a CSV file
    #[arg(long, value_name = "FILE")]
    latencies: Option<PathBuf>,
}

fn speedup(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if value > 0.0 && f64::is_finite(value) => Ok(value),
        _ => Err("must be a number above 0".into()),
    }
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report {
    /// What was sent; of an image, with all that the drive counted, and the time of the wall clock.
    counters: Map<String, Value>,
    throughput_mb_s: Option<f64>,
    #[serde(flatten)]
    replayed: Replayed,
    target: TargetReport,
    replay: HowReplayed,
    trace: TraceSummary,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct TargetReport {
    name: String,
    kind: &'static str,
    size: u64,
}

#[derive(Serialize)]
struct HowReplayed {
    queue_depth: u32,
    /// At the times of the trace, divided by this; `null` as soon as possible.
    timed: Option<f64>,
}

pub fn replay(args: Args, systems: &DriveSystems) -> Result<(), Failure> {
    let mut files = Files::default();
    files.input("the trace", args.trace.path())?;
    if Path::new(&args.target).exists() {
        files.input("the target", Path::new(&args.target))?;
    }
    let create = |path: &PathBuf| files.create("--latencies", path);
    let mut latencies = args.latencies.as_ref().map(create).transpose()?;
    let (progress, watch) = Progress::of_passes("replaying", Some(1));
    let mut reader = TraceReader::open(args.trace.path(), &args.trace.options(watch))?;
    let (image, permission) = (
        OpenOptions {
            sync: !args.no_sync,
        },
        Permission {
            destroy: args.destroy,
        },
    );
    let target = ssdlab_replay::open(&args.target, systems, image, permission)?;
    let default_depth = if args.timed { 32 } else { 1 };
    let how = HowReplayed {
        queue_depth: args.queue_depth.unwrap_or(default_depth),
        timed: args.timed.then_some(args.speedup),
    };
    let mut written = match &mut latencies {
        Some(file) => file.write_all(LATENCIES.as_bytes()),
        None => Ok(()),
    };
    let mut log = |done: Completed| {
        if let (Some(file), Ok(())) = (&mut latencies, &written) {
            let (number, op) = (done.number, done.op.letter());
            written = writeln!(
                file,
                "{number},{op},{},{}",
                done.issued_ns, done.completed_ns
            );
        }
    };
    let name = shown_text(&args.target);
    let options = Options {
        pace: how.timed.map_or(Pace::Closed, Pace::Timed),
        queue_depth: how.queue_depth,
        wrap: args.wrap,
        verify: args.verify,
        completed: Some(&mut log),
    };
    let replayed = replay_on(&mut reader, &*target, &name, options);
    drop(progress);
    let closed = target.close();
    let replayed = replayed?;
    closed.map_err(|error| Failure::Machine(format!("{name}: cannot be closed: {error}")))?;
    if let (Some(path), Some(file)) = (&args.latencies, latencies) {
        written.map_err(|error| Failure::writing(path, &error))?;
        file.finish()?;
    }
    let report = Report {
        warnings: warnings(&replayed, &name),
        throughput_mb_s: throughput_mb_s(&replayed),
        counters: counters(&replayed)?,
        replayed,
        target: TargetReport {
            kind: target.kind(),
            size: target.size(),
            name,
        },
        replay: how,
        trace: reader.finish(),
    };
    message::warn(&report.warnings);
    if args.json {
        return output::print_json(&report);
    }
    output::print(&Screen::stdout().wrap(&summary(&report), LABEL_WIDTH))
}

/// All that is counted: that of a simulated drive, except what the replay itself knows better.
fn counters(replayed: &Replayed) -> Result<Map<String, Value>, Failure> {
    let object = |value: serde_json::Result<Value>| match value {
        Ok(Value::Object(object)) => Ok(object),
        other => Err(Failure::Machine(format!(
            "counters are no object: {other:?}"
        ))),
    };
    let mut all = match &replayed.drive {
        Some(counters) => object(serde_json::to_value(counters))?,
        None => Map::new(),
    };
    all.extend(object(serde_json::to_value(&replayed.counters))?);
    Ok(all)
}

/// Read and written bytes for each second.
fn throughput_mb_s(replayed: &Replayed) -> Option<f64> {
    let counts = &replayed.counters;
    let bytes = counts.host_read_bytes + counts.host_write_bytes;
    (counts.elapsed_ns > 0).then(|| bytes as f64 * 1e3 / counts.elapsed_ns as f64)
}

fn warnings(replayed: &Replayed, target: &str) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(late) = replayed.late.filter(|late| late.requests > 0) {
        warnings.push(format!(
            "{} requests were sent more than 1 ms after their times, the latest by {}: all --queue-depth were outstanding, or \
             they touch the bytes of others",
            thousands(late.requests),
            duration(late.longest_ns as f64)
        ));
    }
    if replayed.discards_left_out > 0 {
        let count = thousands(replayed.discards_left_out);
        warnings.push(format!("{target} takes no discards: {count} were left out"));
    }
    warnings
}

fn summary(report: &Report) -> String {
    let Report {
        replayed, target, ..
    } = report;
    let counts = &replayed.counters;
    let seconds = fixed(counts.elapsed_ns as f64 / 1e9, 3);
    let rate = known(report.throughput_mb_s, |rate| fixed(rate, 2));
    let when = match report.replay.timed {
        Some(speedup) => format!("at the times of the trace, divided by {speedup}"),
        None => "as soon as possible".into(),
    };
    let mut lines: Lines = vec![
        (
            "trace",
            format!(
                "{}, {} requests",
                report.trace.name,
                thousands(report.trace.requests)
            ),
        ),
        (
            "target",
            format!("{}, {} of {}", target.name, target.kind, bytes(target.size)),
        ),
        (
            "sent",
            format!("{when}, at most {} outstanding", report.replay.queue_depth),
        ),
        (
            "time",
            format!(
                "{seconds} s, with a flush at the end of {}",
                duration(replayed.final_flush_ns as f64)
            ),
        ),
        ("throughput", format!("{rate} MB/s")),
    ];
    lines.extend(latency_lines(&replayed.latency_ns));
    if let Some(verified) = replayed.verified {
        let [read, end] = [verified.read_bytes, verified.end_bytes].map(bytes);
        lines.push(("verified", format!("{read} of the reads, {end} at the end")));
    }
    let mut text = String::new();
    for (label, value) in lines {
        let _ = writeln!(text, "{label:<LABEL_WIDTH$}{value}");
    }
    text.push('\n');
    for (name, value) in &report.counters {
        let _ = writeln!(text, "{name:<LABEL_WIDTH$}{:>20}", value.to_string());
    }
    text
}

impl From<ReplayError> for Failure {
    fn from(error: ReplayError) -> Self {
        match error {
            ReplayError::Trace(error) => error.into(),
            error => Failure::of(error.is_bad_input(), error.to_string()),
        }
    }
}
