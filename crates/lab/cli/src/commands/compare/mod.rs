//! `ssdlab compare`.

mod args;
mod options;
mod outputs;
mod report_name;
mod table;

use std::path::Path;

use ssdlab_results::Schema;
use ssdlab_sim::{
    CompareOptions, Comparison, Figure, Lab, Trace, compare as compare_all, trace_warnings,
    without_clocks,
};
use ssdlab_words::shown_path;

use crate::failure::Failure;
use crate::message;
use crate::output;
use crate::progress::Progress;
use crate::screen::{Screen, Table};
use crate::signals::Interrupt;
pub use args::{Args, figure_names, with_figures};
use options::options;
pub use options::parse_axes;
use outputs::{Outputs, about};
use table::table;

pub fn compare(args: Args, lab: &Lab) -> Result<(), Failure> {
    let mut files = args.config.files()?;
    files.input("the trace", args.trace.path())?;
    let mut options = options(&args, lab)?;
    let (progress, watch) = Progress::of_passes("reading", Some(1));
    let trace = Trace::load(
        args.trace.path(),
        &args.trace.options(watch),
        args.trace_memory,
    );
    drop(progress);
    let mut trace = trace?;
    if trace.is_streamed() {
        let why = "needs more memory than --trace-memory allows: each run reads its file again";
        message::complain("note", &format!("{} {why}", trace.summary.name));
    }
    // a trace with a wrong unit may age a drive for minutes
    let doubts = if options.settled {
        trace_warnings(&trace.summary)
    } else {
        Vec::new()
    };
    message::warn(&doubts);
    options.fit_today(&[&trace])?;
    // open the files first: an error is better known before the runs than after them
    let mut outputs = Outputs::create(&args, &options, &trace.summary, files)?;
    let comparison = runs(&mut trace, &mut options)?;
    let (progress, watch) = Progress::of_passes("characterising", Some(1));
    trace.watched_by(watch);
    let columns = args.columns.iter();
    let columns = columns.filter_map(|name| comparison.figures.named(name));
    let columns: Vec<Figure> = columns.collect();
    let about = about(&options, &trace, &comparison, columns)?;
    drop(progress);
    let placed = outputs.placed.take();
    let origin = args.trace.origin(options.replay.clone());
    let schema = Schema::of(&lab.systems().catalogue());
    let report = outputs.write(&comparison, &about, &origin, &schema)?;
    let warnings = comparison.warnings.iter();
    let later: Vec<_> = warnings.filter(|one| !doubts.contains(one)).collect();
    message::warn(&later);
    let table = table(&comparison, &about.columns);
    let missing = without_clocks(&comparison, &about.columns);
    let words = in_words(
        &comparison,
        &table,
        missing.as_deref(),
        report.as_deref(),
        &Screen::stdout(),
    );
    output::print(&words)?;
    placed.map_or(Ok(()), |file| file.write(&comparison))?;
    let advice = comparison.would_help.as_ref();
    match comparison.missing_runs + advice.map_or(0, |advice| advice.missing_runs) {
        0 => Ok(()),
        _ => Err(Failure::Interrupted),
    }
}

/// All runs, or those that finished before an interrupt.
fn runs(trace: &mut Trace, options: &mut CompareOptions) -> Result<Comparison, Failure> {
    let mut base = options.resolver.clone();
    if options.settled {
        base.set("precondition=workload")?;
    }
    if let Ok(config) = base.resolve() {
        message::warn(ssdlab_sim::ageing_takes(&options.lab, &config).as_slice());
    }
    let interrupt = Interrupt::await_one();
    options.stop = Some(interrupt.flag());
    let most = trace
        .summary
        .requests
        .saturating_mul(options.replay.loops.into());
    let (progress, watch) = Progress::of_comparison(most);
    trace.watched_by(watch);
    let comparison = compare_all(trace, options, |runs| progress.step(runs));
    drop(progress);
    let comparison = comparison?;
    if comparison.rows.is_empty() && comparison.missing_runs > 0 {
        message::complain(
            "interrupted",
            "no run has finished yet; nothing was written",
        );
        return Err(Failure::Interrupted);
    }
    Ok(comparison)
}

/// The table, why figures are missing in it, how the trace was replayed, the verdict, and the path of the report.
fn in_words(
    comparison: &Comparison,
    table: &Table,
    missing: Option<&str>,
    report: Option<&Path>,
    screen: &Screen,
) -> String {
    let device = screen.wrap(&format!("device: {}", comparison.device), 2);
    let mut text = format!("{device}\n{}\n\n", table.fit(screen));
    if let Some(why) = missing {
        text += &format!("{}\n", screen.wrap(&format!("-: {why}"), 2));
    }
    let how_replayed = ssdlab_sim::how_replayed(comparison).into_iter();
    let found = how_replayed.chain(ssdlab_sim::how_long(comparison));
    for (label, value) in found.chain(ssdlab_sim::what_helps(comparison)) {
        text += &format!("{}\n", screen.wrap(&format!("{label}: {value}"), 2));
    }
    text += &format!("{}\n", screen.wrap(&comparison.sentence, 0));
    if let Some(report) = report {
        text += &format!("Report: {}\n", shown_path(report));
    }
    text
}
