//! `ssdlab run`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use ssdlab_ftl::{Event, Events};
use ssdlab_sim::{Completions, Lab, RunOptions, summary};

use super::config_args::ConfigArgs;
use super::replay_args::ReplayArgs;
use super::trace_args::TraceArgs;
use crate::failure::Failure;
use crate::message;
use crate::output::{self, Files, WholeFile};
use crate::progress::Progress;
use crate::screen::Screen;

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
    /// Write evictions, merges and erases to a file, one JSON object per line (with --repeat: those of the first
    /// repetition)
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Write the times of each request to a CSV file, under timing.model = "parallel" (with --repeat: those of the
    /// first repetition)
    #[arg(long, value_name = "FILE")]
    latencies: Option<PathBuf>,
    #[command(flatten)]
    replay: ReplayArgs,
    #[command(flatten)]
    trace: TraceArgs,
}

pub fn run(args: Args, lab: &Lab) -> Result<(), Failure> {
    let mut files = args.config.files()?;
    files.input("the trace", args.trace.path())?;
    let config = args.config.resolver(lab)?.resolve()?;
    if args.latencies.is_some() && !config.is_parallel() {
        let why =
            "--latencies: requests have individual times only with timing.model = \"parallel\"";
        return Err(Failure::Input(why.into()));
    }
    let outputs = [("--events", &args.events), ("--latencies", &args.latencies)];
    let [events, latencies] = outputs.map(|(option, path)| {
        let path = path.as_deref();
        path.map(|path| Log::create(&mut files, option, path))
            .transpose()
    });
    let (events, latencies) = (events?, latencies?);
    let options = RunOptions {
        registered: lab.systems().clone(),
        repeat: args.repeat.unwrap_or(0),
        replay: args.replay.options(),
        events: events.as_ref().map_or_else(Events::default, Log::events),
        completions: latencies.as_ref().map(Log::completions),
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
    message::warn(&outcome.warnings);
    if args.json {
        return output::print_json(&outcome);
    }
    output::print(&Screen::stdout().wrap(&summary(&outcome), ssdlab_sim::LABEL_WIDTH))
}

/// The header of the file of `--latencies`.
pub const LATENCIES: &str = "request,op,issue_ns,complete_ns\n";

/// One line of the file of `--events`.
#[derive(Serialize)]
struct Logged<'a> {
    /// The chip of these blocks, if each chip has its own FTL.
    #[serde(skip_serializing_if = "Option::is_none")]
    chip: Option<u32>,
    #[serde(flatten)]
    event: &'a Event,
}

/// A file that a device writes to while it serves requests.
struct Log {
    path: PathBuf,
    state: Arc<Mutex<State>>,
}

/// The file, and the first error.
type State = (WholeFile, io::Result<()>);

impl Log {
    fn create(files: &mut Files, option: &str, path: &Path) -> Result<Self, Failure> {
        let file = files.create(option, path)?;
        Ok(Self {
            path: path.to_owned(),
            state: Arc::new(Mutex::new((file, Ok(())))),
        })
    }

    /// One JSON object for each event.
    fn events(&self) -> Events {
        let state = Arc::clone(&self.state);
        Events::to(move |chip, event| {
            append(&state, |file| {
                serde_json::to_writer(&mut *file, &Logged { chip, event })?;
                file.write_all(b"\n")
            });
        })
    }

    /// One line of CSV for each request, below a header.
    fn completions(&self) -> Completions {
        let state = Arc::clone(&self.state);
        append(&state, |file| file.write_all(LATENCIES.as_bytes()));
        let mut numbers = 1_u64..;
        Box::new(move |completions| {
            append(&state, |file| {
                let mut lines = numbers.by_ref().zip(completions);
                lines.try_for_each(|(number, done)| {
                    let op = done.op.letter();
                    writeln!(
                        file,
                        "{number},{op},{},{}",
                        done.issued_ns, done.completed_ns
                    )
                })
            });
        })
    }

    /// Completes the file; the device must be dropped before.
    fn finish(self) -> Result<(), Failure> {
        let (file, result) = Arc::into_inner(self.state)
            .expect("the device is gone")
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        result.map_err(|error| Failure::writing(&self.path, &error))?;
        file.finish()?;
        Ok(())
    }
}

/// Writes to the file, unless writing has failed before.
fn append(state: &Mutex<State>, write: impl FnOnce(&mut WholeFile) -> io::Result<()>) {
    let (file, result) = &mut *state.lock().unwrap_or_else(PoisonError::into_inner);
    if result.is_ok() {
        *result = write(file);
    }
}
