//! The page of what a workload is for flash: `assets/workload.html` with its placeholders filled.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, Render, html};
use serde_json::{Value, json};
use ssdlab_characterise::{
    LruHits, LruPoint, LruReport, ProfileReport, Raster, SizeReport, SpreadReport,
};
use ssdlab_words::{NOTHING, bytes, decimal_bytes, duration, percent};

use crate::chart::over_time;
use crate::escape;
use crate::palette::slot;
use crate::picture::Picture;
use crate::template::{facts_list, fill, shared, shown, warnings};
use crate::tiles::tile;

const PAGE: &str = include_str!("../assets/workload.html");
const SCRIPTS: [&str; 1] = [include_str!("../assets/workload.js")];

/// The size of buffer whose hits are told first.
const USUAL: u64 = 16 << 20;

/// What a page says of its trace.
#[derive(Clone, Debug, Default)]
pub struct AboutWorkload {
    /// The name of the trace.
    pub name: String,
    /// Its SHA-256; `None` if only a part was read.
    pub sha256: Option<String>,
    /// The command line that made the page.
    pub command: String,
    /// The version of ssdlab.
    pub version: String,
    /// What the reader must know.
    pub warnings: Vec<String>,
    /// Facts of the requests: label and value.
    pub requests: Vec<(String, String)>,
    /// Facts of pages and blocks.
    pub pages: Vec<(String, String)>,
}

/// What a workload is for flash as one HTML page without network access; the same input gives the same bytes.
pub fn workload_html(report: &ProfileReport, raster: &Raster, about: &AboutWorkload) -> String {
    let picture = match raster.kinds().next() {
        Some(_) => in_page(&over_time(&about.name, raster, &[])),
        None => String::new(),
    };
    let window = report
        .pages
        .as_ref()
        .map(|pages| pages.working_set.window_ns);
    let block = report.lru_by_block.as_ref().map(|blocks| blocks.unit);
    fill(PAGE, |place| {
        let made = match place {
            "data" => return escape::script_json(&data(report, about)),
            "addresses" => return picture.clone(),
            "name" => about.name.render(),
            "tiles" => tiles(report),
            "warnings" => warnings(&about.warnings),
            "requests" => facts_list(&about.requests),
            "pages" => facts_list(&about.pages),
            "window" => window
                .map_or(NOTHING.into(), |ns| duration(ns as f64))
                .render(),
            "block" => block.map_or(NOTHING.into(), bytes).render(),
            "command" => about.command.render(),
            "version" => about.version.render(),
            "digest" => about.sha256.as_deref().unwrap_or(NOTHING).render(),
            other => return shared(other, &SCRIPTS),
        };
        shown(&made)
    })
}

fn in_page(picture: &Picture) -> String {
    let made = html! {
        figure.card.wide {
            figcaption {
                h3 { "Addresses over time" }
                p { "Each mark stands for the requests in a part of the time and of the addresses." }
            }
            (PreEscaped(picture.inline()))
        }
    };
    made.0 + "\n"
}

fn tiles(report: &ProfileReport) -> Markup {
    let info = &report.info;
    let footprint = format!("to {} of addresses", decimal_bytes(info.bytes_unique));
    let rewritten = share(info.bytes_rewritten, info.bytes_written);
    let hot = report.pages.as_ref().and_then(|pages| pages.hot.get(1));
    let lru = report.pages.as_ref().map(|pages| hits(&pages.lru_by_page));
    let flushes = report.flush_intervals.bytes.as_ref();
    html! {
        section.tiles aria-label="The main figures" {
            "\n" (tile("Written", &decimal_bytes(info.bytes_written), &footprint)) "\n"
            (tile("Rewritten", &rewritten, "of the bytes written")) "\n"
            @if let Some(hot) = hot {
                (tile("Hot set", &percent(hot.share_of_footprint), "of the pages take 80 % of the page writes")) "\n"
            }
            @if let Some(flushes) = flushes {
                (tile("Written between flushes", &decimal_bytes(flushes.mean.round() as u64), "in the mean")) "\n"
            }
            @if let Some((value, below)) = lru {
                (tile("Hits of an LRU buffer", &value, &below)) "\n"
            }
        }
    }
}

fn share(part: u64, whole: u64) -> String {
    match whole {
        0 => NOTHING.to_owned(),
        whole => percent(part as f64 / whole as f64),
    }
}

/// The hits of a buffer of the usual size, and in words what that is, and what other buffers hit.
fn hits(report: &LruReport) -> (String, String) {
    let hits = &report.hits;
    let of = |hits: &LruHits, units| share(hits.write_hits(units), hits.writes);
    let usual = USUAL / hits.unit;
    let mut below = format!(
        "of the page writes with {}; {} with any size",
        bytes(USUAL),
        of(hits, hits.enough())
    );
    if let Some(protected) = &report.protected_hits {
        below += &format!(
            "; {} with this size if flushes are ignored",
            of(protected, usual)
        );
    }
    (of(hits, usual), below)
}

/// What the scripts draw.
fn data(report: &ProfileReport, about: &AboutWorkload) -> Value {
    let info = &report.info;
    let pages = report.pages.as_ref();
    let sizes = |label: &str, report: Option<&SizeReport>, place| {
        report.map(
            |sizes| json!({ "label": label, "slot": slot(place), "histogram": sizes.histogram }),
        )
    };
    let runs = info.write_runs.as_ref().map(|runs| &runs.bytes);
    let sizes = [
        sizes("reads", info.read_sizes.as_ref(), 0),
        sizes("writes", info.write_sizes.as_ref(), 1),
        sizes("sequential runs of writes", runs, 2),
    ];
    let rewrites = pages.map(|pages| &pages.rewrites);
    let flushes = &report.flush_intervals;
    json!({
        "name": about.name,
        "interrupted": "",
        "lru": lru(report),
        "sizes": sizes.into_iter().flatten().collect::<Vec<_>>(),
        "hot": pages.map_or(Vec::new(), |pages| {
            let points = pages.hot_curve.iter();
            let points = points.map(|&(share, writes)| (100.0 * share, 100.0 * writes));
            vec![line("page writes", 0, points.collect::<Vec<_>>())]
        }),
        "rewrites": {
            "ns": histogram_of(rewrites.and_then(|rewrites| rewrites.ns.as_ref())),
            "bytes": histogram_of(rewrites.and_then(|rewrites| rewrites.bytes.as_ref())),
        },
        "working": pages.map_or(Vec::new(), |pages| {
            let set = &pages.working_set;
            let ends = (0..).map(|window: u64| window.saturating_mul(set.window_ns));
            let last = set.pages.last();
            // the last window has an end, too
            let points = ends.zip(set.pages.iter().chain(last));
            vec![line("pages written", 0, points.collect::<Vec<_>>())]
        }),
        "flushes": {
            "ns": histogram_of(flushes.ns.as_ref()),
            "bytes": histogram_of(flushes.bytes.as_ref()),
        },
    })
}

fn line(label: &str, place: usize, points: impl serde::Serialize) -> Value {
    json!({ "label": label, "slot": slot(place), "points": points })
}

/// The curves of hits in percent over the size in bytes, each to the end of the longest.
fn lru(report: &ProfileReport) -> Vec<Value> {
    let by_page = report.pages.as_ref().map(|pages| &pages.lru_by_page);
    let by_block = report.lru_by_block.as_ref();
    type Hits = fn(&LruPoint) -> u64;
    let writes: Hits = |point| point.write_hits;
    let reads: Hits = |point| point.read_hits;
    let mut curves: Vec<(String, &[LruPoint], Hits, u64)> = Vec::new();
    for (what, report) in [("page", by_page), ("block", by_block)] {
        let Some(report) = report.filter(|report| report.writes > 0) else {
            continue;
        };
        curves.push((
            format!("writes by {what}"),
            &report.points,
            writes,
            report.writes,
        ));
        if let Some(points) = &report.protected {
            let label = format!("writes by {what}, flushes ignored");
            curves.push((label, points, writes, report.writes));
        }
        if what == "page" && report.reads > 0 {
            curves.push(("reads by page".into(), &report.points, reads, report.reads));
        }
    }
    let ends = curves.iter().filter_map(|curve| curve.1.last());
    let end = ends.map(|point| point.bytes).max().unwrap_or(0);
    let drawn = curves
        .iter()
        .enumerate()
        .map(|(place, (label, points, hits, all))| {
            let share = |point: &LruPoint| 100.0 * hits(point) as f64 / *all as f64;
            let mut drawn: Vec<(u64, f64)> = points
                .iter()
                .map(|point| (point.bytes, share(point)))
                .collect();
            if let Some(&(_, most)) = drawn.last().filter(|last| last.0 < end) {
                drawn.push((end, most));
            }
            line(label, place, drawn)
        });
    drawn.collect()
}

fn histogram_of(spread: Option<&SpreadReport>) -> Option<&BTreeMap<u64, u64>> {
    spread.map(|spread| &spread.histogram)
}
