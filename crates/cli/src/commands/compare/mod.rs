//! `ssdlab compare`.

mod options;
mod outputs;
mod report_name;
mod table;

use std::path::{Path, PathBuf};

use ssdlab_sim::{CompareOptions, Comparison, Trace, compare as compare_all};
use ssdlab_trace::shown_path;

use super::{ConfigArgs, ReplayArgs, TraceArgs};
use crate::failure::Failure;
use crate::output;
use crate::progress::Progress;
use crate::screen::Screen;
use crate::signals::Interrupt;
use options::options;
use outputs::{Outputs, about};
use table::table;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// Buffer policies to compare, separated by commas [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    buffer: Vec<String>,
    /// Buffer sizes to compare, separated by commas [default: buffer.size, if the configuration gives it, else
    /// 1MiB,2MiB,4MiB,8MiB,16MiB]
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    size: Vec<String>,
    /// FTLs to compare, separated by commas [default: ftl.kind of the configuration]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    ftl: Vec<String>,
    /// Another key to vary, such as `ftl.log_blocks=7,14,28`; may be repeated; every combination runs
    #[arg(long, value_name = "KEY=VALUES")]
    vary: Vec<String>,
    /// The policy, or the label of rows, with which all others are compared at the same buffer size [default:
    /// buffer.policy, if the configuration gives it, else lru]
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// Threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// The file of the HTML report [default: named after the trace, TRACE.compare.html]
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write no HTML report
    #[arg(long, conflicts_with = "html")]
    no_html: bool,
    /// Write all counters and figures to a CSV file, one line for each run
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the whole comparison to a file as one JSON object
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Keep the decoded trace in memory, 24 bytes for each request, if it needs at most this much; otherwise each run
    /// reads the file again
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = parse_memory)]
    trace_memory: u64,
    #[command(flatten)]
    replay: ReplayArgs,
    #[command(flatten)]
    trace: TraceArgs,
}

pub fn compare(args: Args) -> Result<(), Failure> {
    let mut options = options(&args)?;
    let (progress, watch) = Progress::of_passes("reading", Some(1));
    let trace = Trace::load(
        args.trace.path(),
        &args.trace.options(watch),
        args.trace_memory,
    );
    drop(progress);
    let trace = trace?;
    if trace.is_streamed() {
        let why = "needs more memory than --trace-memory allows: each run reads its file again";
        output::complain("note", &format!("{} {why}", trace.summary.name));
    }
    // open the files first: an error is better known before the runs than after them
    let outputs = Outputs::create(&args, &trace.summary)?;
    let report = outputs.report();
    let comparison = runs(&trace, &mut options)?;
    outputs.write(&comparison, &about(&options, &trace, &comparison)?)?;
    output::warn(&comparison.warnings);
    output::print(&in_words(&comparison, report.as_deref(), &Screen::stdout()))?;
    match comparison.missing_runs {
        0 => Ok(()),
        _ => Err(Failure::Interrupted),
    }
}

/// All runs, or those that finished before an interrupt.
fn runs(trace: &Trace, options: &mut CompareOptions) -> Result<Comparison, Failure> {
    let interrupt = Interrupt::await_one();
    options.stop = Some(interrupt.flag());
    let progress = Progress::of_runs();
    let comparison = compare_all(trace, options, |runs| progress.step(runs));
    drop(progress);
    let comparison = comparison?;
    if comparison.rows.is_empty() && comparison.missing_runs > 0 {
        output::complain(
            "interrupted",
            "no run has finished yet; nothing was written",
        );
        return Err(Failure::Interrupted);
    }
    Ok(comparison)
}

/// The table, how the trace was replayed, the verdict, and the path of the report.
fn in_words(comparison: &Comparison, report: Option<&Path>, screen: &Screen) -> String {
    let mut text = format!("{}\n\n", table(comparison).fit(screen));
    for (label, value) in ssdlab_sim::how_replayed(comparison) {
        text += &format!("{}\n", screen.wrap(&format!("{label}: {value}"), 2));
    }
    text += &format!("{}\n", screen.wrap(&comparison.sentence, 0));
    if let Some(report) = report {
        text += &format!("Report: {}\n", shown_path(report));
    }
    text
}

fn parse_memory(text: &str) -> Result<u64, String> {
    let size = ssdlab_config::parse_bytes(text);
    size.ok_or_else(|| "must be a size, such as 1000000, 64KiB, 16M or 1GiB".into())
}
