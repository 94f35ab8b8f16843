//! The first build from a clone, and the full program: what the one leaves out, and what both compile.

#[cfg(test)]
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use ssdlab::FULL_ONLY;
use tempfile::TempDir;

/// Makes the first build of a clone, and asks its program for what it leaves out.
///
/// # Errors
/// The build fails, or the program does not say how to get a command or a file of the full one.
pub fn check_first(clone: &Path, target: &Path) -> Result<(), Box<dyn Error>> {
    let built = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
        .args(["build", "--quiet", "--release"])
        .current_dir(clone)
        .env("CARGO_TARGET_DIR", target)
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .status()?;
    if !built.success() {
        return Err("the first build failed".into());
    }
    let program = target.join("release/ssdlab");
    let listed = said(&program, ["--help"])? + &said(&program, ["trace", "--help"])?;
    let marked = listed.matches("[not in this build]").count();
    if marked != FULL_ONLY.len() {
        return Err(format!(
            "--help marks {marked} of {} commands:\n{listed}",
            FULL_ONLY.len()
        )
        .into());
    }
    for (words, _) in FULL_ONLY {
        let line = format!("cargo run --release --features full -- {words} --help");
        let answer = said(&program, words.split(' ').chain(["--help"]))?;
        if !answer.contains(&line) {
            return Err(format!("ssdlab {words} names no line that runs it:\n{answer}").into());
        }
    }
    let folder = TempDir::new()?;
    let [table, packed] = ["table.parquet", "trace.csv.xz"].map(|name| folder.path().join(name));
    fs::write(&table, "PAR1")?;
    fs::write(&packed, b"\xfd7zXZ\0")?;
    let read = |path: &Path| {
        said(
            &program,
            ["trace".as_ref(), "info".as_ref(), path.as_os_str()],
        )
    };
    let kind = ["trace", "generate", "uniform", "--requests", "1", "-o"].map(OsStr::new);
    let write = said(&program, kind.into_iter().chain([table.as_os_str()]))?;
    for answer in [read(&table)?, read(&packed)?, write] {
        if !answer.contains("--features full") {
            return Err(format!("no line reads or writes the file:\n{answer}").into());
        }
    }
    Ok(())
}

/// What the program prints, on both streams, without line ends.
fn said<S: AsRef<OsStr>>(
    program: &Path,
    arguments: impl IntoIterator<Item = S>,
) -> Result<String, Box<dyn Error>> {
    let ended = Command::new(program).args(arguments).output()?;
    let text = [ended.stdout, ended.stderr].concat();
    let words = String::from_utf8(text)?;
    Ok(words.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The crates of a build, by name and version, with their features.
#[cfg(test)]
fn crates(options: &str) -> BTreeMap<String, BTreeSet<String>> {
    let printed = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--prefix", "none"])
        .args(["--format", "{p}|{f}", "--edges"])
        .args(options.split(' '))
        .current_dir(crate::tree::root())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&printed.stderr);
    assert!(printed.status.success(), "{options}: {errors}");
    let mut crates: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    let printed = String::from_utf8(printed.stdout).unwrap();
    // an empty line parts the packages that were asked for
    for line in printed.lines().filter(|line| !line.is_empty()) {
        let (package, features) = line.split_once('|').unwrap();
        let package = package.split(" (").next().unwrap().to_owned();
        let features = features.trim_end_matches(" (*)").to_owned();
        crates.entry(package).or_default().insert(features);
    }
    crates
}

// planted bugs: a feature of a crate that only a larger build has; a crate of the full program in the first build
#[test]
fn a_larger_build_compiles_only_what_the_smaller_one_left_out() {
    /// A quick build needs few.
    const MOST: usize = 130;
    let first = crates("normal,build");
    let full = crates("normal,build --package ssdlab --package ssdlab-plugin --features full");
    let python = crates("normal,build --package ssdlab-python");
    let all = crates("normal,build,dev --workspace");
    let outside = crates("normal,build,dev --manifest-path examples/own-policy/Cargo.toml");
    assert!(first.len() <= MOST, "{}: {first:?}", first.len());
    let own = [
        "ssdlab",
        "ssdlab-convert",
        "ssdlab-report",
        "ssdlab-results",
        "ssdlab-trace",
    ];
    for (smaller, larger, expected) in [
        (&first, &full, &own[..]),
        (&full, &all, &[]),
        (&python, &full, &[]),
        (&python, &all, &[]),
        // it draws no cases
        (&outside, &all, &["ssdlab-testkit"]),
    ] {
        let differs = |name: &&String| {
            let features = larger.get(*name);
            features.is_some_and(|features| !smaller[*name].is_subset(features))
        };
        let differ = smaller.keys().filter(differs);
        let differ: Vec<_> = differ.map(|name| name.split(' ').next().unwrap()).collect();
        assert_eq!(
            differ, expected,
            "see the dependencies of crates/lab/cli that it does not use"
        );
    }
}
