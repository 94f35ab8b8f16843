//! Checks `CITATION.cff`, and the table of papers in `docs/semantics.md`.

use std::fs;

use yaml_rust2::YamlLoader;

use crate::tree::root;

// Planted bugs: the version of the release before; a title that differs from what `ssdlab cite` prints.
#[test]
fn the_citation_file_is_of_this_version() {
    let text = fs::read_to_string(root().join("CITATION.cff")).unwrap();
    let documents = YamlLoader::load_from_str(&text).unwrap();
    let file = &documents[0];
    assert_eq!(file["cff-version"].as_str(), Some("1.2.0"));
    assert_eq!(file["version"].as_str(), Some(env!("CARGO_PKG_VERSION")));
    assert_eq!(file["title"].as_str(), Some(ssdlab_publish::TITLE));
    assert_eq!(file["type"].as_str(), Some("software"));
    assert!(file["message"].as_str().is_some());
    let licences: Vec<&str> = file["license"]
        .as_vec()
        .unwrap()
        .iter()
        .filter_map(|l| l.as_str())
        .collect();
    // a list means a choice
    assert_eq!(licences.join(" OR "), env!("CARGO_PKG_LICENSE"));
    let authors = file["authors"].as_vec().unwrap();
    assert_eq!(authors[0]["name"].as_str(), Some("The ssdlab developers"));
    let repository = Some(env!("CARGO_PKG_REPOSITORY")).filter(|address| !address.is_empty());
    assert_eq!(file["repository-code"].as_str(), repository);
}

// Planted bugs: a title that is spelled otherwise; a paper that is not in the table.
#[test]
fn the_papers_are_those_of_the_systems() {
    let page = fs::read_to_string(root().join("docs/semantics.md")).unwrap();
    let (_, section) = page.split_once("## 15. Papers").unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| "));
    let rows: Vec<&str> = rows.skip(2).collect();
    let papers = ssdlab_policy::papers::ALL;
    let expected: Vec<String> = papers
        .iter()
        .map(|paper| format!("| {} | {paper} |", paper.name))
        .collect();
    assert_eq!(rows, expected);
}
