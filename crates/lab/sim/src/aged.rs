//! Ages a device by its own workload: by the trace, resampled as the stationary bootstrap of statistics does (Politis and
//! Romano 1994).

use serde::Serialize;
use ssdlab_config::Config;
use ssdlab_device::keys::{PRECONDITION_SEED, PRECONDITION_SEGMENT};
use ssdlab_device::{Figure, Figures, Issue, PerFigure, Precondition, Resampling};
use ssdlab_host::{Op, Request};
use ssdlab_policy::SplitMix64;
use ssdlab_simulators::SimDevice;
use ssdlab_words::{bytes, decimal_bytes};

use crate::error::SimError;
use crate::input::Trace;
use crate::lab::Lab;
use crate::row::Row;
use crate::run::{Loops, PreparedRun};
use crate::settled::{FEWEST, WINDOWS};
use crate::unseen::Unseen;

/// A segment has this share of the trace, unless a key says how many requests.
const SEGMENTS: u64 = 16;
/// Ageing ends when the flash has programmed so many times what the host may write: a buffer that pads whole blocks may program
/// a thousand pages for one.
const WORK: f64 = 20.0;
/// Requests that are served at once.
const BATCH: usize = 1 << 12;

/// The mean requests of a segment of a trace.
fn segment(how: &Resampling, requests: u64) -> u64 {
    match how.segment {
        0 => (requests / SEGMENTS).max(1),
        segment => segment,
    }
}

/// The trace without an end: each segment goes on for a random number of requests and is followed by another one.
struct Resampled<'a> {
    requests: &'a [Request],
    random: SplitMix64,
    /// The mean of the requests of a segment.
    segment: usize,
    /// The next request.
    at: usize,
    now_ns: u64,
}

impl<'a> Resampled<'a> {
    /// Times begin at `now_ns`.
    fn of(requests: &'a [Request], how: &Resampling, now_ns: u64) -> Self {
        let segment = segment(how, requests.len() as u64);
        let mut random = SplitMix64(how.seed);
        Self {
            at: random.below(requests.len()),
            requests,
            random,
            segment: usize::try_from(segment).unwrap_or(usize::MAX),
            now_ns,
        }
    }
}

impl Iterator for Resampled<'_> {
    type Item = Request;

    fn next(&mut self) -> Option<Request> {
        let mut request = self.requests[self.at];
        // the time since the request before it, where it stands in the trace
        if let Some(before) = self.at.checked_sub(1) {
            let gap = request
                .time_ns
                .saturating_sub(self.requests[before].time_ns);
            self.now_ns = self.now_ns.saturating_add(gap);
        }
        request.time_ns = self.now_ns;
        self.at = match self.random.below(self.segment) {
            0 => self.random.below(self.requests.len()),
            _ => (self.at + 1) % self.requests.len(),
        };
        Some(request)
    }
}

/// Whether the trace ages the device, and how.
pub(crate) fn by_workload(config: &Config) -> Option<Resampling> {
    config.precondition.workload()
}

impl PreparedRun {
    /// Ages the device by the trace, if it is to be so, until its write amplification has settled or the limit is reached.
    /// Nothing of it is counted.
    ///
    /// # Errors
    /// A trace that is not in memory; one that does not fit; [`SimError::Stopped`].
    pub(crate) fn age(
        &self,
        device: &mut SimDevice,
        trace: &Trace,
        loops: &mut Loops,
    ) -> Result<(), SimError> {
        let Some(how) = by_workload(&self.config) else {
            return Ok(());
        };
        let requests = trace.in_memory().ok_or_else(|| not_in_memory(trace))?;
        if !requests
            .iter()
            .any(|one| one.op() == Op::Write && one.size() > 0)
        {
            return Ok(()); // it would have no end
        }
        let clocks_go_on = device.begin_ageing();
        let mut unseen = self.unseen(requests, &how);
        let from = trace.summary.earliest;
        let mut resampled = Resampled::of(requests, &how, from);
        let most = (how.limit * WINDOWS as f64).ceil() as u64;
        let page = f64::from(self.config.flash.page_size);
        let work = (WORK * how.limit * self.config.flash.capacity as f64 / page) as u64;
        let (mut ended, mut begins, mut last_ns) = (0, true, from);
        let mut batch = Vec::with_capacity(BATCH);
        while !loops.windows.settle() && ended < most && device.counters().programs() < work {
            if batch.is_empty() {
                for request in resampled.by_ref().take(BATCH) {
                    match &mut unseen {
                        Some(unseen) => unseen.add(request, &mut batch),
                        None => batch.push(request),
                    }
                }
            }
            let served = self.serve_window(device, &mut loops.windows, &batch, 0);
            let (now, ends) = served.map_err(|(_, ended)| {
                let place = format!("{}, as it ages the drive", trace.summary.name);
                self.ended(place, ended, trace.summary.end)
            })?;
            ended += u64::from(ends);
            last_ns = batch[now - 1].time_ns;
            batch.drain(..now);
            trace.tell(std::mem::take(&mut begins), now as u64, (ended, most));
        }
        device
            .finish()
            .map_err(|error| SimError::at_the_end(&trace.summary.name, error))?;
        device.end_ageing();
        let took_ns = last_ns.saturating_sub(from);
        let served_ns = match self.config.timing.parallel.issue {
            Issue::Timed { speedup } if clocks_go_on => (took_ns as f64 / speedup) as u64,
            _ => 0,
        };
        loops.aged(device, took_ns, served_ns);
        Ok(())
    }

    /// What moves requests to pages that the trace never writes. Of compacted ones there are no other pages.
    fn unseen(&self, requests: &[Request], how: &Resampling) -> Option<Unseen> {
        let Precondition::Aged(ageing) = self.config.precondition else {
            return None;
        };
        let alone = self.compaction.is_none();
        alone.then(|| Unseen::of(requests, how, &self.config, ageing.filled))?
    }
}

/// From this capacity on, ageing takes minutes.
const LARGE: u64 = 64 << 30;
/// The least that ageing writes, over the capacity: as much as the rule needs.
const LEAST: f64 = FEWEST as f64;
/// The seconds of a page written by the host: from a log to a drive that copies eight pages for each.
const PAGE_S: [f64; 2] = [30e-9, 400e-9];

/// What ageing a large device by a trace takes, in words: `None` for a small one, or one that is not aged so.
pub fn ageing_takes(lab: &Lab, config: &Config) -> Option<String> {
    let how = by_workload(config)?;
    let (capacity, page) = (config.flash.capacity, u64::from(config.flash.page_size));
    if capacity < LARGE {
        return None;
    }
    let pages = capacity as f64 / page as f64;
    let written = [LEAST, how.limit].map(|times| decimal_bytes((times * capacity as f64) as u64));
    let [least, most] = [LEAST * PAGE_S[0], how.limit * PAGE_S[1]];
    let took = [least, most].map(|seconds| (seconds * pages / 60.0).ceil());
    Some(format!(
        "precondition = \"workload\": a drive of {} is aged by {} to {} of writes, which takes {} to {} minutes and {} of memory; \
         --scale-to makes a small one that behaves like it",
        bytes(capacity),
        written[0],
        written[1],
        took[0],
        took[1],
        decimal_bytes(lab.systems().memory(config))
    ))
}

/// What the answer of a resampled trace depends on beside the trace: settings with segments of a quarter and of four times
/// as many requests, and with two other seeds. None for a device that its workload does not age.
pub fn resamplings(config: &Config, requests: u64) -> Vec<String> {
    let Some(how) = by_workload(config) else {
        return Vec::new();
    };
    let segment = segment(&how, requests);
    let (lengths, seeds) = (PRECONDITION_SEGMENT.key.path, PRECONDITION_SEED.key.path);
    let most = u64::from(u32::MAX);
    vec![
        format!("{lengths}={}", (segment / 4).max(1)),
        format!("{lengths}={}", segment.saturating_mul(4).min(most)),
        format!("{seeds}={}", how.seed ^ 1),
        format!("{seeds}={}", how.seed ^ 2),
    ]
}

/// From where to where the figures of a run go, with the [`resamplings`] of its trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The label of the row.
    pub label: String,
    /// Its buffer, bytes.
    pub size: Option<u64>,
    /// The least and the most of each figure that the row has.
    pub figures: PerFigure<Option<[f64; 2]>>,
}

impl Spread {
    /// Of a row with those of its resamplings.
    pub(crate) fn of(row: &Row, others: &[Row], figures: &Figures) -> Self {
        let range = |figure: &Figure| {
            let all = others.iter().chain([row]).map(|row| row.figure(figure));
            all.collect::<Option<Vec<f64>>>().map(|all| extremes(&all))
        };
        Self {
            label: row.label.clone(),
            size: row.size,
            figures: figures.iter().map(|one| (*one, range(one))).collect(),
        }
    }
}

/// The least and the most of some numbers.
pub fn extremes(values: &[f64]) -> [f64; 2] {
    [
        values.iter().copied().fold(f64::INFINITY, f64::min),
        values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    ]
}

fn not_in_memory(trace: &Trace) -> SimError {
    SimError::Limit(format!(
        "precondition = \"workload\": {} is not kept in memory, and its parts cannot be replayed at random; raise \
         --trace-memory, take a shorter trace (--limit), or age the drive in another way",
        trace.summary.name
    ))
}
