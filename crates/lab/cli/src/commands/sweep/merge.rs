//! `ssdlab sweep merge`.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use ssdlab_results::{Table, TableError, TableWriter, differences};
use ssdlab_sim::Lab;
use ssdlab_sweep::{Sweep, SweepError};
use ssdlab_words::{shown_path, thousands};

use super::PlanArgs;
use crate::failure::Failure;
use crate::output::{self, Files};

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    plan: PlanArgs,
    /// The file of the table, .parquet or .csv; - is standard output, as CSV
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Take the parts that are there, even if others are missing
    #[arg(long)]
    partial: bool,
    /// Fail if the results are not those of this table of sweep merge; another version of ssdlab is no difference
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
}

/// The differences that a message names.
const NAMED: usize = 5;

pub fn merge(args: &Args, lab: &Lab) -> Result<(), Failure> {
    let folder = args.plan.folder();
    let path = &args.output;
    if path != Path::new("-") && ending(path).is_none() {
        let why = "must end in .parquet or .csv, or be -";
        return Err(Failure::Input(format!(
            "--output {}: {why}",
            shown_path(path)
        )));
    }
    let is_beside_parts = || {
        let folder_of = path.parent().map(|parent| {
            if parent.as_os_str().is_empty() {
                Path::new(".")
            } else {
                parent
            }
        });
        let whole = |path: &Path| path.canonicalize().ok();
        folder_of
            .and_then(whole)
            .is_some_and(|place| Some(place) == whole(&folder))
    };
    if ending(path) == Some("parquet") && is_beside_parts() {
        let why =
            "is in the folder of the parts, where who reads all of them would read each row twice";
        return Err(Failure::Input(format!(
            "--output {}: {why}",
            shown_path(path)
        )));
    }
    let sweep = args.plan.planned(lab)?.frozen(&folder)?;
    if let Some(expected) = &args.expect {
        expect(&sweep.table(&folder, args.partial)?, expected)?;
    }
    let columns = sweep.columns();
    if path == Path::new("-") {
        drop(output::stdout().map_err(|error| Failure::printing(&error))?);
        let failed = |error| match error {
            TableError::Output(error) => Failure::printing(&error),
            error => error.into(),
        };
        let out = BufWriter::new(io::stdout());
        let mut table = TableWriter::csv(&columns, out).map_err(failed)?;
        rows(&sweep, &folder, args.partial, &mut table, &failed)?;
        let mut out = table.finish().map_err(failed)?;
        return out.flush().map_err(|error| Failure::printing(&error));
    }
    let failed = |error| match error {
        TableError::Output(error) => Failure::writing(path, &error),
        error => error.into(),
    };
    let mut files = Files::default();
    if let Some(expected) = &args.expect {
        files.input("the expected results", expected)?;
    }
    let file = files.create("--output", path)?;
    let mut table = match ending(path) {
        Some("csv") => TableWriter::csv(&columns, file).map_err(failed)?,
        _ => TableWriter::parquet(&columns, &sweep.about_table(), file),
    };
    rows(&sweep, &folder, args.partial, &mut table, &failed)?;
    let number = table.rows();
    table.finish().map_err(failed)?.finish()?;
    output::print(&format!(
        "{}: {} rows of {} columns\n",
        shown_path(path),
        thousands(number),
        columns.columns().count()
    ))
}

/// Compares results with those of a file.
fn expect(table: &Table, path: &Path) -> Result<(), Failure> {
    let found = differences(table, &Table::read(path)?, NAMED);
    if found.is_empty() {
        return Ok(());
    }
    let found = found.join("\n");
    let what = format!(
        "the results are not those of {}:\n{found}",
        shown_path(path)
    );
    Err(Failure::Machine(what))
}

/// The ending of a file of tables.
fn ending(path: &Path) -> Option<&'static str> {
    ["parquet", "csv"]
        .into_iter()
        .find(|known| path.extension().is_some_and(|ending| ending == *known))
}

/// Adds all rows. `failed` is the failure of the output.
fn rows<W: Write + Send>(
    sweep: &Sweep,
    folder: &Path,
    partial: bool,
    table: &mut TableWriter<W>,
    failed: &dyn Fn(TableError) -> Failure,
) -> Result<(), Failure> {
    let jobs = super::jobs(None);
    let merged = ssdlab_sweep::merge(sweep, folder, partial, jobs, &mut |part| table.add(&part));
    merged.map_err(|error| match error {
        SweepError::Table(error @ TableError::Output(_)) => failed(error),
        error => error.into(),
    })
}
