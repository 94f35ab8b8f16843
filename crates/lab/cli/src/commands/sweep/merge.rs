//! `ssdlab sweep merge`.

use std::io;
use std::path::{Path, PathBuf};

use ssdlab_results::{Table, differences};
use ssdlab_sim::Lab;
use ssdlab_words::{shown_path, thousands};

use super::PlanArgs;
use crate::failure::Failure;
use crate::output::{self, Files, WholeFile};

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
    let table = ssdlab_sweep::merge(&sweep, &folder, args.partial)?;
    if let Some(expected) = &args.expect {
        expect(&table, expected)?;
    }
    if path == Path::new("-") {
        let mut text = Vec::new();
        table.write_csv(&mut text)?;
        return output::print_bytes(&text);
    }
    let mut files = Files::default();
    if let Some(expected) = &args.expect {
        files.input("the expected results", expected)?;
    }
    let file = files.create("--output", path)?;
    write(file, &table, &sweep.about_table())?;
    output::print(&format!(
        "{}: {} rows of {} columns\n",
        shown_path(path),
        thousands(table.rows() as u64),
        table.columns().count()
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

/// Writes a table in the format of the ending.
fn write(mut file: WholeFile, table: &Table, about: &[(&str, &str)]) -> Result<(), Failure> {
    let path = &file.path().to_owned();
    let failed = |error| match error {
        ssdlab_results::TableError::Output(error) => Failure::writing(path, &error),
        error => error.into(),
    };
    if ending(path) == Some("csv") {
        table.write_csv(&mut file).map_err(failed)?;
    } else {
        let bytes = table.write_parquet(about, Vec::new()).map_err(failed)?;
        let copied = io::copy(&mut bytes.as_slice(), &mut file);
        copied.map_err(|error| Failure::writing(path, &error))?;
    }
    file.finish()?;
    Ok(())
}
