//! The files that `ssdlab compare` writes.

use std::io::Write;
use std::path::PathBuf;

use ssdlab_report::About;
use ssdlab_sim::{CompareOptions, Comparison, Figure, Trace, TraceSummary};

use super::args::Args;
use super::report_name::{Mark, default_names};
use crate::commands::command_line::command_line;
use crate::commands::trace_info;
use crate::failure::Failure;
use crate::output::{Files, WholeFile};

/// The content of a file.
type Render = fn(&Comparison, &About) -> Result<String, String>;

/// The output files of a comparison.
pub struct Outputs {
    report: Option<WholeFile>,
    mark: Mark,
    others: Vec<(WholeFile, Render)>,
}

impl Outputs {
    /// Opens all output files. A report replaces only one of the same comparison.
    pub fn create(
        args: &Args,
        options: &CompareOptions,
        trace: &TraceSummary,
        mut files: Files,
    ) -> Result<Self, Failure> {
        let mark = Mark::of(trace, &settings(args, options)?);
        let html = args.html.as_deref();
        let mut report = html.map(|path| files.create("--html", path)).transpose()?;
        let wanted: [(&str, Option<&PathBuf>, Render); 2] = [
            ("--csv", args.csv.as_ref(), |comparison, _| {
                ssdlab_report::csv(comparison)
            }),
            ("--json", args.json.as_ref(), |comparison, _| {
                ssdlab_report::json(comparison)
            }),
        ];
        let mut others = Vec::new();
        for (option, path, render) in wanted {
            if let Some(path) = path {
                others.push((files.create(option, path)?, render));
            }
        }
        if report.is_none() && !args.no_html {
            let names = default_names(args.trace.path());
            report = Some(files.create_first_free(names, |file| mark.is_on(file))?);
        }
        Ok(Self {
            report,
            mark,
            others,
        })
    }

    /// Writes and completes the files. Returns the path of the report.
    pub fn write(self, comparison: &Comparison, about: &About) -> Result<Option<PathBuf>, Failure> {
        let write = |mut file: WholeFile, text: String| {
            file.write_all(text.as_bytes())
                .map_err(|error| Failure::writing(file.path(), &error))?;
            Ok::<_, Failure>(file.finish()?)
        };
        let html = || self.mark.on(&ssdlab_report::html(comparison, about));
        let report = self.report.map(|file| write(file, html())).transpose()?;
        for (file, render) in self.others {
            write(file, render(comparison, about).map_err(Failure::Machine)?)?;
        }
        Ok(report)
    }
}

/// All that the report of a trace depends on.
fn settings(args: &Args, options: &CompareOptions) -> Result<String, Failure> {
    let CompareOptions {
        buffers,
        systems,
        sizes,
        size_key,
        share_ram,
        vary,
        baseline,
        by,
        bounds,
        advice,
        replay,
        ..
    } = options;
    let (by, read) = (by.map(|figure| figure.key), args.trace.how_read());
    let config = options.resolver.resolve()?.to_toml();
    Ok(format!(
        "{buffers:?} {systems:?} {sizes:?} {size_key} {share_ram} {vary:?} {baseline:?} {by:?} {bounds} {advice} {replay:?} {:?} {read}\n{config}",
        args.columns
    ))
}

/// The origin of the report.
pub fn about(
    options: &CompareOptions,
    trace: &Trace,
    comparison: &Comparison,
    columns: Vec<Figure>,
) -> Result<About, Failure> {
    // after compaction the end of the original trace has no meaning; the runs have the right one
    let ran = comparison.rows.first().map(|row| &row.outcome.config);
    let capacity = ran.and_then(|config| config["flash"]["capacity"].as_u64());
    let config = options.resolver.resolve()?;
    let config = match capacity {
        Some(sold) => config.sold(sold),
        None => config.with_capacity(trace.summary.end),
    }?;
    let facts = trace_info::facts(trace)?;
    Ok(About {
        command: command_line(),
        version: env!("CARGO_PKG_VERSION").into(),
        config_toml: config.to_toml(),
        trace_lines: facts,
        columns,
    })
}
