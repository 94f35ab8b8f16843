//! Parts that are made again: they must have the same bytes.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use sha2::{Digest, Sha256};
use ssdlab_results::{Table, differences};

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

/// The differences of a part that are named.
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
            let again = made
                .table
                .write_parquet(&self.about(made.shard), Vec::new())?;
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
    let found = differences(&there, again, LISTED);
    let what = match found.is_empty() {
        true => "all results are the same, but not the file around them".to_owned(),
        false => found.join("; "),
    };
    format!("{shown}: made again, it has other bytes: {what}")
}
