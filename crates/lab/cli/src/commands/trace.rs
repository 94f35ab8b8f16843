//! `ssdlab trace`.

use std::path::PathBuf;

use ssdlab_sim::{Trace, left_out, trace_warnings};
use ssdlab_trace::{Info, InfoReport, SizeReport, TraceReader, TraceSummary, UnitReport};
use ssdlab_words::{bytes, decimal, fixed, known, percent, thousands};

use super::trace_args::TraceArgs;
use super::trace_plot::Plot;
use super::{trace_catalogue, trace_fetch, trace_generate, trace_merge, trace_record};
use crate::failure::Failure;
use crate::output::Files;
use crate::progress::Progress;
use crate::screen::Screen;
use crate::{examples, message, output};

#[derive(clap::Subcommand)]
pub enum Command {
    /// Characterise a trace: requests, bytes, footprint, rewrites, sequentiality, sizes, and what a coarse mapping unit
    /// does to its writes
    #[command(after_long_help = examples::TRACE_INFO)]
    Info(InfoArgs),
    /// Generate a synthetic trace in the plain format: seeded, of any length
    #[command(after_long_help = examples::TRACE_GENERATE)]
    Generate(trace_generate::Args),
    /// Merge traces side by side on one device, like programs that run at the same time
    #[command(after_long_help = examples::TRACE_MERGE)]
    Merge(trace_merge::Args),
    /// Name the public sets of block traces: where they are, their terms, their traps
    #[command(after_long_help = examples::TRACE_CATALOGUE)]
    Catalogue(trace_catalogue::Args),
    /// Fetch a volume of a public set, or any file, over HTTP; an interrupted fetch goes on where it ended
    #[command(after_long_help = examples::TRACE_FETCH)]
    Fetch(trace_fetch::Args),
    /// Record the requests of a block device with blktrace, as root
    #[command(after_long_help = examples::TRACE_RECORD)]
    Record(trace_record::Args),
}

#[derive(clap::Args)]
pub struct InfoArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Size of the pages in which footprint and rewrites are counted
    #[arg(long, value_name = "SIZE", default_value = "4KiB", value_parser = page_size)]
    page_size: u64,
    /// Draw the addresses over time, reads, writes and discards apart, to this SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    trace: TraceArgs,
}

const PAGE_SIZE: u64 = 4096;

fn page_size(text: &str) -> Result<u64, String> {
    let size = ssdlab_words::parse_bytes(text).filter(|size| (512..=1 << 20).contains(size));
    size.ok_or_else(|| "must be from 512 bytes to 1MiB, such as 4KiB or 16K".to_owned())
}

pub fn trace(command: Command) -> Result<(), Failure> {
    match command {
        Command::Info(args) => info(args),
        Command::Generate(args) => trace_generate::generate(args),
        Command::Merge(args) => trace_merge::merge(&args),
        Command::Catalogue(args) => trace_catalogue::catalogue(&args),
        Command::Fetch(args) => trace_fetch::run(&args),
        Command::Record(args) => trace_record::record(&args),
    }
}

fn info(args: InfoArgs) -> Result<(), Failure> {
    let mut files = Files::default();
    files.input("the trace", args.trace.path())?;
    let plot = args.plot.as_deref();
    let mut plot = plot.map(|path| Plot::begin(&mut files, path)).transpose()?;
    let (progress, watch) = Progress::of_passes("reading", Some(1));
    let mut reader = TraceReader::open(args.trace.path(), &args.trace.options(watch))?;
    let mut info = Info::new(args.page_size);
    let mut batch = Vec::new();
    while reader.next_batch(&mut batch)? {
        for (index, request) in batch.iter().enumerate() {
            info.add(request).map_err(|error| {
                let (name, line) = (reader.name(), reader.line_of(index));
                Failure::Input(format!("{name}, line {line}: {error}"))
            })?;
            if let Some(plot) = &mut plot {
                plot.add(request);
            }
        }
    }
    let summary = reader.finish();
    drop(progress);
    message::warn(&trace_warnings(&summary));
    if let Some(plot) = plot {
        plot.finish(&summary.name)?;
    }
    let report = info.finish();
    if args.json {
        let mut json = serde_json::json!(summary);
        json["info"] = serde_json::json!(report);
        return output::print_json(&json);
    }
    let hash = summary.sha256.clone();
    let hash = hash.unwrap_or("- (not all was read)".into());
    let mut facts = vec![
        ("trace".into(), summary.name.clone()),
        ("SHA-256 (as stored)".into(), hash),
    ];
    facts.extend(how_read(&summary));
    facts.extend(lines(&report));
    facts.extend(report.mapping_units.iter().map(mapping_unit));
    const LABEL: usize = 22;
    let text = facts
        .iter()
        .map(|(label, value)| format!("{label:<LABEL$}{value}\n"));
    output::print(&Screen::stdout().wrap(&text.collect::<String>(), LABEL))
}

/// The facts of a trace in a report: label and value. A trace with requests too large to characterise has only the
/// facts of its reading.
pub fn facts(trace: &Trace) -> Result<Vec<(String, String)>, Failure> {
    let mut facts = how_read(&trace.summary);
    let mut info = Info::new(PAGE_SIZE);
    let mut all = true;
    trace.each(|request| all &= info.add(request).is_ok())?;
    if all {
        facts.extend(lines(&info.finish()));
    }
    Ok(facts)
}

/// The format, the reason for it, and the lines that were left out.
fn how_read(summary: &TraceSummary) -> Vec<(String, String)> {
    let format = format!("{}: {}", summary.format, summary.format_reason);
    let mut facts = vec![("format".to_owned(), format)];
    facts.extend(left_out(summary).map(|what| ("left out".to_owned(), what)));
    facts
}

/// What a mapping unit does to the writes: label and value.
fn mapping_unit(units: &UnitReport) -> (String, String) {
    let times = |value| known(value, |value| fixed(value, 2));
    let label = format!("mapping unit {}", bytes(units.unit));
    let value = format!(
        "{} of the writes unaligned; bytes touched / written {}, of which in units written in part {}",
        known(units.unaligned_write_share, percent),
        times(units.touched_over_written),
        times(units.in_part_over_written)
    );
    (label, value)
}

fn lines(info: &InfoReport) -> Vec<(String, String)> {
    let page = bytes(info.page_size);
    let ratio = known(info.rewrite_ratio, |ratio| fixed(ratio, 3));
    let line = |label: &str, value: String| (label.to_owned(), value);
    let counts = [
        info.requests,
        info.reads,
        info.writes,
        info.flushes,
        info.discards,
    ];
    let [requests, reads, writes, flushes, discards] = counts.map(thousands);
    let mut facts = vec![
        line(
            "requests",
            format!(
                "{requests} ({reads} reads, {writes} writes, {flushes} flushes, {discards} discards)"
            ),
        ),
        line("bytes written", megabytes(info.bytes_written)),
        line("bytes read", megabytes(info.bytes_read)),
        line("bytes discarded", megabytes(info.bytes_discarded)),
        line(
            "footprint written",
            format!("{} pages of {page}", thousands(info.pages_written)),
        ),
        line(
            "footprint touched",
            format!("{} pages of {page}", thousands(info.pages_touched)),
        ),
        line(
            "read, never written",
            format!("{} pages", thousands(info.pages_read_never_written)),
        ),
        line(
            "page writes",
            format!(
                "{}, {ratio} per page written; hottest page {}",
                thousands(info.page_writes),
                thousands(info.hottest_page_writes)
            ),
        ),
        line(
            "sequential writes",
            known(info.sequential_write_share, percent),
        ),
        line(
            "unaligned writes",
            format!("{} not on {page} bounds", thousands(info.unaligned_writes)),
        ),
        line("write sizes", sizes(info.write_sizes.as_ref())),
        line("read sizes", sizes(info.read_sizes.as_ref())),
        line("span", format!("{:.2} s", info.span_s)),
        line("end", format!("{} bytes", thousands(info.end))),
    ];
    if info.write_streams > 1 {
        facts.push(line("streams of writes", thousands(info.write_streams)));
    }
    facts
}

fn megabytes(bytes: u64) -> String {
    decimal((bytes as f64 / 1e5).round() / 10.0, 1) + " MB"
}

fn sizes(report: Option<&SizeReport>) -> String {
    report.map_or("-".into(), |s| {
        let sizes = [s.mean.round() as u64, s.p50, s.p90, s.min, s.max];
        let [mean, median, p90, min, max] = sizes.map(thousands);
        format!("mean {mean}, median {median}, 90 % up to {p90}, from {min} to {max} bytes")
    })
}
