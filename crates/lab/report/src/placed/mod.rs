//! Who writes, who is copied, and what each handle or region costs.

mod bars;
mod table;

use maud::{Markup, PreEscaped, html};
use ssdlab_sim::key::SIZE;
use ssdlab_sim::{Comparison, Folded, Placed, RowKind};
use ssdlab_words::{fixed, thousands};

use crate::parts::Parts;
use crate::picture::Picture;
use crate::varied::{lower, policies};

/// The most lines of a table that is open.
const OPEN: usize = 24;

/// What the pages of a part are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// The pages that the host wrote through a handle.
    Handle,
    /// The copies of all handles that are initially isolated.
    Common,
    /// Those of one frontier.
    Region,
}

/// A handle, the common unit of copies, or a region.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    owner: Owner,
    name: String,
    /// Pages of the host, and those that cleaning copied out of its units and into them.
    host: u64,
    out: u64,
    /// `None` where it is not counted.
    into: Option<u64>,
    victims: u64,
}

impl Part {
    /// Pages that the host wrote, and those copied out, for each one that the host wrote.
    fn waf(&self) -> Option<f64> {
        (self.host > 0).then(|| (self.host + self.out) as f64 / self.host as f64)
    }
}

/// A run that counts by handle or region.
struct System<'a> {
    rows: Folded<'a>,
    /// What distinguishes it from the other runs, and its write amplification.
    title: String,
    parts: Vec<Part>,
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

/// The runs that count by handle or region. Those that do not sort pages are there to compare with.
fn systems<'a>(comparison: &'a Comparison, parts: &Parts) -> Vec<System<'a>> {
    let rows = comparison.folded(&[]).into_iter();
    let policies = rows.filter(|rows| rows.row().kind == RowKind::Policy);
    let system = |rows: Folded<'a>| {
        Some(System {
            title: title(&rows, parts),
            parts: parts_of(rows.row().outcome.placed.as_ref()?),
            rows,
        })
    };
    policies.filter_map(system).collect()
}

fn title(rows: &Folded, parts: &Parts) -> String {
    let row = rows.row();
    let mut words = vec![parts.varied.series(row)];
    for (axis, place) in parts.varied.axes.iter().zip(parts.varied.place(row)) {
        let value = match place.map(|place| axis.values[place].0.clone()) {
            Some(_) if axis.key == SIZE => rows.size(),
            value => value,
        };
        words.extend(value.map(|value| format!("{} {value}", lower(&axis.title))));
    }
    let name = words.join(", ");
    match row.outcome.derived.waf {
        Some(waf) => format!("{name}: write amplification {}", fixed(waf, 2)),
        None => name,
    }
}

fn parts_of(placed: &Placed) -> Vec<Part> {
    match placed {
        Placed::Handles { handles, common } => {
            let handles = (0..).zip(handles).map(|(number, handle)| Part {
                owner: Owner::Handle,
                name: format!("handle {number}"),
                host: handle.host_pages,
                out: handle.copied_pages,
                into: None,
                victims: handle.victims,
            });
            let common = common.iter().map(|common| Part {
                owner: Owner::Common,
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
                owner: Owner::Region,
                name: format!("region {number}"),
                host: region.host_pages,
                out: region.copied_out,
                into: Some(region.copied_in),
                victims: region.victims,
            })
            .collect(),
    }
}

/// The picture of all runs of a comparison that count by handle or region; `None` if none does, or nothing was written. That
/// of an interrupted comparison says so.
pub fn picture(comparison: &Comparison) -> Option<Picture> {
    let parts = Parts::of(comparison, &[]);
    let mut picture = bars::picture(&systems(comparison, &parts))?.picture;
    let (done, missing) = (comparison.rows.len(), comparison.missing_runs);
    if missing > 0 {
        let all = thousands((done + missing) as u64);
        let mark = format!("; incomplete: {} of {all} runs", thousands(done as u64));
        picture.spoken.title += &mark;
        picture.names.y += &mark;
        for panel in &mut picture.panels {
            panel.x.title += &mark;
        }
    }
    Some(picture)
}

/// Picture and table; empty if no policy sorts pages.
pub fn section(comparison: &Comparison, parts: &Parts) -> Markup {
    if !is_known(comparison) {
        return Markup::default();
    }
    let systems = systems(comparison, parts);
    let lines: usize = systems.iter().map(|system| system.parts.len()).sum();
    let table = html! {
        figure data-table="placed" {
            figcaption { h3 { "Each handle and region in numbers" } p {
                "Pages that the host wrote, and pages that cleaning copied out of its blocks. The write amplification of a handle is (host + copied out) / host."
            } }
            div.scroll tabindex="0" role="region" aria-label="Handles and regions" { (table::table(&systems, parts)) }
        }
    };
    html! {
        @if let Some(made) = bars::picture(&systems) {
            figure.card.wide {
                figcaption { h3 { "What each handle and region costs" } p { (made.notes.join(" ")) } }
                (PreEscaped(made.picture.inline()))
            }
        }
        @if lines > OPEN {
            details.wide { summary { "Each handle and region in numbers" } (table) }
        } @else {
            div.card.wide { (table) }
        }
    }
}
