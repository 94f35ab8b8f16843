//! The tiles at the top of the report: the main figures of the answer.

use maud::{Markup, html};
use ssdlab_sim::{Better, Cause, Comparison, Figure, Outcome, Row, THROUGHPUT};
use ssdlab_words::{NOTHING, decimal, decimals, difference, percent};

use crate::figures;
use crate::parts::Parts;
use crate::reasons::{named, winner};

/// The winner, its figure that ranks the runs, two further figures, and time by cause, or the use of the chips; empty without a winner.
pub fn render(comparison: &Comparison, parts: &Parts) -> Markup {
    let Some(winner) = winner(comparison) else {
        return Markup::default();
    };
    let verdict = &comparison.verdict;
    let margin = verdict
        .over_baseline
        .as_ref()
        .or(verdict.over_runner_up.as_ref());
    let other = margin.and_then(|margin| named(comparison, &margin.label, margin.size));
    // the figure that ranks the runs comes first
    let by = verdict.by.key;
    let tile_of = |key: &str| {
        let figure = parts.figures.iter().find(|figure| figure.key == key);
        figure.map(|figure| held(figure, winner, other, parts, ""))
    };
    // a latency of requests that do not come at their times
    let issued = match verdict.in_flight {
        Some(requests) => format!("{requests} in flight, as fast as it goes; "),
        None => String::new(),
    };
    let ranking = || {
        let figure = parts.figures.iter().find(|figure| figure.key == by);
        figure.map(|figure| held(figure, winner, other, parts, &issued))
    };
    let first = match parts.figures.first() {
        Some(figure) if verdict.by == THROUGHPUT => Some(gain(figure, winner, other, parts)),
        _ => ranking(),
    };
    let judged = |key: &&str| {
        let mut figures = parts.figures.iter();
        figures.any(|figure| figure.key == *key && figure.better != Better::Neither)
    };
    let others = ["throughput", "waf", "erases"].into_iter();
    let others = others.filter(|key| *key != by && judged(key));
    let others = others.take(2).filter_map(tile_of);
    html! {
        section.tiles aria-label="The result" {
            "\n" (best(winner, verdict.level_with.len(), parts)) "\n"
            @for tile in first.into_iter().chain(others) { (tile) "\n" }
            (time(&winner.outcome)) "\n"
        }
    }
}

pub(crate) fn tile(title: &str, value: &str, below: &str) -> Markup {
    html! { div.tile { h2 { (title) } p.value { (value) } p { (below) } } }
}

/// The winner: the values that distinguish it, the most important first.
fn best(winner: &Row, level: usize, parts: &Parts) -> Markup {
    let mut values = parts.varied.parts(winner).into_iter();
    let (title, value) = values
        .next()
        .unwrap_or_else(|| ("policy".into(), winner.name.clone()));
    let title = match title.as_str() {
        "policy" => "Winner".to_owned(),
        title => format!("Best {title}"),
    };
    let mut below: Vec<String> = values
        .map(|(key, value)| format!("{key} {value}"))
        .collect();
    match level {
        0 => {}
        1 => below.push("level with 1 other".into()),
        others => below.push(format!("level with {others} others")),
    }
    html! { div.tile.first { h2 { (title) } p.value { (value) } p { (below.join(", ")) } } }
}

/// The gain in throughput over the other row; the throughput itself without a gain.
fn gain(figure: &Figure, winner: &Row, other: Option<&Row>, parts: &Parts) -> Markup {
    let gain = other.and_then(|other| Some((apart(figure, winner, other)?, other)));
    match gain {
        Some((Some(gain), other)) => {
            let speed = said(figure, winner);
            let below = format!("{speed} MB/s against {}", named_with(figure, other, parts));
            tile("Throughput gain", &gain, &below)
        }
        _ => held(figure, winner, other, parts, ""),
    }
}

/// A figure of the winner, and its difference from the other row, behind a note.
fn held(figure: &Figure, winner: &Row, other: Option<&Row>, parts: &Parts, note: &str) -> Markup {
    let value = figures::value(figure, winner);
    let unit = if figure.unit.is_needed() && value.is_some() {
        format!(" {}", figure.unit.symbol())
    } else {
        String::new()
    };
    let text = said(figure, winner) + &unit;
    let relative = |other: &Row| {
        let apart = apart(figure, winner, other)?;
        let other = named_with(figure, other, parts);
        Some(match apart {
            None => format!("level with {other}"),
            Some(more) => format!("{more} against {other}"),
        })
    };
    let below = other.and_then(relative).unwrap_or_default();
    tile(figure.title, &text, &format!("{note}{below}"))
}

/// How far the winner is from the other row, `Some(None)` if they are level; `None` if that is not known.
fn apart(figure: &Figure, winner: &Row, other: &Row) -> Option<Option<String>> {
    let others = other.figure(figure).filter(|&others| others > 0.0)?;
    let apart = figure.difference(winner.figure(figure)?, others);
    let more = difference(apart, figure.unit_of_difference());
    Some(more.filter(|_| !figure.is_level(apart)))
}

/// Another row and its figure: `lru (0.25)`.
fn named_with(figure: &Figure, other: &Row, parts: &Parts) -> String {
    let name = match parts.varied.parts(other).into_iter().next() {
        Some((title, value)) if title != "policy" => format!("{title} {value}"),
        Some((_, value)) => value,
        None => other.label.clone(),
    };
    format!("{} ({})", name, said(figure, other))
}

/// A figure of a row as text.
fn said(figure: &Figure, row: &Row) -> String {
    let value = figures::value(figure, row);
    value.map_or(NOTHING.into(), |value| figures::text(figure, value))
}

/// A bar of all causes with their shares: of the simulated time, or under the parallel model of the time of the chips, which
/// work at the same time.
fn time(outcome: &Outcome) -> Markup {
    let time = outcome.derived.by_cause();
    let all = time.total();
    let (title, value) = match outcome.chips_busy() {
        None => {
            let seconds = all as f64 / 1e9;
            let seconds = decimal(seconds, decimals(seconds, 2, 1)) + " s";
            ("Time by cause", seconds)
        }
        Some(busy) => ("Chips busy, by cause", percent(busy)),
    };
    let colour = |cause: Cause| format!("--colour: var(--part-{})", cause.key());
    let share = |ns: u64| match decimal(100.0 * ns as f64 / all.max(1) as f64, 0) {
        none if none == "0" => "< 1".to_owned(),
        share => share,
    };
    html! {
        div.tile.time {
            h2 { (title) }
            p.value { (value) }
            div.parts aria-hidden="true" {
                @for (cause, ns) in time.largest_first() { i style={ (colour(cause)) "; flex-grow: " (ns) } {} }
            }
            p.shares {
                @for (cause, ns) in time.largest_first() {
                    span { i.swatch style=(colour(cause)) {} (cause.name()) " " (share(ns)) " %" }
                }
            }
        }
    }
}
