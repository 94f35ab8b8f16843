//! `ssdlab cliff`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use serde_json::json;
use ssdlab_config::Config;
use ssdlab_report::picture::{Axis, Format, Legend, Mark, Names, Panel, Picture, Point, Spoken};
use ssdlab_sim::{Cliff, Lab, Phase, minutes};
use ssdlab_words::{decimal_bytes, fixed, percent};

use super::config_args::ConfigArgs;
use crate::failure::Failure;
use crate::output::{self, by_ending};

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
        let small = Cliff::stand_in(
            args.config.resolver(lab)?,
            &config,
            args.filled,
            args.run_on,
        )?;
        cliff = cliff.measured(lab, &small)?;
    }
    if let Some(path) = &args.picture {
        let format = by_ending("--picture", path, &Format::ALL)?;
        let mut files = args.config.files()?;
        let mut file = files.create("--picture", path)?;
        let bytes = picture(&config, &cliff).file(format, WIDTH);
        let written = file.write_all(&bytes.map_err(Failure::Machine)?);
        written.map_err(|error| Failure::writing(path, &error))?;
        file.finish()?;
    }
    if args.json {
        return output::print_json(&json!({ "cliff": cliff }));
    }
    output::print(&words(&config, &cliff, args))
}

fn words(config: &Config, cliff: &Cliff, args: &Args) -> String {
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
    let pause = cliff
        .clone()
        .after(config, args.after.unwrap_or(30.0))
        .recovery;
    if let Some(pause) = pause {
        line(
            "does a pause help",
            match pause.whole_s {
                Some(whole) => format!(
                    "{} of idle time free {} of the cache, {} all of it",
                    minutes(pause.after_s),
                    decimal_bytes(pause.bytes),
                    minutes(whole)
                ),
                None => "no: the drive does not fold in pauses (ftl.slc_idle_us = 0); overwriting or discarding (TRIM) what lies in the cache gives \
                         it back"
                    .into(),
            },
        );
    }
    if let Some(full) = Cliff::of(config, 0.8).filter(|_| cliff.filled != 0.8) {
        line(
            "and 80 % full",
            format!(
                "the cache holds {} ({} of that of an empty drive); then {}",
                decimal_bytes(full.cache),
                percent(
                    full.cache as f64
                        / Cliff::of(config, 0.0).map_or(1.0, |empty| empty.cache.max(1) as f64)
                ),
                full.phases.get(1).map_or(String::new(), |phase| format!(
                    "{} MB/s",
                    fixed(phase.mb_s, 0)
                ))
            ),
        );
    }
    text
}

fn picture(config: &Config, cliff: &Cliff) -> Picture {
    let curve = |series, values: Vec<(f64, f64)>| Mark::Curve {
        series,
        faint: false,
        points: values
            .into_iter()
            .map(|(x, y)| Point {
                x,
                y,
                quartiles: (y, y),
                runs: 1,
                tip: String::new(),
            })
            .collect(),
    };
    let gb = |bytes: u64| bytes as f64 / 1e9;
    let steps = |phases: &[Phase]| {
        let mut at = 0.0;
        let mut values = Vec::new();
        for phase in phases {
            values.push((f64::max(at, 0.1), phase.mb_s));
            at += gb(phase.bytes);
            values.push((at, phase.mb_s));
        }
        values
    };
    let panel = |title: &str, x: &str, y: &str, curves: Vec<Vec<(f64, f64)>>, log: bool| {
        let of =
            |side: fn(&(f64, f64)) -> f64| curves.iter().flatten().map(side).collect::<Vec<_>>();
        let (xs, ys) = (of(|at| at.0), of(|at| at.1));
        Panel {
            title: title.into(),
            x: Axis::of(x, xs.into_iter(), log, false),
            y: Axis::of(y, ys.into_iter().chain([0.0]), false, true),
            marks: curves
                .into_iter()
                .enumerate()
                .map(|(series, values)| curve(series, values))
                .collect(),
        }
    };
    let mut fill = vec![steps(&cliff.phases)];
    fill.extend(
        cliff
            .measured
            .as_ref()
            .map(|measured| steps(&measured.phases)),
    );
    let levels = (0..20).filter_map(|level| {
        let filled = f64::from(level) / 20.0;
        Some((100.0 * filled, gb(Cliff::of(config, filled)?.cache)))
    });
    let whole = cliff
        .clone()
        .after(config, 0.0)
        .recovery
        .and_then(|recovery| recovery.whole_s);
    let pauses = (0..=20).filter_map(|step| {
        let pause = whole? * f64::from(step) / 20.0;
        let recovery = cliff.clone().after(config, pause).recovery?;
        Some((pause, gb(recovery.bytes)))
    });
    let mut panels = vec![
        panel(
            "Speed of a sequential fill",
            "GB written",
            "MB/s",
            fill,
            true,
        ),
        panel(
            "Cache over the fill level",
            "% full",
            "GB of cache",
            vec![levels.collect()],
            false,
        ),
    ];
    let pauses: Vec<(f64, f64)> = pauses.collect();
    if !pauses.is_empty() {
        panels.push(panel(
            "Cache given back by a pause",
            "s of idle time",
            "GB of cache",
            vec![pauses],
            false,
        ));
    }
    let legend = ["closed form", "run"]
        .into_iter()
        .enumerate()
        .map(|(place, label)| Legend {
            label: label.into(),
            slot: ssdlab_report::slot(place),
        });
    Picture {
        legend: legend.collect(),
        panels,
        names: Names {
            panel: "panel".into(),
            series: "series".into(),
            x: "x".into(),
            y: "y".into(),
        },
        spoken: Spoken {
            title: "The write cliff".into(),
            text: cliff.sentence(),
        },
    }
}
