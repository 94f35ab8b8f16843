//! A probe beside a load: few requests at even distances, whose latencies tell what the load does to a drive.

use ssdlab_host::{Op, Request};

use super::arrivals::{Arrivals, Times};
use super::generator::Generator;
use super::random::Random;

/// The stream of a probe; the load's requests have stream 0.
pub const STREAM: u16 = 1;
/// Any number: the same seed must not give the load and the probe the same places.
const SEED: u64 = 0x0070_726f_6265;

/// Requests of one unit each, at even distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// Requests a second, above 0.
    pub rate: f64,
    /// The share of its requests that are writes; the others are reads.
    pub writes: f64,
}

/// The requests of a load and of a probe by their times. The probe begins when the load has filled the space; its units
/// are uniform.
pub struct Probed {
    load: std::iter::Peekable<Generator>,
    /// Requests of the load before the probe begins.
    before: u64,
    begin_ns: u64,
    times: Times,
    writes: f64,
    unit: u64,
    units: u64,
    random: Random,
}

impl Probed {
    /// `units`, at least 1, of `unit` bytes; the load begins with `fill` writes. The same seed gives the same requests.
    pub fn new(
        load: Generator,
        probe: Probe,
        (units, unit): (u64, u64),
        fill: u64,
        seed: u64,
    ) -> Self {
        Self {
            load: load.peekable(),
            before: fill,
            begin_ns: 0,
            times: Arrivals::Rate(probe.rate).times(seed),
            writes: probe.writes,
            unit,
            units,
            // neither the numbers of the load nor those of its times
            random: Random::new(seed.rotate_left(32) ^ SEED),
        }
    }
}

impl Iterator for Probed {
    type Item = Request;

    fn next(&mut self) -> Option<Request> {
        let load_ns = self.load.peek()?.time_ns;
        if self.before > 0 {
            self.before -= 1;
            self.begin_ns = load_ns;
            return self.load.next();
        }
        let probe_ns = self.begin_ns.checked_add(self.times.peek()?)?;
        if load_ns <= probe_ns {
            return self.load.next();
        }
        self.times.next();
        let op = if self.random.chance(self.writes) {
            Op::Write
        } else {
            Op::Read
        };
        let first = self.random.below(self.units);
        let request = Request::new(probe_ns, op, first * self.unit, self.unit)?;
        Some(request.in_stream(STREAM))
    }
}
