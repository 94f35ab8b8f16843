//! Texts that would act, numbers that fit no cell, and names that are wider than the page.
//!
//! Planted bugs that these catch: a label that reaches a page, a script, a CSV file or a terminal with characters that
//! act; 309 digits in a cell; a sum of counts that overflows; a long name that pushes the page out of the window.

use ssdlab_browser::{Browser, Scheme};
use ssdlab_device::Counters;
use ssdlab_report::{About, html};
use ssdlab_sim::{Cause, Comparison, FIGURES, FlashBytes, Margin, RowKind, TimeParts, Wear};

use crate::common;

/// An escape sequence, a change of direction, a line, a null, an 8-bit control, a mark that nobody sees, markup, quotes.
const ACTING: &str = "a\u{1b}[31m\u{202e}\n\0\u{9b}\u{200b}\u{ad}\u{e0041}<b>\"'</script>=1";

/// The comparison with a text everywhere where one may come from outside.
fn with_text(text: &str) -> (Comparison, About) {
    let mut made = common::one_policy("ftl.cleaning", &["greedy", text]);
    made.trace.name = text.into();
    made.trace.format_reason = text.into();
    made.sentence = text.into();
    made.further = vec![("why", text.into())];
    made.warnings = vec![text.into()];
    for row in &mut made.rows {
        row.name = text.into();
        row.policy = text.into();
        row.outcome.trace.name = text.into();
        row.outcome.warnings = vec![text.into()];
        row.outcome.config["ftl"]["kind"] = text.into();
        row.outcome.config["precondition"] = text.into();
        row.outcome.endurance.missing_because = Some(text.into());
    }
    made.rows[1].label = text.into();
    made.verdict.winner = Some(text.into());
    let mut about = common::about();
    about.command = text.into();
    about.config_toml = format!("# {text}\n[ftl]\n");
    about.trace_lines.push((text.into(), text.into()));
    (made, about)
}

fn acts(c: char) -> bool {
    c.is_control() && c != '\n' || "\u{202e}\u{200b}\u{ad}\u{e0041}\u{9b}".contains(c)
}

#[test]
fn no_text_acts() {
    let (made, about) = with_text(ACTING);
    let page = html(&made, &about);
    // the library of the charts is not ours
    let (before, rest) = page.split_once("<script>").expect("the library");
    let (_, after) = rest.split_once("</script>").expect("its end");
    let [csv, json] = common::files(&made);
    for part in [before, after, &csv, &json] {
        let found = part.char_indices().find(|(_, c)| acts(*c));
        assert_eq!(found.map(|(at, _)| &part[at.saturating_sub(60)..at]), None);
    }
    for markup in ["<b>\"", "'</script>=1\\", "[31m\n"] {
        assert!(!before.contains(markup), "{markup}");
    }
    // a line of the configuration ends where it ended
    assert!(page.contains("\n[ftl]\n"));
    // and a program finds the very text
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["trace"]["name"], ACTING);
    assert_eq!(value["rows"][1]["label"], ACTING);
}

/// The comparison with the greatest numbers.
fn with_numbers(number: f64, count: u64) -> Comparison {
    let mut made = common::comparison("w1.csv");
    let wear = Wear {
        mean: Some(number),
        worst: Some(number),
    };
    for row in &mut made.rows {
        row.outcome.counters = Counters {
            host_writes: count,
            host_write_bytes: count,
            erases: count,
            switch_merges: count,
            partial_merges: count,
            full_merges: count,
            gc_victims: count,
            flash_copies: count,
            copy_backs: count,
            merge_programs: count,
            flash_programs: count,
            padding_reads: count,
            elapsed_ns: count,
            ..Counters::default()
        };
        row.erase_histogram = vec![(0, u32::MAX), (u32::MAX, u32::MAX)];
        row.relative = FIGURES
            .iter()
            .map(|figure| (*figure, Some(number)))
            .collect();
        let derived = &mut row.outcome.derived;
        derived.throughput_mb_s = Some(number);
        derived.waf = Some(number);
        derived.write_hit_ratio = Some(number);
        derived.time_ns = TimeParts::of(Cause::ALL.map(|cause| (cause, count)));
        let endurance = &mut row.outcome.endurance;
        endurance.flash_bytes = FlashBytes::of(Cause::ALL.map(|cause| (cause, count)));
        endurance.largest_cause = Some(Cause::Merge);
        endurance.tb_until_worn = wear;
        endurance.years = wear;
        endurance.drive_writes_per_day = wear;
    }
    made.verdict.over_baseline = Some(Margin {
        label: "lru".into(),
        size: made.verdict.against_size,
        value: None,
        figure: Some(number),
        throughput: Some(number),
        erases: Some(number),
    });
    made
}

/// The texts in all elements that begin and end like this.
fn texts<'a>(page: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    let parts = page.split(start).skip(1);
    let inner = parts.filter_map(|part| part.split_once(end));
    // what is left of each tag
    let text = |part: &'a str| Some(part.split_once('>')?.1);
    inner
        .flat_map(|(inner, _)| inner.split('<').filter_map(text))
        .collect()
}

#[test]
fn no_number_overflows_its_cell() {
    for (number, count) in [
        (1e308, u64::MAX),
        (f64::MAX, u64::MAX),
        (f64::INFINITY, u64::MAX),
        (f64::NAN, 0),
        (5e-324, 1),
        (-1e308, 1),
    ] {
        let made = with_numbers(number, count);
        let page = html(&made, &common::about());
        let page = page.split("<script").next().expect("a page");
        for (start, end) in [("<td", "</td>"), ("<small", "</small>"), ("<dd", "</dd>")] {
            let texts = texts(page, start, end);
            assert!(texts.len() > 8, "{start}");
            for text in texts {
                // a word of a cell that has words is as long as it is
                let longest = text.split(' ').map(|word| word.chars().count()).max();
                assert!(longest <= Some(26), "{number:e}: {text}");
            }
        }
        for text in texts(page, "<p class=\"value\"", "</p>") {
            assert!(text.chars().count() <= 32, "{number:e}: {text}");
        }
        assert!(!page.contains("NaN"), "{number:e}");
        common::files(&made);
    }
}

/// The elements of a page that are wider than the element around them, where nothing scrolls.
const OVERFLOWING: &str = r#"<script>
addEventListener("load", () => setTimeout(() => {
  const scrolls = (element) => element.closest(".scroll, pre, .chart, script, style, option, select, .said");
  const wide = [...document.querySelectorAll("body, body *")].filter((element) => !scrolls(element))
    .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0
      && getComputedStyle(element).display !== "inline");
  const cells = [...document.querySelectorAll("td, th")].filter((cell) => cell.scrollWidth > cell.clientWidth + 1);
  const told = [...wide, ...cells].map((element) => `${element.tagName}.${element.className}: ${element.textContent.slice(0, 40)}`);
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) told.push("the page");
  document.body.innerHTML = `<pre id="told">${told.length ? told.join("\n").replaceAll("<", "&lt;") : "nothing"}</pre>`;
}, 500));
</script>"#;

#[test]
fn nothing_is_wider_than_its_place() {
    let long = "n".repeat(255);
    let (mut named, about) = with_text(&long);
    named.rows[0].label = format!("{long} first");
    named.verdict.over_baseline = named.rows.first().map(|row| Margin {
        label: row.label.clone(),
        size: None,
        value: None,
        figure: Some(0.5),
        throughput: Some(0.5),
        erases: None,
    });
    let pages = [
        html(&with_numbers(1e300, u64::MAX), &common::about()),
        html(&named, &about),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.html");
    for page in pages {
        std::fs::write(&path, page + OVERFLOWING).unwrap();
        let browser = Browser::find().unwrap_or_else(|error| panic!("{error}"));
        let visit = browser.visit(&path, Scheme::Light);
        let visit = visit.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(visit.console, [""; 0]);
        let (_, told) = visit
            .dom
            .split_once("<pre id=\"told\">")
            .expect("an answer");
        assert_eq!(told.split_once("</pre>").expect("its end").0, "nothing");
    }
    assert!(named.rows.iter().all(|row| row.kind == RowKind::Policy));
}
