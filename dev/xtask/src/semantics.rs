//! Checks `docs/semantics.md`: it leaves out no counter, key or system, and each test that it names exists.

use std::collections::BTreeMap;
use std::fs;

use ssdlab_config::{Kind, default_of, keys, names};
use ssdlab_device::{Catalogue, Counters};

use crate::tree::root;

/// Stands before the name of a test.
const MARK: &str = "[✓][";

fn page() -> String {
    fs::read_to_string(root().join("docs/semantics.md")).unwrap()
}

// Planted bugs: a counter, a key or a policy that is not described; a default that has changed.
#[test]
fn every_counter_key_and_system_is_described() {
    let page = page();
    let has = |code: &str| page.contains(&format!("`{code}`"));
    for (counter, _) in Counters::default().entries() {
        assert!(has(counter), "{counter} is missing");
    }
    for key in keys(&Catalogue::built_in()) {
        let row = match default_of(&key) {
            Some(default) => format!("| `{}` | `{default}` |", key.path),
            None => format!("| `{}` | – |", key.path),
        };
        let is_there = page.lines().any(|line| line.starts_with(&row));
        assert!(is_there, "the table of keys has no {row}");
        if let Kind::Choice(choice) = key.kind {
            for name in names(&choice, &Catalogue::built_in()) {
                assert!(has(name), "{} = {name} is missing", key.path);
            }
        }
    }
}

// Planted bugs: a test that was renamed, moved or removed; a link that nothing uses.
#[test]
fn every_test_that_is_named_exists() {
    let page = page();
    let links = page.lines().filter_map(link);
    let mut files: BTreeMap<&str, &str> = links.collect();
    let named: Vec<&str> = page.split(MARK).skip(1).map(name).collect();
    assert!(named.len() > 100, "{} tests", named.len());
    for test in &named {
        let file = files.get(test).unwrap_or_else(|| panic!("{test}: no link"));
        let source = fs::read_to_string(root().join("docs").join(file)).unwrap_or_default();
        let (modules, function) = test.rsplit_once("::").expect("a module and a function");
        let path = format!("/{}.rs", modules.replace("::", "/"));
        assert!(file.ends_with(&path), "{test} is not in {file}");
        assert!(has_test(&source, function), "{test} is not in {file}");
    }
    files.retain(|test, _| !named.contains(test));
    assert!(files.is_empty(), "no statement names {files:?}");
}

/// The name of a test, from its start.
fn name(text: &str) -> &str {
    text.split(']').next().unwrap_or_default()
}

/// Name and file of a line `[name]: file`.
fn link(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix('[')?.split_once("]: ")
}

/// Whether the first line of a function has `#[test]` above it, with nothing but comments and attributes between them.
fn has_test(source: &str, function: &str) -> bool {
    let first = format!("fn {function}(");
    let mut is_test = false;
    source.lines().map(str::trim).any(|line| {
        let above = line.starts_with("#[") || line.starts_with("//");
        let found = is_test && line.starts_with(&first);
        is_test = line == "#[test]" || above && is_test;
        found
    })
}
