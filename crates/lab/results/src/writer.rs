//! A table that is written while it is made, in little memory.

use std::io::Write;

use crate::csv_file;
use crate::error::TableError;
use crate::parquet_file::{Groups, is_small};
use crate::table::Table;

/// The rows of a group of Parquet, about.
const ROWS: usize = 10_000;

/// Writes tables with the same columns as one file.
pub struct TableWriter<W: Write + Send> {
    /// Rows that are not written yet.
    pending: Table,
    rows: u64,
    to: To<W>,
}

enum To<W: Write + Send> {
    Csv(csv::Writer<W>),
    Parquet {
        /// Before the first group.
        out: Option<W>,
        groups: Option<Groups<W>>,
        about: Vec<(String, String)>,
    },
}

impl<W: Write + Send> TableWriter<W> {
    /// A file of Parquet with the columns of `table`; `about` is for its metadata.
    pub fn parquet(table: &Table, about: &[(&str, &str)], out: W) -> Self {
        let about = about.iter();
        let about = about.map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let (out, about) = (Some(out), about.collect());
        let groups = None;
        Self::new(table, To::Parquet { out, groups, about })
    }

    /// A file of CSV with the columns of `table`.
    ///
    /// # Errors
    /// The error of the output.
    pub fn csv(table: &Table, out: W) -> Result<Self, TableError> {
        let mut writer = csv::Writer::from_writer(out);
        csv_file::header_of(table, &mut writer)?;
        Ok(Self::new(table, To::Csv(writer)))
    }

    fn new(table: &Table, to: To<W>) -> Self {
        let mut pending = table.clone();
        pending.clear();
        Self {
            pending,
            rows: 0,
            to,
        }
    }

    /// The rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds rows. What the table lacks of the columns is null.
    ///
    /// # Errors
    /// The table has a column that the file does not have, or of another type; or the error of the output.
    pub fn add(&mut self, table: &Table) -> Result<(), TableError> {
        // nearly always the same columns in the same order
        let others = table.columns().zip(self.pending.columns());
        let others = others
            .filter(|(own, known)| own != known)
            .map(|(own, _)| own);
        let behind = table.columns().skip(self.pending.columns().count());
        for (name, kind) in others.chain(behind) {
            let known = self.pending.columns().find(|(known, _)| *known == name);
            if known != Some((name, kind)) {
                let what = format!("column {name} is not one of this version and these systems");
                return Err(TableError::Output(std::io::Error::other(what)));
            }
        }
        self.pending.append(table);
        self.rows += table.rows() as u64;
        if self.pending.rows() >= ROWS {
            self.flush(false)?;
        }
        Ok(())
    }

    fn flush(&mut self, small: bool) -> Result<(), TableError> {
        match &mut self.to {
            To::Csv(writer) => csv_file::rows(&self.pending, writer)?,
            To::Parquet { out, groups, .. } => {
                if let Some(out) = out.take() {
                    *groups = Some(Groups::begin(&self.pending, small, out)?);
                }
                groups.as_mut().expect("begun").add(&self.pending)?;
            }
        }
        self.pending.clear();
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// The error of the output.
    pub fn finish(mut self) -> Result<W, TableError> {
        let small = self.rows == self.pending.rows() as u64 && is_small(&self.pending);
        self.flush(small)?;
        match self.to {
            To::Csv(writer) => writer
                .into_inner()
                .map_err(|error| TableError::Output(error.into_error())),
            To::Parquet { groups, about, .. } => {
                let about = about.iter();
                let about = about.map(|(key, value)| (key.as_str(), value.as_str()));
                groups.expect("begun").finish(about)
            }
        }
    }
}
