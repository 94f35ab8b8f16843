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
    /// The share of the writes that the generator turns into reads, 0 to 1.
    pub reads: f64,
    /// The number of accesses from one flush to the next; 0: no flushes.
    pub flush_every: u64,
    /// The time from one request to the next, ns.
    pub interval_ns: u64,
}

/// The endless requests of a workload; they end only when the time would reach 2^64 ns.
pub struct Generator {
    workload: Box<dyn Workload>,
    settings: Settings,
    random: Random,
    /// The time of the next request; `None` once it would exceed `u64`.
    time_ns: Option<u64>,
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
            accesses: 0,
            flush_due: false,
        }
    }

    fn access(&mut self) -> Access {
        if std::mem::take(&mut self.flush_due) {
            return Access::FLUSH;
        }
        let mut access = self.workload.next(&mut self.random);
        let Settings {
            reads, flush_every, ..
        } = self.settings;
        if access.op == Op::Write && reads > 0.0 && self.random.chance(reads) {
            access.op = Op::Read;
        }
        self.accesses += 1;
        self.flush_due = flush_every > 0 && self.accesses.is_multiple_of(flush_every);
        access
    }
}

impl Iterator for Generator {
    type Item = Request;

    fn next(&mut self) -> Option<Request> {
        let time_ns = self.time_ns?;
        self.time_ns = time_ns.checked_add(self.settings.interval_ns);
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
