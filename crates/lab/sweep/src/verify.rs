//! Parts that are made again: they must have the same bytes.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use sha2::{Digest, Sha256};
use ssdlab_results::{Cell, Table};

use crate::error::SweepError;
use crate::folder::Folder;
use crate::shard::Shard;
use crate::sweep::Sweep;
use crate::work::Work;

/// What came of making parts again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Parts that were made again.
    pub parts: usize,
    /// Their runs.
    pub runs: usize,
    /// Complete parts in the folder.
    pub of: usize,
    /// Those that differ: a line for each, sorted.
    pub different: Vec<String>,
    /// Whether `finish` ended it before all of them were made.
    pub ended: bool,
}

/// The columns of a difference that are named.
const LISTED: usize = 8;

impl Sweep {
    /// Makes `number` of the complete parts again, and compares them with the files byte by byte. The same `seed` chooses the
    /// same parts everywhere. Calls `progress` for each part.
    ///
    /// # Errors
    /// A run fails, or a part or trace cannot be read. Parts that differ are no error here.
    pub fn verify(
        &self,
        number: usize,
        seed: u64,
        work: &Work,
        progress: impl Fn() + Sync,
    ) -> Result<Verified, SweepError> {
        let folder = Folder(work.folder.clone());
        let found = folder.found()?.parts;
        let is_complete = |at: &usize| found.contains(&self.shards[*at].name);
        let mut todo: Vec<usize> = (0..self.shards.len()).filter(is_complete).collect();
        let of = todo.len();
        if of == 0 {
            let what = "has no part of this sweep yet; run it first";
            return Err(SweepError::folder(&work.folder, what));
        }
        draw(&mut todo, &self.shards, number, seed);
        let verified = Mutex::new(Verified::default());
        let goes_on = |_: &Shard| {
            let ends = work.finish.load(Ordering::Relaxed);
            verified.lock().expect("no panic").ended |= ends;
            !ends
        };
        self.tables(&todo, work, goes_on, &|_| (), |made| {
            let path = folder.part(&made.shard.name);
            let there = fs::read(&path).map_err(|error| SweepError::unreadable(&path, error))?;
            let again = made.table.write_parquet(&self.about(), Vec::new())?;
            let different = (there != again).then(|| difference(&path, &made.table));
            let mut verified = verified.lock().expect("no panic");
            verified.parts += 1;
            verified.runs += made.table.rows();
            verified.different.extend(different);
            progress();
            Ok(())
        })?;
        let mut verified = verified.into_inner().expect("no panic");
        verified.of = of;
        verified.different.sort();
        Ok(verified)
    }
}

/// Keeps the shards whose names have the smallest hashes with the seed.
fn draw(shards: &mut Vec<usize>, all: &[Shard], number: usize, seed: u64) {
    shards.sort_by_cached_key(|&at| Sha256::digest(format!("{seed} {}", all[at].name)));
    shards.truncate(number);
    // in the order of the sweep, so that shards of one trace follow each other
    shards.sort_unstable();
}

/// How a part differs from its rows made again.
fn difference(path: &Path, again: &Table) -> String {
    let shown = ssdlab_words::shown_path(path);
    let there = match Table::read(path) {
        Ok(there) => there,
        Err(error) => return error.to_string(),
    };
    let what = if there.columns().ne(again.columns()) {
        "its columns have other names or types".to_owned()
    } else if there.rows() != again.rows() {
        format!("{} rows, now {}", there.rows(), again.rows())
    } else {
        cells(&there, again)
    };
    format!("{shown}: made again, it has other bytes: {what}")
}

/// The columns that differ, and the first cell.
fn cells(there: &Table, again: &Table) -> String {
    let mut columns: Vec<String> = Vec::new();
    let mut first: Option<(usize, &str, &Cell, &Cell)> = None;
    for (number, (name, _)) in there.columns().enumerate() {
        let pairs = || there.cells(number).iter().zip(again.cells(number));
        let Some(row) = pairs().position(|(there, again)| there != again) else {
            continue;
        };
        columns.push(name.to_owned());
        if first.is_none_or(|(before, ..)| row < before) {
            first = Some((
                row,
                name,
                &there.cells(number)[row],
                &again.cells(number)[row],
            ));
        }
    }
    let Some((row, name, there, again)) = first else {
        return "all cells are the same, but not the file around them".into();
    };
    let all = columns.len();
    columns.truncate(LISTED);
    if all > LISTED {
        columns.push(format!("{} more", all - LISTED));
    }
    let shown = |cell: &Cell| match cell {
        Cell::Null => "null".to_owned(),
        cell => cell.to_string(),
    };
    format!(
        "column{} {}; first in row {}, {name}: {}, now {}",
        if all == 1 { "" } else { "s" },
        columns.join(", "),
        row + 1,
        shown(there),
        shown(again)
    )
}
