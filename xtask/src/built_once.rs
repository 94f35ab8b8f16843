//! Checks that the commands of `check` share what they build.

use std::collections::BTreeSet;
use std::process::Command;

use crate::tree::root;

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
