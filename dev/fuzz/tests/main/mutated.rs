//! Every target holds on changed inputs, which are the same at each run; a fuzzer finds better ones.
//!
//! Planted bugs that these catch: those of `dev/sabotage/bugs.toml` that name this file.

use std::fs;

use fastrand::Rng;
use ssdlab_fuzz::target;

use crate::inputs::{Named, folder, kept, run};
use crate::mutant::{self, mutate};

/// Changes the inputs of a target in turn, `count` times.
fn mutants(name: &'static str, count: usize) {
    let dictionary = folder().join("dictionaries").join(format!("{name}.dict"));
    let words = fs::read_to_string(dictionary).map_or(Vec::new(), |text| mutant::words(&text));
    let kept: Vec<Vec<u8>> = kept(name).into_iter().map(|kept| kept.bytes).collect();
    let mutated = move |number: usize| {
        let mut bytes = kept[number % kept.len()].clone();
        mutate(
            &mut bytes,
            &kept,
            &words,
            &mut Rng::with_seed(number as u64),
        );
        let name = format!("{name}: mutant {number}");
        Named { name, bytes }
    };
    run(target(name).expect("a target"), (0..count).map(mutated));
}

#[test]
fn trace() {
    mutants("trace", 6000);
}

#[test]
fn formats() {
    mutants("formats", 6000);
}

#[test]
fn config() {
    mutants("config", 1500);
}

#[test]
fn image() {
    mutants("image", 800);
}

#[test]
fn requests() {
    mutants("requests", 400);
}

#[test]
fn plugin() {
    mutants("plugin", 400);
}

#[test]
fn status() {
    mutants("status", 2000);
}

#[test]
fn words() {
    mutants("words", 1500);
}
