//! Reads files and folders of results.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ssdlab_device::Catalogue;
use ssdlab_results::{Piece, Schema, Table, head};

use crate::compared;
use crate::error::StudyError;
use crate::frame::Frame;
use crate::study::{Source, Study};

/// Columns that no study needs.
const UNREAD: [&str; 1] = ["config"];

impl Study {
    /// Reads folders of parts, tables in Parquet and CSV, and the CSV and JSON of `compare`, as one table. A run that
    /// several rows have is kept once.
    ///
    /// # Errors
    /// A path cannot be read or has no results; the message names the file, and the line or column.
    pub fn read(paths: &[PathBuf], catalogue: &Arc<Catalogue>) -> Result<Study, StudyError> {
        let mut study = Study::new(catalogue);
        for file in files(paths)? {
            study.add(&file, catalogue)?;
        }
        if study.rows() == 0 {
            let what = "no rows: no run is done yet";
            return Err(StudyError::no_results(&paths[0], what));
        }
        Ok(study.completed())
    }

    /// The rows of a table in memory.
    pub fn of_table(table: Table, catalogue: &Arc<Catalogue>) -> Study {
        let mut study = Study::new(catalogue);
        study.add_table(table);
        study.completed()
    }

    fn completed(mut self) -> Study {
        self.unite_traces();
        self.drop_repeated();
        self.adapt_figures();
        self
    }

    fn add(&mut self, path: &Path, catalogue: &Arc<Catalogue>) -> Result<(), StudyError> {
        let before = self.rows();
        if is_json(path)? {
            let table = json(path, catalogue)?;
            self.add_compared(&table);
        } else {
            let (names, is_parquet) = Table::names(path)?;
            if compared::is_compared(names.iter().map(String::as_str)) {
                self.add_compared(&Table::read(path)?);
            } else {
                self.check(path, &names, is_parquet)?;
                self.add_results(path)?;
            }
        }
        self.sources.push(Source {
            path: path.to_owned(),
            rows: self.rows() - before,
        });
        Ok(())
    }

    /// A file that has no column of results is something else.
    fn check(&self, path: &Path, names: &[String], is_parquet: bool) -> Result<(), StudyError> {
        let mut columns = self.schema.columns().iter();
        if columns.any(|column| names.contains(&column.name)) {
            return Ok(());
        }
        let at = if is_parquet { "" } else { "line 1: " };
        let what = "no column of results; must be a table of ssdlab sweep merge or of ssdlab compare --csv";
        Err(StudyError::no_results(path, format!("{at}{what}")))
    }

    fn add_results(&mut self, path: &Path) -> Result<(), StudyError> {
        let (file, frame) = (self.sources.len(), &mut self.frame);
        let keep = |name: &str| !UNREAD.contains(&name);
        Table::read_pieces(path, &keep, &mut |piece| add(frame, file, piece))?;
        Ok(())
    }

    fn add_compared(&mut self, table: &Table) {
        let (table, bounds) = compared::rows(table, &self.schema);
        self.bounds += bounds;
        self.add_table(table);
    }

    fn add_table(&mut self, table: Table) {
        let (file, frame) = (self.sources.len(), &mut self.frame);
        let keep = |name: &str| !UNREAD.contains(&name);
        table.into_pieces(&keep, &mut |piece| add(frame, file, piece));
    }

    /// Leaves out rows of runs that an earlier row has: those with the same `run_id`, and those with the same cells.
    fn drop_repeated(&mut self) {
        let mut repeated = self.frame.repeated();
        if let Some(place) = self.frame.place("run_id") {
            let mut seen = HashSet::new();
            for (row, code) in self.frame.codes(place).into_iter().enumerate() {
                repeated[row] |= self.frame.word(place, row).is_some() && !seen.insert(code);
            }
        }
        self.repeated = repeated.iter().filter(|one| **one).count();
        if self.repeated > 0 {
            let is_first: Vec<bool> = repeated.iter().map(|repeated| !repeated).collect();
            self.frame.retain(&is_first);
        }
    }
}

fn add(frame: &mut Frame, file: usize, piece: Piece) {
    match piece {
        Piece::Rows(rows) => frame.add_rows(file, rows),
        Piece::Column(name, cells) => frame.set(name, &cells),
    }
}

/// All rows of what [`Study::read`] takes, as one table in memory with the columns of results; rows of a run that several
/// files have are all there.
///
/// # Errors
/// As [`Study::read`].
pub fn read_table(paths: &[PathBuf], catalogue: &Arc<Catalogue>) -> Result<Table, StudyError> {
    let study = Study::new(catalogue);
    let mut all = study.schema.table();
    for path in files(paths)? {
        if is_json(&path)? {
            let compared = json(&path, catalogue)?;
            all.append(&compared::rows(&compared, &study.schema).0);
            continue;
        }
        let (names, is_parquet) = Table::names(&path)?;
        if compared::is_compared(names.iter().map(String::as_str)) {
            all.append(&compared::rows(&Table::read(&path)?, &study.schema).0);
        } else {
            study.check(&path, &names, is_parquet)?;
            all.append(&Table::read(&path)?);
        }
    }
    Ok(all)
}

/// The files of these paths, those of folders among them.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, StudyError> {
    let mut all = Vec::new();
    for path in paths {
        match path.is_dir() {
            true => all.extend(parts(path)?),
            false => all.push(path.clone()),
        }
    }
    Ok(all)
}

/// The files of results in a folder, in the order of their names: Parquet, or else CSV.
fn parts(folder: &Path) -> Result<Vec<PathBuf>, StudyError> {
    let unreadable = |error| StudyError::unreadable(folder, error);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        files.push(entry.map_err(unreadable)?.path());
    }
    files.sort();
    let of = |ending: &str| -> Vec<PathBuf> {
        let is_of = |path: &&PathBuf| path.extension().is_some_and(|own| own == ending);
        files.iter().filter(is_of).cloned().collect()
    };
    let found = [of("parquet"), of("csv")]
        .into_iter()
        .find(|files| !files.is_empty());
    found.ok_or_else(|| {
        let what = "a folder without results; must have files that end in .parquet or .csv";
        StudyError::no_results(folder, what)
    })
}

fn is_json(path: &Path) -> Result<bool, StudyError> {
    Ok(head(path)?.trim_ascii_start().starts_with(b"{"))
}

/// The competitors of a comparison, from the object that `compare --json` writes, with the columns of results. `None`: it
/// is none.
pub fn compared_table(comparison: &serde_json::Value, catalogue: &Arc<Catalogue>) -> Option<Table> {
    let table = compared::of_json(comparison, catalogue)?;
    Some(compared::rows(&table, &Schema::of(catalogue)).0)
}

fn json(path: &Path, catalogue: &Arc<Catalogue>) -> Result<Table, StudyError> {
    let text = fs::read_to_string(path).map_err(|error| StudyError::unreadable(path, error))?;
    let value = serde_json::from_str(&text)
        .map_err(|error| StudyError::no_results(path, format!("no readable JSON: {error}")))?;
    compared::of_json(&value, catalogue).ok_or_else(|| {
        let what = "JSON without rows of a comparison; must be of ssdlab compare --json or ssdlab run --json";
        StudyError::no_results(path, what)
    })
}
