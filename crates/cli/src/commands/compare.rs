//! `ssdlab compare`.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use comfy_table::{Cell, Row as TableRow};
use indicatif::{ProgressBar, ProgressStyle};
use ssdlab_config::{Config, ConfigError, Resolver};
use ssdlab_report::About;
use ssdlab_sim::{
    CompareOptions, Comparison, Row, RowKind, Trace, UNBOUNDED, bytes, compare as compare_all,
};

use super::{ConfigArgs, TraceArgs};
use crate::failure::Failure;
use crate::output::{self, WholeFile};

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// Buffer policies to compare, separated by commas [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    buffer: Vec<String>,
    /// Buffer sizes to compare, separated by commas [default: 1MiB,2MiB,4MiB,8MiB,16MiB]
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    size: Vec<String>,
    /// Threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Where the HTML report goes
    #[arg(long, value_name = "FILE", default_value = "ssdlab-compare.html")]
    html: PathBuf,
    /// Write no HTML report
    #[arg(long, conflicts_with = "html")]
    no_html: bool,
    /// Take page numbers modulo the capacity instead of refusing requests past it
    #[arg(long)]
    wrap: bool,
    #[command(flatten)]
    trace: TraceArgs,
}

pub fn compare(args: Args) -> Result<(), Failure> {
    let mut options = CompareOptions::new(args.config.resolver()?);
    // what is wrong without the options is not their fault
    options.resolver.resolve()?;
    if !args.buffer.is_empty() {
        for name in &args.buffer {
            if name == UNBOUNDED {
                let why = "is a bound that every comparison shows, no competitor; leave it out";
                return Err(Failure::Input(format!("--buffer {name}: {why}")));
            }
            let policy = format!("buffer.policy={name}");
            vary(&options.resolver, "--buffer", name, &[&policy])?;
        }
        options.buffers = args.buffer.clone();
    }
    if !args.size.is_empty() {
        options.sizes = args
            .size
            .iter()
            .map(|size| parse_size(&options.resolver, size))
            .collect::<Result<_, _>>()?;
    }
    options.wrap = args.wrap;
    options.jobs = args.jobs.map_or(0, usize::from);
    if !args.no_html {
        output::refuse_to_overwrite(&args.config.inputs(args.trace.path()), &args.html, "--html")?;
    }
    let trace = Trace::load(args.trace.path(), &args.trace.options())?;
    // begun first: a report that cannot be written is better known before the runs than after them
    let report = match args.no_html {
        true => None,
        false => Some((about(&options, &trace)?, WholeFile::create(&args.html)?)),
    };
    let bar = progress_bar();
    let comparison = compare_all(&trace, &options, |runs| {
        match bar.length() {
            Some(_) => bar.inc(1),
            None => bar.set_length(runs as u64),
        };
    });
    bar.finish_and_clear();
    let comparison = comparison?;
    if let Some((about, mut file)) = report {
        let html = ssdlab_report::html(&comparison, &about);
        file.write_all(html.as_bytes())
            .map_err(|error| Failure::writing(&args.html, &error))?;
        file.finish()?;
    }
    output::warn(&comparison.warnings);
    let mut text = format!("{}\n\n{}\n", table(&comparison), comparison.sentence);
    if !args.no_html {
        text += &format!("Report: {}\n", args.html.display());
    }
    output::print(&text)
}

/// A size as the configuration takes it, checked against the device.
fn parse_size(resolver: &Resolver, text: &str) -> Result<u64, Failure> {
    let size = format!("buffer.size={text}");
    // any policy that has a size will do
    let config = vary(resolver, "--size", text, &["buffer.policy=lru", &size])?;
    Ok(config.buffer.size)
}

/// The configuration with a value of an option in it; refuses the value in the name of that option.
fn vary(
    resolver: &Resolver,
    option: &str,
    value: &str,
    settings: &[&str],
) -> Result<Config, Failure> {
    let mut resolver = resolver.clone();
    let mut resolve = || {
        for setting in settings {
            resolver.set(setting)?;
        }
        resolver.resolve()
    };
    resolve().map_err(|error: ConfigError| {
        let message = error.to_string();
        let why = message.strip_prefix("--set ").unwrap_or(&message);
        Failure::Input(format!("{option} {value}: {why}"))
    })
}

/// On standard error, if that is a terminal.
fn progress_bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} runs, {elapsed}");
    ProgressBar::no_length().with_style(style.expect("a valid template"))
}

fn about(options: &CompareOptions, trace: &Trace) -> Result<About, Failure> {
    let config = options
        .resolver
        .resolve()?
        .with_capacity(trace.summary.end)?;
    let facts = super::trace::facts(trace);
    Ok(About {
        command: std::env::args()
            .map(|arg| quoted(&arg))
            .collect::<Vec<_>>()
            .join(" "),
        version: env!("CARGO_PKG_VERSION").into(),
        config_toml: config.to_toml(),
        trace_lines: facts,
    })
}

/// An argument as a shell would want it; the program by its name alone.
fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    let argument = argument
        .strip_suffix("/ssdlab")
        .map_or(argument, |_| "ssdlab");
    match !argument.is_empty() && argument.chars().all(plain) {
        true => argument.to_owned(),
        false => format!("'{}'", argument.replace('\'', r"'\''")),
    }
}

fn table(comparison: &Comparison) -> comfy_table::Table {
    let header = [
        "policy",
        "buffer",
        "MB/s",
        "erases",
        "write amp.",
        "switch",
        "partial",
        "full",
        "write hits",
        "",
    ];
    let mut table = output::table(&header, 1);
    for row in &comparison.rows {
        table.add_row(cells(row));
    }
    table
}

fn cells(row: &Row) -> TableRow {
    let (counters, derived) = (&row.outcome.counters, &row.outcome.derived);
    let number = |value: Option<f64>| value.map_or("-".into(), |v| format!("{v:.2}"));
    let mark = match (row.kind, row.best) {
        (RowKind::Bound, _) => "bound",
        (RowKind::Policy, true) => "best",
        (RowKind::Policy, false) => "",
    };
    [
        row.label.clone(),
        row.size.map_or("-".into(), bytes),
        number(derived.throughput_mb_s),
        counters.erases.to_string(),
        number(derived.waf),
        counters.switch_merges.to_string(),
        counters.partial_merges.to_string(),
        counters.full_merges.to_string(),
        derived
            .write_hit_ratio
            .map_or("-".into(), |ratio| format!("{:.1} %", ratio * 100.0)),
        mark.into(),
    ]
    .map(Cell::new)
    .into()
}
