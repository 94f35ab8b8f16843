//! The table of all rows.

use ssdlab_sim::{Comparison, Relative, Row, RowKind};

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
    /// The same against the baseline: a fraction, or for percentages a difference.
    relative: fn(&Relative) -> Option<f64>,
}

const COLUMNS: [Column; 9] = [
    Column {
        title: "Throughput",
        unit: "MB/s",
        decimals: 2,
        value: |row| row.outcome.derived.throughput_mb_s,
        relative: |relative| relative.throughput,
    },
    Column {
        title: "Erases",
        unit: "blocks",
        decimals: 0,
        value: |row| Some(row.outcome.counters.erases as f64),
        relative: |relative| relative.erases,
    },
    Column {
        title: "Write amplification",
        unit: "×",
        decimals: 3,
        value: |row| row.outcome.derived.waf,
        relative: |relative| relative.waf,
    },
    Column {
        title: "Switch merges",
        unit: "count",
        decimals: 0,
        value: |row| Some(row.outcome.counters.switch_merges as f64),
        relative: |relative| relative.switch_merges,
    },
    Column {
        title: "Partial merges",
        unit: "count",
        decimals: 0,
        value: |row| Some(row.outcome.counters.partial_merges as f64),
        relative: |relative| relative.partial_merges,
    },
    Column {
        title: "Full merges",
        unit: "count",
        decimals: 0,
        value: |row| Some(row.outcome.counters.full_merges as f64),
        relative: |relative| relative.full_merges,
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
        relative: |relative| relative.write_hit_ratio,
    },
    Column {
        title: "Padding reads",
        unit: "pages",
        decimals: 0,
        value: |row| Some(row.outcome.counters.padding_reads as f64),
        relative: |_| None,
    },
    Column {
        title: "Elapsed",
        unit: "s",
        decimals: 3,
        value: |row| Some(format::seconds(row.outcome.counters.elapsed_ns)),
        relative: |_| None,
    },
];

/// The whole `<table>`.
pub fn render(comparison: &Comparison, palette: &Palette) -> String {
    let rows = comparison.rows.iter();
    let body: String = rows
        .map(|row| table_row(row, &comparison.baseline, palette))
        .collect();
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

fn table_row(row: &Row, baseline: &str, palette: &Palette) -> String {
    let class = match (row.kind, row.best) {
        (RowKind::Bound, _) => " class=\"bound\"",
        (RowKind::Policy, true) => " class=\"best\"",
        (RowKind::Policy, false) => "",
    };
    let is_baseline = row.kind == RowKind::Policy && row.label == baseline;
    let numbers: String = COLUMNS
        .iter()
        .map(|column| number(column, row, is_baseline))
        .collect();
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

fn number(column: &Column, row: &Row, is_baseline: bool) -> String {
    let Some(value) = (column.value)(row) else {
        return cell("", NOTHING);
    };
    let figure = format::decimal(value, column.decimals);
    let relative = (column.relative)(&row.relative).filter(|_| !is_baseline);
    let relative = relative.map_or(String::new(), |share| {
        format!("<small>{}</small>", difference(share, column.unit))
    });
    cell(&value.to_string(), &(figure + &relative))
}

/// A difference from the baseline: percent, or of percentages their points.
fn difference(share: f64, unit: &str) -> String {
    let unit = if unit == "%" { "pp" } else { "%" };
    match (share * 100.0).round() {
        0.0 => "=".into(),
        percent if percent > 0.0 => format!("+{} {unit}", format::decimal(percent, 0)),
        percent => format!("−{} {unit}", format::decimal(-percent, 0)),
    }
}

/// A cell that sorts by `value`; an empty value sorts last.
fn cell(value: &str, text: &str) -> String {
    format!("<td data-value=\"{value}\">{text}</td>")
}
