//! The writes to come, for runs whose write buffer or placement foresees them.

use ssdlab_config::Config;
use ssdlab_device::{Foresight, Future, Outlook};
use ssdlab_host::Request;

use crate::aged::by_workload;
use crate::error::SimError;
use crate::input::Trace;
use crate::plan::Plan;
use crate::run::PreparedRun;
use ssdlab_words::bytes;

/// Futures take at most this share of the memory.
pub(crate) const SHARE: u64 = 4;

/// Tells each run that foresees the writes what comes. Runs with the same outlook share their future. One whose future
/// takes too much memory is left out. Returns the bytes of all futures, and notes on what was left out.
///
/// # Errors
/// A trace that cannot be read.
pub(crate) fn foresee(
    plans: &mut Vec<Plan>,
    trace: &Trace,
    memory: u64,
) -> Result<(u64, Vec<String>), SimError> {
    let mut futures: Vec<((Outlook, u64), Option<Future>)> = Vec::new();
    let mut left = memory / SHARE;
    let mut notes = Vec::new();
    for plan in plans.iter_mut() {
        let run = &mut plan.run;
        let Some(outlook) = run.outlook() else {
            continue;
        };
        if by_workload(&run.config).is_some() {
            let note = format!("not compared: {}: {UNKNOWN}", plan.label);
            if !notes.contains(&note) {
                notes.push(note);
            }
            continue;
        }
        // compaction depends on the size of blocks
        let key = (outlook, run.config.flash.block_bytes());
        let known = futures.iter().find(|(other, _)| *other == key);
        let future = match known {
            Some((_, future)) => future.clone(),
            None => {
                let future = run.future(&outlook, trace, left)?;
                left -= future.as_ref().map_or(0, bytes_of);
                futures.push((key, future.clone()));
                future
            }
        };
        if future.is_none() {
            let note = format!(
                "not compared: {}, which takes more than the {} that are left of a quarter of the memory for the writes to come",
                plan.label,
                bytes(left)
            );
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        run.future = future;
    }
    plans.retain(|plan| plan.run.outlook().is_none() || plan.run.future.is_some());
    Ok((memory / SHARE - left, notes))
}

fn bytes_of(future: &Future) -> u64 {
    (future.writes() + future.firsts().count()) as u64 * Foresight::BYTES
}

/// The most writes of pages that so many bytes hold.
pub(crate) fn most_writes(bytes: u64) -> usize {
    usize::try_from(bytes / Foresight::BYTES).unwrap_or(usize::MAX)
}

/// Why a trace cannot age a device that foresees the writes.
const UNKNOWN: &str = "it foresees the writes, and nobody knows how many age the drive with precondition = \"workload\"";

pub(crate) fn too_long(config: &Config, memory: u64) -> SimError {
    let what = foreseeing(config);
    SimError::Limit(format!(
        "{what}: it takes more than {}, a quarter of the memory, for the writes to come; replay a \
         shorter part of the trace, or choose another policy",
        bytes(memory / SHARE)
    ))
}

/// What foresees the writes.
fn foreseeing(config: &Config) -> String {
    if config.needs.future {
        "ftl.placement = \"future\"".to_owned()
    } else {
        format!("buffer.policy = {:?}", config.policy)
    }
}

impl PreparedRun {
    fn outlook(&self) -> Option<Outlook> {
        let replay = &self.replay;
        self.systems
            .outlook(&self.config, replay.wrap, replay.loops > 1)
    }

    /// The same run, told the writes to come if it foresees them.
    ///
    /// # Errors
    /// A trace that cannot be read, or too many writes for a quarter of the memory.
    pub(crate) fn foreseeing(mut self, trace: &Trace, memory: u64) -> Result<Self, SimError> {
        if let Some(outlook) = self.outlook() {
            if by_workload(&self.config).is_some() {
                let what = foreseeing(&self.config);
                return Err(SimError::Limit(format!("{what}: {UNKNOWN}")));
            }
            let future = self.future(&outlook, trace, memory / SHARE)?;
            self.future = Some(future.ok_or_else(|| too_long(&self.config, memory))?);
        }
        Ok(self)
    }

    /// The writes to come; `None` if they take more bytes.
    fn future(
        &self,
        outlook: &Outlook,
        trace: &Trace,
        bytes: u64,
    ) -> Result<Option<Future>, SimError> {
        let mut pass = |see: &mut dyn FnMut(&Request)| match &self.compaction {
            None => trace.each(see),
            Some(compaction) => trace.each(|request| {
                if let Some(request) = compaction.map(request) {
                    see(&request);
                }
            }),
        };
        Ok(outlook.future(most_writes(bytes), &mut pass)?.ok())
    }
}
