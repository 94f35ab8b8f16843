//! Runs the program as its users do.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The result of a run.
pub struct Run {
    /// Its standard output.
    pub output: String,
    /// The folder of the run, with the files that it wrote.
    pub folder: TempDir,
}

/// Runs the release build on copies of the files that the command names, as if in the root of the repository: outputs
/// contain the command and must not depend on the user or the folder.
pub fn run(root: &Path, command: &str) -> Result<Run, Box<dyn Error>> {
    let folder = TempDir::new()?;
    for word in words(command) {
        if root.join(word).is_file() {
            let copy = folder.path().join(word);
            fs::create_dir_all(copy.parent().expect("a folder"))?;
            fs::copy(root.join(word), copy)?;
        }
    }
    let output = run_in(root, folder.path(), command)?;
    Ok(Run { output, folder })
}

/// Runs the release build in a folder. Returns its standard output.
pub fn run_in(root: &Path, folder: &Path, command: &str) -> Result<String, Box<dyn Error>> {
    let ended = program(root)
        .args(words(command))
        .current_dir(folder)
        .stderr(Stdio::inherit())
        .output()?;
    if !ended.status.success() {
        return Err(format!("ssdlab {command}: {}", ended.status).into());
    }
    Ok(String::from_utf8(ended.stdout)?)
}

/// The words of a command; one in single quotes may have blanks.
fn words(command: &str) -> Vec<&str> {
    let pieces = command.split('\'').enumerate();
    pieces
        .flat_map(|(i, piece)| match i % 2 {
            0 => piece.split_whitespace().collect(),
            _ => vec![piece],
        })
        .collect()
}

/// The release build: the one that `SSDLAB_BINARY` names, or cargo's.
pub fn program(root: &Path) -> Command {
    if let Some(binary) = std::env::var_os("SSDLAB_BINARY") {
        return Command::new(binary);
    }
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo
        .args(["run", "--quiet", "--release", "--package", "ssdlab"])
        .args(["--features", "full"])
        .arg("--manifest-path")
        .arg(root.join("Cargo.toml"))
        .arg("--");
    cargo
}

// Planted bugs: a quoted word that is cut, or keeps its quotes.
#[test]
fn a_word_in_quotes_is_one() {
    assert_eq!(
        words("life --drive '990 PRO 2TB'  -"),
        ["life", "--drive", "990 PRO 2TB", "-"]
    );
}
