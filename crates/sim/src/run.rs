//! One trace on one device.

use std::path::Path;

use ssdlab_config::{Config, Unsized};
use ssdlab_device::{Device, DeviceError, NoData};
use ssdlab_flash::Array;
use ssdlab_ftl::Events;
use ssdlab_host::Request;
use ssdlab_trace::{TraceReader, TraceSummary, is_stdin, read_all};

use crate::clock::cpu_time_ns;
use crate::{Outcome, SimError, Timing};

/// How to run.
#[derive(Default)]
pub struct RunOptions {
    /// Decode once, simulate so often from a fresh device, and time it. 0: stream the trace through one device.
    pub repeat: u32,
    /// Take page numbers modulo the capacity.
    pub wrap: bool,
    /// Where to report what happens inside; with `repeat` of the first repetition only.
    pub events: Events,
}

/// A decoded trace in memory, 24 bytes a request.
pub struct Trace {
    /// The requests in the order of the file.
    pub requests: Vec<Request>,
    /// What was read.
    pub summary: TraceSummary,
}

impl Trace {
    /// Reads a whole trace; `-` is standard input.
    pub fn load(path: &Path) -> Result<Self, SimError> {
        let (requests, summary) = read_all(path)?;
        Ok(Self { requests, summary })
    }
}

/// Replays a trace. Without `repeat` the trace is streamed, in constant memory; with `flash.capacity = "auto"` it is
/// read twice (from standard input: kept in memory).
pub fn run(config: &Unsized, path: &Path, options: RunOptions) -> Result<Outcome, SimError> {
    if options.repeat > 0 {
        return run_repeated(config, path, options);
    }
    let config = match config.sized() {
        Some(config) => config,
        None if is_stdin(path) => {
            let trace = Trace::load(path)?;
            let config = config.with_capacity(trace.summary.end)?;
            return simulate(&config, &trace, options.wrap, options.events).map(|d| outcome(&config, &d, &trace.summary));
        }
        None => config.with_capacity(end_of(path)?)?,
    };
    let mut device = new_device(&config, options.wrap, options.events)?;
    let mut reader = TraceReader::open(path)?;
    let mut batch = Vec::new();
    let mut done = 0;
    while reader.next_batch(&mut batch)? {
        if let Err((index, error)) = submit_all(&mut device, &batch) {
            return Err(explain(reader, &config, done + index, &batch[index as usize], batch.clone(), error));
        }
        done += batch.len() as u64;
    }
    device.finish().map_err(|error| failed(&reader.name(), reader.line_of(done), error))?;
    Ok(outcome(&config, &device, &reader.finish()))
}
