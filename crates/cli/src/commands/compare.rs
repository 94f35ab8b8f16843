//! `ssdlab compare`.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use comfy_table::{Cell, ColumnConstraint, Row as TableRow};
use indicatif::{ProgressBar, ProgressStyle};
use ssdlab_config::{Config, ConfigError, Resolver};
use ssdlab_report::About;
use ssdlab_sim::{
    Axis, CompareOptions, Comparison, IDEAL, Row, RowKind, Trace, UNBOUNDED, bytes,
    compare as compare_all,
};

use super::{ConfigArgs, ReplayArgs, TraceArgs};
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
    /// FTLs to compare, separated by commas [default: that of the configuration]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    ftl: Vec<String>,
    /// Another key to vary, as `ftl.log_blocks=7,14,28`; may be repeated, every combination runs
    #[arg(long, value_name = "KEY=VALUES")]
    vary: Vec<String>,
    /// The policy, or the label of the rows, that all others are held against at the same buffer size [default: lru]
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// Threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Where the HTML report goes
    #[arg(long, value_name = "FILE", default_value = "ssdlab-compare.html")]
    html: PathBuf,
    /// Write no HTML report
    #[arg(long, conflicts_with = "html")]
    no_html: bool,
    /// Write all counters and figures to a file, one line for each run
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write everything to a file as one JSON object
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Keep the decoded trace in memory if it takes no more than this, 24 bytes a request; else read it for each run
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = parse_memory)]
    trace_memory: u64,
    #[command(flatten)]
    replay: ReplayArgs,
    #[command(flatten)]
    trace: TraceArgs,
}

pub fn compare(args: Args) -> Result<(), Failure> {
    let options = options(&args)?;
    let trace = Trace::load(args.trace.path(), &args.trace.options(), args.trace_memory)?;
    if trace.is_streamed() {
        let why =
            "needs more memory than --trace-memory allows: its file is read anew for each run";
        output::complain("note", &format!("{} {why}", trace.summary.name));
    }
    // begun first: a file that cannot be written is better known before the runs than after them
    let outputs = Outputs::create(&args)?;
    let bar = progress_bar();
    let comparison = compare_all(&trace, &options, |runs| step(&bar, runs));
    bar.finish_and_clear();
    let comparison = comparison?;
    outputs.write(&comparison, &about(&options, &trace, &comparison)?)?;
    output::warn(&comparison.warnings);
    let mut text = format!("{}\n\n", table(&comparison));
    if let Some(row) = comparison.rows.first() {
        for (label, value) in ssdlab_sim::how_replayed(&row.outcome) {
            text += &format!("{label}: {value}\n");
        }
    }
    text += &format!("{}\n", comparison.sentence);
    if !args.no_html {
        text += &format!("Report: {}\n", args.html.display());
    }
    output::print(&text)
}

/// What to compare; whatever is wrong with an option is refused in its name.
fn options(args: &Args) -> Result<CompareOptions, Failure> {
    let mut options = CompareOptions::new(args.config.resolver()?);
    // what is wrong without the options is not their fault
    options.resolver.resolve()?;
    if !args.buffer.is_empty() {
        for name in &args.buffer {
            refuse_bound("--buffer", name, UNBOUNDED)?;
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
    if !args.ftl.is_empty() {
        for name in &args.ftl {
            refuse_bound("--ftl", name, IDEAL)?;
        }
        let key = "ftl.kind".to_owned();
        options.vary.push(Axis {
            key,
            values: args.ftl.clone(),
        });
    }
    for text in &args.vary {
        let axis = parse_axis(text)?;
        if options.vary.iter().any(|other| other.key == axis.key) {
            return Err(Failure::Input(format!(
                "--vary {text}: {} is varied already",
                axis.key
            )));
        }
        options.vary.push(axis);
    }
    for Axis { key, values } in &options.vary {
        let option = if key == "ftl.kind" { "--ftl" } else { "--vary" };
        for value in values {
            let setting = format!("{key}={value}");
            let shown = if key == "ftl.kind" { value } else { &setting };
            vary(&options.resolver, option, shown, &[&setting])?;
        }
    }
    options.baseline = args.baseline.clone();
    options.replay = args.replay.options();
    options.jobs = args.jobs.map_or(0, usize::from);
    Ok(options)
}

fn refuse_bound(option: &str, name: &str, bound: &str) -> Result<(), Failure> {
    if name != bound {
        return Ok(());
    }
    let why = "is a bound that every comparison shows, no competitor; leave it out";
    Err(Failure::Input(format!("{option} {name}: {why}")))
}

/// `KEY=V1,V2`; each value once.
fn parse_axis(text: &str) -> Result<Axis, Failure> {
    let refused = |why: String| Err(Failure::Input(format!("--vary {text}: {why}")));
    let Some((key, values)) = text.split_once('=') else {
        return refused("must be KEY=VALUE,VALUE,…".into());
    };
    let own = [
        ("buffer.policy", "--buffer"),
        ("buffer.size", "--size"),
        ("ftl.kind", "--ftl"),
    ];
    if let Some((_, option)) = own.iter().find(|(own, _)| *own == key.trim()) {
        return refused(format!("use {option} {values}"));
    }
    let mut axis = Axis {
        key: key.trim().into(),
        values: Vec::new(),
    };
    for value in split_values(values) {
        if value.is_empty() {
            return refused("a value is missing; must be KEY=VALUE,VALUE,…".into());
        }
        if !axis.values.iter().any(|other| other == value) {
            axis.values.push(value.into());
        }
    }
    Ok(axis)
}

/// What stands between commas; those inside the brackets of a list separate nothing.
fn split_values(text: &str) -> impl Iterator<Item = &str> {
    let mut open = 0;
    let separates = move |c| {
        match c {
            '[' => open += 1,
            ']' => open -= 1,
            _ => {}
        }
        c == ',' && open <= 0
    };
    text.split(separates).map(str::trim)
}

/// What a file of a comparison holds.
type Render = fn(&Comparison, &About) -> Result<String, String>;

/// The files that a comparison is written to.
struct Outputs(Vec<(PathBuf, WholeFile, Render)>);

impl Outputs {
    fn create(args: &Args) -> Result<Self, Failure> {
        let html = (!args.no_html).then_some(&args.html);
        let wanted: [(&str, Option<&PathBuf>, Render); 3] = [
            ("--html", html, |comparison, about| {
                Ok(ssdlab_report::html(comparison, about))
            }),
            ("--csv", args.csv.as_ref(), |comparison, _| {
                ssdlab_report::csv(comparison)
            }),
            ("--json", args.json.as_ref(), |comparison, _| {
                ssdlab_report::json(comparison)
            }),
        ];
        let mut outputs: Vec<(PathBuf, WholeFile, Render)> = Vec::new();
        for (option, path, render) in wanted {
            let Some(path) = path else { continue };
            let inputs = args.config.inputs(args.trace.path());
            let others: Vec<PathBuf> = outputs.iter().map(|output| output.0.clone()).collect();
            output::check_place(&inputs, &others, path, option)?;
            outputs.push((path.clone(), WholeFile::create(path)?, render));
        }
        Ok(Self(outputs))
    }

    fn write(self, comparison: &Comparison, about: &About) -> Result<(), Failure> {
        for (path, mut file, render) in self.0 {
            let text = render(comparison, about).map_err(Failure::Machine)?;
            file.write_all(text.as_bytes())
                .map_err(|error| Failure::writing(&path, &error))?;
            file.finish()?;
        }
        Ok(())
    }
}

fn parse_memory(text: &str) -> Result<u64, String> {
    let with_unit = || u64::try_from(ssdlab_config::parse_size(text)?).ok();
    let size = text.parse().ok().or_else(with_unit);
    size.ok_or_else(|| "must be bytes, as 1000000, 64KiB, 16MiB or 1GiB".into())
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

/// On standard error, if that is a terminal; without a length yet.
pub fn progress_bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} runs, {elapsed}");
    ProgressBar::no_length().with_style(style.expect("a valid template"))
}

/// One of `all` is done; the first time, none is.
pub fn step(bar: &ProgressBar, all: usize) {
    match bar.length() {
        Some(_) => bar.inc(1),
        None => bar.set_length(all as u64),
    }
}

fn about(
    options: &CompareOptions,
    trace: &Trace,
    comparison: &Comparison,
) -> Result<About, Failure> {
    // the end of the trace says nothing where the trace was compacted: the runs know
    let ran = comparison.rows.first().map(|row| &row.outcome.config);
    let capacity = ran.and_then(|config| config["flash"]["capacity"].as_u64());
    let config = options
        .resolver
        .resolve()?
        .with_capacity(capacity.unwrap_or(trace.summary.end))?;
    let facts = super::trace::facts(trace)?;
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
    for whole in [0, header.len() - 1] {
        if let Some(column) = table.column_mut(whole) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    for row in &comparison.rows {
        table.add_row(cells(row, &comparison.baseline));
    }
    table
}

/// The figures, each with its difference from the baseline of the same size.
fn cells(row: &Row, baseline: &str) -> TableRow {
    let (c, d, relative) = (&row.outcome.counters, &row.outcome.derived, &row.relative);
    let is_baseline = row.label == baseline && row.kind == RowKind::Policy;
    let with = |figure: String, difference: Option<f64>, unit: &str| {
        let points = difference
            .filter(|_| !is_baseline)
            .map(|x| (x * 100.0).round());
        match points {
            Some(0.0) => figure + " =",
            Some(points) => format!("{figure} {points:+}{unit}"),
            None => figure,
        }
    };
    let decimal = |value: Option<f64>, difference| {
        with(
            value.map_or("-".into(), |v| format!("{v:.2}")),
            difference,
            "%",
        )
    };
    let count = |value: u64, difference| with(value.to_string(), difference, "%");
    let hits = d
        .write_hit_ratio
        .map_or("-".into(), |ratio| format!("{:.1}%", ratio * 100.0));
    let mark = match (row.kind, row.best, is_baseline) {
        (RowKind::Bound, ..) => "bound",
        (RowKind::Policy, true, true) => "best, baseline",
        (RowKind::Policy, true, false) => "best",
        (RowKind::Policy, false, true) => "baseline",
        (RowKind::Policy, false, false) => "",
    };
    [
        row.label.clone(),
        row.size.map_or("-".into(), bytes),
        decimal(d.throughput_mb_s, relative.throughput),
        count(c.erases, relative.erases),
        decimal(d.waf, relative.waf),
        count(c.switch_merges, relative.switch_merges),
        count(c.partial_merges, relative.partial_merges),
        count(c.full_merges, relative.full_merges),
        with(hits, relative.write_hit_ratio, "pp"),
        mark.into(),
    ]
    .map(Cell::new)
    .into()
}
