//! Checks that the commands of `check` share what they build, and that the profile of the tests leaves nothing out.

use std::collections::BTreeSet;
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

// Planted bug: a setting for a crate of others in the profile of the tests alone. It would be built once more for the
// release build.
#[test]
fn crates_of_others_are_the_same_in_the_release_build() {
    let used = with_features("--package=ssdlab");
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let of_tests = manifest.split("[profile.bench.package.").skip(1);
    let names: Vec<&str> = of_tests
        .filter_map(|section| Some(section.split_once(']')?.0))
        .collect();
    assert!(names.contains(&"ssdlab-policy"), "{names:?}");
    for name in names {
        let is_own = name.starts_with("ssdlab") || name == "xtask";
        let is_used = used
            .iter()
            .any(|line| line.starts_with(&format!("{name} ")));
        // it checks options while tests run
        assert!(is_own || !is_used || name == "clap_builder", "{name}");
    }
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
        let on = format!("[profile.bench.package.{name}]\n");
        let section = manifest.split(&on).nth(1).unwrap_or_default();
        let section = section.split('[').next().unwrap_or_default();
        assert!(section.contains("debug-assertions = true"), "{name}");
    }
}
