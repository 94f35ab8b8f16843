//! The table of all handles and regions.

use maud::{Markup, html};
use ssdlab_words::{NOTHING, fixed, thousands};

use super::{Part, System};
use crate::parts::Parts;
use crate::table::{cell, name, places};

/// The table of all handles and regions of some runs.
pub fn table(systems: &[System], parts: &Parts) -> Markup {
    let all = || systems.iter().flat_map(|system| &system.parts);
    let most = all().map(|part| part.host + part.out).max();
    let most = most.unwrap_or(0).max(1);
    let axes = parts.varied.axes.iter().map(|axis| axis.title.as_str());
    html! {
        table.why.placed {
            "\n" thead { tr {
                th scope="col" { (parts.varied.series_title()) }
                @for axis in axes { th scope="col" { (axis) } }
                @for title in ["Handle or region", "Written and copied out", "Host pages", "Copied out", "Copied in", "Victims", "Write amplification"] {
                    th scope="col" { (title) }
                }
            } }
            "\n" tbody { "\n" @for system in systems { @for part in &system.parts { (line(system, part, most, parts)) "\n" } } }
            "\n"
        }
    }
}

fn line(system: &System, part: &Part, most: u64, parts: &Parts) -> Markup {
    let count = |count: u64| cell(count, thousands(count));
    let words = format!(
        "host {}, copied out {}",
        thousands(part.host),
        thousands(part.out)
    );
    let width = 100.0 * (part.host + part.out) as f64 / most as f64;
    html! {
        tr {
            (name(system.rows.row(), Markup::default(), parts)) (places(&system.rows, parts))
            td.words data-value=(part.name) { (part.name) }
            (cell(part.host + part.out, html! {
                div.parts role="img" aria-label=(words) title=(words) style={ "width: " (format!("{width:.2}")) "%" } {
                    @for (cause, pages) in [("host", part.host), ("cleaning", part.out)].into_iter().filter(|(_, pages)| *pages > 0) {
                        i style={ "--colour: var(--part-" (cause) "); flex-grow: " (pages) } {}
                    }
                }
            }))
            (count(part.host)) (count(part.out))
            @match part.into { Some(into) => (count(into)), None => (cell("", NOTHING)) }
            (count(part.victims))
            @match part.waf() { Some(waf) => (cell(waf, fixed(waf, 3))), None => (cell("", NOTHING)) }
        }
    }
}
