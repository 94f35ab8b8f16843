//! Every target holds on every input that is kept: seeds, and what a fuzzer has found.
//!
//! Planted bugs that these catch: those of the regressions.

use std::collections::BTreeSet;
use std::fs;

use fastrand::Rng;
use ssdlab_device::Family;
use ssdlab_device::registry::built_in;
use ssdlab_fuzz::{TARGETS, each_choice, target};

use crate::inputs::{Named, folder, kept, run};

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

/// Requests to a drive of each system of the registry, and of each other choice, without a corpus that knows them.
#[test]
fn every_system() {
    let mut missing: Vec<String> = Vec::new();
    for family in Family::ALL {
        // no drive has a bound
        let real = built_in(family)
            .iter()
            .filter(|entry| !entry.rule.starts_with("a bound"));
        missing.extend(real.map(|entry| format!("{}={}", family.selector(), entry.name)));
    }
    let mut inputs = Vec::new();
    for (number, (choices, settings, is_made)) in each_choice().enumerate() {
        if is_made {
            let chosen: Vec<&str> = settings.split_whitespace().collect();
            missing.retain(|system| !chosen.contains(&system.as_str()));
        }
        let mut random = Rng::with_seed(number as u64);
        let requests: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(260).collect();
        let bytes = [&[number as u8 & 1], &choices[..], &requests].concat();
        inputs.push((settings, bytes));
    }
    assert!(missing.is_empty(), "no drive has {missing:?}");
    for name in ["requests", "plugin"] {
        let named = move |(settings, bytes): (&str, Vec<u8>)| Named {
            name: format!("{name}: {settings}"),
            bytes,
        };
        let inputs = inputs.clone().into_iter().map(named);
        run(target(name).expect("a target"), inputs);
    }
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
