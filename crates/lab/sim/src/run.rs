//! Replays one trace on one device.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ssdlab_config::{Config, ConfigError};
use ssdlab_device::{Counters, DeviceError, Future, recording_bytes};
use ssdlab_ftl::Events;
use ssdlab_host::Request;
use ssdlab_trace::{ReadOptions, TraceReader, TraceSummary};

use crate::aged::by_workload;
use crate::clock::cpu_time_ns;
use crate::compact::Compaction;
use crate::error::SimError;
use crate::input::{Stop, Trace, is_file, stream};
use crate::key::CAPACITY;
use crate::lab::Lab;
use crate::measured::Measured;
use crate::outcome::{LoopReport, Outcome, Timing, outcome};
use crate::room::free_memory;
use crate::settle::{Settling, SteadyState};
use crate::settled::Windows;
use ssdlab_simulators::Systems;
use ssdlab_simulators::{Completions, Observer, SimDevice};

/// The options of a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// Take page numbers modulo the capacity.
    pub wrap: bool,
    /// Map the touched erase blocks densely, in ascending order.
    pub compact: bool,
    /// The number of replays on one device, at least 1. Each replay ends like a run; the last one is reported.
    pub loops: u32,
    /// End earlier, once two successive replays agree on a device that has run full.
    pub steady: bool,
}

impl Default for Replay {
    fn default() -> Self {
        Self {
            wrap: false,
            compact: false,
            loops: 1,
            steady: false,
        }
    }
}

/// A flag that ends the runs that poll it.
pub type StopFlag = Arc<AtomicBool>;

/// The number of passes of `run` over the trace; with `steady` the largest number.
pub fn passes(config: &Config, options: &RunOptions) -> u64 {
    let replay = &options.replay;
    let foresees = options.lab.systems().foresees(config);
    let aged = by_workload(config).is_some();
    let several = replay.compact || replay.loops > 1 || config.is_auto() || foresees || aged;
    let first = u64::from(options.repeat > 0 || several);
    let repeated = u64::from(options.repeat.max(1)) - 1;
    first + passes_again(config, options) + u64::from(replay.loops) * repeated
}

/// The number of passes of [`run_loaded`] over a trace that was read before; with `steady` the largest number.
pub fn passes_again(config: &Config, options: &RunOptions) -> u64 {
    let replay = &options.replay;
    let to_foresee = match options.lab.systems().foresees(config) {
        true if replay.loops > 1 && !config.drain => 2,
        foresees => u64::from(foresees),
    };
    let to_age = u64::from(by_workload(config).is_some());
    u64::from(replay.compact) + to_foresee + to_age + u64::from(replay.loops)
}

/// The options of a run.
pub struct RunOptions {
    /// The systems; the configuration must be resolved for the same.
    pub lab: Lab,
    /// How the trace is replayed.
    pub replay: Replay,
    /// Decode once, then simulate this often on a fresh device and measure the time. 0: stream the trace through one
    /// device.
    pub repeat: u32,
    /// The receiver of events; with `repeat`, of the first repetition only.
    pub events: Events,
    /// The receiver of the times of all requests, in all loops; with `repeat`, of the first repetition only. Under the
    /// serial model there are none.
    pub completions: Option<Completions>,
    /// The receiver of what the device does request by request, in all loops; with `repeat`, of the first repetition only.
    /// Under the serial model there is nothing to see.
    pub observer: Option<Observer>,
    /// The memory, in bytes, of which a buffer that foresees the writes may take a quarter for what comes. `None`: what is
    /// free.
    pub memory: Option<u64>,
    /// Once set, the run ends with [`SimError::Stopped`].
    pub stop: Option<StopFlag>,
}

impl RunOptions {
    /// One replay with these systems, which nobody watches or stops.
    pub fn new(lab: &Lab) -> Self {
        Self {
            lab: lab.clone(),
            replay: Replay::default(),
            repeat: 0,
            events: Events::default(),
            completions: None,
            observer: None,
            memory: None,
            stop: None,
        }
    }
}

/// Replays a trace. Without `repeat`, it is streamed in constant memory. A capacity of "auto", compaction, loops
/// and a clairvoyant buffer need several passes over the file; an input that can be read only once is then kept in memory, and
/// so is one that ages the device.
pub fn run(
    config: Config,
    path: &Path,
    read: &ReadOptions,
    options: RunOptions,
) -> Result<Outcome, SimError> {
    let replay = &options.replay;
    if options.repeat > 0 {
        return run_repeatedly(config, path, read, options);
    }
    let aged = by_workload(&config).is_some();
    let several = config.is_auto() || replay.compact || replay.loops > 1 || aged;
    if several || options.lab.systems().foresees(&config) {
        let trace = if is_file(path) && !aged {
            Trace::scan(path, read)?
        } else {
            Trace::load(path, read, u64::MAX)?
        };
        return run_loaded(config, &trace, options);
    }
    let run = PreparedRun {
        stop: options.stop.clone(),
        ..PreparedRun::plain(options.lab.systems().clone(), config, replay.clone())
    };
    let (mut device, mut loops) = run.device(None, options.events)?;
    device.time_to(options.completions);
    device.observe(options.observer);
    let mut reader = TraceReader::open(path, read)?;
    let windows = &mut loops.windows;
    let served = stream(&mut reader, |batch| {
        run.serve(&mut device, windows, batch, 0)
    });
    match served {
        Ok(()) => {}
        Err(Stop::Trace(error)) => return Err(error.into()),
        Err(Stop::Refused(place, ended)) => {
            return Err(run.ended(place, ended, rest_end(reader)));
        }
    }
    let summary = reader.finish();
    has_times(&run.config, &summary)?;
    device
        .finish()
        .map_err(|error| SimError::at_the_end(&summary.name, error))?;
    loops.add(&mut device);
    Ok(run.outcome(&summary, &loops).with_warning())
}

/// Replays a trace in memory, as [`run`] does a file with several passes; `repeat` does not count.
///
/// # Errors
/// An invalid device, or a trace that does not fit it.
pub fn run_loaded(config: Config, trace: &Trace, options: RunOptions) -> Result<Outcome, SimError> {
    let run = PreparedRun::alone(&options, config, trace)?;
    let (mut device, mut loops) = run.device(Some(trace), options.events)?;
    device.time_to(options.completions);
    device.observe(options.observer);
    run.simulate(&mut device, trace, &mut loops)?;
    Ok(run.outcome(&trace.summary, &loops).with_warning())
}

fn run_repeatedly(
    config: Config,
    path: &Path,
    read: &ReadOptions,
    options: RunOptions,
) -> Result<Outcome, SimError> {
    let started = cpu_time_ns();
    let trace = Trace::load(path, read, u64::MAX)?;
    let decode_ns = cpu_time_ns() - started;
    let run = PreparedRun::alone(&options, config, &trace)?;
    let mut times = Vec::new();
    let mut first = None;
    let (mut events, mut completions) = (options.events, options.completions);
    let mut observer = options.observer;
    for _ in 0..options.repeat {
        let (mut device, mut loops) = run.device(Some(&trace), std::mem::take(&mut events))?;
        device.time_to(completions.take());
        device.observe(observer.take());
        let started = cpu_time_ns();
        run.simulate(&mut device, &trace, &mut loops)?;
        times.push(cpu_time_ns() - started);
        first.get_or_insert_with(|| run.outcome(&trace.summary, &loops).with_warning());
    }
    times.sort_unstable();
    let mut outcome = first.expect("at least one repetition");
    outcome.timing = Some(Timing {
        decode_ns,
        simulate_ns_best: times[0],
        simulate_ns_median: times[times.len() / 2],
    });
    Ok(outcome)
}

/// Refuses timed replay of requests that all have the same time: it would issue all of them at once.
pub(crate) fn has_times(config: &Config, trace: &TraceSummary) -> Result<(), SimError> {
    if config.is_timed() && trace.span_ns() == 0 && trace.requests > 1 {
        Err(SimError::Timeless {
            name: trace.name.clone(),
            requests: trace.requests,
        })
    } else {
        Ok(())
    }
}

/// The largest end of a request, as far as the rest of the trace can be read.
pub(crate) fn rest_end(mut reader: TraceReader) -> u64 {
    let mut batch = Vec::new();
    while let Ok(true) = reader.next_batch(&mut batch) {}
    reader.end()
}

/// The counts of each replay of a trace.
pub(crate) struct Loops {
    /// A short report of each replay, including the last; there may be many.
    all: Vec<LoopReport>,
    pub last: Measured,
    /// The counts of the device: of all replays, and of an ageing by the workload.
    total: Measured,
    pub settling: Settling,
    pub windows: Windows,
    /// What its workload did to the device before the first replay.
    ageing: Option<Ageing>,
}

/// How the workload aged a device.
struct Ageing {
    counters: Counters,
    /// Whether write amplification had settled behind it.
    settled: bool,
    /// The time of the trace that it took.
    took_ns: u64,
    /// The time of the device under timed replay.
    served_ns: u64,
}

impl Loops {
    fn new(config: &Config, device: &SimDevice) -> Self {
        Self {
            all: Vec::new(),
            last: Measured::default(),
            total: Measured::default(),
            settling: Settling::new(config, device.log_room()),
            windows: Windows::new(config.flash.capacity),
            ageing: None,
        }
    }

    /// Counts from here on: the device was aged, which took so much time of the trace, and so much of the device.
    pub fn aged(&mut self, device: &mut SimDevice, took_ns: u64, served_ns: u64) {
        self.total = Measured::of(device);
        self.settling.aged(&self.total, device.log_room());
        self.ageing = Some(Ageing {
            counters: self.total.counters.clone(),
            settled: self.windows.settle(),
            took_ns,
            served_ns,
        });
    }

    /// The counts of the device, and those of its ageing by the workload among them.
    pub fn counted(&self) -> (&Counters, Option<&Counters>) {
        let ageing = self.ageing.as_ref().map(|ageing| &ageing.counters);
        (&self.total.counters, ageing)
    }

    /// Whether write amplification had settled before the first replay.
    pub fn had_settled(&self) -> bool {
        self.ageing.as_ref().is_some_and(|ageing| ageing.settled)
    }

    /// The time of the trace that an ageing took.
    pub fn ageing_ns(&self) -> u64 {
        self.ageing.as_ref().map_or(0, |ageing| ageing.took_ns)
    }

    /// The counters of each replay.
    pub fn counters(&self) -> impl Iterator<Item = &Counters> {
        self.all.iter().map(|replay| &replay.counters)
    }

    /// Adds a replay that has ended.
    fn add(&mut self, device: &mut SimDevice) {
        let total = Measured::of(device);
        self.last = if self.all.is_empty() && self.ageing.is_none() {
            total.clone()
        } else {
            total.since(&self.total)
        };
        if let (Some(ageing), Some(served_ns)) = (&self.ageing, &mut self.last.served_ns) {
            *served_ns = served_ns.saturating_sub(ageing.served_ns);
        }
        self.total = total;
        self.all.push((&self.last).into());
        self.settling.add(&self.last, device.log_room());
    }
}

/// A configuration with a known capacity, and how to replay a trace on it.
#[derive(Clone)]
pub(crate) struct PreparedRun {
    pub systems: Systems,
    pub config: Config,
    pub replay: Replay,
    pub compaction: Option<Arc<Compaction>>,
    /// The writes to come, for a write buffer that foresees them.
    pub future: Option<Future>,
    /// Polled at each batch of requests.
    pub stop: Option<StopFlag>,
}

/// The reason why a replay stops serving requests.
pub(crate) enum Ended {
    Refused(DeviceError),
    Stopped,
}

impl PreparedRun {
    /// A run that shares nothing with other runs.
    fn alone(options: &RunOptions, config: Config, trace: &Trace) -> Result<Self, SimError> {
        has_times(&config, &trace.summary)?;
        let (systems, replay) = (options.lab.systems().clone(), &options.replay);
        let block_bytes = config.flash.block_bytes();
        let compaction = if replay.compact {
            Some(Compaction::of(trace, block_bytes)?.into())
        } else {
            None
        };
        let run = Self {
            stop: options.stop.clone(),
            ..Self::new(systems, config, trace, replay, compaction)?
        };
        let memory = options.memory.or_else(free_memory);
        run.foreseeing(trace, memory.unwrap_or(u64::MAX))
    }

    /// A run on a device whose capacity is known, with nothing compacted.
    pub fn plain(systems: Systems, config: Config, replay: Replay) -> Self {
        Self {
            systems,
            config,
            replay,
            compaction: None,
            future: None,
            stop: None,
        }
    }

    /// Computes the capacity.
    pub fn new(
        systems: Systems,
        config: Config,
        trace: &Trace,
        replay: &Replay,
        compaction: Option<Arc<Compaction>>,
    ) -> Result<Self, ConfigError> {
        let compacted = compaction.as_deref().map(Compaction::end);
        let fitted = config.with_capacity(compacted.unwrap_or(trace.summary.end));
        let way_out = "; keep only the blocks that the trace touches with --compact";
        Ok(Self {
            systems,
            config: fitted.map_err(|error| match compacted {
                None => error.with_way_out(CAPACITY, way_out),
                Some(_) => error,
            })?,
            replay: replay.clone(),
            compaction,
            future: None,
            stop: None,
        })
    }

    /// An upper bound of the memory of its device, in bytes, and of what is recorded of it.
    pub fn memory(&self, record: bool) -> u64 {
        let flash = &self.config.flash;
        let recording = if record && self.config.has_clocks() {
            recording_bytes(flash.chips(), flash.channels)
        } else {
            0
        };
        self.systems.memory(&self.config).saturating_add(recording)
    }

    /// A device, aged as the configuration says, by this trace too, and the counts so far.
    pub fn device(
        &self,
        trace: Option<&Trace>,
        events: Events,
    ) -> Result<(SimDevice, Loops), SimError> {
        let mut stopped = || self.is_stopped();
        let device =
            self.systems
                .device_unless(&self.config, self.future.as_ref(), &mut stopped)?;
        let mut device = device.ok_or(SimError::Stopped)?;
        device.wrap_around(self.replay.wrap);
        let mut loops = Loops::new(&self.config, &device);
        if let Some(trace) = trace {
            self.age(&mut device, trace, &mut loops)?;
        }
        device.report_to(events);
        Ok((device, loops))
    }

    /// Replays the trace, in all its loops or until they are steady.
    pub fn simulate(
        &self,
        device: &mut SimDevice,
        trace: &Trace,
        loops: &mut Loops,
    ) -> Result<(), SimError> {
        for round in 0..u64::from(self.replay.loops) {
            let shift_ns = self.shift(&trace.summary, round, loops.ageing_ns())?;
            let windows = &mut loops.windows;
            let served = trace.each_batch(|batch| self.serve(device, windows, batch, shift_ns));
            match served {
                Ok(()) => {}
                Err(Stop::Trace(error)) => return Err(error.into()),
                Err(Stop::Refused(place, ended)) => {
                    return Err(self.ended(place, ended, trace.summary.end));
                }
            }
            device
                .finish()
                .map_err(|error| SimError::at_the_end(&trace.summary.name, error))?;
            loops.add(device);
            if self.replay.steady && loops.settling.is_steady() {
                break;
            }
        }
        Ok(())
    }

    /// Why a replay ended early, with the end of the trace.
    pub(crate) fn ended(&self, place: String, ended: Ended, trace_end: u64) -> SimError {
        match ended {
            Ended::Refused(error) => self.explain(place, error, trace_end),
            Ended::Stopped => SimError::Stopped,
        }
    }

    /// The time that a loop (from 0) adds to the times of a trace, behind an ageing of so long.
    fn shift(&self, trace: &TraceSummary, round: u64, aged_ns: u64) -> Result<u64, SimError> {
        let rounds = trace.span_ns().checked_mul(round);
        let shift = rounds.and_then(|rounds| rounds.checked_add(aged_ns));
        let reads_time = self.config.buffer.flush_age_ns > 0
            || self.config.reads("clock")
            || self.config.reads("speedup");
        match shift.filter(|shift| trace.latest.checked_add(*shift).is_some()) {
            Some(shift) => Ok(shift),
            None if !reads_time => Ok(0),
            None => Err(SimError::Limit(format!(
                "after {aged_ns} ns of ageing and {round} loops of {} ns each the times exceed 2^64 - 1 ns, the most that is counted; replay \
                 less often, or let the times of the trace start at 0",
                trace.span_ns()
            ))),
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop
            .as_ref()
            .is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Serves some requests, unless the run is stopped.
    fn serve(
        &self,
        device: &mut SimDevice,
        windows: &mut Windows,
        batch: &[Request],
        shift_ns: u64,
    ) -> Result<(), (usize, Ended)> {
        let mut done = 0;
        while done < batch.len() {
            let (served, _) = self
                .serve_window(device, windows, &batch[done..], shift_ns)
                .map_err(|(request, ended)| (done + request, ended))?;
            done += served;
        }
        Ok(())
    }

    /// Serves the first of some requests, at most to the end of a window: how many, and whether they end it.
    pub(crate) fn serve_window(
        &self,
        device: &mut SimDevice,
        windows: &mut Windows,
        requests: &[Request],
        shift_ns: u64,
    ) -> Result<(usize, bool), (usize, Ended)> {
        if self.is_stopped() {
            return Err((0, Ended::Stopped));
        }
        let (now, ends) = windows.next(requests);
        let ended = |(request, error)| (request, Ended::Refused(error));
        self.submit(device, &requests[..now], shift_ns)
            .map_err(ended)?;
        if ends {
            windows.end(device);
        }
        Ok((now, ends))
    }

    fn submit(
        &self,
        device: &mut SimDevice,
        requests: &[Request],
        shift_ns: u64,
    ) -> Result<(), (usize, DeviceError)> {
        if self.compaction.is_none() && shift_ns == 0 {
            return device.submit_all(requests);
        }
        for (index, request) in requests.iter().enumerate() {
            let mapped = match &self.compaction {
                Some(compaction) => compaction.map(request),
                None => Some(*request),
            };
            if let Some(mut request) = mapped {
                request.time_ns += shift_ns;
                device.submit(&request).map_err(|error| (index, error))?;
            }
        }
        Ok(())
    }

    /// The report of the last loop, with those of all loops if there were several.
    pub fn outcome(&self, trace: &TraceSummary, loops: &Loops) -> Outcome {
        let mut report = outcome(&self.config, &loops.last, trace, loops.all.len());
        report.steady_state = SteadyState::new(&self.config, loops, self.replay.steady);
        report.compact = self.compaction.as_deref().map(Compaction::report);
        report.loops = (loops.all.len() > 1).then(|| loops.all.clone());
        report
    }

    /// The reason why the device refused the request at `place`, with the capacity that the whole trace needs.
    pub(crate) fn explain(&self, place: String, error: DeviceError, trace_end: u64) -> SimError {
        let DeviceError::PastCapacity { end, capacity } = error else {
            return SimError::Device { place, error };
        };
        let compacted = self.compaction.as_deref().map(Compaction::end);
        let compact = compacted.is_some();
        let step = self.config.flash.capacity_step();
        let needed = compacted
            .unwrap_or(trace_end.max(end))
            .div_ceil(step)
            .saturating_mul(step);
        if needed / u64::from(self.config.flash.page_size) > u64::from(u32::MAX - 1) {
            return SimError::Beyond {
                place,
                end,
                compact,
            };
        }
        SimError::PastCapacity {
            place,
            end,
            capacity,
            needed,
            compact,
        }
    }
}
