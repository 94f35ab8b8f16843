//! Turns accesses into requests.

use ssdlab_host::{Op, Request};

use super::access::{Access, Workload};
use super::arrivals::{Arrivals, Times};
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
    /// When requests come.
    pub arrivals: Arrivals,
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
            arrivals: Arrivals::Every(0),
        }
    }
}

/// The endless requests of a workload; they end only when the time would reach 2^64 ns.
pub struct Generator {
    workload: Box<dyn Workload>,
    settings: Settings,
    random: Random,
    times: Times,
    accesses: u64,
    flush_due: bool,
}

impl Generator {
    /// Starts at time 0.
    pub fn new(workload: impl Workload + 'static, settings: Settings) -> Self {
        Self {
            workload: Box::new(workload),
            random: Random::new(settings.seed),
            times: settings.arrivals.times(settings.seed),
            settings,
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
        let time_ns = self.times.next()?;
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
