//! The browser records each fault that the tests of the report look for.

use std::path::PathBuf;

use ssdlab_browser::{Browser, Scheme, Visit};
use tempfile::TempDir;

fn visit(html: &str, scheme: Scheme) -> Visit {
    let folder = TempDir::new().unwrap();
    let page: PathBuf = folder.path().join("page.html");
    std::fs::write(&page, html).unwrap();
    let browser = Browser::find().unwrap_or_else(|error| panic!("{error}"));
    browser
        .visit(&page, scheme)
        .unwrap_or_else(|error| panic!("{error}"))
}

// Planted bugs: reading another log format than this browser writes; leaving out requests of scripts.
#[test]
fn whatever_goes_wrong_is_told() {
    let visit = visit(
        r#"<!doctype html>
        <img src="http://image.invalid/image.png">
        <script>
          console.warn("a warning");
          console.error("an error");
          fetch("https://fetch.invalid/data");
          setTimeout(() => { throw new Error("thrown late"); }, 1000);
          Promise.reject(new Error("rejected"));
        </script>"#,
        Scheme::Light,
    );
    let console = visit.console.join("\n");
    for message in ["a warning", "an error", "thrown late", "rejected"] {
        assert!(console.contains(message), "no {message:?} in {console}");
    }
    let requests = visit.requests.join("\n");
    for host in ["//image.invalid/", "//fetch.invalid/"] {
        assert!(requests.contains(host), "no {host:?} in {requests}");
    }
}

// Planted bug: counting requests only, although the lookup of a name already reaches the network, and not every browser
// looks a name up before it is needed.
#[test]
fn looking_up_a_name_is_told() {
    let page = r#"<!doctype html><link rel="dns-prefetch" href="https://prefetch.invalid">"#;
    let requests = visit(page, Scheme::Light).requests.join("\n");
    assert!(requests.contains("prefetch.invalid"), "{requests}");
}

// Planted bug: counting the browser's own requests.
#[test]
fn a_quiet_page_is_quiet() {
    let visit = visit(
        r#"<!doctype html><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><p id="late"></p>
        <script>setTimeout(() => { late.textContent = matchMedia("(prefers-color-scheme: dark)").matches; }, 5000);</script>"#,
        Scheme::Dark,
    );
    assert_eq!(visit.console, [""; 0]);
    assert_eq!(visit.requests, [""; 0]);
    assert!(
        visit.dom.contains("<p id=\"late\">true</p>"),
        "{}",
        visit.dom
    );
}
