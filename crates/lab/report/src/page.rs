//! The page: `assets/page.html` with its placeholders filled.

use maud::{Markup, PreEscaped, Render, html};
use ssdlab_sim::{Comparison, Figure, THROUGHPUT, how_sure, without_clocks};
use ssdlab_words::{NOTHING, listed, thousands};

use crate::about::About;
use crate::parts::Parts;
use crate::template::{facts_list, fill, shared, shown, warnings};
use crate::varied::{Varied, policies};
use crate::{cliff, clocked, endurance, escape, facts, placed, series, table, tiles};

const PAGE: &str = include_str!("../assets/page.html");

/// The scripts of the report, behind those of every page.
const SCRIPTS: [&str; 9] = [
    include_str!("../assets/model.js"),
    include_str!("../assets/curves.js"),
    include_str!("../assets/bars.js"),
    include_str!("../assets/wear.js"),
    include_str!("../assets/life.js"),
    include_str!("../assets/latency.js"),
    include_str!("../assets/timeline.js"),
    include_str!("../assets/controls.js"),
    include_str!("../assets/report.js"),
];
const SORTING: &str = include_str!("../assets/sorting.js");

/// The report of a comparison as one HTML page; the same input gives the same bytes.
pub fn html(comparison: &Comparison, about: &About) -> String {
    let parts = Parts::of(comparison, &about.columns);
    let digest = comparison.trace.sha256.as_deref().unwrap_or(NOTHING);
    let hidden = |known: bool| PreEscaped(if known { "" } else { " hidden" }.to_owned());
    fill(PAGE, |place| {
        let made = match place {
            "sorting" => return SORTING.into(),
            "data" => return escape::script_json(&series::data(comparison, &parts)),
            "name" => trace_name(comparison).render(),
            "kicker" => kicker(&parts.varied).render(),
            "incomplete" => incomplete(comparison),
            "sentence" => comparison.sentence.render(),
            "further" => further(comparison),
            "tiles" => tiles::render(comparison, &parts),
            "warnings" => warnings(&comparison.warnings),
            "trace" => facts_list(&about.trace_lines),
            "device" => facts_list(&facts::device(comparison)),
            "changed" => changed(&facts::changed(comparison)),
            "table" => table::render(comparison, &parts),
            "time" => time(comparison).0.render(),
            "time_hint" => time(comparison).1.render(),
            "erased" => comparison.erased().render(),
            "clocked" => hidden(clocked::is_known(comparison)),
            "eaten" => hidden(endurance::is_known(comparison)),
            "endurance" => endurance::answer(comparison, &parts),
            "endurance_table" => endurance::table(comparison, &parts),
            "falls" => hidden(cliff::is_known(comparison)),
            "cliffs" => cliff::section(comparison, &parts),
            "placed" => hidden(placed::is_known(comparison)),
            "placements" => placed::section(comparison, &parts),
            "advised" => hidden(endurance::is_advised(comparison)),
            "how_tried" => endurance::how_tried(comparison).render(),
            "helps" => endurance::helps(comparison),
            "hint" => hint(comparison, &about.columns).render(),
            "differ" => differ(&parts.varied).render(),
            "config" => about.config_toml.render(),
            "command" => about.command.render(),
            "version" => about.version.render(),
            "digest" => digest.render(),
            other => return shared(other, &SCRIPTS),
        };
        shown(&made)
    })
}

/// The title of the chart of the time by cause, and what it says.
fn time(comparison: &Comparison) -> (&'static str, &'static str) {
    if clocked::is_known(comparison) {
        let what = "Share of the simulated time in which the mean chip works for each cause. Chips work at the same time.";
        ("What keeps the chips busy", what)
    } else {
        ("Where the time went", "Shorter is better.")
    }
}

fn trace_name(comparison: &Comparison) -> &str {
    match comparison.trace.name.as_str() {
        "" => "no trace",
        name => name,
    }
}

/// Marks an interrupted comparison.
fn incomplete(comparison: &Comparison) -> Markup {
    let (done, missing) = (comparison.rows.len() as u64, comparison.missing_runs as u64);
    html! {
        @if missing > 0 {
            " " span.incomplete { "incomplete: " (thousands(done)) " of " (thousands(done + missing)) " runs" }
        }
    }
}

/// What else the verdict says, and how sure it is.
fn further(comparison: &Comparison) -> Markup {
    let sure = how_sure(comparison);
    let lines = comparison.further.iter().chain(&sure);
    html! { @for (label, text) in lines { p.hint { b { (label) } ": " (text) } "\n" } }
}

/// The subject of the comparison.
fn kicker(varied: &Varied) -> String {
    match listed(&varied.subjects()).as_str() {
        "" => "one system".into(),
        subjects => format!("comparison of {subjects}"),
    }
}

/// The differences between the runs, as the end of a sentence.
fn differ(varied: &Varied) -> String {
    match listed(&varied.subjects()).as_str() {
        "" => String::new(),
        subjects => format!("; they differ in {subjects} only"),
    }
}

/// The hint above the table.
fn hint(comparison: &Comparison, columns: &[Figure]) -> String {
    let several = comparison.sizes.len() > 1;
    let sized = comparison.sized();
    let mut hint = "Click a heading to sort, the best first.".to_owned();
    if comparison.rows.iter().any(|row| row.best) {
        hint += " ★ marks the best";
        if several {
            hint += &format!(" of each {sized}");
        }
        hint += &match comparison.verdict.by {
            by if by == THROUGHPUT => ".".to_owned(),
            by => format!(" by {}.", by.words),
        };
    }
    if policies(comparison).count() > 1 {
        let baseline = &comparison.baseline;
        hint += &format!(" Small figures are differences from {baseline}");
        hint += &match several {
            true => format!(" with the same {sized}."),
            false => ".".into(),
        };
    }
    let missing = without_clocks(comparison, columns);
    missing.map_or(hint.clone(), |why| format!("{hint} {NOTHING}: {why}."))
}

/// The keys that differ from their defaults.
fn changed(keys: &[(String, String)]) -> Markup {
    html! {
        @if keys.is_empty() {
            p.hint { "Every key has its default." }
        } @else {
            h3 { "Keys that differ from their defaults" }
            dl {
                "\n" @for (key, value) in keys { div { dt { code { (key) } } dd { code { (value) } } } "\n" }
            }
        }
    }
}
