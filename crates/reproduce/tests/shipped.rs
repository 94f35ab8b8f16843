//! The papers that are kept in this repository.

use std::fs;
use std::path::{Path, PathBuf};

use ssdlab_reproduce::{Paper, papers};

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

fn read(path: &str) -> String {
    fs::read_to_string(in_repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

// planted bugs: a figure without a stand-in left off the page; a claim without its verdict
#[test]
fn a_page_names_every_figure_and_claim() {
    let names = papers(&in_repository("reproduce"));
    assert_eq!(names, ["bagc-2012", "bplru-2008", "deb", "plru-br-2q"]);
    for name in names {
        let paper = Paper::read(&in_repository("reproduce"), &name).expect("a valid description");
        let page = read(&format!("reproduce/{name}/README.md"));
        for figure in &paper.description.figure {
            let (id, anchor) = (figure.number(), figure.anchor());
            let heading = format!("\n## {}: {}\n", figure.name(), figure.title);
            assert_eq!(page.matches(&heading).count(), 1, "{heading}");
            for claim in &figure.claim {
                let line = format!("| [{id}](#{anchor}) | {} |", claim.says.get_ref());
                let line = page.lines().find(|other| other.starts_with(&line));
                let verdict = line.and_then(|line| line.rsplit(" | ").next());
                let untested = verdict == Some("no stand-in |");
                assert!(verdict.is_some_and(|verdict| verdict.len() > 2), "{id}");
                assert_eq!(untested, figure.missing.is_some(), "{id}");
            }
        }
    }
}

/// Figure 19 is a photograph; the figures before 7 explain the policy.
#[test]
fn bplru_has_all_figures_of_results() {
    let paper = Paper::read(&in_repository("reproduce"), "bplru-2008").expect("a description");
    let figures = paper.description.figure.iter();
    let ids: Vec<&str> = figures.map(|figure| figure.id.get_ref().as_str()).collect();
    let expected = (7..=18).chain([20]).map(|id: u32| id.to_string());
    assert_eq!(ids, expected.collect::<Vec<_>>());
}

// planted bug: numbers in README that are no longer those of the page
#[test]
fn readme_says_what_the_page_says() {
    let page = read("reproduce/bplru-2008/README.md");
    let sentence = page
        .lines()
        .find_map(|line| line.strip_prefix("**")?.strip_suffix("**"))
        .expect("a sentence in bold");
    let readme: Vec<String> = read("README.md")
        .split_whitespace()
        .map(Into::into)
        .collect();
    assert!(readme.join(" ").contains(sentence), "{sentence}");
}
