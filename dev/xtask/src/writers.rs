//! Holds the code to the rule that all that is written comes from `output`.

use std::fs;
use std::path::Path;

/// What opens a file for writing, in Rust and in Python.
const OPENS: [&str; 8] = [
    "File::create",
    "File::options",
    "OpenOptions::new()",
    "fs::write(",
    "fs::copy(",
    ".write_text(",
    ".write_bytes(",
    "open(\"w",
];

/// The files that do so, and why they may.
const MAY: [(&str, &str); 5] = [
    (
        "crates/drive/image/src/disk.rs",
        "an image is changed in place",
    ),
    ("crates/lab/output/src/unix/folder.rs", "it is `output`"),
    ("crates/lab/output/src/windows.rs", "it is `output`"),
    (
        "crates/satellites/replay/src/file.rs",
        "a target of a replay is changed in place",
    ),
    (
        "python/ssdlab/trace.py",
        "a trace that is fetched gets its name when it is there",
    ),
];

fn sources(folder: &Path, all: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.ends_with("/tests")
                && !name.ends_with("/examples")
                && !name.ends_with("/benches")
            {
                sources(&path, all);
            }
        } else if name.ends_with(".rs") || name.ends_with(".py") {
            all.push(name);
        }
    }
}

// Planted bug: a command that opens its output itself.
#[test]
fn files_are_opened_for_writing_in_one_place() {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    for folder in ["crates", "python/src", "python/ssdlab"] {
        sources(&tree.join(folder), &mut all);
    }
    assert!(all.len() > 500);
    let mut found: Vec<String> = Vec::new();
    for name in &all {
        let text = fs::read_to_string(name).expect("text");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        // that of `output`
        let code = code.replace("NewFile::create", "");
        let code = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        if code
            .into_iter()
            .any(|line| OPENS.iter().any(|opens| line.contains(opens)))
        {
            let own = Path::new(name).strip_prefix(&tree).expect("in the tree");
            found.push(own.to_string_lossy().into_owned());
        }
    }
    found.sort();
    let may = MAY.map(|(file, _)| file);
    assert_eq!(
        found, may,
        "all else goes through the crate output; why these may: {MAY:?}"
    );
}
