//! Rates, latencies and use over time, in a bounded number of intervals.

use serde::Serialize;
use ssdlab_host::Op;

use crate::completion::Completion;

/// The most intervals that are counted; then pairs of them become one.
const MOST: usize = 256;
/// The first intervals are 2^10 ns long.
const FIRST_SHIFT: u32 = 10;

/// What a device did over time: one value for each interval. Requests count where they complete.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OverTime {
    /// The length of an interval, ns. The last one is half to one and a half times as long.
    pub width_ns: u64,
    /// Bytes read, in 10^6 bytes a second.
    pub read_mb_s: Vec<f64>,
    /// Bytes written, in 10^6 bytes a second.
    pub write_mb_s: Vec<f64>,
    /// Mean latency of reads, ns; `None` without reads.
    pub read_mean_ns: Vec<Option<f64>>,
    /// Longest latency of a read, ns.
    pub read_max_ns: Vec<Option<u64>>,
    /// Mean latency of writes, ns; `None` without writes.
    pub write_mean_ns: Vec<Option<f64>>,
    /// Longest latency of a write, ns.
    pub write_max_ns: Vec<Option<u64>>,
    /// The share of the time in which the cells of the chips work, the mean of all chips.
    pub chips: Vec<f64>,
    /// The share in which the channels move pages, the mean of all channels.
    pub channels: Vec<f64>,
    /// The share in which the bus moves pages.
    pub bus: Vec<f64>,
}

/// Requests of one kind in an interval.
#[derive(Clone, Debug, Default)]
struct Requests {
    bytes: u64,
    count: u64,
    sum_ns: u128,
    max_ns: u64,
}

/// One interval.
#[derive(Clone, Debug, Default)]
struct Interval {
    reads: Requests,
    writes: Requests,
    chips_ns: u64,
    channels_ns: u64,
    bus_ns: u64,
}

/// Counts in intervals whose length doubles as time goes on.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    origin: u64,
    chips: usize,
    channels: usize,
    shift: u32,
    intervals: Vec<Interval>,
}

impl Requests {
    fn add(&mut self, other: &Self) {
        self.bytes += other.bytes;
        self.count += other.count;
        self.sum_ns += other.sum_ns;
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_ns as f64 / self.count as f64)
    }

    fn longest(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max_ns)
    }
}

impl Interval {
    fn add(&mut self, other: &Self) {
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
        self.chips_ns += other.chips_ns;
        self.channels_ns += other.channels_ns;
        self.bus_ns += other.bus_ns;
    }
}

impl Series {
    /// The most bytes of its lists.
    pub const BYTES: usize = 2 * MOST * size_of::<Interval>();

    /// Intervals from `origin` on.
    pub fn new(origin: u64, chips: usize, channels: usize) -> Self {
        Self {
            origin,
            chips,
            channels,
            shift: FIRST_SHIFT,
            intervals: Vec::new(),
        }
    }

    /// The place of the interval that a time is in. Times before the origin are in the first one.
    fn place(&mut self, at: u64) -> usize {
        let since = at.saturating_sub(self.origin);
        while since >> self.shift >= MOST as u64 {
            self.halve();
        }
        let place = (since >> self.shift) as usize;
        if self.intervals.len() <= place {
            self.intervals.resize(place + 1, Interval::default());
        }
        place
    }

    /// Makes one interval of two.
    fn halve(&mut self) {
        self.shift += 1;
        let pairs = self.intervals.len().div_ceil(2);
        for place in 0..self.intervals.len() {
            let one = std::mem::take(&mut self.intervals[place]);
            self.intervals[place / 2].add(&one);
        }
        self.intervals.truncate(pairs);
    }

    /// Adds the time from `start` to `end` to the intervals that it is in.
    fn spread(&mut self, start: u64, end: u64, of: fn(&mut Interval) -> &mut u64) {
        if end <= start {
            return;
        }
        let last = self.place(end - 1);
        let first = self.place(start);
        let begins = |place: usize| self.origin + ((place as u64) << self.shift);
        for place in first..=last {
            let from = if place == first { start } else { begins(place) };
            let to = if place == last {
                end
            } else {
                begins(place + 1)
            };
            *of(&mut self.intervals[place]) += to - from;
        }
    }

    pub fn chip(&mut self, start: u64, end: u64) {
        self.spread(start, end, |interval| &mut interval.chips_ns);
    }

    pub fn channel(&mut self, start: u64, end: u64) {
        self.spread(start, end, |interval| &mut interval.channels_ns);
    }

    pub fn bus(&mut self, start: u64, end: u64) {
        self.spread(start, end, |interval| &mut interval.bus_ns);
    }

    /// A request of `bytes` is done.
    pub fn complete(&mut self, done: Completion, bytes: u64) {
        // an interval includes its end
        let place = self.place(done.completed_ns.saturating_sub(1));
        let interval = &mut self.intervals[place];
        let requests = match done.op {
            Op::Read => &mut interval.reads,
            Op::Write => &mut interval.writes,
            _ => return,
        };
        let latency = done.completed_ns - done.issued_ns;
        requests.add(&Requests {
            bytes,
            count: 1,
            sum_ns: latency.into(),
            max_ns: latency,
        });
    }

    /// The values up to `now`, where the next ones start.
    pub fn take(&mut self, now: u64) -> OverTime {
        let width_ns = 1 << self.shift;
        let mut last = self.intervals.len().saturating_sub(1);
        let begin = self.origin + ((last as u64) << self.shift);
        let mut lasts = now.saturating_sub(begin).clamp(1, width_ns);
        // a rate over a very short time says nothing
        if last > 0
            && lasts < width_ns / 2
            && let Some(short) = self.intervals.pop()
        {
            last -= 1;
            lasts += width_ns;
            self.intervals[last].add(&short);
        }
        let mut all = OverTime {
            width_ns,
            ..OverTime::default()
        };
        for (place, interval) in self.intervals.iter().enumerate() {
            let ns = if place == last { lasts } else { width_ns } as f64;
            let rate = |bytes: u64| bytes as f64 / ns * 1e3;
            let share = |busy: u64, parts: usize| busy as f64 / ns / parts.max(1) as f64;
            let Interval { reads, writes, .. } = interval;
            all.read_mb_s.push(rate(reads.bytes));
            all.write_mb_s.push(rate(writes.bytes));
            all.read_mean_ns.push(reads.mean());
            all.read_max_ns.push(reads.longest());
            all.write_mean_ns.push(writes.mean());
            all.write_max_ns.push(writes.longest());
            all.chips.push(share(interval.chips_ns, self.chips));
            all.channels
                .push(share(interval.channels_ns, self.channels));
            all.bus.push(share(interval.bus_ns, 1));
        }
        *self = Self::new(now, self.chips, self.channels);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::completion::done;

    // planted bugs: time counted where it begins only; the mean of a sum over two chips; the last interval taken as
    // long as the others; latencies that add up instead of their maximum
    #[test]
    fn values_by_hand() {
        let mut series = Series::new(1000, 2, 1);
        // intervals of 1024 ns from 1000 on
        series.chip(1000, 1000 + 1024 + 512);
        series.bus(1000 + 1536, 1000 + 1537);
        series.complete(done(Op::Write, 1000, 1100), 1024);
        series.complete(done(Op::Write, 1000, 1300), 1024);
        series.complete(done(Op::Read, 2500, 1000 + 1536), 512);
        let found = series.take(1000 + 1536);
        let expected = OverTime {
            width_ns: 1024,
            read_mb_s: vec![0.0, 1000.0],
            write_mb_s: vec![2000.0, 0.0],
            read_mean_ns: vec![None, Some(36.0)],
            read_max_ns: vec![None, Some(36)],
            write_mean_ns: vec![Some(200.0), None],
            write_max_ns: vec![Some(300), None],
            chips: vec![0.5, 0.5],
            channels: vec![0.0, 0.0],
            bus: vec![0.0, 1.0 / 512.0],
        };
        assert_eq!(found, expected);
        series.complete(done(Op::Write, 2536, 2600), 64);
        assert_eq!(series.take(2600).write_mb_s, [1000.0]);
        // a short end belongs to the interval before it
        for end in [2700, 2600 + 1024 + 100] {
            series.complete(done(Op::Write, end - 1, end), 1);
        }
        assert_eq!(
            series.take(2600 + 1024 + 100).write_mb_s,
            [2.0 / 1124.0 * 1e3]
        );
    }

    // planted bugs: a sum lost when intervals are joined; more intervals than the most
    #[test]
    fn long_times_need_no_more_intervals() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut series = Series::new(0, 1, 1);
        let (mut busy, mut bytes, mut now) = (0, 0, 0);
        for _ in 0..20_000 {
            let pause = random.u64(..) >> random.u32(34..64);
            let start = now + pause;
            let end = start + random.u64(..100_000);
            series.chip(start, end);
            series.complete(done(Op::Write, start, end), 7);
            (busy, bytes, now) = (busy + end - start, bytes + 7, end);
        }
        let found = series.take(now);
        assert!((MOST / 2..=MOST).contains(&found.chips.len()));
        let width = found.width_ns as f64;
        let last = (now - (found.chips.len() as u64 - 1) * found.width_ns) as f64;
        assert!((0.5..=1.5).contains(&(last / width)));
        let sum = |values: &[f64]| {
            let (end, others) = values.split_last().unwrap();
            others.iter().sum::<f64>() * width + end * last
        };
        assert!((sum(&found.chips) / busy as f64 - 1.0).abs() < 1e-9);
        assert!((sum(&found.write_mb_s) / 1e3 / f64::from(bytes) - 1.0).abs() < 1e-9);
    }
}
