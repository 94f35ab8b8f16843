//! The figures for which a bound is valid.
//!
//! An unbounded buffer absorbs the most writes, and an ideal FTL moves no data. Yet neither is always the fastest:
//! padding may save more merges than an unbounded buffer, and the ideal FTL has an `lru` buffer or none, not the best
//! one. So a bound is shown only for the figures in which no compared policy is better.

use crate::extremes::IDEAL;
use crate::rank::RankBy;
use crate::row::{Bounds, Row, RowKind};

/// Fills in the figures for which each bound is valid.
pub(crate) fn fill(rows: &mut [Row]) {
    let of = |bound: &Row| (bound.kind == RowKind::Bound).then(|| bounds(bound, rows));
    let all: Vec<Option<Bounds>> = rows.iter().map(of).collect();
    for (row, bounds) in rows.iter_mut().zip(all) {
        row.bounds = bounds;
    }
}

fn bounds(bound: &Row, rows: &[Row]) -> Bounds {
    let bounded: Vec<&Row> = rows.iter().filter(|row| is_of(bound, row)).collect();
    // the larger figure is the better one
    let holds = |figure: fn(&Row) -> Option<f64>| {
        figure(bound).is_some_and(|limit| {
            let mut figures = bounded.iter().filter_map(|row| figure(row));
            figures.all(|figure| figure <= limit)
        })
    };
    Bounds {
        throughput: holds(|row| row.outcome.derived.throughput_mb_s),
        erases: holds(|row| Some(-(row.outcome.counters.erases as f64))),
        waf: holds(|row| row.outcome.derived.waf.map(|waf| -waf)),
        // the ideal FTL has the buffer of a competing policy, so its hits are not a bound
        write_hit_ratio: bound.ftl != IDEAL && holds(|row| row.outcome.derived.write_hit_ratio),
        p99: holds(|row| RankBy::P99.value(row).map(|p99| -p99)),
        life: holds(|row| RankBy::Life.value(row)),
    }
}

/// Whether a bound has the size and the varied keys of this policy's row.
fn is_of(bound: &Row, row: &Row) -> bool {
    let same_size = bound.size.is_none() || row.size.is_none() || bound.size == row.size;
    let mut varied = bound.variant.iter();
    let same_variant = varied.all(|(key, value)| row.variant.get(key).is_none_or(|v| v == value));
    row.kind == RowKind::Policy && same_size && same_variant
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kind: RowKind, size: u64, speed: f64, erases: u64) -> Row {
        let mut row = Row {
            kind,
            size: (size > 0).then_some(size),
            ftl: "bast",
            ..Row::default()
        };
        row.outcome.derived.throughput_mb_s = Some(speed);
        row.outcome.counters.erases = erases;
        row
    }

    // planted bugs: policies compared with the bound of another size; a tie that invalidates a bound
    #[test]
    fn a_bound_that_is_beaten_in_a_figure_does_not_bound_it() {
        let mut rows = [
            row(RowKind::Policy, 4, 0.5, 10),
            row(RowKind::Policy, 8, 0.6, 9),
            row(RowKind::Bound, 0, 0.55, 9),
            row(RowKind::Bound, 4, 0.55, 12),
        ];
        rows[3].ftl = IDEAL;
        fill(&mut rows);
        let of = |row: &Row| row.bounds.map(|b| (b.throughput, b.erases, b.waf));
        let expected = [
            None,
            None,
            Some((false, true, false)),
            Some((true, false, false)),
        ];
        assert_eq!(rows.each_ref().map(of), expected);
    }
}
