//! The page: `assets/page.html` with its places filled.

use ssdlab_sim::Comparison;

use crate::palette::Palette;
use crate::{About, escape, facts, format, series, table};

const PAGE: &str = include_str!("../assets/page.html");
const STYLE: &str = include_str!("../assets/report.css");
const LIBRARY: &str = include_str!("../assets/echarts.common.min.js");
const CHARTS: &str = include_str!("../assets/charts.js");
const SORTING: &str = include_str!("../assets/sorting.js");

/// The whole report.
pub fn render(comparison: &Comparison, about: &About) -> String {
    let palette = Palette::new(&comparison.rows);
    let data = series::data(comparison, &palette);
    fill(PAGE, |place| match place {
        "style" => STYLE.into(),
        "library" => LIBRARY.into(),
        "charts" => CHARTS.into(),
        "sorting" => SORTING.into(),
        "data" => escape::script_json(&data),
        "name" => escape::html(trace_name(comparison)),
        "sentence" => escape::html(&comparison.sentence),
        "trace" => facts_list(&about.trace_lines),
        "device" => facts_list(&facts::device(comparison)),
        "warnings" => warnings(comparison),
        "size" => largest_size(comparison),
        "table" => table::render(&comparison.rows, &palette),
        "config" => escape::html(&about.config_toml),
        "command" => escape::html(&about.command),
        "version" => escape::html(&about.version),
        "digest" => escape::html(digest(comparison)),
        other => unreachable!("the page has no text for {other}"),
    })
}

/// Replaces each `{{name}}` of the template; what is put in is not searched again.
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
    comparison
        .rows
        .first()
        .map_or("no run", |row| &row.outcome.trace.name)
}

fn digest(comparison: &Comparison) -> &str {
    comparison
        .rows
        .first()
        .and_then(|row| row.outcome.trace.sha256.as_deref())
        .unwrap_or(format::NOTHING)
}

/// What the charts of single runs are about.
fn largest_size(comparison: &Comparison) -> String {
    match comparison.sizes.last() {
        Some(&size) => format!("with a buffer of {}", format::size(size)),
        None => "without a buffer".into(),
    }
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

/// A list of the warnings, or nothing at all.
fn warnings(comparison: &Comparison) -> String {
    if comparison.warnings.is_empty() {
        return String::new();
    }
    let items: String = comparison
        .warnings
        .iter()
        .map(|warning| format!("<li>{}</li>", escape::html(warning)))
        .collect();
    format!("<section class=\"warnings\"><h2>Warnings</h2><ul>{items}</ul></section>")
}

#[cfg(test)]
mod tests {
    use super::*;

    // Planted bug: replacing place after place, so that a trace named `{{config}}` gets expanded.
    #[test]
    fn what_is_filled_in_is_not_searched() {
        let page = fill("<p>{{a}}</p>{{b}}.", |place| match place {
            "a" => "{{b}}".into(),
            _ => "x".into(),
        });
        assert_eq!(page, "<p>{{b}}</p>x.");
    }
}
