//! The arguments of `ssdlab compare`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};
use ssdlab_sim::{Figure, Figures};

use crate::commands::config_args::ConfigArgs;
use crate::commands::replay_args::ReplayArgs;
use crate::commands::trace_args::TraceArgs;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub(super) config: ConfigArgs,
    /// Buffer policies to compare, separated by commas [default: none,lru,cflru,fab,cbb, that of the configuration, and those
    /// of other crates]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(super) buffer: Vec<String>,
    /// Compare every buffer policy that the device accepts
    #[arg(long, conflicts_with = "buffer")]
    pub(super) all: bool,
    /// Buffer sizes to compare, separated by commas [default: buffer.size if the configuration sets it, otherwise
    /// 1MiB,2MiB,4MiB,8MiB,16MiB]
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    pub(super) size: Vec<String>,
    /// Sizes of all RAM to compare; each run gets as buffer what its tables leave; the cache of a map in flash may have a share of
    /// it, as in `--vary ftl.map_cache=25%,50%`
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = parse_memory, conflicts_with = "size")]
    pub(super) ram_total: Vec<u64>,
    /// FTLs to compare, separated by commas [default: ftl.kind of the configuration]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(super) ftl: Vec<String>,
    /// Another key to vary, such as `ftl.log_blocks=7,14,28`; a value with commas has double quotes, as in
    /// 'precondition=full,"0.6,random:2"'; may be repeated; every combination runs
    #[arg(long, value_name = "KEY=VALUES")]
    pub(super) vary: Vec<String>,
    /// The policy or row label with which all others are compared at the same buffer size [default: buffer.policy if
    /// the configuration sets it, otherwise lru]
    #[arg(long, value_name = "NAME")]
    pub(super) baseline: Option<String>,
    /// The figure that ranks the runs (`ssdlab list` names all); a run without it ranks last [default: throughput;
    /// with the times of the trace (replay = "timed") p99_commit if the host flushes, p99 if not, and waf without clocks]
    #[arg(long, value_name = "FIGURE")]
    pub(super) by: Option<String>,
    /// The figures to show in the table, separated by commas; the table of the report has them too [default: throughput to
    /// time, and those that the closing sentence names]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(super) columns: Vec<String>,
    /// Run no bounds: no unbounded buffer, no clairvoyant one and no ideal FTL
    #[arg(long)]
    pub(super) no_bounds: bool,
    /// Let the trace age each drive that cleans before it runs, unless precondition is given, and show how far the answer
    /// depends on how it was resampled
    #[arg(long)]
    pub(super) settled: bool,
    /// Do not try what would lessen the writes to flash of the winner, which takes at most 6 further runs
    #[arg(long)]
    pub(super) no_advice: bool,
    /// Threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) jobs: Option<u16>,
    /// Memory for the devices of all simultaneous runs; a run waits until its device fits, and one that never fits is an
    /// error [default: the free memory]
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    pub(super) memory: Option<u64>,
    /// The file for the HTML report [default: named after the trace, TRACE.compare.html; if a report with other settings or
    /// another file has that name, TRACE.compare-2.html and so on]
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// Write no HTML report
    #[arg(long, conflicts_with = "html")]
    pub(super) no_html: bool,
    /// Write all counters and figures to a CSV file, one row for each run, with trace, configuration and command
    #[arg(long, value_name = "FILE")]
    pub(super) csv: Option<PathBuf>,
    /// Write the whole comparison to a file as one JSON object
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Write the picture of what each handle or region of a placement costs; the ending is the format (.svg, .pdf, .pgf,
    /// .csv)
    #[arg(long, value_name = "FILE")]
    pub(super) placed: Option<PathBuf>,
    /// Keep the decoded trace in memory, 24 bytes for each request, if it needs at most this much; otherwise each run
    /// reads the file again
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = parse_memory)]
    pub(super) trace_memory: u64,
    #[command(flatten)]
    pub(super) replay: ReplayArgs,
    #[command(flatten)]
    pub(super) trace: TraceArgs,
}

/// The command, whose options take the names of these figures.
pub fn with_figures(command: clap::Command, figures: &Figures) -> clap::Command {
    let by = figure_names(figures.ranking());
    let columns = figure_names(figures.iter());
    command
        .mut_arg("by", |arg| arg.value_parser(by).hide_possible_values(true))
        .mut_arg("columns", |arg| {
            arg.value_parser(columns).hide_possible_values(true)
        })
}

/// The names of some figures, as values of an option.
pub fn figure_names<'a>(figures: impl Iterator<Item = &'a Figure>) -> PossibleValuesParser {
    let value = |figure: &Figure| PossibleValue::new(figure.key).aliases(figure.also);
    PossibleValuesParser::new(figures.map(value).collect::<Vec<_>>())
}

fn parse_memory(text: &str) -> Result<u64, String> {
    let size = ssdlab_words::parse_bytes(text);
    size.ok_or_else(|| "must be a size, such as 1000000, 64KiB, 16M or 1GiB".into())
}
