//! One door for systems: [`Lab`](ssdlab_sim::Lab).
//!
//! Planted bug that this test catches: a study that resolves its settings for the built-in systems alone, and so refuses
//! those of other crates.

use std::fs;
use std::path::{Path, PathBuf};

/// The files of Rust below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let below = |path: PathBuf| match path.is_dir() {
        true => sources(&path),
        false => vec![path],
    };
    let all = paths.flat_map(below);
    all.filter(|path| path.extension().is_some_and(|ext| ext == "rs"))
        .collect()
}

#[test]
fn no_experiment_resolves_for_the_built_in_systems_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let crates = fs::read_dir(root.join("crates/lab")).expect("a folder");
    let crates = crates.map(|entry| entry.expect("an entry").path().join("src"));
    let others = ["python/src", "dev/xtask/src"].map(|folder| root.join(folder));
    let mut found = Vec::new();
    for folder in crates.chain(others) {
        // the crate that has this resolver
        if folder.ends_with("config/src") {
            continue;
        }
        for path in sources(&folder) {
            let text = fs::read_to_string(&path).expect("text");
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            let alone = ["Resolver::new()", "Resolver::default()"];
            if alone.iter().any(|alone| text.contains(alone)) {
                found.push(path);
            }
        }
    }
    assert!(found.is_empty(), "take Lab::resolver instead: {found:?}");
}
