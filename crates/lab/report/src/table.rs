//! The table of all rows, and what tables of rows have in common.

use std::fmt::Display;

use maud::{Markup, Render, html};
use ssdlab_sim::key::SIZE;
use ssdlab_sim::{Better, Comparison, Figure, Folded, Relative, Row, RowKind};
use ssdlab_words::{NOTHING, capital, difference};

use crate::figures;
use crate::parts::Parts;

/// The whole `<table>`.
pub fn render(comparison: &Comparison, parts: &Parts) -> Markup {
    // rows have sizes without an axis if their sizes are equal, or if only bounds have any
    let axis = parts.varied.axes.iter().any(|axis| axis.key == SIZE);
    let sized = !axis && comparison.rows.iter().any(|row| row.size.is_some());
    html! {
        table id="rows" {
            "\n" thead { tr { (head(sized, comparison.sized(), parts)) } }
            "\n" tbody {
                "\n" @for rows in comparison.folded(&parts.figures) { (table_row(&rows, &comparison.baseline, sized, parts)) "\n" }
            }
            "\n"
        }
    }
}

/// The headings. The first click sorts the best first: the smallest, unless the heading says `most`.
fn head(sized: bool, title: &str, parts: &Parts) -> Markup {
    let axes = parts.varied.axes.iter().map(|axis| axis.title.as_str());
    let title = capital(title);
    let size = sized.then_some(title.as_str());
    let series = parts.varied.series_title();
    let keys = [series.as_str()].into_iter().chain(axes).chain(size);
    let keys = keys.map(|title| (title, "", Better::Less));
    let figures = parts.figures.iter();
    let figures = figures.map(|figure| (figure.title, figure.unit.symbol(), figure.better));
    html! {
        @for (title, unit, better) in keys.chain(figures) {
            th scope="col" aria-sort="none" data-best=(if better == Better::More { "most" } else { "least" }) {
                button type="button" { (title) small { (unit) } }
            }
        }
    }
}

/// Rows with equal counters at adjacent sizes, folded into one.
fn table_row(rows: &Folded, baseline: &str, sized: bool, parts: &Parts) -> Markup {
    let row = rows.row();
    let (bound, best) = (row.kind == RowKind::Bound, rows.is_best());
    let class = bound.then_some("bound").or(best.then_some("best"));
    let is_baseline = !bound && row.label == baseline;
    let relative = if is_baseline {
        Relative::default()
    } else {
        rows.relative()
    };
    let marks = html! {
        @if bound { " " span.tag { span { "bound" } } }
        @if best { " " span.tag { "★" span { " best" } } }
        @if !best && rows.is_level() { " " span.tag { span { "level" } } }
        @if is_baseline { " " span.tag { span { "baseline" } } }
    };
    html! {
        tr class=[class] {
            (name(row, marks, parts)) (places(rows, parts))
            @if sized { (size(rows)) }
            @for figure in &parts.figures { (number(figure, row, &relative)) }
        }
    }
}

/// The label of a row, and marks behind it.
pub fn name(row: &Row, marks: Markup, parts: &Parts) -> Markup {
    let label = parts.varied.series(row);
    html! {
        th scope="row" data-value=(label) {
            i.swatch style={ "--colour: var(--" (parts.slot(&label)) ")" } {} (label) (marks)
        }
    }
}

/// The places of rows on the axes.
pub fn places(rows: &Folded, parts: &Parts) -> Markup {
    let places = parts.varied.axes.iter().zip(parts.varied.place(rows.row()));
    html! {
        @for (axis, place) in places {
            @match place.map(|place| &axis.values[place]) {
                Some(_) if axis.key == SIZE => (size(rows)),
                Some((text, number)) => (cell(number, text)),
                None => (cell("", NOTHING)),
            }
        }
    }
}

fn size(rows: &Folded) -> Markup {
    match (rows.row().size, rows.size()) {
        (Some(bytes), Some(text)) => cell(bytes, text),
        _ => cell("", NOTHING),
    }
}

fn number(figure: &Figure, row: &Row, relative: &Relative) -> Markup {
    let Some(value) = figures::value(figure, row).filter(|value| !value.is_nan()) else {
        return cell("", NOTHING);
    };
    let relative = relative.get(figure).flatten();
    let relative = relative.filter(|share| !figure.is_level(*share));
    let relative = relative.and_then(|share| difference(share, figure.unit_of_difference()));
    let text = figures::text(figure, value);
    cell(
        value,
        html! { (text) @if let Some(relative) = relative { small { (relative) } } },
    )
}

/// A cell that sorts by `value`; an empty value sorts last.
pub fn cell(value: impl Display, text: impl Render) -> Markup {
    html! { td data-value=(value) { (text) } }
}
