//! One table of all parts.

use std::path::Path;

use ssdlab_results::{Table, TableError, prove};
use ssdlab_sim::Threads;
use ssdlab_words::thousands;

use crate::error::SweepError;
use crate::folder::Folder;
use crate::sweep::Sweep;

/// Parts that are in memory at a time.
const AT_A_TIME: usize = 256;

/// Hands on all rows of a sweep, a part at a time, in the order of the plan: trace by trace, and combination by combination.
/// With `partial`, those of the parts that are there. Reads them on `jobs` threads.
///
/// # Errors
/// A part is missing, damaged or another one, or the error of `take`.
pub fn merge(
    sweep: &Sweep,
    folder: &Path,
    partial: bool,
    jobs: usize,
    take: &mut dyn FnMut(Table) -> Result<(), TableError>,
) -> Result<(), SweepError> {
    let at = folder;
    let folder = Folder(folder.to_owned());
    let found = folder.found()?;
    let missing = sweep
        .shards
        .iter()
        .filter(|shard| !found.parts.contains(&shard.name));
    let missing = missing.count();
    if missing > 0 && !partial {
        let what = format!(
            "{} of {} parts are missing; go on with sweep run, or merge what is there with --partial",
            thousands(missing as u64),
            thousands(sweep.shards.len() as u64)
        );
        return Err(SweepError::folder(at, what));
    }
    let mut order: Vec<usize> = (0..sweep.shards.len()).collect();
    order.sort_by_key(|&number| (sweep.shards[number].trace, sweep.shards[number].runs[0]));
    order.retain(|&number| found.parts.contains(&sweep.shards[number].name));
    let columns = sweep.columns();
    let threads = Threads::start(jobs, order.len(), None)?;
    for some in order.chunks(AT_A_TIME) {
        let read = |&number: &usize| {
            let path = folder.part(&sweep.shards[number].name);
            prove(&path)?;
            let table = Table::read(&path)?;
            if !table.columns().eq(columns.columns()) {
                let what =
                    "has other columns; it was made with other systems than this program has";
                return Err(SweepError::folder(&path, what));
            }
            Ok(table)
        };
        for table in threads.each(some, |_| 0, read, |_| ())? {
            take(table)?;
        }
    }
    Ok(())
}

impl Sweep {
    /// All rows of a sweep as one table in memory, as [`merge`] hands them on.
    ///
    /// # Errors
    /// As [`merge`].
    pub fn table(&self, folder: &Path, partial: bool) -> Result<Table, SweepError> {
        let mut all = self.columns();
        merge(self, folder, partial, 1, &mut |part| {
            all.append(&part);
            Ok(())
        })?;
        Ok(all)
    }

    /// A table with the columns of the parts, and no rows.
    pub fn columns(&self) -> Table {
        self.schema.table()
    }

    /// The metadata of a merged table.
    pub fn about_table(&self) -> [(&str, &str); 2] {
        [
            ("ssdlab.version", &self.version),
            ("ssdlab.plan", &self.hash),
        ]
    }
}
