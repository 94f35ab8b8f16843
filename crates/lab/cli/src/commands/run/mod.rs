//! `ssdlab run`.

mod chrome;
mod log;
mod times;

use std::path::PathBuf;

use ssdlab_device::TimeModel;
use ssdlab_ftl::Events;
use ssdlab_results::{Run, Schema};
use ssdlab_sim::{Lab, RunOptions, summary};
use ssdlab_trace::Watch;

use super::config_args::ConfigArgs;
use super::replay_args::ReplayArgs;
use super::trace_args::TraceArgs;
use crate::failure::Failure;
use crate::message;
use crate::output;
use crate::progress::Progress;
use crate::screen::Screen;
use ssdlab_arguments::values;

use chrome::Window;
use log::Log;
use times::Times;

#[cfg(feature = "full")]
pub use log::LATENCIES;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// Print one JSON object instead of a summary
    #[arg(long)]
    json: bool,
    /// Decode the trace once, simulate it N times on a fresh device, and report the CPU time of both
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: Option<u32>,
    /// Write requests, evictions, merges, cleaning and erases to a file, one JSON object per line (with --repeat: those of
    /// the first repetition)
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Write the times of each request to a CSV file, under timing.model = "parallel" (with --repeat: those of the
    /// first repetition)
    #[arg(long, value_name = "FILE")]
    latencies: Option<PathBuf>,
    /// Write the work of each chip and channel, the requests and the evictions to a file for ui.perfetto.dev, under
    /// timing.model = "parallel" (with --repeat: those of the first repetition)
    #[arg(long, value_name = "FILE")]
    trace_events: Option<PathBuf>,
    /// With --trace-events: only what happens from this simulated time on, such as 200ms or 1.5s
    #[arg(long, value_name = "TIME", value_parser = values::time, requires = "trace_events")]
    from: Option<u64>,
    /// With --trace-events: only what happens before this simulated time
    #[arg(long, value_name = "TIME", value_parser = values::time, requires = "trace_events")]
    to: Option<u64>,
    #[command(flatten)]
    replay: ReplayArgs,
    #[command(flatten)]
    trace: TraceArgs,
}

pub fn run(args: Args, lab: &Lab) -> Result<(), Failure> {
    let mut files = args.config.files()?;
    files.input("the trace", args.trace.path())?;
    let mut resolver = args.config.resolver(lab)?;
    if args.latencies.is_some() {
        let read = args.trace.options(Watch::default());
        ssdlab_sim::at_their_times(&mut resolver, args.trace.path(), &read)?;
    }
    let config = resolver.resolve()?;
    message::warn(ssdlab_sim::ageing_takes(lab, &config).as_slice());
    let timed = [
        ("--latencies", &args.latencies, "individual times"),
        ("--trace-events", &args.trace_events, "times of their own"),
    ];
    for (option, _, what) in timed.iter().filter(|(_, path, _)| path.is_some()) {
        if !config.has_clocks() {
            let why =
                format!("{option}: requests have {what} only with timing.model = \"parallel\"");
            return Err(Failure::Input(why));
        }
    }
    let window = window(&args)?;
    let mut create = |option: &'static str, path: &Option<PathBuf>| {
        let path = path.as_deref();
        path.map(|path| Log::create(&mut files, option, path))
            .transpose()
    };
    let events = create("--events", &args.events)?;
    let latencies = create("--latencies", &args.latencies)?;
    let times = create("--trace-events", &args.trace_events)?;
    let timing = &config.timing;
    let suspends = timing.parallel.read_suspends || timing.model == TimeModel::Drive;
    let times = times.map(|log| Times::begin(log, window, suspends));
    let options = RunOptions {
        lab: lab.clone(),
        repeat: args.repeat.unwrap_or(0),
        replay: args.replay.options(),
        events: heard(events.as_ref(), times.as_ref()),
        completions: latencies.as_ref().map(Log::completions),
        observer: times.as_ref().map(Times::observer),
        memory: None,
        stop: None,
    };
    let passes = ssdlab_sim::passes(&config, &options);
    let total = (!options.replay.steady).then_some(passes);
    let (progress, watch) = Progress::of_passes("replaying", total);
    let read = args.trace.options(watch);
    let outcome = ssdlab_sim::run(config, args.trace.path(), &read, options);
    drop(progress);
    let outcome = outcome?;
    for log in [events, latencies].into_iter().flatten() {
        log.finish()?;
    }
    if let Some(times) = times {
        message::warn(&times.finish()?);
    }
    message::warn(&outcome.warnings);
    if args.json {
        let origin = args.trace.origin(args.replay.options());
        let run = Run {
            origin: &origin,
            outcome: &outcome,
        };
        let report = run.json(&Schema::of(&lab.systems().catalogue()));
        let report = report.map_err(|error| Failure::Machine(error.to_string()))?;
        return output::print_json(&report);
    }
    output::print(&Screen::stdout().wrap(&summary(&outcome), ssdlab_sim::LABEL_WIDTH))
}

/// The part of the simulated time that `--trace-events` writes.
fn window(args: &Args) -> Result<Window, Failure> {
    let (from, to) = (args.from.unwrap_or(0), args.to.unwrap_or(u64::MAX));
    if from < to {
        return Ok(Window { from, to });
    }
    let why = "--to must be later than --from; no time lies between them";
    Err(Failure::Input(why.into()))
}

/// The receiver of events for both files.
fn heard(events: Option<&Log>, times: Option<&Times>) -> Events {
    let mut write = events.map(Log::events);
    let mut draw = times.map(Times::events);
    if write.is_none() && draw.is_none() {
        return Events::default();
    }
    Events::to(move |context, event| {
        if let Some(write) = &mut write {
            write(context, event);
        }
        if let Some(draw) = &mut draw {
            draw(context, event);
        }
    })
}
