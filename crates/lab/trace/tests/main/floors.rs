//! Imports go one way.

use std::fs;
use std::path::Path;

/// The modules of each floor, from the lowest, as `lib.rs` declares them.
fn floors(root: &str) -> Vec<Vec<&str>> {
    let (_, floors) = root.split_once("// The floors").unwrap();
    let groups = floors.split("\n\n").map(|group| {
        let modules = group.lines().filter_map(|line| {
            let line = line.strip_prefix("pub ").unwrap_or(line);
            line.strip_prefix("mod ")?.strip_suffix(';')
        });
        modules.collect()
    });
    groups.filter(|group: &Vec<_>| !group.is_empty()).collect()
}

/// All code of a module, without comments.
fn code(path: &Path) -> String {
    if path.is_dir() {
        let files = fs::read_dir(path).unwrap();
        return files.map(|file| code(&file.unwrap().path())).collect();
    }
    let text = fs::read_to_string(path).unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Planted bugs: a module that uses one beside it or above it; a name of the whole crate, which hides its module.
#[test]
fn a_module_uses_only_floors_below_it() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    let root = fs::read_to_string(folder.join("lib.rs")).unwrap();
    let floors = floors(&root);
    let floor = |module: &str| floors.iter().position(|group| group.contains(&module));
    let mut modules = 0;
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let module = path.file_stem().unwrap().to_str().unwrap();
        if module == "lib" {
            continue;
        }
        modules += 1;
        let own = floor(module).unwrap_or_else(|| panic!("lib.rs has no floor for {module}"));
        for part in code(&path).split("crate::").skip(1) {
            let end = part.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
            let used = &part[..end.unwrap_or(part.len())];
            let below = floor(used).is_some_and(|floor| floor < own);
            assert!(below || used == module, "{module} uses {used:?}");
        }
    }
    assert_eq!(modules, floors.concat().len());
}
