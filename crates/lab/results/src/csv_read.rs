//! CSV that is read: the types of the cells are those of their texts.

use std::fs::File;
use std::path::Path;

use csv::StringRecord;
use ssdlab_words::field_text;

use crate::cell::Cell;
use crate::error::TableError;
use crate::table::{Piece, Table};

/// The rows that are handed on together.
const ROWS: usize = 10_000;

pub(crate) fn read(path: &Path) -> Result<Table, TableError> {
    let mut all = None;
    tables(path, &|_| true, usize::MAX, &mut |table| all = Some(table))?;
    Ok(all.unwrap_or_default())
}

/// Reads the columns that are kept, some rows at a time.
pub(crate) fn pieces(
    path: &Path,
    keep: &dyn Fn(&str) -> bool,
    take: &mut dyn FnMut(Piece),
) -> Result<(), TableError> {
    tables(path, keep, ROWS, &mut |table| {
        table.into_pieces(&|_| true, take);
    })
}

/// The names of the columns.
pub(crate) fn names(path: &Path) -> Result<Vec<String>, TableError> {
    let mut reader = csv::Reader::from_reader(open(path)?);
    let header = header(path, &mut reader)?;
    Ok(header.iter().map(str::to_owned).collect())
}

fn open(path: &Path) -> Result<File, TableError> {
    File::open(path).map_err(|error| TableError::unreadable(path, error))
}

/// Tables of the columns that are kept, with so many rows each; the last one has fewer.
fn tables(
    path: &Path,
    keep: &dyn Fn(&str) -> bool,
    most: usize,
    take: &mut dyn FnMut(Table),
) -> Result<(), TableError> {
    let mut reader = csv::Reader::from_reader(open(path)?);
    let header = header(path, &mut reader)?;
    let kept: Vec<usize> = (0..header.len())
        .filter(|place| keep(&header[*place]))
        .collect();
    let empty = || Table::new(kept.iter().map(|place| (&header[*place], None)));
    let mut table = empty();
    for record in reader.records() {
        let record = record.map_err(|error| wrong(path, error))?;
        let text = |place: &usize| Cell::parse(field_text(&record[*place]));
        table.add(kept.iter().map(text));
        if table.rows() == most {
            take(std::mem::replace(&mut table, empty()));
        }
    }
    take(table);
    Ok(())
}

/// The first line, whose names must differ.
fn header(path: &Path, reader: &mut csv::Reader<File>) -> Result<StringRecord, TableError> {
    let header = reader
        .headers()
        .map_err(|error| wrong(path, error))?
        .clone();
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
    Ok(header)
}

fn wrong(path: &Path, error: csv::Error) -> TableError {
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
}
