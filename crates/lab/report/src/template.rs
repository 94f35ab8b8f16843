//! What all pages share: the template that is filled in, the style, the charts.

use maud::{Markup, html};
use ssdlab_words::shown_lines;

use crate::palette;

const HEAD: &str = include_str!("../assets/head.html");
const LIBRARY: &str = include_str!("../assets/echarts.common.min.js");

/// The scripts of every page, before its own; all are one function and share their declarations.
const SCRIPTS: [&str; 5] = [
    include_str!("../assets/page.js"),
    include_str!("../assets/look.js"),
    include_str!("../assets/labels.js"),
    include_str!("../assets/export.js"),
    include_str!("../assets/pictures.js"),
];

/// Replaces each `{{name}}` of the template; inserted text is not searched again.
pub(crate) fn fill(template: &str, text: impl Fn(&str) -> String) -> String {
    let mut parts = template.split("{{");
    let mut page = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (place, rest) = part.split_once("}}").expect("each {{ has its }}");
        page.push_str(&text(place));
        page.push_str(rest);
    }
    page
}

/// The beginning, the style, the library of charts, or the scripts, those of the page last.
pub(crate) fn shared(place: &str, scripts: &[&str]) -> String {
    match place {
        "head" => HEAD.trim_end().into(),
        "style" => palette::style(),
        "library" => LIBRARY.into(),
        "charts" => palette::script() + &SCRIPTS.concat() + &scripts.concat(),
        other => unreachable!("the page has no text for {other}"),
    }
}

/// Markup as text that does nothing.
pub(crate) fn shown(made: &Markup) -> String {
    // of the characters that end a text or a value, maud leaves the apostrophe
    shown_lines(&made.0).replace('\'', "&#39;")
}

/// Label and value in a list.
pub(crate) fn facts_list(facts: &[(String, String)]) -> Markup {
    html! { @for (label, value) in facts { div { dt { (label) } dd { (value) } } "\n" } }
}

/// A list of the warnings; empty without warnings.
pub(crate) fn warnings(warnings: &[String]) -> Markup {
    html! {
        @if !warnings.is_empty() {
            section.warnings aria-label="Warnings" {
                ul { @for warning in warnings { li { (warning) } } }
            }
        }
    }
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
