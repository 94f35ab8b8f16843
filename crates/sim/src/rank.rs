//! The figure by which a comparison ranks its runs.

use std::cmp::Ordering;

use serde::{Serialize, Serializer};

use crate::row::Row;
use crate::units::{amount, duration, fixed, thousands};

/// The figure by which a comparison ranks its runs. A run without this figure ranks last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankBy {
    /// Bytes that the host read and wrote for each simulated second; more is better.
    #[default]
    Throughput,
    /// Bytes programmed for each byte that the host wrote; less is better.
    Waf,
    /// Erased blocks; fewer are better.
    Erases,
    /// The 99th percentile of the latencies of writes, under the parallel model only; less is better.
    P99,
    /// Terabytes that the host can write until the mean block is worn out; more is better.
    Life,
}

impl RankBy {
    /// All figures, the default first.
    pub const ALL: [Self; 5] = [
        Self::Throughput,
        Self::Waf,
        Self::Erases,
        Self::P99,
        Self::Life,
    ];

    /// The name for options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::Waf => "waf",
            Self::Erases => "erases",
            Self::P99 => "p99",
            Self::Life => "life",
        }
    }

    /// The figure with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|by| by.name() == name)
    }

    /// What is ranked, within a sentence.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::Waf => "write amplification",
            Self::Erases => "erases",
            Self::P99 => "p99 of writes",
            Self::Life => "life",
        }
    }

    /// The figure of a row: MB/s, a ratio, blocks, nanoseconds or terabytes; `None` if the host moved no data or the
    /// figure is unknown.
    pub fn value(self, row: &Row) -> Option<f64> {
        let outcome = &row.outcome;
        let speed = outcome.derived.throughput_mb_s?;
        match self {
            Self::Throughput => Some(speed),
            Self::Waf => outcome.derived.waf,
            Self::Erases => Some(outcome.counters.erases as f64),
            Self::P99 => outcome.latency_ns.as_ref()?.writes.p99.map(|ns| ns as f64),
            Self::Life => outcome.endurance.tb_until_worn.mean,
        }
    }

    /// The better row first; equal ones by throughput, then by fewer erases.
    pub fn better(self, a: &Row, b: &Row) -> Ordering {
        let figure = |by: Self| {
            // the smaller, the better
            let rank = |row| match (by.value(row), by.is_more_better()) {
                (Some(value), true) => -value,
                (Some(value), false) => value,
                (None, _) => f64::INFINITY,
            };
            rank(a).total_cmp(&rank(b))
        };
        figure(self)
            .then(figure(Self::Throughput))
            .then(figure(Self::Erases))
    }

    /// Whether large values are better.
    pub const fn is_more_better(self) -> bool {
        matches!(self, Self::Throughput | Self::Life)
    }

    /// The figure of a winner as a clause: `12.34 MB/s`, `write amplification 1.20`.
    pub(crate) fn told(self, value: f64) -> String {
        match self {
            Self::Throughput => format!("{} MB/s", fixed(value, 2)),
            Self::Waf => format!("write amplification {}", fixed(value, 2)),
            Self::Erases => format!("{} erases", thousands(value as u64)),
            Self::P99 => format!("99 % of the writes take at most {}", duration(value)),
            Self::Life => format!("{} TB until worn out", amount(value)),
        }
    }

    /// The word for a better figure.
    pub(crate) const fn comparative(self) -> &'static str {
        match self {
            Self::Throughput => "faster",
            Self::Waf => "lower",
            Self::Erases => "fewer",
            Self::P99 => "less",
            Self::Life => "more",
        }
    }
}

impl Serialize for RankBy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ssdlab_device::{Latency, LatencyByOp};

    fn row(speed: f64, waf: f64, erases: u64, p99: Option<u64>) -> Row {
        let mut row = Row::default();
        row.outcome.derived.throughput_mb_s = Some(speed);
        row.outcome.derived.waf = Some(waf);
        row.outcome.counters.erases = erases;
        let writes = Latency {
            p99,
            ..Latency::default()
        };
        row.outcome.latency_ns = Some(LatencyByOp {
            writes,
            ..LatencyByOp::default()
        });
        row.outcome.endurance.tb_until_worn.mean = (erases > 0).then(|| 100.0 / erases as f64);
        row
    }

    // planted bugs: a larger write amplification first; a missing figure first; the tie not broken
    #[test]
    fn each_figure_has_its_order() {
        let rows = [
            row(3.0, 2.0, 10, Some(9)),
            row(2.0, 1.0, 20, Some(5)),
            row(1.0, 1.0, 0, None),
        ];
        let order = |by: RankBy| {
            let mut places: Vec<usize> = (0..rows.len()).collect();
            places.sort_by(|&a, &b| by.better(&rows[a], &rows[b]));
            places
        };
        assert_eq!(order(RankBy::Throughput), [0, 1, 2]);
        assert_eq!(order(RankBy::Waf), [1, 2, 0]);
        assert_eq!(order(RankBy::Erases), [2, 0, 1]);
        assert_eq!(order(RankBy::P99), [1, 0, 2]);
        assert_eq!(order(RankBy::Life), [0, 1, 2]);
        for by in RankBy::ALL {
            assert_eq!(RankBy::named(by.name()), Some(by));
        }
    }
}
