//! Latencies in memory that does not grow with their number.

use serde::{Deserialize, Serialize};
use ssdlab_host::Op;

/// Values below this are counted exactly, others in classes of at most 1/1024 of their value.
const EXACT: u64 = 1 << 11;

/// The latencies of one kind of request, as they come.
#[derive(Clone, Debug, Default)]
pub struct Latencies {
    count: u64,
    sum: u128,
    min: u64,
    max: u64,
    /// The number of latencies in each class, up to the largest one so far.
    classes: Vec<u64>,
}

/// The latencies of the requests of one kind in nanoseconds; `None` where there are none. Percentiles are by nearest
/// rank, at most 0.1 % too large; all else is exact.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Latency {
    /// Requests.
    pub count: u64,
    /// Mean.
    pub mean: Option<f64>,
    /// Shortest.
    pub min: Option<u64>,
    /// Median.
    pub p50: Option<u64>,
    /// 90 % are at most as long.
    pub p90: Option<u64>,
    /// 99 % are.
    pub p99: Option<u64>,
    /// 99.9 % are.
    pub p99_9: Option<u64>,
    /// 99.99 % are.
    pub p99_99: Option<u64>,
    /// Longest.
    pub max: Option<u64>,
}

/// The latencies by kind of request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LatencyByOp {
    /// Reads.
    #[serde(rename = "R")]
    pub reads: Latency,
    /// Writes.
    #[serde(rename = "W")]
    pub writes: Latency,
    /// Flushes.
    #[serde(rename = "F")]
    pub flushes: Latency,
    /// Discards.
    #[serde(rename = "D")]
    pub discards: Latency,
    /// Commits: flushes with the writes since the flush before, each as long as the slowest of these writes and the flush.
    #[serde(rename = "commit", skip_serializing_if = "Latency::is_empty")]
    pub commits: Latency,
}

impl Latency {
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// How often latencies of each length occurred: pairs of the longest latency of a class in nanoseconds and the number of
/// requests in it, ascending, without empty classes. A class is at most a sixteenth wide.
pub type Histogram = Vec<(u64, u64)>;

/// The latencies by kind of request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histograms {
    /// Reads.
    #[serde(rename = "R")]
    pub reads: Histogram,
    /// Writes.
    #[serde(rename = "W")]
    pub writes: Histogram,
    /// Flushes.
    #[serde(rename = "F")]
    pub flushes: Histogram,
    /// Discards.
    #[serde(rename = "D")]
    pub discards: Histogram,
}

impl Histograms {
    pub(crate) fn of(latencies: &[Latencies; Op::ALL.len()]) -> Self {
        let [reads, writes, flushes, discards] = latencies.each_ref().map(Latencies::histogram);
        Self {
            reads,
            writes,
            flushes,
            discards,
        }
    }
}

/// Classes that make one class of a histogram: 2^10 classes for each power of two become 16.
const JOINED: usize = EXACT as usize / 2 / 16;

/// The class of a value: its 11 leading bits, and the number of bits behind them.
fn class_of(value: u64) -> usize {
    let behind = (u64::BITS - (value | (EXACT / 2)).leading_zeros()) as u64 - 11;
    (behind * (EXACT / 2) + (value >> behind)) as usize
}

/// The largest value of a class.
fn largest_in(class: usize) -> u64 {
    let class = class as u64;
    let behind = (class / (EXACT / 2)).saturating_sub(1);
    let leading = class - behind * (EXACT / 2);
    (leading << behind) | ((1 << behind) - 1)
}

impl LatencyByOp {
    /// Those of each kind of request, in the order of [`Op::ALL`], and those of commits.
    pub fn of(latencies: &[Latencies; Op::ALL.len()], commits: &Latencies) -> Self {
        let [reads, writes, flushes, discards] = latencies.each_ref().map(Latencies::summary);
        Self {
            reads,
            writes,
            flushes,
            discards,
            commits: commits.summary(),
        }
    }
}

impl Latencies {
    /// Adds one, in nanoseconds.
    pub fn add(&mut self, ns: u64) {
        self.min = if self.count == 0 {
            ns
        } else {
            self.min.min(ns)
        };
        self.max = self.max.max(ns);
        self.count += 1;
        self.sum += u128::from(ns);
        let class = class_of(ns);
        if self.classes.len() <= class {
            self.classes.resize(class + 1, 0);
        }
        self.classes[class] += 1;
    }

    /// The value at the place ceil(part · count / whole).
    fn percentile(&self, part: u128, whole: u128) -> u64 {
        let place = (u128::from(self.count) * part).div_ceil(whole);
        let mut below = 0;
        let reaches = |&count: &u64| {
            below += u128::from(count);
            below >= place
        };
        let class = self.classes.iter().position(reaches);
        class.map_or(self.max, largest_in).min(self.max)
    }

    /// How often latencies of each length occurred.
    pub fn histogram(&self) -> Histogram {
        let classes = self.classes.chunks(JOINED).zip(0..);
        let joined = classes.map(|(counts, at)| {
            let end = largest_in(at * JOINED + JOINED - 1).min(self.max);
            (end, counts.iter().sum())
        });
        joined.filter(|&(_, count)| count > 0).collect()
    }

    /// Their number, mean and percentiles.
    pub fn summary(&self) -> Latency {
        if self.count == 0 {
            return Latency::default();
        }
        let percentile = |part, whole| Some(self.percentile(part, whole));
        Latency {
            count: self.count,
            mean: Some(self.sum as f64 / self.count as f64),
            min: Some(self.min),
            p50: percentile(50, 100),
            p90: percentile(90, 100),
            p99: percentile(99, 100),
            p99_9: percentile(999, 1000),
            p99_99: percentile(9999, 10_000),
            max: Some(self.max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: the smallest latency of a class for the largest; a class too wide; an empty class
    #[test]
    fn a_histogram_has_all_requests() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut latencies = Latencies::default();
        let mut values: Vec<u64> = (0..10_000)
            .map(|_| random.u64(..) >> random.u32(20..60))
            .collect();
        values.iter().for_each(|&value| latencies.add(value));
        values.sort_unstable();
        let (mut below, mut last) = (0, None);
        for (end, count) in latencies.histogram() {
            let class = &values[below..below + count as usize];
            assert!(
                class
                    .iter()
                    .all(|&value| value <= end && Some(value) > last),
                "up to {end}"
            );
            assert!(
                end - class[0] <= end / 16 + EXACT / 32,
                "from {} to {end}",
                class[0]
            );
            (below, last) = (below + count as usize, Some(end));
        }
        assert_eq!((below, last), (10_000, values.last().copied()));
        assert_eq!(Latencies::default().histogram(), []);
    }

    // planted bugs: a class wider than 0.1 %; a percentile below the value; the place rounded down; the smallest value
    // of a class
    #[test]
    fn percentiles_are_at_most_a_thousandth_too_large() {
        let mut random = fastrand::Rng::with_seed(1);
        for count in [1, 2, 3, 100, 1000, 20_000] {
            for bits in [0, 5, 11, 12, 40, 63] {
                let mut values: Vec<u64> = (0..count)
                    .map(|_| random.u64(..) >> random.u32(63 - bits..64))
                    .collect();
                let mut latencies = Latencies::default();
                values.iter().for_each(|&value| latencies.add(value));
                values.sort_unstable();
                let summary = latencies.summary();
                assert_eq!(
                    (summary.min, summary.max),
                    (Some(values[0]), values.last().copied())
                );
                let found = [
                    summary.p50,
                    summary.p90,
                    summary.p99,
                    summary.p99_9,
                    summary.p99_99,
                ];
                for (found, part) in found.into_iter().zip([5000, 9000, 9900, 9990, 9999]) {
                    let value = values[(values.len() * part).div_ceil(10_000) - 1];
                    let found = found.expect("there are values");
                    assert!(
                        found >= value && found - value <= value / 1000,
                        "{found} for {value}"
                    );
                }
            }
        }
        assert_eq!(Latencies::default().summary(), Latency::default());
        assert_eq!(largest_in(class_of(u64::MAX)), u64::MAX);
    }
}
