//! What eats the drive, and what would help: the bytes to flash of each run by cause, and its life.

use ssdlab_sim::{
    Cause, Comparison, Endurance, Folded, Row, RowKind, SpareCurve, Wear, shares, would_help,
};
use ssdlab_words::{NOTHING, amount, decimal, decimal_bytes};

use crate::escape;
use crate::parts::Parts;
use crate::reasons::winner;
use crate::varied::{SIZE, policies};

/// Whether any policy programmed flash; otherwise the page has nothing to say.
pub fn is_known(comparison: &Comparison) -> bool {
    policies(comparison).any(|row| row.outcome.endurance.flash_bytes.total() > 0)
}

/// The answer in words, for the winner; what is unknown, and why; and the knees.
pub fn answer(comparison: &Comparison, parts: &Parts) -> String {
    let mut paragraphs: Vec<String> = winner(comparison)
        .and_then(|row| eaten(row, parts))
        .into_iter()
        .collect();
    let mut missing: Vec<&str> = policies(comparison)
        .filter_map(|row| row.outcome.endurance.missing_because.as_deref())
        .collect();
    missing.sort_unstable();
    missing.dedup();
    if !missing.is_empty() {
        paragraphs.push(format!("Figures are missing where {}.", missing.join("; ")));
    }
    let lines = paragraphs.iter();
    let mut text: String = lines
        .map(|line| format!("<p class=\"sentence\">{}</p>\n", escape::html(line)))
        .collect();
    if !comparison.spare.is_empty() {
        let knees = comparison.spare.iter().map(SpareCurve::in_words);
        let knees: String = knees
            .map(|words| format!("<li>{}</li>", escape::html(&words)))
            .collect();
        text += &format!("<ul class=\"knees\">{knees}</ul>\n");
    }
    text
}

fn eaten(row: &Row, parts: &Parts) -> Option<String> {
    let e = &row.outcome.endurance;
    let (cause, help) = (e.largest_cause?, e.would_help?);
    let name = parts.varied.parts(row).into_iter().next();
    let name = name.map_or_else(|| row.name.clone(), |(_, name)| name);
    let all = e.flash_bytes.total();
    let own = e.flash_bytes[cause];
    let share = decimal(100.0 * own as f64 / all as f64, 0);
    Some(format!(
        "With {name}, the winner, most is written by {}: {} of {} programmed into flash ({share} %). What would help: {help}.",
        cause.name(),
        decimal_bytes(own),
        decimal_bytes(all),
    ))
}

/// The table of all policies' runs.
pub fn table(comparison: &Comparison, parts: &Parts) -> String {
    let rows: Vec<Folded> = comparison.folded();
    let rows: Vec<Folded> = rows
        .into_iter()
        .filter(|folded| folded.row().kind == RowKind::Policy)
        .collect();
    let totals = rows.iter().map(|folded| total(folded.row()));
    let most = totals.max().unwrap_or(0).max(1);
    let sized = parts.varied.axes.iter().any(|axis| axis.key == SIZE);
    let axes = parts
        .varied
        .axes
        .iter()
        .map(|axis| (axis.title.as_str(), ""));
    let own = [
        ("Bytes to flash by cause", ""),
        ("To flash", "bytes"),
        ("Largest cause", ""),
        ("Until worn out", "TB"),
        ("Worst block", "TB"),
        ("Life", "years"),
        ("Drive writes", "a day"),
    ];
    let series = parts.varied.series_title();
    let head: String = [(series.as_str(), "")]
        .into_iter()
        .chain(axes)
        .chain(own)
        .map(|(title, unit)| {
            let title = escape::html(title);
            match unit {
                "" => format!("<th scope=\"col\">{title}</th>"),
                unit => format!("<th scope=\"col\">{title} <small>{unit}</small></th>"),
            }
        })
        .collect();
    let body: String = rows
        .iter()
        .map(|rows| line(rows, most, sized, parts))
        .collect();
    format!(
        "<table class=\"why eaten\">\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>"
    )
}

fn total(row: &Row) -> u64 {
    row.outcome.endurance.flash_bytes.total()
}

/// Rows with equal counters at adjacent sizes, as one line.
fn line(rows: &Folded, most: u64, sized: bool, parts: &Parts) -> String {
    let row = rows.row();
    let e = &row.outcome.endurance;
    let label = escape::html(&parts.varied.series(row));
    let places = parts.varied.axes.iter().zip(parts.varied.place(row));
    let mut cells = String::new();
    for (axis, place) in places {
        cells += &match place.map(|place| &axis.values[place]) {
            Some((text, number)) if axis.key == SIZE && sized => cell(
                &number.to_string(),
                &escape::html(&rows.size().unwrap_or_else(|| text.clone())),
            ),
            Some((text, number)) => cell(&number.to_string(), &escape::html(text)),
            None => cell("", NOTHING),
        };
    }
    let all = total(row);
    let shares = shares(&e.flash_bytes);
    cells += &format!(
        "<td data-value=\"{}\">{}</td>",
        escape::html(&shares),
        bar(e, most, &shares)
    );
    cells += &cell(&all.to_string(), &decimal_bytes(all));
    let said = |text: Option<&str>| {
        let text = escape::html(text.unwrap_or(NOTHING));
        format!("<td class=\"words\" data-value=\"{text}\">{text}</td>")
    };
    cells += &said(e.largest_cause.map(Cause::name));
    let Wear { mean, worst } = e.tb_until_worn;
    for figure in [mean, worst, e.years.mean, e.drive_writes_per_day.mean] {
        let figure = figure.filter(|value| !value.is_nan());
        let value = figure.map_or_else(String::new, |value| value.to_string());
        let text = figure.map_or_else(|| NOTHING.to_owned(), amount);
        cells += &cell(&value, &text);
    }
    let slot = parts.slot(&parts.varied.series(row));
    format!(
        "<tr><th scope=\"row\" data-value=\"{label}\"><i class=\"swatch\" style=\"--colour: var(--{slot})\"></i>{label}</th>{cells}</tr>\n"
    )
}

/// A stacked bar, as long as the share of the most bytes of all rows.
fn bar(e: &Endurance, most: u64, words: &str) -> String {
    let width = 100.0 * e.flash_bytes.total() as f64 / most as f64;
    let part = |(cause, bytes): (Cause, u64)| match bytes {
        0 => String::new(),
        bytes => format!(
            "<i style=\"--colour: var(--part-{}); flex-grow: {bytes}\"></i>",
            cause.key()
        ),
    };
    let bar: String = e.flash_bytes.iter().map(part).collect();
    let words = escape::html(words);
    format!(
        "<div class=\"parts\" role=\"img\" aria-label=\"{words}\" title=\"{words}\" style=\"width: {width:.2}%\">{bar}</div>"
    )
}

/// What would help against each cause that occurs: name and help.
pub fn helps(comparison: &Comparison) -> Vec<(String, String)> {
    let occurs = |cause: &Cause| {
        policies(comparison).any(|row| row.outcome.endurance.flash_bytes[*cause] > 0)
    };
    let causes = Cause::ALL.into_iter().filter(occurs);
    causes
        .filter_map(|cause| Some((cause.name().to_owned(), would_help(cause)?.to_owned())))
        .collect()
}

/// A cell whose value a copy of the table holds.
fn cell(value: &str, text: &str) -> String {
    format!("<td data-value=\"{value}\">{text}</td>")
}
