//! How far a sweep is.

use std::path::Path;

use crate::cost;
use crate::error::SweepError;
use crate::folder::Folder;
use crate::sweep::Sweep;

/// How far a sweep is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// Shards, and those whose parts are there.
    pub shards: usize,
    /// Shards whose parts are there.
    pub done: usize,
    /// Runs of all shards.
    pub runs: usize,
    /// Runs of the parts that are there.
    pub runs_done: usize,
    /// Estimated seconds of one core that are left.
    pub seconds_left: f64,
    /// Parts that are not of this sweep: of another plan, version or trace.
    pub others: usize,
    /// Files that ended workers left unfinished.
    pub unfinished: usize,
    /// Shards without a part, their numbers from 1; the first ones.
    pub missing: Vec<usize>,
}

/// The missing shards that are listed.
const LISTED: usize = 20;

/// Looks at the parts of a sweep in a folder.
///
/// # Errors
/// The folder cannot be read.
pub fn status(sweep: &Sweep, folder: &Path) -> Result<Status, SweepError> {
    let found = Folder(folder.to_owned()).found()?;
    let mut status = Status {
        shards: sweep.shards.len(),
        unfinished: found.unfinished,
        ..Status::default()
    };
    for (number, shard) in sweep.shards.iter().enumerate() {
        status.runs += shard.runs.len();
        if found.parts.contains(&shard.name) {
            status.done += 1;
            status.runs_done += shard.runs.len();
        } else {
            status.seconds_left += shard.cost + cost::decoding(&sweep.facts[shard.trace]);
            if status.missing.len() < LISTED {
                status.missing.push(number + 1);
            }
        }
    }
    status.others = found.parts.len() - status.done;
    Ok(status)
}
