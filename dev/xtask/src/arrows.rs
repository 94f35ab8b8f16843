//! Holds the manifests to the picture in DESIGN.md.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::tree::root;

/// A crate of the workspace: its folder, and the folders of the crates that it uses, with the kind of use.
struct Crate {
    folder: String,
    uses: Vec<(String, Option<String>)>,
}

fn crates() -> Vec<Crate> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version=1", "--no-deps", "--offline"]);
    let printed = cargo.current_dir(root()).output().unwrap().stdout;
    let metadata: Value = serde_json::from_slice(&printed).unwrap();
    let folder = |path: &Value| {
        let path = Path::new(path.as_str()?).strip_prefix(root()).ok()?;
        Some(path.to_str()?.trim_end_matches("/Cargo.toml").to_owned())
    };
    let packages = metadata["packages"].as_array().unwrap();
    let of_package = |package: &Value| Crate {
        folder: folder(&package["manifest_path"]).unwrap(),
        uses: (package["dependencies"].as_array().unwrap().iter())
            .filter_map(|used| {
                let kind = used["kind"].as_str().map(str::to_owned);
                Some((folder(&used["path"])?, kind))
            })
            .collect(),
    };
    packages.iter().map(of_package).collect()
}

/// The folders of the crates in the order of the tables in DESIGN.md.
fn order() -> Vec<String> {
    let design = fs::read_to_string(root().join("DESIGN.md")).unwrap();
    let (_, picture) = design.split_once("## The picture").unwrap();
    let (picture, _) = picture.split_once("\n## ").unwrap();
    let mut folder = "";
    let mut order = Vec::new();
    for line in picture.lines() {
        let first = line
            .strip_prefix("| ")
            .and_then(|line| line.split(" |").next());
        let name = first.unwrap_or_default().trim_matches('`');
        match first {
            // the head of a table
            Some("above both") => folder = "",
            Some(_) if name.ends_with('/') => folder = name,
            Some(first) if first.starts_with('`') => order.push(format!("{folder}{name}")),
            _ => {}
        }
    }
    order
}

// Planted bugs: a manifest with a dependency on a crate further down; a crate that the picture lacks.
#[test]
fn a_crate_uses_only_crates_above_it() {
    let order = order();
    let place = |folder: &str| order.iter().position(|other| other == folder);
    let crates = crates();
    assert_eq!(crates.len(), order.len(), "{order:?}");
    for Crate { folder, uses } in &crates {
        let its_place = place(folder).unwrap_or_else(|| panic!("DESIGN.md does not have {folder}"));
        for (used, kind) in uses {
            let is_built_with_it = kind.as_deref() != Some("dev");
            let is_above = place(used).is_some_and(|place| place < its_place);
            assert!(is_above || !is_built_with_it, "{folder} uses {used}");
        }
    }
}

// Planted bug: an example of `device` that reads a configuration.
#[test]
fn the_core_uses_only_the_core() {
    const CORE: &str = "crates/core/";
    let crates = crates();
    let core: Vec<_> = (crates.iter())
        .filter(|one| one.folder.starts_with(CORE))
        .collect();
    assert!(core.len() > 5);
    for Crate { folder, uses } in core {
        for (used, _) in uses {
            assert!(used.starts_with(CORE), "{folder} uses {used}");
        }
    }
}

// Planted bug: sweeps that ask `fetch` for the licence of a set.
#[test]
fn nobody_below_the_program_knows_a_satellite() {
    const SATELLITES: &str = "crates/satellites/";
    let below = ["crates/core/", "crates/lab/", "crates/drive/"];
    for Crate { folder, uses } in crates() {
        let is_below = below.iter().any(|at| folder.starts_with(at)) && folder != "crates/lab/cli";
        for (used, _) in uses {
            assert!(
                !(is_below && used.starts_with(SATELLITES)),
                "{folder} uses {used}"
            );
        }
    }
}
