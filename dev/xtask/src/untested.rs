//! What a manifest leaves out of the tests (`test = false`), so that it is not compiled a second time, has none.

use std::fs;
use std::path::Path;

use crate::tree::{files, root};

// Planted bugs: a test in a library whose manifest leaves it out; a test in the file of a program that is left out.
#[test]
fn what_is_left_out_has_no_tests() {
    let files = files(root()).unwrap();
    let read = |file: &Path| fs::read_to_string(root().join(file)).unwrap();
    let mut left_out = 0;
    for manifest in files.iter().filter(|file| file.ends_with("Cargo.toml")) {
        let folder = manifest.parent().unwrap();
        let text = read(manifest);
        let sections = text
            .split("\n[")
            .filter(|section| section.lines().any(|line| line == "test = false"));
        for section in sections {
            let source = folder.join("src");
            // a library is everything but the file of the program
            let is_part = |file: &&Path| {
                let is_program = file.ends_with("src/main.rs");
                file.starts_with(&source) && is_program == section.starts_with("[bin]]")
            };
            for file in files.iter().map(|file| file.as_path()).filter(is_part) {
                let is_rust = file.extension().is_some_and(|end| end == "rs");
                assert!(
                    !is_rust || !read(file).contains("#[test]"),
                    "{}: its manifest leaves it out",
                    file.display()
                );
            }
            left_out += 1;
        }
    }
    assert!(left_out > 10, "{left_out}");
}
