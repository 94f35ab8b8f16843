//! The table of all rows.

use ssdlab_sim::{Row, RowKind};

use crate::escape;
use crate::format::{self, NOTHING};
use crate::palette::Palette;

/// A column of numbers.
struct Column {
    /// Its heading.
    title: &'static str,
    /// Unit, shown under the heading.
    unit: &'static str,
    /// Digits after the point.
    decimals: usize,
    /// The figure, `None` where it has no meaning.
    value: fn(&Row) -> Option<f64>,
}

const COLUMNS: [Column; 9] = [
    Column {
        title: "Throughput",
        unit: "MB/s",
        decimals: 2,
        value: |row| row.outcome.derived.throughput_mb_s,
    },
    Column {
        title: "Erases",
        unit: "blocks",
        decimals: 0,
        value: |row| Some(row.outcome.counters.erases as f64),
    },
    Column {
        title: "Write amplification",
        unit: "×",
        decimals: 3,
        value: |row| row.outcome.derived.waf,
    },
    Column {
        title: "Switch merges",
        unit: "count",
        decimals: 0,
        value: |row| Some(row.outcome.counters.switch_merges as f64),
    },
    Column {
        title: "Partial merges",
        unit: "count",
        decimals: 0,
        value: |row| Some(row.outcome.counters.partial_merges as f64),
    },
    Column {
        title: "Full merges",
        unit: "count",
        decimals: 0,
        value: |row| Some(row.outcome.counters.full_merges as f64),
    },
    Column {
        title: "Write hits",
        unit: "%",
        decimals: 1,
        value: |row| {
            row.outcome
                .derived
                .write_hit_ratio
                .map(|ratio| 100.0 * ratio)
        },
    },
    Column {
        title: "Padding reads",
        unit: "pages",
        decimals: 0,
        value: |row| Some(row.outcome.counters.padding_reads as f64),
    },
    Column {
        title: "Elapsed",
        unit: "s",
        decimals: 3,
        value: |row| Some(format::seconds(row.outcome.counters.elapsed_ns)),
    },
];

/// The whole `<table>`.
pub fn render(rows: &[Row], palette: &Palette) -> String {
    let body: String = rows.iter().map(|row| table_row(row, palette)).collect();
    format!(
        "<table id=\"rows\">\n<thead><tr>{}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>",
        head()
    )
}

fn head() -> String {
    let numbers = COLUMNS.iter().map(|column| (column.title, column.unit));
    [("Policy", ""), ("Buffer", "size")]
        .into_iter()
        .chain(numbers)
        .map(|(title, unit)| {
            format!("<th scope=\"col\" aria-sort=\"none\"><button type=\"button\">{title}<small>{unit}</small></button></th>")
        })
        .collect()
}

fn table_row(row: &Row, palette: &Palette) -> String {
    let class = match (row.kind, row.best) {
        (RowKind::Bound, _) => " class=\"bound\"",
        (RowKind::Policy, true) => " class=\"best\"",
        (RowKind::Policy, false) => "",
    };
    let numbers: String = COLUMNS.iter().map(|column| number(column, row)).collect();
    format!(
        "<tr{class}>{}{}{numbers}</tr>\n",
        name(row, palette),
        size(row)
    )
}

fn name(row: &Row, palette: &Palette) -> String {
    let label = escape::html(&row.label);
    let mark = match (row.kind, row.best) {
        (RowKind::Bound, _) => " <span class=\"tag\"><span>bound</span></span>",
        (RowKind::Policy, true) => {
            " <span class=\"tag\" title=\"best policy of its size\">★<span> best</span></span>"
        }
        (RowKind::Policy, false) => "",
    };
    let slot = palette.slot(&row.label);
    format!(
        "<th scope=\"row\" data-value=\"{label}\"><i class=\"swatch\" style=\"--colour: var(--{slot})\"></i>{label}{mark}</th>"
    )
}

fn size(row: &Row) -> String {
    match row.size {
        Some(bytes) => cell(&bytes.to_string(), &format::size(bytes)),
        None => cell("", NOTHING),
    }
}

fn number(column: &Column, row: &Row) -> String {
    match (column.value)(row) {
        Some(value) => cell(&value.to_string(), &format::decimal(value, column.decimals)),
        None => cell("", NOTHING),
    }
}

/// A cell that sorts by `value`; an empty value sorts last.
fn cell(value: &str, text: &str) -> String {
    format!("<td data-value=\"{value}\">{text}</td>")
}
