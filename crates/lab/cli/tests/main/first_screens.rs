//! The first screens of the pages of papers, in a browser.
//!
//! Planted bugs that these catch: a main result, or a statement that makes the paper, below the first screen; a part of the
//! page that is open at first; a table without its lines.

use std::fs;
use std::path::Path;

use ssdlab_browser::{Browser, Scheme};
use tempfile::TempDir;

use crate::common::in_repository;

/// The width and the height of the first screen in pixels.
const SCREEN: (u32, u32) = (980, 1000);

/// Sizes and distances of a page on GitHub, and a script that says how far down the last line of the table reaches.
const PAGE: &str = r#"<!doctype html><meta charset="utf-8"><style>
body { margin: 0 auto; box-sizing: border-box; width: 980px; padding: 32px; font: 16px/1.5 "Noto Sans", Helvetica, Arial, sans-serif; }
h1 { font-size: 2em; line-height: 1.25; margin: 0 0 16px; padding-bottom: .3em; border-bottom: 1px solid #ddd; }
p, table, details { margin: 0 0 16px; }
table { border-collapse: collapse; }
th, td { border: 1px solid #ddd; padding: 6px 13px; text-align: left; }
code { font-size: 85%; }
</style><body>TEXT<script>
const bottom = Math.ceil(document.querySelector("table tr:last-child").getBoundingClientRect().bottom);
document.body.dataset.bottom = bottom;
</script>"#;

/// The top of a page as HTML: what stands before its closed parts, and their headings.
fn html(page: &str) -> String {
    let mut text = String::new();
    let mut is_table = false;
    let top = page.split("<details>").next().expect("a top");
    for line in top
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("<!--"))
    {
        let row = line
            .strip_prefix("| ")
            .and_then(|row| row.strip_suffix(" |"));
        if row.is_some() != is_table {
            text += if is_table { "</table>" } else { "<table>" };
            is_table = row.is_some();
        }
        let (tag, line) = match (row, line.strip_prefix("# ")) {
            (Some(row), _) if row.starts_with("---") => continue,
            (Some(row), _) => (
                "tr",
                format!("<td>{}</td>", row.replace(" | ", "</td><td>")),
            ),
            (None, Some(title)) => ("h1", title.to_owned()),
            (None, None) => ("p", line.to_owned()),
        };
        text += &format!(
            "<{tag}>{}</{tag}>",
            inline(&inline(&line, "**", "b"), "`", "code")
        );
    }
    text += if is_table { "</table>" } else { "" };
    for part in page.split("<details><summary>").skip(1) {
        let heading = part.split("</summary>").next().expect("a heading");
        text += &format!("<details><summary>{heading}</summary></details>");
    }
    PAGE.replace("TEXT", &text)
}

/// A line in which every other piece between two marks is an element.
fn inline(line: &str, mark: &str, tag: &str) -> String {
    let pieces = line.split(mark).enumerate();
    let pieces = pieces.map(|(i, piece)| match i % 2 {
        0 => piece.to_owned(),
        _ => format!("<{tag}>{piece}</{tag}>"),
    });
    pieces.collect()
}

#[test]
fn the_first_screen_holds_the_main_result_and_what_makes_the_paper() {
    let browser = Browser::find().unwrap_or_else(|error| panic!("{error}"));
    let folder = TempDir::new().unwrap();
    let mut papers = 0;
    for entry in fs::read_dir(in_repository("reproduce")).unwrap() {
        let path = entry.unwrap().path();
        let page = fs::read_to_string(path.join("README.md")).unwrap();
        if !page.contains("\n**The paper:** ") {
            continue;
        }
        papers += 1;
        assert!(!page.contains("<details open"), "{}", path.display());
        let name = path.file_name().unwrap().display().to_string();
        let shown = folder.path().join("page.html");
        let html = html(&page);
        assert!(
            (7..=9).contains(&html.matches("<tr>").count()),
            "{name}: {html}"
        );
        fs::write(&shown, html).unwrap();
        let visit = browser.visit(&shown, Scheme::Light).unwrap();
        let bottom = visit.dom.split("data-bottom=\"").nth(1).expect("a bottom");
        let bottom: u32 = bottom.split('"').next().unwrap().parse().unwrap();
        assert!((200..=SCREEN.1).contains(&bottom), "{name}: {bottom}");
        // for the reader of the tests
        let picture = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
        browser
            .screenshot(&shown, Scheme::Light, SCREEN, &picture)
            .unwrap();
        let png = fs::read(picture).unwrap();
        let size = [16, 20].map(|at| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()));
        assert_eq!(size, [SCREEN.0, SCREEN.1], "{name}");
    }
    assert_eq!(papers, 5);
}
