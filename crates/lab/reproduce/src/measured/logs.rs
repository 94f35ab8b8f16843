//! Published figures in files beside the description: tables with the names of runs in their first column, `id`, and
//! numbers in all others.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::descriptions::Descriptions;
use crate::error::ReproduceError;
use crate::file::File;

/// A run each: what it wrote, in capacities (`capacity_writes`), and its write amplification in windows.
const RUNS: &str = "runs.csv";
/// Write amplification from one `capacity_writes` to the next (`waf_step`).
const CURVES: &str = "curves.csv";
/// Bytes by `handle` in the last quarter: of the host, and written to the media for it. The common destination of copies is
/// [`COMMON`]; for it, those of the host are copies from elsewhere.
const HANDLES: &str = "handles.csv";
/// The texts that a load takes from a run.
const SHARES: &str = "shares.csv";
/// Write amplification in each tenth of a pass.
const TENTHS: &str = "tenths.csv";

/// The number of the common destination of copies in [`HANDLES`].
const COMMON: usize = 7;

/// What was published of a run. Empty parts were not.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// Capacities written.
    pub writes: f64,
    /// Write amplification by the name of its column.
    pub windows: BTreeMap<String, f64>,
    /// Capacities written so far, and the write amplification of this step.
    pub curve: Vec<[f64; 2]>,
    /// Handles, `None` for the common destination of copies, and their write amplification in the last quarter.
    pub handles: Vec<(Option<usize>, f64)>,
    /// Numbers that the load takes, as text.
    pub shares: BTreeMap<String, String>,
    /// Write amplification in each tenth of a pass.
    pub tenths: Vec<f64>,
}

/// All runs by name.
pub type Logs = BTreeMap<String, Log>;

/// The files that a study has.
pub fn paths(descriptions: &Descriptions, name: &str) -> Vec<PathBuf> {
    let there = [RUNS, CURVES, HANDLES, SHARES, TENTHS].into_iter();
    let there = there.filter(|file| descriptions.has(name, file));
    there
        .map(|file| descriptions.path(name).join(file))
        .collect()
}

/// Reads the files that a study has.
///
/// # Errors
/// A table that is not rectangular, or text where a number is needed; the message has the line.
pub fn read(descriptions: &Descriptions, name: &str) -> Result<Logs, ReproduceError> {
    let mut logs = Logs::new();
    let mut each = |file: &str, take: &mut dyn FnMut(&mut Log, &Row)| {
        if descriptions.has(name, file) {
            let file = descriptions.file(name, file)?;
            for row in rows(&file)? {
                take(logs.entry(row.id.clone()).or_default(), &row);
            }
        }
        Ok::<_, ReproduceError>(())
    };
    each(RUNS, &mut |log, row| {
        log.writes = row.number("capacity_writes");
        log.windows = row.numbers().collect();
    })?;
    each(CURVES, &mut |log, row| {
        log.curve
            .push(["capacity_writes", "waf_step"].map(|column| row.number(column)));
    })?;
    each(HANDLES, &mut |log, row| {
        let [handle, host, media] = [
            "handle",
            "host_bytes_last_quarter",
            "media_bytes_last_quarter",
        ]
        .map(|column| row.number(column));
        let handle = Some(handle as usize).filter(|&handle| handle != COMMON);
        log.handles.push((handle, media / host));
    })?;
    each(SHARES, &mut |log, row| {
        log.shares = row
            .numbers()
            .map(|(column, share)| (column, share.to_string()))
            .collect();
    })?;
    each(TENTHS, &mut |log, row| {
        log.tenths = (1..=10)
            .map(|tenth| row.number(&format!("tenth_{tenth}")))
            .collect();
    })?;
    Ok(logs)
}

/// A line of a table.
struct Row {
    id: String,
    /// Empty cells are left out.
    cells: BTreeMap<String, f64>,
}

impl Row {
    /// NaN if the cell is empty.
    fn number(&self, column: &str) -> f64 {
        self.cells.get(column).copied().unwrap_or(f64::NAN)
    }

    fn numbers(&self) -> impl Iterator<Item = (String, f64)> {
        self.cells
            .iter()
            .map(|(column, value)| (column.clone(), *value))
    }
}

fn rows(file: &File) -> Result<Vec<Row>, ReproduceError> {
    let mut lines = file.text.split_inclusive('\n');
    let header = lines.next().unwrap_or_default();
    let columns: Vec<&str> = header.trim_end().split(',').collect();
    if columns[0] != "id" {
        return Err(file.refuse_at(0, "must begin with the column id"));
    }
    let mut at = header.len();
    let mut rows = Vec::new();
    for line in lines {
        let cells: Vec<&str> = line.trim_end().split(',').collect();
        if cells.len() != columns.len() {
            let why = format!("has {} cells; must have {}", cells.len(), columns.len());
            return Err(file.refuse_at(at, &why));
        }
        let mut row = Row {
            id: cells[0].to_owned(),
            cells: BTreeMap::new(),
        };
        for (column, cell) in columns.iter().zip(&cells).skip(1) {
            if cell.is_empty() {
                continue;
            }
            let number = cell.parse().ok().filter(|number: &f64| number.is_finite());
            let number = number.ok_or_else(|| {
                file.refuse_at(at, &format!("{column} is {cell:?}; must be a number"))
            })?;
            row.cells.insert((*column).to_owned(), number);
        }
        rows.push(row);
        at += line.len();
    }
    Ok(rows)
}
