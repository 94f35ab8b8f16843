//! `ssdlab run`.

use std::cell::RefCell;
use std::io::{self, Write};
use std::path::PathBuf;
use std::rc::Rc;

use serde::Serialize;
use ssdlab_ftl::{Event, Events};
use ssdlab_sim::{Outcome, RunOptions, summary};

use super::{ConfigArgs, ReplayArgs, TraceArgs};
use crate::failure::Failure;
use crate::output::{self, WholeFile};
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
    /// Write evictions, merges and erases to a file, one JSON object for each line (with --repeat: of the first
    /// repetition)
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    #[command(flatten)]
    replay: ReplayArgs,
    #[command(flatten)]
    trace: TraceArgs,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let config = args.config.resolver()?.resolve()?;
    if let Some(events) = &args.events {
        let inputs = args.config.inputs(args.trace.path());
        output::check_place(&inputs, &[], events, "--events")?;
    }
    let log = args.events.as_deref().map(EventLog::create).transpose()?;
    let options = RunOptions {
        repeat: args.repeat.unwrap_or(0),
        replay: args.replay.options(),
        events: log.as_ref().map_or_else(Events::default, EventLog::events),
    };
    let passes = ssdlab_sim::passes(&config, &options);
    let known = (!options.replay.steady).then_some(passes);
    let (progress, watch) = Progress::of_passes("replaying", known);
    let read = args.trace.options(watch);
    let outcome = ssdlab_sim::run(config, args.trace.path(), &read, options);
    drop(progress);
    let outcome = outcome?;
    if let Some(log) = log {
        log.finish()?;
    }
    output::warn(&outcome.warnings);
    output::print(&if args.json {
        json(&outcome)?
    } else {
        Screen::stdout().wrap(&summary(&outcome), ssdlab_sim::LABEL_WIDTH)
    })
}

fn json(outcome: &Outcome) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(outcome);
    text.map(|text| text + "\n")
        .map_err(|error| Failure::Machine(error.to_string()))
}

/// One line of the file of `--events`.
#[derive(Serialize)]
struct Logged<'a> {
    /// The chip of these blocks, if each chip has its own FTL.
    #[serde(skip_serializing_if = "Option::is_none")]
    chip: Option<u32>,
    #[serde(flatten)]
    event: &'a Event,
}

/// The file of `--events`, shared with the device that writes to it.
struct EventLog {
    path: PathBuf,
    state: Rc<RefCell<(WholeFile, io::Result<()>)>>,
}

impl EventLog {
    fn create(path: &std::path::Path) -> Result<Self, Failure> {
        let file = WholeFile::create(path)?;
        Ok(Self {
            path: path.to_owned(),
            state: Rc::new(RefCell::new((file, Ok(())))),
        })
    }

    fn events(&self) -> Events {
        let state = Rc::clone(&self.state);
        Events::to(move |chip, event| {
            let (file, result) = &mut *state.borrow_mut();
            if result.is_ok() {
                *result = serde_json::to_writer(&mut *file, &Logged { chip, event })
                    .map_err(io::Error::from)
                    .and_then(|()| file.write_all(b"\n"));
            }
        })
    }

    /// Completes the file; the device must be dropped before.
    fn finish(self) -> Result<(), Failure> {
        let (file, result) = Rc::into_inner(self.state)
            .expect("the device is gone")
            .into_inner();
        result.map_err(|error| Failure::writing(&self.path, &error))?;
        file.finish()
    }
}
