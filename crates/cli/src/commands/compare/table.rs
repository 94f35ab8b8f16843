//! The table of `ssdlab compare`.

use ssdlab_sim::{Bounds, Comparison, Folded, Row, RowKind, duration};

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
    "time",
];
/// Counters that only some sentences name; the table has a column for them only then.
const ON_DEMAND: [(&str, &str); 3] = [
    ("padding_reads", "padding reads"),
    ("flash_programs", "programs"),
    ("flash_reads", "flash reads"),
];
/// The columns that a narrow terminal omits, the least important first.
const DISPENSABLE: [&str; 10] = [
    "time",
    "flash reads",
    "programs",
    "padding reads",
    "partial",
    "switch",
    "write hits",
    "full",
    "write amp.",
    "erases",
];

/// One line for each row of the comparison; rows that differ only in size are folded.
pub fn table(comparison: &Comparison) -> Table {
    let named = |(counter, _): &&(&str, &str)| {
        let mut reasons = comparison.verdict.main().iter();
        reasons.any(|reason| reason.counter == *counter)
    };
    let extra: Vec<_> = ON_DEMAND.iter().filter(named).collect();
    let titles = extra.iter().map(|(_, title)| *title);
    let header: Vec<&str> = HEADER.into_iter().chain(titles).chain([""]).collect();
    let mut table = Table::new(&header, 1).dispensable(&DISPENSABLE);
    for folded in comparison.folded() {
        // omit a bound that is valid for no figure
        if folded.row().bounds.is_some_and(|bounds| bounds.is_empty()) {
            continue;
        }
        let mut cells = cells(&folded, &comparison.baseline);
        let counts = extra
            .iter()
            .map(|(counter, _)| count_of(folded.row(), counter));
        let mark = cells.len() - 1;
        cells.splice(mark..mark, counts.map(|count| (count, Look::Plain)));
        table.add_looks(cells);
    }
    table
}

/// A counter of a row; `-` for a bound.
fn count_of(row: &Row, counter: &str) -> String {
    let entries = row.outcome.counters.entries();
    let found = entries.iter().find(|(name, _)| *name == counter);
    let shown = found.filter(|_| row.bounds.is_none());
    shown.map_or("-".into(), |(_, value)| value.to_string())
}

/// Whether a larger value is better.
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
    // of a bound only the figures for which it is valid
    let shown = |bounded: fn(&Bounds) -> bool, cell: (String, Look)| match &row.bounds {
        Some(bounds) if !bounded(bounds) => ("-".to_owned(), Look::Plain),
        _ => cell,
    };
    let of_none = |_: &Bounds| false;
    let time = (duration(c.elapsed_ns as f64), Look::Plain);
    vec![
        (row.label.clone(), name),
        (folded.size().unwrap_or("-".into()), Look::Plain),
        shown(
            |bounds| bounds.throughput,
            decimal(d.throughput_mb_s, relative.throughput, Better::More),
        ),
        shown(
            |bounds| bounds.erases,
            count(c.erases, relative.erases, Better::Less),
        ),
        shown(
            |bounds| bounds.waf,
            decimal(d.waf, relative.waf, Better::Less),
        ),
        shown(
            of_none,
            count(c.switch_merges, relative.switch_merges, Better::Neither),
        ),
        shown(
            of_none,
            count(c.partial_merges, relative.partial_merges, Better::Less),
        ),
        shown(
            of_none,
            count(c.full_merges, relative.full_merges, Better::Less),
        ),
        shown(
            |bounds| bounds.write_hit_ratio,
            with(hits, relative.write_hit_ratio, "pp", Better::More),
        ),
        shown(|bounds| bounds.throughput, time),
        (mark.into(), name),
    ]
}
