//! Turns accesses into requests.

use ssdlab_host::{Op, Request};

use super::access::{Access, Workload};
use super::random::Random;

/// The settings of a generator.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Bytes of a unit, at least 1.
    pub unit: u64,
    /// The same seed gives the same requests.
    pub seed: u64,
    /// Units that are written before the workload: each once, in order.
    pub fill: u64,
    /// The share of the workload's writes that the generator turns into reads, 0 to 1.
    pub reads: f64,
    /// The number of accesses from one flush to the next; 0: no flushes.
    pub flush_every: u64,
    /// The time from one request to the next, ns.
    pub interval_ns: u64,
    /// Requests that come together.
    pub bursts: Option<Bursts>,
}

impl Default for Settings {
    /// Units of 4 KiB, seed 1, all at time 0, and nothing but the workload.
    fn default() -> Self {
        Self {
            unit: 4096,
            seed: 1,
            fill: 0,
            reads: 0.0,
            flush_every: 0,
            interval_ns: 0,
            bursts: None,
        }
    }
}

/// Requests that come together, and then none for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bursts {
    /// The requests of a burst, at least 1.
    pub requests: u64,
    /// The time from the last request of a burst to the first of the next one, ns.
    pub gap_ns: u64,
}

impl Settings {
    /// The most requests whose times are below 2^64 ns; none: any number.
    pub fn most_requests(&self) -> Option<u64> {
        let (last, interval, most) = (self.burst() - 1, self.interval_ns, u64::MAX);
        let period = u128::from(last) * u128::from(interval) + u128::from(self.gap_ns());
        let bursts = u128::from(most).checked_div(period)?;
        let rest = (u128::from(most) % period).checked_div(u128::from(interval));
        let rest = rest.map_or(last.into(), |rest| rest.min(last.into()));
        let index = bursts * u128::from(self.burst()) + rest;
        Some(u64::try_from(index + 1).unwrap_or(most))
    }

    /// The time from the request of this index, from 0, to the next.
    fn wait_ns(&self, index: u64) -> u64 {
        if (index + 1).is_multiple_of(self.burst()) {
            self.gap_ns()
        } else {
            self.interval_ns
        }
    }

    /// Without bursts, each request is one of its own.
    fn burst(&self) -> u64 {
        self.bursts.map_or(1, |bursts| bursts.requests)
    }

    fn gap_ns(&self) -> u64 {
        self.bursts.map_or(self.interval_ns, |bursts| bursts.gap_ns)
    }
}

/// The endless requests of a workload; they end only when the time would reach 2^64 ns.
pub struct Generator {
    workload: Box<dyn Workload>,
    settings: Settings,
    random: Random,
    /// The time of the next request; `None` once it would exceed `u64`.
    time_ns: Option<u64>,
    requests: u64,
    accesses: u64,
    flush_due: bool,
}

impl Generator {
    /// Starts at time 0.
    pub fn new(workload: impl Workload + 'static, settings: Settings) -> Self {
        Self {
            workload: Box::new(workload),
            random: Random::new(settings.seed),
            settings,
            time_ns: Some(0),
            requests: 0,
            accesses: 0,
            flush_due: false,
        }
    }

    fn access(&mut self) -> Access {
        if std::mem::take(&mut self.flush_due) {
            return Access::FLUSH;
        }
        let access = if self.accesses < self.settings.fill {
            let stream = self.workload.stream_of(self.accesses);
            Access {
                stream,
                ..Access::write(self.accesses, 1)
            }
        } else {
            self.work()
        };
        self.accesses += 1;
        let flush_every = self.settings.flush_every;
        self.flush_due = flush_every > 0 && self.accesses.is_multiple_of(flush_every);
        access
    }

    fn work(&mut self) -> Access {
        let mut access = self.workload.next(&mut self.random);
        let reads = self.settings.reads;
        if access.op == Op::Write && reads > 0.0 && self.random.chance(reads) {
            access.op = Op::Read;
        }
        access
    }
}

impl Iterator for Generator {
    type Item = Request;

    fn next(&mut self) -> Option<Request> {
        let time_ns = self.time_ns?;
        self.time_ns = time_ns.checked_add(self.settings.wait_ns(self.requests));
        self.requests = self.requests.wrapping_add(1);
        let Access {
            op,
            first,
            count,
            stream,
        } = self.access();
        let unit = self.settings.unit;
        let request = Request::new(time_ns, op, first * unit, count * unit)?;
        Some(request.in_stream(stream))
    }
}
