//! The table of all rows.

use ssdlab_sim::{Better, Compared, Comparison, Figure, Folded, Relative, Row, RowKind};
use ssdlab_words::{NOTHING, difference};

use crate::escape;
use crate::figures;
use crate::parts::Parts;
use crate::varied::SIZE;

/// The whole `<table>`.
pub fn render(comparison: &Comparison, parts: &Parts) -> String {
    let sized = sized(comparison, parts);
    let rows = comparison.folded();
    let body: String = rows
        .iter()
        .map(|rows| table_row(rows, &comparison.baseline, sized, parts))
        .collect();
    format!(
        "<table id=\"rows\">\n<thead><tr>{}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>",
        head(sized, parts)
    )
}

/// Whether the rows have sizes without an axis: equal sizes, or sizes of bounds only.
fn sized(comparison: &Comparison, parts: &Parts) -> bool {
    let axis = parts.varied.axes.iter().any(|axis| axis.key == SIZE);
    !axis && comparison.rows.iter().any(|row| row.size.is_some())
}

/// The headings. The first click sorts the best first: the smallest, unless the heading says `most`.
fn head(sized: bool, parts: &Parts) -> String {
    let axes = parts.varied.axes.iter().map(|axis| axis.title.as_str());
    let size = sized.then_some("Buffer size");
    let series = parts.varied.series_title();
    let keys = [series.as_str()].into_iter().chain(axes).chain(size);
    let keys = keys.map(|title| (title, "", Better::Less));
    let figures = parts.figures.iter();
    keys.chain(figures.map(|figure| (figure.title, figure.unit.symbol(), figure.better)))
        .map(|(title, unit, better)| {
            let best = if better == Better::More { "most" } else { "least" };
            let title = escape::html(title);
            format!(
                "<th scope=\"col\" aria-sort=\"none\" data-best=\"{best}\"><button type=\"button\">{title}\
                 <small>{unit}</small></button></th>"
            )
        })
        .collect()
}

/// Rows with equal counters at adjacent sizes, folded into one.
fn table_row(rows: &Folded, baseline: &str, sized: bool, parts: &Parts) -> String {
    let row = rows.row();
    let best = rows.best().next().is_some();
    let class = match (row.kind, best) {
        (RowKind::Bound, _) => " class=\"bound\"",
        (RowKind::Policy, true) => " class=\"best\"",
        (RowKind::Policy, false) => "",
    };
    let is_baseline = row.kind == RowKind::Policy && row.label == baseline;
    let size = || match (row.size, rows.size()) {
        (Some(bytes), Some(text)) => cell(&bytes.to_string(), &text),
        _ => cell("", NOTHING),
    };
    let axes = parts.varied.axes.iter().zip(parts.varied.place(row));
    let mut cells: String = axes
        .map(
            |(axis, place)| match place.map(|place| &axis.values[place]) {
                Some(_) if axis.key == SIZE => size(),
                Some((text, number)) => cell(&number.to_string(), &escape::html(text)),
                None => cell("", NOTHING),
            },
        )
        .collect();
    if sized {
        cells += &size();
    }
    let relative = match is_baseline {
        true => Relative::default(),
        false => rows.relative(),
    };
    for figure in &parts.figures {
        cells += &number(figure, row, &relative);
    }
    let name = name(row, best, is_baseline, parts);
    format!("<tr{class}>{name}{cells}</tr>\n")
}

fn name(row: &Row, best: bool, is_baseline: bool, parts: &Parts) -> String {
    let series = parts.varied.series(row);
    let label = escape::html(&series);
    let tag = |text: &str| format!(" <span class=\"tag\">{text}</span>");
    let mut marks = String::new();
    if row.kind == RowKind::Bound {
        marks += &tag("<span>bound</span>");
    }
    if best {
        marks += &tag("★<span> best</span>");
    }
    if is_baseline {
        marks += &tag("<span>baseline</span>");
    }
    let slot = parts.slot(&series);
    format!(
        "<th scope=\"row\" data-value=\"{label}\"><i class=\"swatch\" style=\"--colour: var(--{slot})\"></i>{label}{marks}</th>"
    )
}

fn number(figure: &Figure, row: &Row, relative: &Relative) -> String {
    let Some(value) = figures::value(figure, row).filter(|value| !value.is_nan()) else {
        return cell("", NOTHING);
    };
    let relative = relative.get(figure).flatten();
    let unit = match figure.compared {
        Compared::Points => "pp",
        Compared::Ratio | Compared::No => "%",
    };
    let relative = relative.and_then(|share| difference(share, unit));
    let relative = relative.map_or(String::new(), |relative| {
        format!("<small>{relative}</small>")
    });
    cell(
        &value.to_string(),
        &(figures::text(figure, value) + &relative),
    )
}

/// A cell that sorts by `value`; an empty value sorts last.
fn cell(value: &str, text: &str) -> String {
    format!("<td data-value=\"{value}\">{text}</td>")
}
