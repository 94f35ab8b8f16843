//! What eats the drive, and what would help: the bytes to flash of each run by cause, and its life.

use maud::{Markup, html};
use ssdlab_sim::{
    Advice, Cause, Comparison, Endurance, Figure, Folded, PerFigure, Row, RowKind, State, Tried,
    Wear, shares, sized_label,
};
use ssdlab_words::{NOTHING, amount, decimal, decimal_bytes, rough};

use crate::parts::Parts;
use crate::reasons::winner;
use crate::table::{cell, name, places};
use crate::varied::policies;

/// Whether any policy programmed flash; otherwise the page has nothing to say.
pub fn is_known(comparison: &Comparison) -> bool {
    policies(comparison).any(|row| row.outcome.endurance.flash_bytes.total() > 0)
}

/// The answer in words, for the winner; what is unknown, and why; and the knees.
pub fn answer(comparison: &Comparison, parts: &Parts) -> Markup {
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
    let mut doubts: Vec<State> = policies(comparison)
        .filter_map(|row| row.outcome.steady_state.doubt())
        .collect();
    doubts.sort_unstable();
    doubts.dedup();
    let doubts: Vec<&str> = doubts.into_iter().map(State::of).collect();
    if !doubts.is_empty() {
        paragraphs.push(format!("The lives are {}.", doubts.join(", or ")));
    }
    html! {
        @for line in paragraphs { p.sentence { (line) } "\n" }
        @if !comparison.spare.is_empty() {
            ul.knees { @for curve in &comparison.spare { li { (curve.in_words()) } } } "\n"
        }
    }
}

fn eaten(row: &Row, parts: &Parts) -> Option<String> {
    let e = &row.outcome.endurance;
    let cause = e.largest_cause?;
    let name = parts.varied.parts(row).into_iter().next();
    let name = name.map_or_else(|| row.name.clone(), |(_, name)| name);
    let all = e.flash_bytes.total();
    let most = e.flash_bytes[cause];
    let share = decimal(100.0 * most as f64 / all as f64, 0);
    Some(format!(
        "With {name}, the winner, most is written by {}: {} of {} programmed into flash ({share} %).",
        cause.name(),
        decimal_bytes(most),
        decimal_bytes(all),
    ))
}

/// The table of all policies' runs.
pub fn table(comparison: &Comparison, parts: &Parts) -> Markup {
    let mut rows: Vec<Folded> = comparison.folded(&[]);
    rows.retain(|folded| folded.row().kind == RowKind::Policy);
    let totals = rows.iter().map(|folded| total(folded.row()));
    let most = cut(totals.collect());
    let series = parts.varied.series_title();
    let axes = parts.varied.axes.iter().map(|axis| axis.title.as_str());
    let worst = format!("Worst {}", comparison.erased());
    let figures = [
        ("To flash", "bytes"),
        ("Largest cause", ""),
        ("Until worn out", "TB"),
        (&worst, "TB"),
        ("Life", "years"),
        ("Drive writes", "a day"),
    ];
    html! {
        table.why.eaten {
            "\n" thead { tr {
                th scope="col" { (series) }
                @for axis in axes { th scope="col" { (axis) } }
                th scope="col" { "Bytes to flash by cause" }
                @for (title, unit) in figures {
                    th scope="col" { (title) @if !unit.is_empty() { " " small { (unit) } } }
                }
            } }
            "\n" tbody { "\n" @for rows in &rows { (line(rows, most, parts)) "\n" } }
            "\n"
        }
    }
}

fn total(row: &Row) -> u64 {
    row.outcome.endurance.flash_bytes.total()
}

/// Rows with equal counters at adjacent sizes, as one line.
fn line(rows: &Folded, most: u64, parts: &Parts) -> Markup {
    let row = rows.row();
    let e = &row.outcome.endurance;
    let shares = shares(&e.flash_bytes);
    let cause = e.largest_cause.map_or(NOTHING, Cause::name);
    let Wear { mean, worst } = e.tb_until_worn;
    let shown = match row.outcome.usual_pe_cycles {
        Some(_) => rough,
        None => amount,
    };
    let figure = |figure: Option<f64>| match figure.filter(|value| !value.is_nan()) {
        Some(value) => cell(value, shown(value)),
        None => cell("", NOTHING),
    };
    html! {
        tr {
            (name(row, Markup::default(), parts)) (places(rows, parts))
            (cell(&shares, bar(e, most, &shares)))
            (cell(total(row), decimal_bytes(total(row))))
            td.words data-value=(cause) { (cause) }
            @for value in [mean, worst, e.years.mean, e.drive_writes_per_day.mean] { (figure(value)) }
        }
    }
}

/// The longest bar: that of the most bytes, or if less than half of the rows are over three times as long as all others, a
/// fifth more than these have. Longer ones are cut.
fn cut(mut totals: Vec<u64>) -> u64 {
    totals.sort_unstable_by_key(|&bytes| std::cmp::Reverse(bytes));
    let few = (1..totals.len().div_ceil(2)).rev();
    let mut few = few.filter(|&few| totals[few] > 0 && totals[few - 1] / 3 > totals[few]);
    match few.next() {
        Some(few) => totals[few] + totals[few] / 5,
        None => totals.first().copied().unwrap_or(0).max(1),
    }
}

/// A stacked bar, as long as the share of the most bytes that are shown; one that is cut has a break mark.
fn bar(e: &Endurance, most: u64, words: &str) -> Markup {
    let width = (100.0 * e.flash_bytes.total() as f64 / most as f64).min(100.0);
    let cut = e.flash_bytes.total() > most;
    html! {
        div.parts.cut[cut] role="img" aria-label=(words) title=(words) style={ "width: " (format!("{width:.2}")) "%" } {
            @for (cause, bytes) in e.flash_bytes.iter().filter(|(_, bytes)| *bytes > 0) {
                i style={ "--colour: var(--part-" (cause.key()) "); flex-grow: " (bytes) } {}
            }
        }
    }
}

/// The changes that were tried, if any was.
fn advice(comparison: &Comparison) -> Option<&Advice> {
    let advice = comparison.would_help.as_ref();
    advice.filter(|advice| advice.tried.iter().any(|tried| tried.refused.is_none()))
}

/// Whether any change was tried.
pub fn is_advised(comparison: &Comparison) -> bool {
    advice(comparison).is_some()
}

/// How they were tried.
pub fn how_tried(comparison: &Comparison) -> String {
    let Some(advice) = advice(comparison) else {
        return String::new();
    };
    let runs = match advice.runs() {
        1 => "1 further run".to_owned(),
        runs => format!("{runs} further runs"),
    };
    let winner = sized_label(&advice.label, advice.size);
    let by_host = match advice.tried.iter().any(|tried| tried.by_host) {
        true => "; what the host does, if writes are faster, or if less is written to flash",
        false => "",
    };
    format!(
        "Each change of {winner} was tried on this trace, in {runs}. One helps if it writes less to flash and the life is not \
         shorter{by_host}."
    )
}

/// The winner as it is and with each change, those that help first.
pub fn helps(comparison: &Comparison) -> Markup {
    let judges = advice(comparison).map(|advice| &advice.judges[..]);
    let mut by = judges.unwrap_or_default().to_vec();
    let known = |figure: &Figure| {
        let advice = advice(comparison)?;
        advice.figures.get(figure).flatten()
    };
    by.retain(|figure| known(figure).is_some());
    let assumes = |row: &Row| row.outcome.usual_pe_cycles.is_some();
    let are_rough = comparison.rows.iter().any(assumes);
    let figures = |values: &PerFigure<Option<f64>>| {
        let each = by.iter().map(|figure| match values.get(figure).flatten() {
            Some(value) if are_rough && figure.unit.is_life() => cell(value, rough(value)),
            Some(value) => cell(figure.unit.shown(value), figure.unit.cell(value)),
            None => cell("", NOTHING),
        });
        html! { @for cell in each { (cell) } }
    };
    let ran = |tried: &&Tried| tried.refused.is_none();
    html! {
        table.why.eaten {
            "\n" thead { tr {
                th scope="col" { "Change" } th.words scope="col" { "Against" } th scope="col" { "Helps" }
                @for figure in &by { th scope="col" { (figure.title) @if figure.unit.is_needed() { " " small { (figure.unit.symbol()) } } } }
            } }
            "\n" tbody { "\n" @if let Some(advice) = advice(comparison) {
                tr { td.words { "as it is" } td.words { } td { } (figures(&advice.figures)) } "\n"
                @for tried in advice.tried.iter().filter(ran) {
                    tr {
                        td.words { (tried.change) @for set in &tried.set { " " code { (set) } } }
                        td.words { (tried.against.name()) }
                        td { (if tried.helps { "yes" } else { "no" }) }
                        (figures(&tried.figures))
                    } "\n"
                }
            } }
            "\n"
        }
    }
}
