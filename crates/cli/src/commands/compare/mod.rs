//! `ssdlab compare`.

mod options;
mod outputs;
mod table;

use std::path::PathBuf;

use ssdlab_sim::{Trace, compare as compare_all};
use ssdlab_trace::shown_path;

use super::progress::{progress_bar, step};
use super::{ConfigArgs, ReplayArgs, TraceArgs};
use crate::failure::Failure;
use crate::output;
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
    for (label, value) in ssdlab_sim::how_replayed(&comparison) {
        text += &format!("{label}: {value}\n");
    }
    text += &format!("{}\n", comparison.sentence);
    if !args.no_html {
        text += &format!("Report: {}\n", shown_path(&args.html));
    }
    output::print(&text)
}

fn parse_memory(text: &str) -> Result<u64, String> {
    let size = ssdlab_config::parse_bytes(text);
    size.ok_or_else(|| "must be a size, such as 1000000, 64KiB, 16M or 1GiB".into())
}
