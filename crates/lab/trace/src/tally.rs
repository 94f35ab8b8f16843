//! Counts over the requests read, and doubts about their units.

use crate::text::SECTOR;
use ssdlab_host::{Op, Request};
use ssdlab_words::{bytes, duration, thousands};

/// Counts over the requests read.
#[derive(Default)]
pub(crate) struct Tally {
    pub requests: u64,
    /// Flushes with a write since the flush before.
    pub commits: u64,
    /// There was a write since the last flush.
    unflushed: bool,
    pub backwards: u64,
    /// The longest way from a request back to a later time before it, ns.
    pub worst_backwards: u64,
    pub end: u64,
    pub latest: u64,
    pub earliest: Option<u64>,
    last_time: u64,
    /// The latest time in the file.
    furthest: u64,
    /// The time that becomes 0; `None`: the time of the next request.
    origin: Option<u64>,
    /// Requests with an address.
    addressed: u64,
    bytes: u128,
    /// Requests whose offset is no multiple of a sector.
    off_sectors: u64,
    /// Requests whose size is no multiple of a sector.
    part_sectors: u64,
    longest: u64,
}

/// More requests a second than any device takes.
const MOST_A_SECOND: f64 = 1e8;

/// More bytes a second than any bus carries.
const MOST_BYTES: f64 = 1e12;

/// More seconds than a trace lasts: 20 years.
const MOST_SECONDS: f64 = 20.0 * 365.25 * 86400.0;

/// Fewer addresses say nothing about their unit.
const ENOUGH: u64 = 16;

impl Tally {
    /// Counts from this time of the file on; `None`: from the time of the first request.
    pub fn starting_at(origin: Option<u64>) -> Self {
        Self {
            origin,
            ..Self::default()
        }
    }

    /// Counts requests and shifts their times to start at 0; earlier times become 0.
    pub fn add(&mut self, batch: &mut [Request]) {
        for request in batch {
            let time = request.time_ns;
            let origin = *self.origin.get_or_insert(time);
            request.time_ns = time.saturating_sub(origin);
            self.requests += 1;
            self.backwards += u64::from(time < self.last_time || time < origin);
            self.last_time = time;
            self.furthest = self.furthest.max(time).max(origin);
            self.worst_backwards = self.worst_backwards.max(self.furthest - time);
            self.latest = self.latest.max(request.time_ns);
            let earliest = self.earliest.get_or_insert(request.time_ns);
            *earliest = request.time_ns.min(*earliest);
            match request.op() {
                Op::Write => self.unflushed = true,
                Op::Flush => self.commits += u64::from(std::mem::take(&mut self.unflushed)),
                Op::Read | Op::Discard => {}
            }
            if request.op() != Op::Flush {
                self.end = self.end.max(request.end());
                self.addressed += 1;
                if request.op() != Op::Discard {
                    self.bytes += u128::from(request.size());
                }
                self.off_sectors += u64::from(!request.offset.is_multiple_of(SECTOR));
                self.part_sectors += u64::from(!request.size().is_multiple_of(SECTOR));
                self.longest = self.longest.max(request.size());
            }
        }
    }

    /// What cannot be right about the units of times, offsets and sizes, one sentence each. `has_times`: the times are
    /// those of the file. `way_out` is what to give so that an option has a value.
    pub fn doubts(&self, has_times: bool, way_out: impl Fn(&str, &str) -> String) -> Vec<String> {
        let times = if has_times { self.times() } else { None };
        let times = times.map(|(what, unit)| what + &way_out("--time-unit", unit));
        let sectors = self
            .sectors()
            .map(|what| what + &way_out("--sector", "512"));
        sectors.into_iter().chain(times).collect()
    }

    /// A doubt about times, and the unit that they may have.
    fn times(&self) -> Option<(String, &'static str)> {
        let span = self.latest - self.earliest.unwrap_or(0);
        if span == 0 {
            // without times, or all at once
            return None;
        }
        let seconds = span as f64 / 1e9;
        let rate = self.requests as f64 / seconds;
        let speed = self.bytes as f64 / seconds;
        let sane = |times: f64| {
            let seconds = seconds * times;
            rate / times <= MOST_A_SECOND / 10.0
                && speed / times <= MOST_BYTES / 10.0
                && seconds <= MOST_SECONDS
        };
        let finer = [
            (1e3, "microseconds", "us"),
            (1e6, "milliseconds", "ms"),
            (1e9, "seconds", "s"),
        ];
        let coarser = [(1e-3, "1000"), (1e-6, "10^6"), (1e-9, "10^9")];
        let requests = thousands(self.requests);
        let what = if rate > MOST_A_SECOND {
            format!(
                "{requests} requests in {}, more than 10^8 a second",
                duration(span as f64)
            )
        } else if speed > MOST_BYTES {
            format!(
                "{} in {}, more than any bus carries",
                bytes(u64::try_from(self.bytes).unwrap_or(u64::MAX)),
                duration(span as f64)
            )
        } else if seconds > MOST_SECONDS {
            let unit = coarser.iter().find(|(times, _)| sane(*times));
            let advice = unit.map_or(String::new(), |(times, less)| {
                let span = duration(span as f64 * times);
                format!(": in a unit {less} times smaller, they span {span}")
            });
            let what = format!(
                "{requests} requests in {} years; check the unit of the times{advice}",
                thousands((seconds / 365.25 / 86400.0) as u64)
            );
            return Some((what, "UNIT"));
        } else {
            return None;
        };
        let unit = finer.iter().find(|(times, ..)| sane(*times));
        let advice = unit.map_or(String::new(), |(times, unit, _)| {
            format!(
                ": taken as {unit} instead of ns, they span {}",
                duration(span as f64 * times)
            )
        });
        let what = format!("{what}; check the unit of the times{advice}");
        Some((what, unit.map_or("UNIT", |(.., name)| *name)))
    }

    /// A doubt about offsets and sizes.
    fn sectors(&self) -> Option<String> {
        if self.addressed < ENOUGH || self.off_sectors * 2 <= self.addressed {
            return None;
        }
        let share = 100 * self.off_sectors / self.addressed;
        let small = self.part_sectors * 2 > self.addressed && self.longest <= 1 << 16;
        let advice = if small {
            "; offsets and sizes look like sectors of 512 bytes, not bytes"
        } else {
            "; offsets look like sectors of 512 bytes or other blocks, not bytes"
        };
        Some(format!(
            "{share} % of the offsets are no multiples of 512 bytes; check the unit of the offsets{advice}"
        ))
    }
}
