//! The files that `ssdlab compare` writes.

use std::io::Write;
use std::path::PathBuf;

use ssdlab_report::picture::Format;
use ssdlab_report::{About, placed_picture};
use ssdlab_results::{Compared, Origin, Schema};
use ssdlab_sim::{CompareOptions, Comparison, Figure, Trace, TraceSummary};
use ssdlab_words::shown_path;

use super::args::Args;
use super::report_name::{Mark, default_names};
use crate::commands::command_line::command_line;
use crate::commands::trace_info;
use crate::failure::Failure;
use crate::output::{Files, WholeFile, by_ending};

/// The content of a file.
type Render = fn(&Compared) -> Result<String, String>;

/// The output files of a comparison.
pub struct Outputs {
    report: Option<WholeFile>,
    mark: Mark,
    others: Vec<(WholeFile, Render)>,
    /// Written after all else: whether there is anything to draw is known only after the runs.
    pub placed: Option<PlacedFile>,
}

/// The file of `--placed`.
pub struct PlacedFile {
    file: WholeFile,
    format: Format,
}

/// The width of a picture in mm.
const WIDTH: f64 = 160.0;

impl Outputs {
    /// Opens all output files. A report replaces only one of the same comparison.
    pub fn create(
        args: &Args,
        options: &CompareOptions,
        trace: &TraceSummary,
        mut files: Files,
    ) -> Result<Self, Failure> {
        let mark = Mark::of(trace, &settings(args, options)?);
        let placed = args.placed.as_deref();
        let placed = placed.map(|path| {
            let format = by_ending("--placed", path, &Format::ALL)?;
            let file = files.create("--placed", path)?;
            Ok::<_, Failure>(PlacedFile { file, format })
        });
        let placed = placed.transpose()?;
        let html = args.html.as_deref();
        let mut report = html.map(|path| files.create("--html", path)).transpose()?;
        let wanted: [(&str, Option<&PathBuf>, Render); 2] = [
            ("--csv", args.csv.as_ref(), ssdlab_report::csv),
            ("--json", args.json.as_ref(), ssdlab_report::json),
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
            placed,
        })
    }

    /// Writes and completes the files. Returns the path of the report.
    pub fn write(
        self,
        comparison: &Comparison,
        about: &About,
        origin: &Origin,
        schema: &Schema,
    ) -> Result<Option<PathBuf>, Failure> {
        let html = || self.mark.on(&ssdlab_report::html(comparison, about));
        let report = self.report.map(|file| write(file, html().as_bytes()));
        let report = report.transpose()?;
        let compared = Compared {
            comparison,
            origin,
            schema,
        };
        for (file, render) in self.others {
            let text = render(&compared).map_err(Failure::Machine)?;
            write(file, text.as_bytes())?;
        }
        Ok(report)
    }
}

impl PlacedFile {
    /// Writes and completes the file.
    pub fn write(self, comparison: &Comparison) -> Result<(), Failure> {
        let picture = placed_picture(comparison).ok_or_else(|| {
            let path = shown_path(self.file.path());
            let why = "no run has counts by handle or region; must have ftl.kind = \"page\"";
            Failure::Input(format!("--placed {path}: {why}"))
        })?;
        let bytes = picture.file(self.format, WIDTH);
        write(self.file, &bytes.map_err(Failure::Machine)?).map(drop)
    }
}

fn write(mut file: WholeFile, bytes: &[u8]) -> Result<PathBuf, Failure> {
    let written = file.write_all(bytes);
    written.map_err(|error| Failure::writing(file.path(), &error))?;
    Ok(file.finish()?)
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
        settled,
        replay,
        ..
    } = options;
    let (by, read) = (by.map(|figure| figure.key), args.trace.how_read());
    let config = options.resolver.resolve()?.to_toml();
    Ok(format!(
        "{buffers:?} {systems:?} {sizes:?} {size_key} {share_ram} {vary:?} {baseline:?} {by:?} {bounds} {advice} {settled} {replay:?} {:?} {read}\n{config}",
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
