//! Checks that the commands of `check` share what they build, and that the profile of the tests leaves nothing out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use crate::tree::{files, root};

// Planted bug: a default feature that only a crate beside `xtask` and `ssdlab` needs. `cargo xtask` would build the
// library without it, and all above it, once more.
#[test]
fn every_command_needs_the_same_features() {
    let all = with_features("--workspace");
    for package in ["--package=xtask", "--package=ssdlab"] {
        let alone: Vec<_> = with_features(package).difference(&all).cloned().collect();
        let empty: [String; 0] = [];
        assert_eq!(alone, empty, "{package}: with other features than all");
    }
}

/// All crates that are built for these packages and their tests, with their features.
fn with_features(packages: &str) -> BTreeSet<String> {
    let listed = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", packages])
        .args(["--edges=normal,build,dev", "--prefix=none"])
        .args(["--format={p} {f}"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(listed.status.success(), "{listed:?}");
    let listed = String::from_utf8(listed.stdout).unwrap();
    // what was listed before is marked
    let lines = listed.lines().map(|line| line.trim_end_matches(" (*)"));
    lines.map(|line| line.trim_end().to_owned()).collect()
}

// Planted bug: another setting of the profile in the crate outside the workspace, where all crates of others would be
// built once more.
#[test]
fn the_crate_in_examples_has_the_profile_of_the_tests() {
    let folder = root().join("examples/own-policy");
    let locked = fs::read_to_string(folder.join("Cargo.lock")).unwrap();
    let is_there = |section: &str| match section.strip_prefix("[profile.dev.package.") {
        Some(package) => {
            let name = package.trim_end_matches(']');
            // those of this workspace it builds itself, in less time without optimisation
            let is_of_others = !name.starts_with("ssdlab");
            is_of_others && (name == "\"*\"" || locked.contains(&format!("name = \"{name}\"\n")))
        }
        None => section.starts_with("[profile.dev"),
    };
    let [tests, own] = [root().join("Cargo.toml"), folder.join("Cargo.toml")].map(|manifest| {
        let mut sections = sections(&fs::read_to_string(manifest).unwrap());
        sections.retain(|section, _| is_there(section));
        sections
    });
    assert!(own.len() > 10, "{own:?}");
    assert_eq!(own, tests);
}

/// The lines of each section of a manifest.
fn sections(manifest: &str) -> BTreeMap<String, Vec<String>> {
    let mut sections = BTreeMap::new();
    let mut lines: &mut Vec<String> = sections.entry(String::new()).or_default();
    for line in manifest.lines() {
        if line.starts_with('[') {
            lines = sections.entry(line.to_owned()).or_default();
        } else if !line.is_empty() && !line.starts_with('#') {
            lines.push(line.to_owned());
        }
    }
    sections
}

// Planted bug: a crate with a debug assertion that no test runs.
#[test]
fn debug_assertions_are_on_where_there_are_some() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let mut with_some = BTreeSet::new();
    for file in files(root()).unwrap() {
        let mut names = file.iter().map(|name| name.to_str().unwrap());
        let is_rust = file.extension().is_some_and(|kind| kind == "rs");
        let (Some("crates"), Some(folder), true) = (names.next(), names.next(), is_rust) else {
            continue;
        };
        let text = fs::read_to_string(root().join(&file)).unwrap();
        if ["debug_assert", "cfg(debug_assertions"]
            .iter()
            .any(|some| text.contains(some))
        {
            with_some.insert(folder.to_owned());
        }
    }
    assert!(with_some.contains("policy"), "{with_some:?}");
    for folder in with_some {
        let name = match &*folder {
            "cli" => "ssdlab".to_owned(),
            _ => format!("ssdlab-{folder}"),
        };
        let on = format!("[profile.dev.package.{name}]\n");
        let section = manifest.split(&on).nth(1).unwrap_or_default();
        let section = section.split('[').next().unwrap_or_default();
        assert!(section.contains("debug-assertions = true"), "{name}");
    }
}
