//! Makes the files of tests/malformed: traces and configurations that must be refused.
//!
//! Each is a valid file of a few lines with one fault, and is named after the fault; some faults are random.

mod base;
mod configs;
mod packed;
mod random;
mod traces;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use base::Base;

/// The bytes of each file, by its path in tests/malformed.
type Files = BTreeMap<String, Vec<u8>>;

/// The number of files with random faults for each base.
const RANDOM: usize = 5;

/// Writes the files and the expected messages.
pub fn make(root: &Path) -> Result<(), Box<dyn Error>> {
    let files = files();
    for folder in FOLDERS {
        let folder = place(root).join(folder);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(folder)?;
    }
    for (name, bytes) in files {
        fs::write(place(root).join(name), bytes)?;
    }
    // the test that compares the messages can also write them
    let ended = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
        .args([
            "test",
            "--quiet",
            "--profile",
            "bench",
            "--package",
            "ssdlab",
        ])
        .args(["--test", "main", "malformed::"])
        .env("UPDATE_EXPECTED", "1")
        .current_dir(root)
        .status()?;
    match ended.success() {
        true => Ok(()),
        false => Err("crates/cli/tests/malformed.rs fails".into()),
    }
}

const FOLDERS: [&str; 2] = ["configs", "traces"];

fn place(root: &Path) -> PathBuf {
    root.join("tests/malformed")
}

fn files() -> Files {
    let mut files = Files::new();
    for base in traces::BASES.iter().chain([&configs::BASE]) {
        let Base {
            prefix, extension, ..
        } = base;
        let named = base
            .changes
            .iter()
            .map(|(name, change)| (*name, base.changed(name, change)));
        for (name, bytes) in named {
            keep(&mut files, format!("{prefix}{name}.{extension}"), bytes);
        }
        for (name, bytes) in random::refused(base, RANDOM) {
            keep(&mut files, format!("{prefix}{name}.{extension}"), bytes);
        }
    }
    for (name, bytes) in packed::files() {
        keep(&mut files, format!("traces/{name}"), bytes);
    }
    files
}

fn keep(files: &mut Files, name: String, bytes: Vec<u8>) {
    let before = files.insert(name.clone(), bytes);
    assert!(before.is_none(), "{name} is made twice");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::root;

    /// Planted bugs: a file edited by hand; a file of the list that is missing in the folder.
    #[test]
    fn the_kept_files_are_those_made() {
        let mut kept = Files::new();
        for folder in FOLDERS {
            for entry in fs::read_dir(place(root()).join(folder)).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_str().unwrap();
                keep(
                    &mut kept,
                    format!("{folder}/{name}"),
                    fs::read(&path).unwrap(),
                );
            }
        }
        let made = files();
        let names = |files: &Files| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&kept), names(&made), "run: cargo xtask malformed");
        for (name, bytes) in &made {
            assert!(
                kept[name] == *bytes,
                "{name} is not as made; run: cargo xtask malformed"
            );
            assert!(bytes.len() < 4096, "{name} is too large to keep");
        }
    }

    /// Planted bug: a base that is refused itself, so that the fault of its files is not the one in their names.
    #[test]
    fn the_bases_are_valid() {
        for base in traces::BASES.iter().chain([&configs::BASE]) {
            assert!(!(base.refused)(base.text.as_bytes()), "{}", base.prefix);
        }
    }
}
