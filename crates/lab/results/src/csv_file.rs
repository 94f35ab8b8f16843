//! CSV with a header. A float has a point or an exponent, so that types are read back.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use crate::cell::Cell;
use crate::error::TableError;
use crate::table::Table;

pub(crate) fn write(table: &Table, out: impl Write) -> Result<(), TableError> {
    let mut writer = csv::Writer::from_writer(out);
    let failed = |error: csv::Error| TableError::Output(std::io::Error::other(error));
    let names: Vec<&str> = table.columns().map(|(name, _)| name).collect();
    writer.write_record(&names).map_err(failed)?;
    for row in 0..table.rows() {
        let cells = (0..names.len()).map(|column| table.cells(column)[row].to_string());
        writer.write_record(cells).map_err(failed)?;
    }
    writer.flush()?;
    Ok(())
}

pub(crate) fn read(path: &Path) -> Result<Table, TableError> {
    let file = File::open(path).map_err(|error| TableError::unreadable(path, error))?;
    of(path, file)
}

fn of(path: &Path, input: impl Read) -> Result<Table, TableError> {
    let mut reader = csv::Reader::from_reader(input);
    let wrong = |error: csv::Error| {
        let line = error.position().map(csv::Position::line);
        let at = line.map_or(String::new(), |line| format!("line {line}: "));
        match error.into_kind() {
            csv::ErrorKind::Io(error) => TableError::unreadable(path, error),
            csv::ErrorKind::UnequalLengths {
                expected_len, len, ..
            } => TableError::no_table(
                path,
                format!("{at}{len} fields, must be {expected_len} as in the header"),
            ),
            csv::ErrorKind::Utf8 { .. } => {
                TableError::no_table(path, format!("{at}no text; must be Parquet or CSV"))
            }
            other => TableError::no_table(path, format!("{at}{other:?}")),
        }
    };
    let header = reader.headers().map_err(wrong)?.clone();
    for (number, name) in header.iter().enumerate() {
        if name.is_empty() || header.iter().take(number).any(|other| other == name) {
            let what = format!("line 1: the column {name:?} must have a name of its own");
            return Err(TableError::no_table(path, what));
        }
    }
    if header.len() < 2 {
        let what =
            "line 1: not a table of results: Parquet, or CSV with the names of columns in line 1";
        return Err(TableError::no_table(path, what));
    }
    let mut table = Table::new(header.iter().map(|name| (name, None)));
    for record in reader.records() {
        table.add(record.map_err(wrong)?.iter().map(Cell::parse));
    }
    Ok(table)
}
