//! Ages a device by its own workload: by the trace, resampled as the stationary bootstrap of statistics does (Politis and
//! Romano 1994).

use ssdlab_config::Config;
use ssdlab_device::{Issue, Resampling};
use ssdlab_host::{Op, Request};
use ssdlab_policy::SplitMix64;
use ssdlab_simulators::SimDevice;

use crate::error::SimError;
use crate::input::Trace;
use crate::run::{Loops, PreparedRun};
use crate::settled::WINDOWS;

/// A segment has this share of the trace, unless a key says how many requests.
const SEGMENTS: u64 = 16;
/// Requests that are served at once.
const BATCH: usize = 1 << 12;

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
        let segment = match how.segment {
            0 => (requests.len() as u64 / SEGMENTS).max(1),
            segment => segment,
        };
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
        let from = trace.summary.earliest;
        let mut resampled = Resampled::of(requests, &how, from);
        let most = (how.limit * WINDOWS as f64).ceil() as u64;
        let (mut ended, mut begins, mut last_ns) = (0, true, from);
        let mut batch = Vec::with_capacity(BATCH);
        while !loops.windows.settle() && ended < most {
            if batch.is_empty() {
                batch.extend(resampled.by_ref().take(BATCH));
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
        let took_ns = last_ns.saturating_sub(from);
        let served_ns = match self.config.timing.parallel.issue {
            Issue::Timed { speedup } => (took_ns as f64 / speedup) as u64,
            Issue::Closed { .. } => 0,
        };
        loops.aged(device, took_ns, served_ns);
        Ok(())
    }
}

fn not_in_memory(trace: &Trace) -> SimError {
    SimError::Limit(format!(
        "precondition = \"workload\": {} is not kept in memory, and its parts cannot be replayed at random; raise \
         --trace-memory, take a shorter trace (--limit), or age the drive in another way",
        trace.summary.name
    ))
}
