//! The table of `ssdlab compare`.

use ssdlab_sim::{Comparison, Folded, RowKind};

use crate::screen::{Look, Table};

const HEADER: [&str; 10] = [
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
/// What a narrow terminal does without, the least important first.
const DISPENSABLE: [&str; 6] = [
    "partial",
    "switch",
    "write hits",
    "full",
    "write amp.",
    "erases",
];

/// One line for each row of the comparison; rows that differ in their size alone are one.
pub fn table(comparison: &Comparison) -> Table {
    let mut table = Table::new(&HEADER, 1).dispensable(&DISPENSABLE);
    for folded in comparison.folded() {
        table.add_looks(cells(&folded, &comparison.baseline));
    }
    table
}

/// Whether more of a figure is better.
#[derive(Clone, Copy, PartialEq)]
enum Better {
    More,
    Less,
    Neither,
}

/// The figures, each with its difference from the baseline of the same size.
fn cells(folded: &Folded, baseline: &str) -> Vec<(String, Look)> {
    let (row, relative) = (folded.row(), folded.relative());
    let (c, d) = (&row.outcome.counters, &row.outcome.derived);
    let competes = row.kind == RowKind::Policy;
    let is_baseline = row.label == baseline && competes;
    let best = folded.best().next().is_some();
    let with = |figure: String, difference: Option<f64>, unit: &str, better: Better| {
        let points = difference
            .filter(|_| !is_baseline)
            .map(|x| (x * 100.0).round());
        let loses = |points: f64| match better {
            Better::More => points < 0.0,
            Better::Less => points > 0.0,
            Better::Neither => false,
        };
        let look = match points {
            Some(points) if competes && loses(points) => Look::Loss,
            _ => Look::Plain,
        };
        let text = match points {
            Some(0.0) => figure + " =",
            Some(points) => format!("{figure} {points:+}{unit}"),
            None => figure,
        };
        (text, look)
    };
    let decimal = |value: Option<f64>, difference, better| {
        let figure = value.map_or("-".into(), |v| format!("{v:.2}"));
        with(figure, difference, "%", better)
    };
    let count = |value: u64, difference, better| with(value.to_string(), difference, "%", better);
    let hits = d
        .write_hit_ratio
        .map_or("-".into(), |ratio| format!("{:.1}%", ratio * 100.0));
    let mark = match (competes, best, is_baseline) {
        (false, ..) => "bound",
        (true, true, true) => "best, baseline",
        (true, true, false) => "best",
        (true, false, true) => "baseline",
        (true, false, false) => "",
    };
    let name = if best { Look::Winner } else { Look::Plain };
    vec![
        (row.label.clone(), name),
        (folded.size().unwrap_or("-".into()), Look::Plain),
        decimal(d.throughput_mb_s, relative.throughput, Better::More),
        count(c.erases, relative.erases, Better::Less),
        decimal(d.waf, relative.waf, Better::Less),
        count(c.switch_merges, relative.switch_merges, Better::Neither),
        count(c.partial_merges, relative.partial_merges, Better::Less),
        count(c.full_merges, relative.full_merges, Better::Less),
        with(hits, relative.write_hit_ratio, "pp", Better::More),
        (mark.into(), name),
    ]
}
