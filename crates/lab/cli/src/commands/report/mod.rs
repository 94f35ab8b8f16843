//! `ssdlab report`.

mod args;

use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;

use ssdlab_analysis::{Analysis, AnalysisError, Filter};
use ssdlab_report::analysis::{
    AnalysisAbout, Best, Kind, PlotOptions, Table, TableFormat, analysis_html, plot, table,
};
use ssdlab_report::picture::Format;
use ssdlab_sim::Lab;
use ssdlab_words::{shown_path, thousands};

use crate::commands::command_line::quoted;
use crate::failure::Failure;
use crate::message;
use crate::output::{self, Files, WholeFile, by_ending};
pub use args::Args;
use args::{BestIn, KindOf};

pub fn report(args: &Args, lab: &Lab) -> Result<(), Failure> {
    let mut files = Files::default();
    for path in &args.paths {
        files.input("the results", path)?;
    }
    // a wrong ending is better known before the results are read
    let made = Output::of(args)?;
    let file = files.create("--output", &made.path)?;
    let mut analysis = Analysis::read(&args.paths, &lab.systems().catalogue())?;
    analysis.keep(&filters(&args.keep)?)?;
    let (bytes, notes) = match made.kind {
        OutputKind::Page => (page(args, &analysis)?.into_bytes(), Vec::new()),
        OutputKind::Picture(format) => picture(args, &analysis, format)?,
        OutputKind::Table(format) => {
            let (text, notes) = table(&analysis, &asked_table(args), format)?;
            (text.into_bytes(), notes)
        }
    };
    write(file, &bytes)?;
    for note in notes {
        message::complain("note", &note);
    }
    doubts(&analysis);
    output::print(&format!(
        "{}: of {} rows\n",
        shown_path(&made.path),
        thousands(analysis.rows() as u64)
    ))
}

/// What is written, and where.
struct Output {
    path: PathBuf,
    kind: OutputKind,
}

enum OutputKind {
    Page,
    Picture(Format),
    Table(TableFormat),
}

impl Output {
    fn of(args: &Args) -> Result<Self, Failure> {
        let is_page = args.plot.is_empty() && args.table.is_empty();
        let path = match (&args.output, is_page) {
            (Some(path), _) => path.clone(),
            (None, true) => PathBuf::from("results.html"),
            (None, false) => {
                let why = "needs -o with a file, whose ending is the format";
                let what = if args.table.is_empty() {
                    "--plot"
                } else {
                    "--table"
                };
                return Err(Failure::Input(format!("{what}: {why}")));
            }
        };
        let kind = if is_page {
            by_ending("--output", &path, &[("html", ())])?;
            OutputKind::Page
        } else if args.table.is_empty() {
            OutputKind::Picture(by_ending("--output", &path, &Format::ALL)?)
        } else {
            let formats = [
                ("tex", TableFormat::Tex),
                ("md", TableFormat::Md),
                ("csv", TableFormat::Csv),
            ];
            OutputKind::Table(by_ending("--output", &path, &formats)?)
        };
        Ok(Self { path, kind })
    }
}

fn page(args: &Args, analysis: &Analysis) -> Result<String, Failure> {
    let about = AnalysisAbout {
        figures: args.by.clone(),
        command: command(args),
        version: env!("SSDLAB_VERSION").into(),
    };
    Ok(analysis_html(analysis, &about)?)
}

/// The command up to the options of pictures.
fn command(args: &Args) -> String {
    let mut words: Vec<&OsStr> = vec!["ssdlab".as_ref(), "report".as_ref()];
    words.extend(args.paths.iter().map(|path| path.as_os_str()));
    for keep in &args.keep {
        words.extend([OsStr::new("--where"), keep.as_ref()]);
    }
    let words: Vec<String> = words.into_iter().map(quoted).collect();
    words.join(" ")
}

fn picture(
    args: &Args,
    analysis: &Analysis,
    format: Format,
) -> Result<(Vec<u8>, Vec<String>), Failure> {
    let asked = PlotOptions {
        kind: match args.kind {
            KindOf::Curves => Kind::Curves,
            KindOf::Heat => Kind::Heat,
            KindOf::Pareto => Kind::Pareto,
            KindOf::Spread => Kind::Spread,
        },
        figures: args.plot.clone(),
        x: args.x.clone(),
        y: args.y.clone(),
        curves: args.curves.clone(),
        facet: args.facet.clone(),
        log: args.log,
    };
    let most = if asked.kind == Kind::Pareto { 2 } else { 1 };
    if asked.figures.len() > most {
        let what = format!(
            "--plot {}: {} figures, must be {most}",
            asked.figures.join(","),
            asked.figures.len()
        );
        return Err(Failure::Input(what));
    }
    let made = plot(analysis, &asked)?;
    if made.picture.panels.is_empty() {
        return Err(Failure::Input(format!(
            "--plot {}: no row has values to draw",
            args.plot.join(",")
        )));
    }
    let bytes = made
        .picture
        .file(format, args.width)
        .map_err(Failure::Machine)?;
    Ok((bytes, made.notes))
}

fn asked_table(args: &Args) -> Table {
    Table {
        figures: args.table.clone(),
        rows: args.rows.clone(),
        columns: args.columns.clone(),
        best: match args.best {
            BestIn::Column => Best::OfColumn,
            BestIn::Row => Best::OfRow,
            BestIn::None => Best::None,
        },
    }
}

/// `KEY=VALUE,VALUE` each.
fn filters(keep: &[String]) -> Result<Vec<Filter>, Failure> {
    let parsed = keep.iter().map(|text| {
        let pair = text
            .split_once('=')
            .filter(|(name, values)| !name.is_empty() && !values.is_empty());
        let (name, values) = pair.ok_or_else(|| {
            Failure::Input(format!(
                "--where {text}: must be KEY=VALUE or KEY=VALUE,VALUE"
            ))
        })?;
        Ok(Filter {
            name: name.trim().to_owned(),
            values: values
                .split(',')
                .map(|value| value.trim().to_owned())
                .collect(),
        })
    });
    parsed.collect()
}

/// Warns of rows in doubt.
fn doubts(analysis: &Analysis) {
    let Ok(field) = analysis.field("doubt") else {
        return;
    };
    let doubtful = (0..analysis.rows())
        .filter(|row| analysis.text(&field, *row).is_some())
        .count();
    if doubtful > 0 {
        let (some, all) = (
            thousands(doubtful as u64),
            thousands(analysis.rows() as u64),
        );
        message::complain(
            "warning",
            &format!("{some} of {all} rows are in doubt; the column doubt says why"),
        );
    }
}

fn write(mut file: WholeFile, bytes: &[u8]) -> Result<(), Failure> {
    let written = file.write_all(bytes);
    written.map_err(|error| Failure::writing(file.path(), &error))?;
    file.finish()?;
    Ok(())
}

impl From<AnalysisError> for Failure {
    fn from(error: AnalysisError) -> Self {
        Failure::Input(error.to_string())
    }
}
