//! CSV with a header. A float has a point or an exponent, so that types are read back.

use std::io::Write;

use ssdlab_words::field;

use crate::cell::Cell;
use crate::error::TableError;
use crate::table::Table;

pub(crate) fn write(table: &Table, out: impl Write) -> Result<(), TableError> {
    let mut writer = csv::Writer::from_writer(out);
    header_of(table, &mut writer)?;
    rows(table, &mut writer)?;
    writer.flush()?;
    Ok(())
}

fn failed(error: csv::Error) -> TableError {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => TableError::Output(error),
        other => TableError::Output(std::io::Error::other(format!("{other:?}"))),
    }
}

/// Writes the names of the columns.
pub(crate) fn header_of(
    table: &Table,
    writer: &mut csv::Writer<impl Write>,
) -> Result<(), TableError> {
    let names = table.columns().map(|(name, _)| name);
    writer.write_record(names).map_err(failed)
}

/// Writes the rows alone.
pub(crate) fn rows(table: &Table, writer: &mut csv::Writer<impl Write>) -> Result<(), TableError> {
    let columns = table.columns().count();
    for row in 0..table.rows() {
        let cells = (0..columns).map(|column| match &table.cells(column)[row] {
            Cell::Text(text) => field(text).into_owned(),
            cell => cell.to_string(),
        });
        writer.write_record(cells).map_err(failed)?;
    }
    Ok(())
}
