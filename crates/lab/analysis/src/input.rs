//! Reads files and folders of results.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ssdlab_device::Catalogue;
use ssdlab_results::{
    Competitors, Piece, Schema, Table, competitors, competitors_of_json, head, is_compared,
};

use crate::analysis::{Analysis, Source};
use crate::error::AnalysisError;
use crate::frame::Frame;

/// Columns that no analysis needs.
const UNREAD: [&str; 1] = ["config"];

impl Analysis {
    /// Reads folders of parts, tables in Parquet and CSV, and the CSV and JSON of `compare`, as one table. A run that
    /// several rows have is kept once.
    ///
    /// # Errors
    /// A path cannot be read or has no results; the message names the file, and the line or column.
    pub fn read(paths: &[PathBuf], catalogue: &Arc<Catalogue>) -> Result<Analysis, AnalysisError> {
        let mut analysis = Analysis::new(catalogue);
        for file in files(paths)? {
            analysis.add(&file)?;
        }
        if analysis.rows() == 0 {
            let what = "no rows: no run is done yet";
            return Err(AnalysisError::no_results(&paths[0], what));
        }
        Ok(analysis.completed())
    }

    /// The rows of a table in memory.
    pub fn of_table(table: Table, catalogue: &Arc<Catalogue>) -> Analysis {
        let mut analysis = Analysis::new(catalogue);
        analysis.add_table(table);
        analysis.completed()
    }

    fn completed(mut self) -> Analysis {
        self.unite_traces();
        self.drop_repeated();
        self.adapt_figures();
        self
    }

    fn add(&mut self, path: &Path) -> Result<(), AnalysisError> {
        let before = self.rows();
        match compared(path, &self.schema)? {
            Some(Competitors { table, bounds }) => {
                self.bounds += bounds;
                self.add_table(table);
            }
            None => self.add_results(path)?,
        }
        self.sources.push(Source {
            path: path.to_owned(),
            rows: self.rows() - before,
        });
        Ok(())
    }

    fn add_results(&mut self, path: &Path) -> Result<(), AnalysisError> {
        let (file, frame) = (self.sources.len(), &mut self.frame);
        let keep = |name: &str| !UNREAD.contains(&name);
        Table::read_pieces(path, &keep, &mut |piece| add(frame, file, piece))?;
        Ok(())
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

/// All rows of what [`Analysis::read`] takes, as one table in memory; rows of a run that several files have are all there.
///
/// # Errors
/// As [`Analysis::read`].
pub fn read_table(paths: &[PathBuf], catalogue: &Arc<Catalogue>) -> Result<Table, AnalysisError> {
    let schema = Schema::of(catalogue);
    let mut all = schema.table();
    for path in files(paths)? {
        all.append(&match compared(&path, &schema)? {
            Some(compared) => compared.table,
            None => Table::read(&path)?,
        });
    }
    Ok(all)
}

/// The competitors of a comparison, if a file has one; `None`: it is a table of results.
fn compared(path: &Path, schema: &Schema) -> Result<Option<Competitors>, AnalysisError> {
    if head(path)?.trim_ascii_start().starts_with(b"{") {
        let text =
            fs::read_to_string(path).map_err(|error| AnalysisError::unreadable(path, error))?;
        let value = serde_json::from_str(&text).map_err(|error| {
            AnalysisError::no_results(path, format!("no readable JSON: {error}"))
        })?;
        let found = competitors_of_json(&value, schema);
        return found
            .map(Some)
            .map_err(|what| AnalysisError::no_results(path, what));
    }
    let (names, is_parquet) = Table::names(path)?;
    let at = if is_parquet { "" } else { "line 1: " };
    let refused = |what: String| AnalysisError::no_results(path, format!("{at}{what}"));
    if is_compared(names.iter().map(String::as_str)).map_err(refused)? {
        return Ok(Some(competitors(&Table::read(path)?)));
    }
    let mut columns = schema.columns().iter();
    match columns.any(|column| names.contains(&column.name)) {
        true => Ok(None),
        false => Err(refused(
            "no column of results; must be a table of ssdlab sweep merge or of ssdlab compare --csv".into(),
        )),
    }
}

/// The files of these paths, those of folders among them.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, AnalysisError> {
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
fn parts(folder: &Path) -> Result<Vec<PathBuf>, AnalysisError> {
    let unreadable = |error| AnalysisError::unreadable(folder, error);
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
        AnalysisError::no_results(folder, what)
    })
}
