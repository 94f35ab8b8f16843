//! The times of requests.

use super::random::Random;

/// When requests come. The first one comes at time 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrivals {
    /// This many ns after one another.
    Every(u64),
    /// Together, and then none for a while.
    Bursts(Bursts),
    /// So many in a second, above 0, at even distances.
    Rate(f64),
    /// So many in a second on average, above 0, independent of one another (a Poisson process).
    Poisson(f64),
}

/// Requests that come together, and then none for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bursts {
    /// The requests of a burst, at least 1.
    pub requests: u64,
    /// The time from one request of a burst to the next, ns.
    pub interval_ns: u64,
    /// The time from the last request of a burst to the first of the next one, ns.
    pub gap_ns: u64,
}

impl Arrivals {
    /// The most requests whose times are below 2^64 ns; none: any number. Independent arrivals have no exact number: half
    /// of what they have on average.
    pub fn most_requests(&self) -> Option<u64> {
        match *self {
            Self::Every(interval_ns) => Bursts::of_one(interval_ns).most_requests(),
            Self::Bursts(bursts) => bursts.most_requests(),
            Self::Rate(rate) => Some(in_all_time(rate) as u64),
            Self::Poisson(rate) => Some((in_all_time(rate) / 2.0) as u64),
        }
    }

    /// The times, which end before 2^64 ns.
    pub(super) fn times(self, seed: u64) -> Times {
        Times {
            arrivals: self,
            next_ns: Some(0),
            requests: 0,
            // not the numbers of the workload
            random: Random::new(!seed),
            part_ns: 0.0,
        }
    }
}

/// The requests at this rate in 2^64 ns, less what rounding may take.
fn in_all_time(rate: f64) -> f64 {
    rate * 18_446_744_073.0
}

impl Bursts {
    fn of_one(interval_ns: u64) -> Self {
        Self {
            requests: 1,
            interval_ns,
            gap_ns: interval_ns,
        }
    }

    fn most_requests(&self) -> Option<u64> {
        let (last, interval, most) = (self.requests - 1, self.interval_ns, u64::MAX);
        let period = u128::from(last) * u128::from(interval) + u128::from(self.gap_ns);
        let bursts = u128::from(most).checked_div(period)?;
        let rest = (u128::from(most) % period).checked_div(u128::from(interval));
        let rest = rest.map_or(last.into(), |rest| rest.min(last.into()));
        let index = bursts * u128::from(self.requests) + rest;
        Some(u64::try_from(index + 1).unwrap_or(most))
    }

    /// The time from the request of this index, from 0, to the next.
    fn wait_ns(&self, index: u64) -> u64 {
        if (index + 1).is_multiple_of(self.requests) {
            self.gap_ns
        } else {
            self.interval_ns
        }
    }
}

/// The times of requests, ascending, as long as they are below 2^64 ns.
#[derive(Clone, Debug)]
pub(super) struct Times {
    arrivals: Arrivals,
    next_ns: Option<u64>,
    /// The requests before the next one.
    requests: u64,
    random: Random,
    /// What the next time is behind whole nanoseconds; independent arrivals have any time.
    part_ns: f64,
}

impl Times {
    /// The time of the next request, without going on.
    pub fn peek(&self) -> Option<u64> {
        self.next_ns
    }

    fn following(&mut self, now_ns: u64) -> Option<u64> {
        let index = self.requests;
        self.requests = index.wrapping_add(1);
        match self.arrivals {
            Arrivals::Every(interval_ns) => now_ns.checked_add(interval_ns),
            Arrivals::Bursts(bursts) => now_ns.checked_add(bursts.wait_ns(index)),
            // from the start, so that no rounding adds up
            Arrivals::Rate(rate) => whole((index + 1) as f64 * 1e9 / rate + 0.5),
            Arrivals::Poisson(rate) => {
                let wait = -libm::log(1.0 - self.random.fraction()) * 1e9 / rate;
                let behind = wait + self.part_ns;
                let wait_ns = whole(behind)?;
                self.part_ns = behind - wait_ns as f64;
                now_ns.checked_add(wait_ns)
            }
        }
    }
}

/// Rounds down, if the result is below 2^64.
fn whole(ns: f64) -> Option<u64> {
    (ns < u64::MAX as f64).then_some(ns as u64)
}

impl Iterator for Times {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let now_ns = self.next_ns?;
        self.next_ns = self.following(now_ns);
        Some(now_ns)
    }
}
