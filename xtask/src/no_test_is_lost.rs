//! Checks that `main.rs` and the manifests name all tests that cargo does not find by itself.

use std::fs;
use std::path::Path;

use ssdlab_device::Family;
use ssdlab_device::registry::{Entry, built_in};
use ssdlab_sim::IDEAL;

use crate::tree::root;

// Planted bugs: a test file that no `main.rs` names; a unit test in a crate whose manifest turns unit tests off; a crate
// that is not documented.
#[test]
fn no_test_is_lost() {
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let package = entry.unwrap().path();
        let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
        let sources = sources(&package.join("src"));
        let units = sources.iter().any(|source| source.contains("#[test]"));
        // where its examples are tested, a crate is documented, too
        for (has_some, switched_off) in [(units, "\ntest = false"), (true, "\ndoctest = false")] {
            let is_lost = has_some && manifest.contains(switched_off);
            assert!(!is_lost, "{}:{switched_off}", package.display());
        }
        let Ok(main) = fs::read_to_string(package.join("tests/main.rs")) else {
            assert!(!package.join("tests").exists(), "{}", package.display());
            continue;
        };
        assert!(
            manifest.contains("autotests = false"),
            "{}",
            package.display()
        );
        for entry in fs::read_dir(package.join("tests")).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            let is_module =
                path.extension().is_some_and(|e| e == "rs") || path.join("mod.rs").exists();
            if is_module && name != "main" {
                assert!(
                    main.contains(&format!("\nmod {name};")),
                    "{}",
                    path.display()
                );
            }
        }
    }
}

// Planted bug: an FTL whose power no test cuts.
#[test]
fn each_ftl_with_flash_has_a_file_of_power_cuts() {
    let folder = root().join("crates/testkit/tests/power_cut");
    let declared = fs::read_to_string(folder.join("mod.rs")).unwrap();
    for Entry { name, .. } in built_in(Family::Ftl) {
        let is_cut = declared.contains(&format!("\nmod {};", name.replace('-', "_")));
        assert!(is_cut || *name == IDEAL, "no power cuts of {name}");
    }
}

fn sources(folder: &Path) -> Vec<String> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources.extend(self::sources(&path));
        } else {
            sources.push(fs::read_to_string(path).unwrap());
        }
    }
    sources
}
