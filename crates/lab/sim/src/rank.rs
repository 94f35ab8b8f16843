//! The order of runs by a figure.

use std::cmp::Ordering;

use ssdlab_device::results::{BYTES_TO_FLASH, ERASES, THROUGHPUT};
use ssdlab_device::{Better, Figure};

use crate::row::Row;

/// What decides among runs that are level in the figure that ranks them: the first of these in which they are not level.
pub(crate) const TIES: [Figure; 2] = [BYTES_TO_FLASH, ERASES];

/// The figure of a row that competes; `None` if the host moved no data or the figure is unknown.
pub fn ranked(by: &Figure, row: &Row) -> Option<f64> {
    row.figure(&THROUGHPUT)?;
    row.figure(by)
}

/// The better value first, rows without the figure last.
fn order(by: &Figure, a: &Row, b: &Row) -> Ordering {
    let rank = |row| match (ranked(by, row), by.better) {
        (Some(value), Better::More) => -value,
        (Some(value), _) => value,
        (None, _) => f64::INFINITY,
    };
    rank(a).total_cmp(&rank(b))
}

/// Whether neither of two rows is better in a figure.
pub fn is_level(by: &Figure, a: &Row, b: &Row) -> bool {
    match (ranked(by, a), ranked(by, b)) {
        (Some(a), Some(b)) => by.is_level(by.difference(a, b)),
        _ => false,
    }
}

/// The figures that decide between two rows that are level in the figure that ranks them; none if they are equally good.
pub(crate) fn decide(a: &Row, b: &Row) -> impl Iterator<Item = Figure> {
    let ties = TIES.into_iter();
    ties.filter(move |figure| !is_level(figure, a, b)).take(1)
}

/// The best of some rows: of those that are level with the best value, then in bytes to flash, and then in erases, the one
/// with the smallest buffer. `None` if no row has the figure.
pub fn best<'a>(by: &Figure, rows: impl Iterator<Item = &'a Row>) -> Option<&'a Row> {
    let mut left: Vec<&Row> = rows.filter(|row| ranked(by, row).is_some()).collect();
    left.sort_by(|a, b| order(by, a, b));
    // being level is not transitive, so each figure compares all that are left with its best value
    for figure in [*by].into_iter().chain(TIES) {
        let top = *left.iter().min_by(|a, b| order(&figure, a, b))?;
        left.retain(|row| is_level(&figure, row, top));
    }
    left.into_iter().min_by_key(|row| row.size)
}

/// The rivals of the best row.
#[derive(Clone, Debug)]
pub struct Rivals<'a> {
    /// Level with it in the figure that ranks them; those that write as few bytes to flash come first.
    pub level: Vec<&'a Row>,
    /// Behind it, the best first.
    pub behind: Vec<&'a Row>,
    /// How many of the first are equally good.
    equal: usize,
}

impl<'a> Rivals<'a> {
    /// Of these rows, those that have the figure.
    pub fn of(by: &Figure, best: &Row, rows: impl Iterator<Item = &'a Row>) -> Self {
        let mut all: Vec<&Row> = rows.filter(|row| ranked(by, row).is_some()).collect();
        all.sort_by(|a, b| order(by, a, b).then(a.size.cmp(&b.size)));
        let (mut level, behind): (Vec<&Row>, Vec<&Row>) =
            all.into_iter().partition(|row| is_level(by, best, row));
        let is_equal = |row: &&Row| decide(best, row).next().is_none();
        level.sort_by_key(|row| !is_equal(row));
        Self {
            equal: level.partition_point(is_equal),
            level,
            behind,
        }
    }

    /// Those that are level with the best row but lost the tie.
    pub fn outdone(&self) -> &[&'a Row] {
        &self.level[self.equal..]
    }

    /// The figures that decided the ties.
    pub fn decided_by(&self, best: &Row) -> Vec<Figure> {
        let decided: Vec<Figure> = self
            .outdone()
            .iter()
            .flat_map(|row| decide(best, row))
            .collect();
        TIES.into_iter()
            .filter(|tie| decided.contains(tie))
            .collect()
    }

    /// The row with which the causes compare the best one: the baseline if it is worse, else the next best.
    pub fn against(&self, is_baseline: impl Fn(&Row) -> bool) -> Option<&'a Row> {
        let worse = || self.behind.iter().chain(self.outdone()).copied();
        worse()
            .find(|row| is_baseline(row))
            .or_else(|| worse().next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ssdlab_device::results::{LIFE, P99, WAF};
    use ssdlab_device::{Cause, FlashBytes, Latency, LatencyByOp};

    fn row(speed: f64, waf: f64, erases: u64, p99: Option<u64>) -> Row {
        let mut row = Row::default();
        row.outcome.derived.throughput_mb_s = Some(speed);
        row.outcome.derived.waf = Some(waf);
        row.outcome.counters.erases = erases;
        row.outcome.endurance.flash_bytes = FlashBytes::of([(Cause::Host, (waf * 1e6) as u64)]);
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

    fn at(rows: &[Row], row: &Row) -> usize {
        let place = rows.iter().position(|other| std::ptr::eq(other, row));
        place.expect("one of the rows")
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
            let best = best(&by, rows.iter()).expect("a row with the figure");
            let others = rows.iter().filter(|row| !std::ptr::eq(*row, best));
            let Rivals { level, behind, .. } = Rivals::of(&by, best, others);
            let all = [best].into_iter().chain(level).chain(behind);
            all.map(|row| at(&rows, row)).collect::<Vec<_>>()
        };
        assert_eq!(order(THROUGHPUT), [0, 1, 2]);
        assert_eq!(order(WAF), [2, 1, 0]);
        assert_eq!(order(ERASES), [2, 0, 1]);
        assert_eq!(order(P99), [1, 0]);
        assert_eq!(order(LIFE), [0, 1]);
    }

    // planted bugs: 31 ns decide; MB/s decides; erases before bytes; the first of level rows compared with the next one
    // only, so that a row 2 % behind the best wins
    #[test]
    fn ties_go_to_fewer_bytes_to_flash_and_then_to_fewer_erases() {
        let rows = [
            row(2000.0, 1.0, 5, Some(238_300)),
            row(1000.0, 0.2, 9, Some(238_331)),
            row(1500.0, 0.2, 7, Some(238_331)),
            row(1500.0, 0.1, 1, Some(242_000)),
        ];
        let best = best(&P99, rows.iter()).expect("all have it");
        assert_eq!(at(&rows, best), 2);
        let others = rows.iter().filter(|row| !std::ptr::eq(*row, best));
        let rivals = Rivals::of(&P99, best, others);
        let places =
            |rows_of: &[&Row]| rows_of.iter().map(|row| at(&rows, row)).collect::<Vec<_>>();
        assert_eq!(places(&rivals.level), [0, 1]);
        assert_eq!(places(&rivals.behind), [3]);
        assert_eq!(rivals.decided_by(best), TIES);
        let against = rivals.against(|row| at(&rows, row) == 0);
        assert_eq!(against.map(|row| at(&rows, row)), Some(0));
    }
}
