//! One table of all parts.

use std::path::Path;

use ssdlab_results::Table;
use ssdlab_words::thousands;

use crate::error::SweepError;
use crate::folder::Folder;
use crate::sweep::Sweep;

/// All rows of a sweep, in the order of the plan: trace by trace, and combination by combination. With `partial`, those
/// of the parts that are there.
///
/// # Errors
/// A part is missing or cannot be read.
pub fn merge(sweep: &Sweep, folder: &Path, partial: bool) -> Result<Table, SweepError> {
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
    let mut all = sweep.schema.table();
    for number in order {
        let shard = &sweep.shards[number];
        if found.parts.contains(&shard.name) {
            all.append(&Table::read(&folder.part(&shard.name))?);
        }
    }
    Ok(all)
}

impl Sweep {
    /// The metadata of a merged table.
    pub fn about_table(&self) -> [(&str, &str); 3] {
        let [results, version] = self.about();
        [results, version, ("ssdlab.plan", &self.hash)]
    }
}
