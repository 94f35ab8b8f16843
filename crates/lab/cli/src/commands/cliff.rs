//! `ssdlab cliff`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use serde_json::json;
use ssdlab_report::cliff_picture;
use ssdlab_report::picture::Format;
use ssdlab_reproduce::Fills;
use ssdlab_sim::{Cliff, Lab, SimError, minutes};
use ssdlab_words::{decimal_bytes, fixed, percent};

use super::config_args::ConfigArgs;
use crate::failure::Failure;
use crate::output::{self, by_ending};
use crate::signals::Interrupt;

/// The fill level that is told unasked.
const FULL: f64 = 0.8;
/// The width of the picture in mm.
const WIDTH: f64 = 160.0;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// The share of the drive that is full before, from 0 to below 1
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = share)]
    filled: f64,
    /// A pause behind the full cache, such as 30s: what it gives back
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    after: Option<f64>,
    /// The closed form alone, without a run
    #[arg(long)]
    no_run: bool,
    /// The size of the drive that runs in place of a larger one
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = ssdlab_arguments::values::size)]
    run_on: u64,
    /// Write a picture: speed over bytes written, cache over the fill level, and what pauses give back (.svg, .pdf, .pgf, .csv)
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..1.0).contains(share));
    share.ok_or_else(|| "must be a share from 0 to below 1, such as 0.8".into())
}

fn seconds(text: &str) -> Result<f64, String> {
    let (number, unit) = match text.strip_suffix("min") {
        Some(number) => (number, 60.0),
        None => (text.strip_suffix('s').unwrap_or(text), 1.0),
    };
    let number: Option<f64> = number.trim().parse().ok();
    let number = number.filter(|seconds| (0.0..=1e9).contains(seconds));
    number
        .map(|number| number * unit)
        .ok_or_else(|| "must be a time such as 30s or 5min".into())
}

pub fn cliff(args: &Args, lab: &Lab) -> Result<(), Failure> {
    let config = args.config.resolver(lab)?.resolve()?;
    let Some(mut cliff) = Cliff::of(&config, args.filled) else {
        let why = "the drive has no SLC cache (ftl.slc), so it has no cliff; try --preset consumer-tlc-1tb";
        return Err(Failure::Input(why.into()));
    };
    if let Some(pause) = args.after {
        cliff = cliff.after(&config, pause);
    }
    if !args.no_run {
        let (resolver, interrupt) = (args.config.resolver(lab)?, Interrupt::await_one());
        let run = cliff.with_runs(lab, &resolver, &config, args.run_on, &interrupt.flag());
        cliff = match run {
            Err(SimError::Stopped) => return Err(Failure::Interrupted),
            run => run?,
        };
    }
    if let Some(path) = &args.picture {
        let format = by_ending("--picture", path, &Format::ALL)?;
        let mut files = args.config.files()?;
        let mut file = files.create("--picture", path)?;
        let bytes = cliff_picture(&cliff, &Fills::reviewed()?).file(format, WIDTH);
        let written = file.write_all(&bytes.map_err(Failure::Machine)?);
        written.map_err(|error| Failure::writing(path, &error))?;
        file.finish()?;
    }
    if args.json {
        return output::print_json(&json!({ "cliff": cliff }));
    }
    output::print(&words(&cliff))
}

fn words(cliff: &Cliff) -> String {
    let mut text = format!("{}\n\n", cliff.sentence());
    let mut line = |label: &str, words: String| {
        let _ = writeln!(text, "{label:<20}{words}");
    };
    for (place, phase) in cliff.phases.iter().enumerate().take(8) {
        let measured = cliff
            .measured
            .as_ref()
            .and_then(|measured| measured.phases.get(place));
        let measured = measured.map_or(String::new(), |phase| {
            format!(", {} MB/s in the run", fixed(phase.mb_s, 0))
        });
        line(
            phase.name,
            format!(
                "{} at {} MB/s{measured}",
                decimal_bytes(phase.bytes),
                fixed(phase.mb_s, 0)
            ),
        );
    }
    let run = cliff.measured.as_ref().map_or(String::new(), |measured| {
        format!(
            "; in a run on {} of it {}",
            decimal_bytes(measured.capacity),
            minutes(measured.seconds)
        )
    });
    line(
        "all",
        format!(
            "{} at {} MB/s on average{run}",
            minutes(cliff.seconds),
            fixed(cliff.mean_mb_s, 0)
        ),
    );
    line(
        "why it is slow",
        format!(
            "the first {} go to cells with one bit; behind them every bit of a cell is programmed, and what the cache holds must be \
             folded when its room is needed",
            decimal_bytes(cliff.cache)
        ),
    );
    let pause = cliff.recovery;
    line(
        "does a pause help",
        match pause.whole_s {
            Some(whole) => format!(
                "yes: it is as fast again after {} of idle time; {} give back {} of the cache",
                minutes(whole),
                minutes(pause.after_s),
                decimal_bytes(pause.bytes)
            ),
            None => "no: the drive does not fold in pauses (ftl.slc_idle_us = 0); overwriting or discarding (TRIM) what lies in the cache gives \
                     it back"
                .into(),
        },
    );
    if let Some(again) = cliff.measured.as_ref().and_then(|measured| measured.again) {
        let at = |mb_s| format!("{} MB/s", fixed(mb_s, 0));
        let paused = again.paused.map_or(String::new(), |mb_s| {
            format!(
                ", {} after {} of idle time",
                at(mb_s),
                minutes(pause.after_s)
            )
        });
        line(
            "as much again",
            format!(
                "{} at once{paused}, {} after a TRIM of what the cache holds, in runs",
                at(again.at_once),
                at(again.trimmed)
            ),
        );
    }
    let full = cliff.levels.iter().find(|level| level.filled == FULL);
    if let (Some(full), Some(empty)) = (full, cliff.levels.first())
        && cliff.filled != FULL
    {
        line(
            "and 80 % full",
            format!(
                "the cache holds {} ({} of that of an empty drive); then {} MB/s",
                decimal_bytes(full.cache),
                percent(full.cache as f64 / empty.cache.max(1) as f64),
                fixed(full.behind_mb_s, 0)
            ),
        );
    }
    text
}
