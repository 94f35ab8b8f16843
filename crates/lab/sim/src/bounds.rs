//! The figures for which a bound is valid.
//!
//! An unbounded buffer absorbs the most writes, and an ideal FTL moves no data. Yet neither is always the fastest:
//! padding may save more merges than an unbounded buffer, and the ideal FTL has an `lru` buffer or none, not the best
//! one. So a bound is shown only for the figures in which no compared policy is better.

use ssdlab_device::{Better, Bound, Figure};

use crate::extremes::IDEAL;
use crate::row::{Bounds, Row, RowKind};

/// Fills in the figures for which each bound is valid.
pub(crate) fn fill(rows: &mut [Row], figures: &[Figure]) {
    let of = |bound: &Row| (bound.kind == RowKind::Bound).then(|| bounds(bound, rows, figures));
    let all: Vec<Option<Bounds>> = rows.iter().map(of).collect();
    for (row, bounds) in rows.iter_mut().zip(all) {
        row.bounds = bounds;
    }
}

fn bounds(bound: &Row, rows: &[Row], figures: &[Figure]) -> Bounds {
    let bounded: Vec<&Row> = rows.iter().filter(|row| is_of(bound, row)).collect();
    let holds = |figure: &Figure| {
        bound.figure(figure).is_some_and(|limit| {
            let mut values = bounded.iter().filter_map(|row| row.figure(figure));
            values.all(|value| match figure.better {
                Better::More => value <= limit,
                Better::Less | Better::Neither => value >= limit,
            })
        })
    };
    let bounds = |figure: &&Figure| figure.bound != Bound::No;
    let valid = |figure: &Figure| match figure.bound {
        // the ideal FTL has the buffer of a competing policy, so its hits are not a bound
        Bound::Buffer => bound.ftl != IDEAL && holds(figure),
        _ => holds(figure),
    };
    let figures = figures.iter().filter(bounds);
    figures.map(|figure| (*figure, valid(figure))).collect()
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
    use ssdlab_device::FIGURES;
    use ssdlab_device::results::{ERASES, THROUGHPUT, WAF};

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
        fill(&mut rows, FIGURES);
        let of = |row: &Row| {
            let bounds = row.bounds.as_ref()?;
            Some([THROUGHPUT, ERASES, WAF].map(|figure| bounds.get(&figure) == Some(true)))
        };
        let expected = [
            None,
            None,
            Some([false, true, false]),
            Some([true, false, false]),
        ];
        assert_eq!(rows.each_ref().map(of), expected);
    }
}
