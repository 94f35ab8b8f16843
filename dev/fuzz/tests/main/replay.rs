//! Every target holds on every input that is kept: seeds, and what a fuzzer has found.
//!
//! Planted bugs that these catch: those of the regressions.

use std::collections::BTreeSet;
use std::fs;

use ssdlab_fuzz::{TARGETS, target};

use crate::inputs::{folder, kept, run};

fn replay(name: &str) {
    let kept = kept(name);
    assert!(kept.len() > 10, "{name} has {} inputs", kept.len());
    run(target(name).expect("a target"), kept.into_iter());
}

#[test]
fn trace() {
    replay("trace");
}

#[test]
fn formats() {
    replay("formats");
}

#[test]
fn config() {
    replay("config");
}

#[test]
fn image() {
    replay("image");
}

#[test]
fn requests() {
    replay("requests");
}

#[test]
fn plugin() {
    replay("plugin");
}

#[test]
fn status() {
    replay("status");
}

#[test]
fn words() {
    replay("words");
}

/// Planted bugs: inputs of a target that is gone; a target that no test replays.
#[test]
fn no_input_is_lost() {
    let targets: BTreeSet<String> = TARGETS
        .iter()
        .map(|target| target.name.to_owned())
        .collect();
    for kind in ["corpus", "regressions", "dictionaries"] {
        for entry in fs::read_dir(folder().join(kind)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            assert!(targets.contains(&name), "{}", path.display());
        }
    }
    let tests = include_str!("replay.rs");
    let mutated = include_str!("mutated.rs");
    for name in &targets {
        let test = format!("\n#[test]\nfn {name}() {{");
        assert!(
            tests.contains(&test) && mutated.contains(&test),
            "{name} is not tested"
        );
    }
}
