//! When requests come, where latencies are asked for: at their times in the trace, unless the user says how they come.

use std::path::Path;

use ssdlab_config::{Config, Resolver};
use ssdlab_device::Figure;
use ssdlab_device::keys::{QUEUE_DEPTH, REPLAY, SPEEDUP};
use ssdlab_trace::{ReadOptions, TraceError, TraceReader};

use crate::error::SimError;
use crate::input::{Trace, is_file};
use crate::plan::CompareOptions;

/// The keys that say how requests come.
const KEYS: [&str; 3] = [REPLAY.key.path, QUEUE_DEPTH.key.path, SPEEDUP.key.path];

/// What lets requests come at their times.
fn timed() -> String {
    format!("{}=timed", REPLAY.key.path)
}

/// Whether requests may come at their times, and the configuration says nothing of how they come.
fn is_open(config: &Config) -> bool {
    let says = |key: &&str| config.given_at(key).is_some();
    config.has_clocks() && !config.gives(REPLAY.key.path) && !KEYS.iter().any(says)
}

/// Lets requests come at their times in a trace whose first requests have some, if a run of it is asked for latencies. Standard
/// input cannot be looked into before.
///
/// # Errors
/// The trace cannot be read.
pub fn at_their_times(
    resolver: &mut Resolver,
    path: &Path,
    read: &ReadOptions,
) -> Result<(), SimError> {
    // an invalid configuration is refused with the run
    let open = resolver.resolve().is_ok_and(|config| is_open(&config));
    if open && is_file(path) && has_times(path, read)? {
        resolver.set(&timed())?;
    }
    Ok(())
}

fn has_times(path: &Path, read: &ReadOptions) -> Result<bool, TraceError> {
    let mut reader = TraceReader::open(path, read)?;
    let (mut batch, mut first) = (Vec::new(), None);
    while reader.next_batch(&mut batch)? {
        let first = *first.get_or_insert(batch.first().map(|request| request.time_ns));
        if batch.iter().any(|request| Some(request.time_ns) != first) {
            return Ok(true);
        }
    }
    Ok(false)
}

impl CompareOptions {
    /// Where a latency ranks the runs of traces with times, their requests come at these times, unless the user says how they
    /// come. Returns the setting that does it.
    ///
    /// # Errors
    /// None but what [`Resolver::set`] says.
    pub fn at_their_times(
        &mut self,
        by: &Figure,
        traces: &[&Trace],
    ) -> Result<Option<String>, SimError> {
        let have_times = traces.iter().all(|trace| trace.summary.span_ns() > 0);
        if !have_times || !by.is_latency() {
            return Ok(None);
        }
        let sets = self.systems.iter().flat_map(|system| &system.set);
        let set = sets.filter_map(|set| set.split_once('=').map(|(key, _)| key));
        let mut varied = self.vary.iter().map(|axis| axis.key.as_str()).chain(set);
        // an invalid configuration is refused with the plans
        let open = self.resolver.resolve().is_ok_and(|config| is_open(&config));
        if !open || varied.any(|key| KEYS.contains(&key)) {
            return Ok(None);
        }
        self.resolver.set(&timed())?;
        Ok(Some(timed()))
    }
}
