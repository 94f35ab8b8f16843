//! The pages that need long runs: those of `reproduce/` and of `docs/policies`.
//!
//! It takes minutes to make all pages. So digests of their inputs and of the pages are stored: while the digests are
//! current, a check makes only a sample of the pages.

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::{policies, ssdlab, tree};

/// The path of the digests.
const DIGESTS: &str = "docs/pages.sha256";

/// The studies in the sample.
const STUDIES: [&str; 2] = ["bplru-2008", "theory"];
/// The family of `docs/policies` in the sample.
const FAMILY: &str = "placements";

/// Crates whose code has no effect on the figures.
const BESIDE: [&str; 2] = ["crates/browser/", "crates/testkit/"];

/// Makes all pages.
pub fn make(root: &Path) -> Result<(), Box<dyn Error>> {
    reproduce(root, "all", &[])?;
    policies::make(root)?;
    Ok(fs::write(root.join(DIGESTS), digests(root)?)?)
}

/// Makes all pages and fails with the names of those that are not current.
pub fn check(root: &Path) -> Result<(), Box<dyn Error>> {
    reproduce(root, "all", &["--check"])?;
    current(policies::check(root)?)?;
    check_digests(root)
}

/// Checks the digests and makes the sample.
pub fn sample(root: &Path) -> Result<(), Box<dyn Error>> {
    check_digests(root)?;
    for study in STUDIES {
        reproduce(root, study, &["--check"])?;
    }
    current(policies::check_family(root, FAMILY)?)
}

fn reproduce(root: &Path, name: &str, options: &[&str]) -> Result<(), Box<dyn Error>> {
    let status = ssdlab::program(root)
        .args(["reproduce", name])
        .args(options)
        .current_dir(root)
        .status()?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("ssdlab reproduce {name}: {status}").into()),
    }
}

fn current(stale: Vec<String>) -> Result<(), Box<dyn Error>> {
    match stale.is_empty() {
        true => Ok(()),
        false => Err(format!("{}\nnot current; run: cargo xtask pages", stale.join("\n")).into()),
    }
}

fn check_digests(root: &Path) -> Result<(), Box<dyn Error>> {
    let known = fs::read_to_string(root.join(DIGESTS)).unwrap_or_default();
    let now = digests(root)?;
    let changed = now
        .lines()
        .filter(|line| !known.lines().any(|k| k == *line));
    let parts: Vec<&str> = changed.filter_map(|line| line.split("  ").nth(1)).collect();
    match parts.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "{DIGESTS}: changed since the pages were made: {}; run: cargo xtask pages",
            parts.join(", ")
        )
        .into()),
    }
}

/// One line for each part: the digest of its files, and its name.
fn digests(root: &Path) -> Result<String, Box<dyn Error>> {
    let files = tree::files(root)?;
    let mut lines = String::new();
    for (name, is_part) in PARTS {
        let mut digest = Sha256::new();
        for file in files.iter().filter(|file| is_part(file)) {
            let bytes = fs::read(root.join(file))?;
            // hash the lengths too, so that no two trees give the same bytes
            digest.update(format!("{}\0{}\0", file.display(), bytes.len()));
            digest.update(bytes);
        }
        for byte in digest.finalize() {
            write!(lines, "{byte:02x}")?;
        }
        lines += &format!("  {name}\n");
    }
    Ok(lines)
}

type IsPart = fn(&PathBuf) -> bool;

const PARTS: [(&str, IsPart); 3] = [
    ("code", is_code),
    ("inputs", |file| {
        file.starts_with("traces") || file.starts_with("crates/reproduce/studies")
    }),
    ("pages", |file| {
        file.starts_with("reproduce") || file.starts_with(policies::FOLDER)
    }),
];

/// Sources and the versions of all libraries.
fn is_code(file: &PathBuf) -> bool {
    let is_source = file
        .components()
        .nth(2)
        .is_some_and(|c| c.as_os_str() == "src");
    let is_beside = BESIDE.iter().any(|beside| file.starts_with(beside));
    file == Path::new("Cargo.lock")
        || file.starts_with("xtask/src/policies")
        || file.starts_with("crates") && is_source && !is_beside
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::root;

    // Planted bugs: a part without files, whose digest never changes; tests and documents counted as code, so that each
    // change needs minutes of simulation.
    #[test]
    fn every_part_has_its_files() {
        let files = tree::files(root()).unwrap();
        for (name, is_part) in PARTS {
            assert!(
                files.iter().filter(|file| is_part(file)).count() > 5,
                "{name}"
            );
        }
        for (file, expected) in [
            ("crates/ftl/src/bast/mod.rs", true),
            ("crates/ftl/tests/main.rs", false),
            ("crates/testkit/src/lib.rs", false),
            ("xtask/src/policies/page.rs", true),
            ("Cargo.lock", true),
            ("README.md", false),
        ] {
            assert_eq!(is_code(&file.into()), expected, "{file}");
        }
    }

    // Planted bugs: digests of names only; an undetected manual edit of a page.
    #[test]
    fn a_changed_file_changes_the_digest_of_its_part() {
        let folder = tempfile::TempDir::new().unwrap();
        let root = folder.path();
        let git = std::process::Command::new("git")
            .arg("init")
            .arg("--quiet")
            .current_dir(root)
            .status();
        assert!(git.unwrap().success());
        let write = |file: &str, text: &str| {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::write(root.join(file), text).unwrap();
        };
        write("crates/a/src/lib.rs", "1");
        write("traces/a.csv", "1");
        write("reproduce/a/README.md", "1");
        write(DIGESTS, "");
        fs::write(root.join(DIGESTS), digests(root).unwrap()).unwrap();
        check_digests(root).unwrap();
        for (file, part) in [
            ("crates/a/src/lib.rs", "code"),
            ("traces/a.csv", "inputs"),
            ("reproduce/a/README.md", "pages"),
        ] {
            write(file, "2");
            let why = check_digests(root).unwrap_err().to_string();
            assert!(why.contains(&format!("made: {part};")), "{why}");
            write(file, "1");
        }
        check_digests(root).unwrap();
    }
}
