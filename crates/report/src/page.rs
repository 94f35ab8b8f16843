//! The page: `assets/page.html` with its placeholders filled.

use ssdlab_sim::{Comparison, THROUGHPUT};
use ssdlab_words::{NOTHING, listed, thousands};

use crate::about::About;
use crate::parts::Parts;
use crate::varied::{Varied, policies};
use crate::{clocked, endurance, escape, facts, series, table, tiles};

const PAGE: &str = include_str!("../assets/page.html");
const STYLE: &str = include_str!("../assets/report.css");
const LIBRARY: &str = include_str!("../assets/echarts.common.min.js");

/// The scripts: one function, whose parts share their declarations.
const SCRIPTS: [&str; 11] = [
    include_str!("../assets/model.js"),
    include_str!("../assets/look.js"),
    include_str!("../assets/curves.js"),
    include_str!("../assets/bars.js"),
    include_str!("../assets/wear.js"),
    include_str!("../assets/life.js"),
    include_str!("../assets/latency.js"),
    include_str!("../assets/timeline.js"),
    include_str!("../assets/controls.js"),
    include_str!("../assets/export.js"),
    include_str!("../assets/report.js"),
];
const SORTING: &str = include_str!("../assets/sorting.js");

/// The report of a comparison as one HTML page; the same input gives the same bytes.
pub fn html(comparison: &Comparison, about: &About) -> String {
    let parts = Parts::of(comparison);
    fill(PAGE, |place| match place {
        "style" => STYLE.into(),
        "library" => LIBRARY.into(),
        "charts" => SCRIPTS.concat(),
        "sorting" => SORTING.into(),
        "data" => escape::script_json(&series::data(comparison, &parts)),
        "name" => escape::html(trace_name(comparison)),
        "kicker" => escape::html(&kicker(&parts.varied)),
        "incomplete" => incomplete(comparison),
        "sentence" => escape::html(&comparison.sentence),
        "tiles" => tiles::render(comparison, &parts),
        "warnings" => warnings(comparison),
        "trace" => facts_list(&about.trace_lines),
        "device" => facts_list(&facts::device(comparison)),
        "changed" => changed(&facts::changed(comparison)),
        "table" => table::render(comparison, &parts),
        "clocked" => match clocked::is_known(comparison) {
            true => String::new(),
            false => " hidden".into(),
        },
        "eaten" => match endurance::is_known(comparison) {
            true => String::new(),
            false => " hidden".into(),
        },
        "endurance" => endurance::answer(comparison, &parts),
        "endurance_table" => endurance::table(comparison, &parts),
        "helps" => facts_list(&endurance::helps(comparison)),
        "hint" => hint(comparison),
        "differ" => escape::html(&differ(&parts.varied)),
        "config" => escape::html(&about.config_toml),
        "command" => escape::html(&about.command),
        "version" => escape::html(&about.version),
        "digest" => escape::html(digest(comparison)),
        other => unreachable!("the page has no text for {other}"),
    })
}

/// Replaces each `{{name}}` of the template; inserted text is not searched again.
fn fill(template: &str, text: impl Fn(&str) -> String) -> String {
    let mut parts = template.split("{{");
    let mut page = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (place, rest) = part.split_once("}}").expect("each {{ has its }}");
        page.push_str(&text(place));
        page.push_str(rest);
    }
    page
}

fn trace_name(comparison: &Comparison) -> &str {
    match comparison.trace.name.as_str() {
        "" => "no trace",
        name => name,
    }
}

fn digest(comparison: &Comparison) -> &str {
    comparison.trace.sha256.as_deref().unwrap_or(NOTHING)
}

/// Marks an interrupted comparison.
fn incomplete(comparison: &Comparison) -> String {
    match comparison.missing_runs {
        0 => String::new(),
        missing => {
            let done = thousands(comparison.rows.len() as u64);
            let all = thousands((comparison.rows.len() + missing) as u64);
            format!(" <span class=\"incomplete\">incomplete: {done} of {all} runs</span>")
        }
    }
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
fn hint(comparison: &Comparison) -> String {
    let mut hint = "Click a heading to sort, the best first.".to_owned();
    if comparison.rows.iter().any(|row| row.best) {
        hint += match comparison.sizes.len() {
            0 | 1 => " ★ marks the best",
            _ => " ★ marks the best of each buffer size",
        };
        hint += &match comparison.verdict.by {
            by if by == THROUGHPUT => ".".to_owned(),
            by => format!(" by {}.", by.words),
        };
    }
    if policies(comparison).count() > 1 {
        let baseline = escape::html(&comparison.baseline);
        hint += &format!(" Small figures are differences from {baseline}");
        hint += match comparison.sizes.len() {
            0 | 1 => ".",
            _ => " with the same buffer size.",
        };
    }
    hint
}

fn facts_list(facts: &[(String, String)]) -> String {
    let line = |(label, value): &(String, String)| {
        format!(
            "<div><dt>{}</dt><dd>{}</dd></div>\n",
            escape::html(label),
            escape::html(value)
        )
    };
    facts.iter().map(line).collect()
}

/// The keys that differ from their defaults.
fn changed(keys: &[(String, String)]) -> String {
    if keys.is_empty() {
        return "<p class=\"hint\">Every key has its default.</p>".into();
    }
    let line = |(key, value): &(String, String)| {
        let (key, value) = (escape::html(key), escape::html(value));
        format!("<div><dt><code>{key}</code></dt><dd><code>{value}</code></dd></div>\n")
    };
    let lines: String = keys.iter().map(line).collect();
    format!("<h3>Keys that differ from their defaults</h3><dl>\n{lines}</dl>")
}

/// A list of the warnings; empty without warnings.
fn warnings(comparison: &Comparison) -> String {
    if comparison.warnings.is_empty() {
        return String::new();
    }
    let items: String = comparison
        .warnings
        .iter()
        .map(|warning| format!("<li>{}</li>", escape::html(warning)))
        .collect();
    format!("<section class=\"warnings\" aria-label=\"Warnings\"><ul>{items}</ul></section>")
}

#[cfg(test)]
mod tests {
    use super::*;

    // Planted bug: replacing one placeholder after the other, so that a trace named `{{config}}` is expanded.
    #[test]
    fn what_is_filled_in_is_not_searched() {
        let page = fill("<p>{{a}}</p>{{b}}.", |place| match place {
            "a" => "{{b}}".into(),
            _ => "x".into(),
        });
        assert_eq!(page, "<p>{{b}}</p>x.");
    }
}
