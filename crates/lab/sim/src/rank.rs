//! The order of runs by a figure.

use std::cmp::Ordering;

use ssdlab_device::results::{ERASES, THROUGHPUT};
use ssdlab_device::{Better, Figure};

use crate::row::Row;

/// The figure of a row that competes; `None` if the host moved no data or the figure is unknown.
pub fn ranked(by: &Figure, row: &Row) -> Option<f64> {
    row.figure(&THROUGHPUT)?;
    row.figure(by)
}

/// The better row first, those without the figure last; equal ones by throughput, then by fewer erases.
pub fn better(by: &Figure, a: &Row, b: &Row) -> Ordering {
    let order = |by: &Figure| {
        let rank = |row| match (ranked(by, row), by.better) {
            (Some(value), Better::More) => -value,
            (Some(value), _) => value,
            (None, _) => f64::INFINITY,
        };
        rank(a).total_cmp(&rank(b))
    };
    order(by).then(order(&THROUGHPUT)).then(order(&ERASES))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ssdlab_device::results::{LIFE, P99, WAF};
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
        let order = |by: Figure| {
            let mut places: Vec<usize> = (0..rows.len()).collect();
            places.sort_by(|&a, &b| better(&by, &rows[a], &rows[b]));
            places
        };
        assert_eq!(order(THROUGHPUT), [0, 1, 2]);
        assert_eq!(order(WAF), [1, 2, 0]);
        assert_eq!(order(ERASES), [2, 0, 1]);
        assert_eq!(order(P99), [1, 0, 2]);
        assert_eq!(order(LIFE), [0, 1, 2]);
    }
}
