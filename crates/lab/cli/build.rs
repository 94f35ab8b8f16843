//! Passes the current commit to a release build.
//!
//! Other builds do not use it, so that a commit causes no recompilation.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name| env::var(name).unwrap_or_default();
    let folder = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let mut version = variable("CARGO_PKG_VERSION");
    let is_release = variable("PROFILE") == "release";
    if let Some(commit) = commit(&folder).filter(|_| is_release) {
        version += &format!(" ({commit})");
        rerun_if_committed(&folder);
    }
    println!("cargo::rustc-env=SSDLAB_VERSION={version}");
}

/// Names the files that change with each commit and checkout; cargo would treat a missing file as changed.
fn rerun_if_committed(folder: &Path) {
    for name in ["HEAD", "logs/HEAD"] {
        let path = git(folder, &["rev-parse", "--git-path", name]).map(|path| folder.join(path));
        if let Some(path) = path.filter(|path| path.exists()) {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
}

/// The commit of the repository with this file; `None` without git, or if another repository contains the unpacked
/// package.
pub fn commit(folder: &Path) -> Option<String> {
    git(folder, &["ls-files", "--error-unmatch", "build.rs"])?;
    git(folder, &["rev-parse", "--short=12", "HEAD"])
}

/// The output of a git command, if it succeeds.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
