//! `ssdlab trace info`: what a workload is for flash.

mod lines;
mod plot;

use std::io::Write;
use std::path::PathBuf;

use ssdlab_arguments::values;
use ssdlab_characterise::{BYTES_PER_PAGE, Info, Profile, ProfileOptions, ProfileReport, Raster};
use ssdlab_report::{AboutWorkload, workload_html};
use ssdlab_sim::{Trace, free_memory, left_out, trace_warnings};
use ssdlab_trace::{TraceReader, TraceSummary};
use ssdlab_words::thousands;

use self::lines::Line;
use self::plot::Plot;
use super::command_line::command_line;
use super::trace_args::TraceArgs;
use crate::failure::Failure;
use crate::output::{Files, WholeFile};
use crate::progress::Progress;
use crate::screen::Screen;
use crate::{message, output};

#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Size of the pages in which footprint and rewrites are counted
    #[arg(long, value_name = "SIZE", default_value = "4KiB", value_parser = values::page_size)]
    page_size: u64,
    /// Size of the erase blocks in which a buffer of whole blocks would hold the writes
    #[arg(long, value_name = "SIZE", default_value = "1MiB", value_parser = values::erase_block)]
    erase_block: u64,
    /// Draw the addresses over time, reads, writes and discards apart, to this SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Write the pictures of all figures to this HTML file, which needs no network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    trace: TraceArgs,
}

const PAGE_SIZE: u64 = 4096;

/// Without knowledge of the free memory, 16 GiB are taken for it.
const MEMORY: u64 = 16 << 30;

pub fn info(args: Args) -> Result<(), Failure> {
    let mut files = Files::default();
    files.input("the trace", args.trace.path())?;
    let plot = args.plot.as_deref();
    let plot = plot.map(|path| Plot::begin(&mut files, path)).transpose()?;
    let html = args.html.as_deref();
    let html = html.map(|path| files.create("--html", path)).transpose()?;
    let mut raster = (plot.is_some() || html.is_some()).then(Raster::default);
    let (progress, watch) = Progress::of_passes("reading", Some(1));
    let mut reader = TraceReader::open(args.trace.path(), &args.trace.options(watch))?;
    let most_pages = free_memory().unwrap_or(MEMORY) / BYTES_PER_PAGE;
    let mut profile = Profile::new(&ProfileOptions {
        page_size: args.page_size,
        erase_block: args.erase_block,
        most_pages: usize::try_from(most_pages).unwrap_or(usize::MAX),
    });
    let mut batch = Vec::new();
    while reader.next_batch(&mut batch)? {
        for (index, request) in batch.iter().enumerate() {
            profile.add(request).map_err(|error| {
                let (name, number) = (reader.name(), reader.line_of(index));
                Failure::Input(format!("{name}, {} {number}: {error}", reader.unit()))
            })?;
            if let Some(raster) = &mut raster {
                raster.add(request);
            }
        }
    }
    let summary = reader.finish();
    drop(progress);
    let mut warnings = trace_warnings(&summary);
    warnings.extend(left_unknown(&profile));
    message::warn(&warnings);
    if let Some((plot, raster)) = plot.zip(raster.as_ref()) {
        plot.finish(&summary.name, raster)?;
    }
    let report = profile.finish();
    if let Some((file, raster)) = html.zip(raster.as_ref()) {
        write_page(
            file,
            &report,
            raster,
            &about(&summary, &report, warnings.clone()),
        )?;
    }
    if args.json {
        let mut json = serde_json::json!(summary);
        json["info"] = serde_json::json!(report);
        json["warnings"] = serde_json::json!(warnings);
        return output::print_json(&json);
    }
    const LABEL: usize = 22;
    output::print(&Screen::stdout().facts(LABEL, &all_lines(&summary, &report)))
}

/// A warning if there is no memory for what is known of single pages.
fn left_unknown(profile: &Profile) -> Option<String> {
    profile.too_many().map(|error| {
        format!(
            "more than {} different pages or blocks are written, and there is no memory for the figures of each: \
             they are left out; a larger --page-size needs less",
            thousands(error.most as u64)
        )
    })
}

/// What the page says of the trace.
fn about(summary: &TraceSummary, report: &ProfileReport, warnings: Vec<String>) -> AboutWorkload {
    let mut requests = how_read(summary);
    requests.extend(of_requests(report));
    let mut pages = of_pages(report);
    pages.extend(report.info.mapping_units.iter().map(lines::mapping_unit));
    AboutWorkload {
        name: summary.name.clone(),
        sha256: summary.sha256.clone(),
        command: command_line(),
        version: env!("CARGO_PKG_VERSION").into(),
        warnings,
        requests,
        pages,
    }
}

fn write_page(
    mut file: WholeFile,
    report: &ProfileReport,
    raster: &Raster,
    about: &AboutWorkload,
) -> Result<(), Failure> {
    let page = workload_html(report, raster, about);
    file.write_all(page.as_bytes())
        .map_err(|error| Failure::writing(file.path(), &error))?;
    file.finish()?;
    Ok(())
}

fn all_lines(summary: &TraceSummary, report: &ProfileReport) -> Vec<Line> {
    let hash = summary.sha256.clone();
    let hash = hash.unwrap_or("- (not all was read)".into());
    let mut all = vec![
        ("trace".into(), summary.name.clone()),
        ("SHA-256 (as stored)".into(), hash),
    ];
    all.extend(how_read(summary));
    all.extend(of_requests(report));
    all.extend(of_pages(report));
    all.extend(report.info.mapping_units.iter().map(lines::mapping_unit));
    all
}

fn of_requests(report: &ProfileReport) -> Vec<Line> {
    let mut all = lines::counts(&report.info);
    all.extend(lines::flushes(&report.flush_intervals));
    all
}

fn of_pages(report: &ProfileReport) -> Vec<Line> {
    let mut all = Vec::new();
    if let Some(pages) = &report.pages {
        all.extend(lines::of_pages(pages, &report.info));
        all.extend(lines::lru("LRU hits by page", &pages.lru_by_page));
    }
    if let Some(blocks) = &report.lru_by_block {
        all.extend(lines::lru("LRU hits by block", blocks));
    }
    all
}

/// The facts of a trace in a report: label and value. A trace with requests too large to characterise has only the
/// facts of its reading.
pub fn facts(trace: &Trace) -> Result<Vec<Line>, Failure> {
    let mut facts = how_read(&trace.summary);
    let mut info = Info::new(PAGE_SIZE);
    let mut all = true;
    trace.each(|request| all &= info.add(request).is_ok())?;
    if all {
        facts.extend(lines::counts(&info.finish()));
    }
    Ok(facts)
}

/// The format, the reason for it, and the lines that were left out.
fn how_read(summary: &TraceSummary) -> Vec<Line> {
    let format = format!("{}: {}", summary.format, summary.format_reason);
    let mut facts = vec![("format".to_owned(), format)];
    facts.extend(left_out(summary).map(|what| ("left out".to_owned(), what)));
    facts
}
