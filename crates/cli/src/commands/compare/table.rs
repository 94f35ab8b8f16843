//! The table of `ssdlab compare`.

use comfy_table::{Cell, ColumnConstraint, Row as TableRow};
use ssdlab_sim::{Comparison, Row, RowKind, bytes};

use crate::output;

/// One line for each row of the comparison.
pub fn table(comparison: &Comparison) -> comfy_table::Table {
    let header = [
        "policy",
        "buffer",
        "MB/s",
        "erases",
        "write amp.",
        "switch",
        "partial",
        "full",
        "write hits",
        "",
    ];
    let mut table = output::table(&header, 1);
    for whole in [0, header.len() - 1] {
        if let Some(column) = table.column_mut(whole) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    for row in &comparison.rows {
        table.add_row(cells(row, &comparison.baseline));
    }
    table
}

/// The figures, each with its difference from the baseline of the same size.
fn cells(row: &Row, baseline: &str) -> TableRow {
    let (c, d, relative) = (&row.outcome.counters, &row.outcome.derived, &row.relative);
    let is_baseline = row.label == baseline && row.kind == RowKind::Policy;
    let with = |figure: String, difference: Option<f64>, unit: &str| {
        let points = difference
            .filter(|_| !is_baseline)
            .map(|x| (x * 100.0).round());
        match points {
            Some(0.0) => figure + " =",
            Some(points) => format!("{figure} {points:+}{unit}"),
            None => figure,
        }
    };
    let decimal = |value: Option<f64>, difference| {
        with(
            value.map_or("-".into(), |v| format!("{v:.2}")),
            difference,
            "%",
        )
    };
    let count = |value: u64, difference| with(value.to_string(), difference, "%");
    let hits = d
        .write_hit_ratio
        .map_or("-".into(), |ratio| format!("{:.1}%", ratio * 100.0));
    let mark = match (row.kind, row.best, is_baseline) {
        (RowKind::Bound, ..) => "bound",
        (RowKind::Policy, true, true) => "best, baseline",
        (RowKind::Policy, true, false) => "best",
        (RowKind::Policy, false, true) => "baseline",
        (RowKind::Policy, false, false) => "",
    };
    [
        row.label.clone(),
        row.size.map_or("-".into(), bytes),
        decimal(d.throughput_mb_s, relative.throughput),
        count(c.erases, relative.erases),
        decimal(d.waf, relative.waf),
        count(c.switch_merges, relative.switch_merges),
        count(c.partial_merges, relative.partial_merges),
        count(c.full_merges, relative.full_merges),
        with(hits, relative.write_hit_ratio, "pp"),
        mark.into(),
    ]
    .map(Cell::new)
    .into()
}
