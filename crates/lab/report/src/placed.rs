//! Who writes, who is copied, and what each handle or region costs.

use maud::{Markup, html};
use ssdlab_sim::{Comparison, Folded, Placed, RowKind};
use ssdlab_words::{NOTHING, fixed, thousands};

use crate::parts::Parts;
use crate::table::{cell, name, places};
use crate::varied::policies;

/// A handle, the common unit of copies, or a region.
struct Part {
    name: String,
    /// Pages of the host, and those that cleaning copied out of its units and into them.
    host: u64,
    out: u64,
    /// `None` where it is not counted.
    into: Option<u64>,
    victims: u64,
}

/// Whether any policy sorts pages by more than who writes them: host or cleaning.
pub fn is_known(comparison: &Comparison) -> bool {
    policies(comparison).any(|row| row.outcome.placed.as_ref().is_some_and(is_sorted))
}

fn is_sorted(placed: &Placed) -> bool {
    match placed {
        Placed::Handles { .. } => true,
        Placed::Regions { regions } => regions.len() > 2,
    }
}

fn parts_of(placed: &Placed) -> Vec<Part> {
    match placed {
        Placed::Handles { handles, common } => {
            let handles = (0..).zip(handles).map(|(number, handle)| Part {
                name: format!("handle {number}"),
                host: handle.host_pages,
                out: handle.copied_pages,
                into: None,
                victims: handle.victims,
            });
            let common = common.iter().map(|common| Part {
                name: "common copies".to_owned(),
                host: 0,
                out: common.copied_pages,
                into: Some(common.copied_in),
                victims: common.victims,
            });
            handles.chain(common).collect()
        }
        Placed::Regions { regions } => (0..)
            .zip(regions)
            .map(|(number, region)| Part {
                name: format!("region {number}"),
                host: region.host_pages,
                out: region.copied_out,
                into: Some(region.copied_in),
                victims: region.victims,
            })
            .collect(),
    }
}

/// The table of all handles and regions of the runs that have some.
pub fn table(comparison: &Comparison, parts: &Parts) -> Markup {
    let mut rows: Vec<Folded> = comparison.folded(&[]);
    rows.retain(|folded| {
        let row = folded.row();
        let placed = row.outcome.placed.as_ref();
        row.kind == RowKind::Policy && placed.is_some_and(is_sorted)
    });
    let all = |folded: &Folded| -> Vec<Part> {
        let placed = folded.row().outcome.placed.as_ref();
        placed.map_or(Vec::new(), parts_of)
    };
    let pages = rows.iter().flat_map(all).map(|part| part.host + part.out);
    let most = pages.max().unwrap_or(0).max(1);
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
            "\n" tbody { "\n" @for rows in &rows { @for part in all(rows) { (line(rows, &part, most, parts)) "\n" } } }
            "\n"
        }
    }
}

fn line(rows: &Folded, part: &Part, most: u64, parts: &Parts) -> Markup {
    let count = |count: u64| cell(count, thousands(count));
    let waf = (part.host > 0).then(|| (part.host + part.out) as f64 / part.host as f64);
    let words = format!(
        "host {}, copied out {}",
        thousands(part.host),
        thousands(part.out)
    );
    let width = 100.0 * (part.host + part.out) as f64 / most as f64;
    html! {
        tr {
            (name(rows.row(), Markup::default(), parts)) (places(rows, parts))
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
            @match waf { Some(waf) => (cell(waf, fixed(waf, 3))), None => (cell("", NOTHING)) }
        }
    }
}
