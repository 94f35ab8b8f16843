//! How far a sweep is.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use serde::Serialize;

use crate::cost;
use crate::error::SweepError;
use crate::folder::{Folder, Proven};
use crate::shard::Shard;
use crate::sweep::Sweep;

/// How far a sweep is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Status {
    /// Shards.
    pub shards: usize,
    /// Shards whose parts are there.
    #[serde(rename = "shards_done")]
    pub done: usize,
    /// Runs of all shards.
    pub runs: usize,
    /// Runs of the parts that are there.
    pub runs_done: usize,
    /// Estimated seconds of one core that are left.
    #[serde(rename = "core_seconds_left")]
    pub seconds_left: f64,
    /// Parts that are not of this sweep: of another plan, version or trace.
    #[serde(rename = "other_parts")]
    pub others: usize,
    /// Files that ended workers left unfinished.
    #[serde(rename = "unfinished_files")]
    pub unfinished: usize,
    /// Shards without a part, their numbers from 1; the first ones.
    #[serde(rename = "first_missing")]
    pub missing: Vec<usize>,
    /// Parts that are damaged, or have the rows of another one, and count as missing.
    #[serde(rename = "damaged_parts")]
    pub damaged: usize,
    /// What is wrong with the first of them.
    pub first_damaged: Vec<String>,
}

/// The missing shards that are listed.
const LISTED: usize = 20;

impl Sweep {
    /// The numbers of the shards whose parts a folder lacks, those that take long first.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn missing(&self, folder: &Path) -> Result<Vec<usize>, SweepError> {
        let proven = self.proven(folder)?.parts;
        let is_missing = |number: &usize| !proven.contains(&self.shards[*number].name);
        let mut missing: Vec<usize> = (0..self.shards.len()).filter(is_missing).collect();
        missing.sort_by(|a, b| self.shards[*b].cost.total_cmp(&self.shards[*a].cost));
        Ok(missing)
    }

    /// The shards whose parts a folder has, and the parts there that are of another sweep. Their bytes are not read.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn there(&self, folder: &Path) -> Result<(usize, usize), SweepError> {
        let found = Folder(folder.to_owned()).found()?.parts;
        let own = self.shards.iter();
        let own = own.filter(|shard| found.contains(&shard.name)).count();
        Ok((own, found.len() - own))
    }

    /// The file in a folder that keeps what was planned.
    pub fn planned_in(folder: &Path) -> PathBuf {
        Folder(folder.to_owned()).planned()
    }

    pub(crate) fn proven(&self, folder: &Path) -> Result<Proven, SweepError> {
        let jobs = available_parallelism().map_or(1, NonZero::get);
        let all: Vec<&Shard> = self.shards.iter().collect();
        Folder(folder.to_owned()).proven(&all, jobs)
    }
}

/// Reads the parts of a sweep in a folder.
///
/// # Errors
/// The folder cannot be read.
pub fn status(sweep: &Sweep, folder: &Path) -> Result<Status, SweepError> {
    let proven = sweep.proven(folder)?;
    let mut status = Status {
        shards: sweep.shards.len(),
        unfinished: Folder(folder.to_owned()).found()?.unfinished,
        others: sweep.there(folder)?.1,
        damaged: proven.damaged.len(),
        first_damaged: proven.damaged.into_values().take(LISTED).collect(),
        ..Status::default()
    };
    for (number, shard) in sweep.shards.iter().enumerate() {
        let runs = match sweep.plan.leaves_out_refused {
            // a trace may refuse some
            true => {
                let runs = shard.runs.iter();
                let runs = runs.filter(|&&run| sweep.config(shard.trace, run).is_ok());
                runs.count()
            }
            false => shard.runs.len(),
        };
        status.runs += runs;
        if proven.parts.contains(&shard.name) {
            status.done += 1;
            status.runs_done += runs;
        } else {
            status.seconds_left += shard.cost + cost::decoding(&sweep.facts[shard.trace]);
            if status.missing.len() < LISTED {
                status.missing.push(number + 1);
            }
        }
    }
    Ok(status)
}
