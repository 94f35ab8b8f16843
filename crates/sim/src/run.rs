//! One trace on one device.

use std::path::{Path, PathBuf};

use ssdlab_config::Config;
use ssdlab_device::{Device, DeviceError, NoData};
use ssdlab_flash::Array;
use ssdlab_ftl::Events;
use ssdlab_host::Request;
use ssdlab_trace::{ReadOptions, TraceError, TraceReader, TraceSummary};

use crate::clock::cpu_time_ns;
use crate::outcome::outcome;
use crate::{Outcome, SimError, Timing};

/// A device of the simulator: its pages carry nothing.
pub(crate) type SimDevice = Device<Array<()>>;

/// How to run.
#[derive(Default)]
pub struct RunOptions {
    /// Decode once, simulate so often from a fresh device, and time it. 0: stream the trace through one device.
    pub repeat: u32,
    /// Take page numbers modulo the capacity.
    pub wrap: bool,
    /// Where to report what happens inside; with `repeat`, in the first repetition only.
    pub events: Events,
}

/// A decoded trace in memory: 24 bytes a request.
pub struct Trace {
    /// The requests in the order of the file.
    pub requests: Vec<Request>,
    /// What was read.
    pub summary: TraceSummary,
    /// The trace as the user named it.
    name: String,
    /// The line of the first request, if all stand on successive lines.
    first_line: Option<u64>,
    /// Where and how to read it again; `None` for what can be read only once.
    again: Option<(PathBuf, ReadOptions)>,
}

impl Trace {
    /// Reads a whole trace; `-` is standard input.
    pub fn load(path: &Path, options: &ReadOptions) -> Result<Self, SimError> {
        let mut reader = TraceReader::open(path, options)?;
        Ok(Self {
            requests: reader.read_all()?,
            name: reader.name().to_owned(),
            first_line: reader.successive_from(),
            again: path.is_file().then(|| (path.to_owned(), options.clone())),
            summary: reader.finish(),
        })
    }

    /// Where a request (the first is 0) stands: the trace and the line, or the number of the request if nothing tells
    /// its line.
    fn place_of(&self, request: usize) -> String {
        let successive = self.first_line.map(|first| first + request as u64);
        match successive.or_else(|| self.read_line_of(request).ok().flatten()) {
            Some(line) => place(&self.name, line),
            None => format!("{}, request {}", self.name, request + 1),
        }
    }

    /// Reads up to a request again for its line.
    fn read_line_of(&self, request: usize) -> Result<Option<u64>, TraceError> {
        let Some((path, options)) = &self.again else {
            return Ok(None);
        };
        let mut reader = TraceReader::open(path, options)?;
        let (mut batch, mut done) = (Vec::new(), 0);
        while reader.next_batch(&mut batch)? {
            if request < done + batch.len() {
                return Ok(Some(reader.line_of(request - done)));
            }
            done += batch.len();
        }
        Ok(None)
    }
}

/// Replays a trace. Without `repeat` it is streamed, in constant memory; with `flash.capacity = "auto"` a file is read
/// twice, and what can be read only once is kept in memory.
pub fn run(
    config: Config,
    path: &Path,
    read: &ReadOptions,
    options: RunOptions,
) -> Result<Outcome, SimError> {
    if options.repeat > 0 || config.is_auto() && !path.is_file() {
        return run_loaded(config, path, read, options);
    }
    let config = if config.is_auto() {
        config.with_capacity(end_of(path, read)?)?
    } else {
        config
    };
    let mut device = new_device(&config, options.wrap, options.events)?;
    let mut reader = TraceReader::open(path, read)?;
    let mut batch = Vec::new();
    while reader.next_batch(&mut batch)? {
        if let Err((index, error)) = submit_all(&mut device, &batch) {
            let place = place(reader.name(), reader.line_of(index));
            return Err(explain(place, error, &config, rest_end(reader, batch)));
        }
    }
    let summary = reader.finish();
    device
        .finish()
        .map_err(|error| SimError::at_the_end(&summary.name, error))?;
    Ok(outcome(&config, &device, &summary))
}

fn run_loaded(
    config: Config,
    path: &Path,
    read: &ReadOptions,
    options: RunOptions,
) -> Result<Outcome, SimError> {
    let started = cpu_time_ns();
    let trace = Trace::load(path, read)?;
    let decode_ns = cpu_time_ns() - started;
    let config = config.with_capacity(trace.summary.end)?;
    let mut times = Vec::new();
    let mut first = None;
    let mut events = options.events;
    for _ in 0..options.repeat.max(1) {
        let mut device = new_device(&config, options.wrap, std::mem::take(&mut events))?;
        let started = cpu_time_ns();
        replay(&config, &mut device, &trace)?;
        times.push(cpu_time_ns() - started);
        first.get_or_insert_with(|| outcome(&config, &device, &trace.summary));
    }
    times.sort_unstable();
    let mut outcome = first.expect("at least one repetition");
    outcome.timing = (options.repeat > 0).then(|| Timing {
        decode_ns,
        simulate_ns_best: times[0],
        simulate_ns_median: times[times.len() / 2],
    });
    Ok(outcome)
}

/// Replays a loaded trace on a fresh device of a configuration with a settled capacity.
pub(crate) fn simulate(config: &Config, trace: &Trace, wrap: bool) -> Result<SimDevice, SimError> {
    let mut device = new_device(config, wrap, Events::default())?;
    replay(config, &mut device, trace)?;
    Ok(device)
}

fn replay(config: &Config, device: &mut SimDevice, trace: &Trace) -> Result<(), SimError> {
    submit_all(device, &trace.requests).map_err(|(index, error)| {
        explain(trace.place_of(index), error, config, trace.summary.end)
    })?;
    device
        .finish()
        .map_err(|error| SimError::at_the_end(&trace.name, error))
}

fn new_device(config: &Config, wrap: bool, events: Events) -> Result<SimDevice, SimError> {
    room_for(config)?;
    let mut device =
        SimDevice::fresh(config).map_err(|fault| SimError::Limit(fault.to_string()))?;
    device.wrap_around(wrap);
    device.report_to(events);
    Ok(device)
}

/// Refuses a device whose tables the system will not give: an allocation that fails later would abort.
fn room_for(config: &Config) -> Result<(), SimError> {
    // per logical page: map, order, marks and age; per physical block: erases, next position, free list
    let bytes = u64::from(config.logical_pages()) * 24 + u64::from(config.physical_blocks()) * 64;
    let refused = || {
        SimError::Limit(format!(
            "flash.capacity = {}: no memory for a device of this size; it takes about {} MiB",
            config.flash.capacity,
            bytes >> 20
        ))
    };
    let mut probe: Vec<u8> = Vec::new();
    probe
        .try_reserve_exact(usize::try_from(bytes).map_err(|_| refused())?)
        .map_err(|_| refused())
}

/// Submits requests in order; on failure says which one it was.
fn submit_all(device: &mut SimDevice, requests: &[Request]) -> Result<(), (usize, DeviceError)> {
    for (index, request) in requests.iter().enumerate() {
        device
            .submit(request, &mut NoData)
            .map_err(|error| (index, error))?;
    }
    Ok(())
}

/// The end of the highest request of a file.
fn end_of(path: &Path, options: &ReadOptions) -> Result<u64, SimError> {
    let mut reader = TraceReader::open(path, options)?;
    let mut batch = Vec::new();
    while reader.next_batch(&mut batch)? {}
    Ok(reader.finish().end)
}

/// The end of the highest request, as far as the rest of the trace can be read.
fn rest_end(mut reader: TraceReader, mut batch: Vec<Request>) -> u64 {
    while let Ok(true) = reader.next_batch(&mut batch) {}
    reader.end()
}

fn place(name: &str, line: u64) -> String {
    format!("{name}, line {line}")
}

/// Why the device did not serve the request at `place`, and what the whole trace needs.
fn explain(place: String, error: DeviceError, config: &Config, trace_end: u64) -> SimError {
    let DeviceError::PastCapacity { end, capacity } = error else {
        return SimError::Device { place, error };
    };
    let block = config.flash.block_bytes();
    let needed = trace_end.max(end).div_ceil(block).saturating_mul(block);
    if needed / u64::from(config.flash.page_size) > u64::from(u32::MAX - 1) {
        return SimError::Beyond { place, end };
    }
    SimError::PastCapacity {
        place,
        end,
        capacity,
        needed,
    }
}
