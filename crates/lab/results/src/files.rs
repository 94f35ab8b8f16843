//! Tables in files: Parquet or CSV, which their first bytes tell.

use std::fs::File;
use std::io::{Read as _, Write};
use std::path::Path;

use crate::csv_read;
use crate::error::TableError;
use crate::parquet_file;
use crate::table::{Piece, Table};

impl Table {
    /// Reads a file: Parquet, or CSV with a header.
    ///
    /// # Errors
    /// The file cannot be read, or is no table; the message names the line or the column.
    pub fn read(path: &Path) -> Result<Table, TableError> {
        match is_parquet(path)? {
            true => parquet_file::read(path),
            false => csv_read::read(path),
        }
    }

    /// The names of the columns of a file, and whether it is Parquet; no row is read.
    ///
    /// # Errors
    /// As [`Table::read`].
    pub fn names(path: &Path) -> Result<(Vec<String>, bool), TableError> {
        let is_parquet = is_parquet(path)?;
        let names = match is_parquet {
            true => parquet_file::names(path)?,
            false => csv_read::names(path)?,
        };
        Ok((names, is_parquet))
    }

    /// Reads a file column by column, in groups of rows: those of Parquet, or 10,000 of CSV. Columns that are not kept are
    /// skipped.
    ///
    /// # Errors
    /// As [`Table::read`].
    pub fn read_pieces(
        path: &Path,
        keep: &dyn Fn(&str) -> bool,
        take: &mut dyn FnMut(Piece),
    ) -> Result<(), TableError> {
        match is_parquet(path)? {
            true => parquet_file::pieces(path, keep, take).map(drop),
            false => csv_read::pieces(path, keep, take),
        }
    }

    /// Writes Parquet. The bytes depend on the table and on `about`, pairs for the metadata, alone.
    ///
    /// # Errors
    /// The error of the output.
    pub fn write_parquet<W: Write + Send>(
        &self,
        about: &[(&str, &str)],
        out: W,
    ) -> Result<W, TableError> {
        parquet_file::write(self, about, out)
    }
}

/// The first bytes of a file, by which its format is known: at most 64.
///
/// # Errors
/// The file cannot be read.
pub fn head(path: &Path) -> Result<Vec<u8>, TableError> {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(64).read_to_end(&mut head));
    read.map_err(|error| TableError::unreadable(path, error))?;
    Ok(head)
}

fn is_parquet(path: &Path) -> Result<bool, TableError> {
    Ok(head(path)?.starts_with(parquet_file::MAGIC))
}
