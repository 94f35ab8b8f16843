//! Programs of others, in pinned versions below the target folder.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program of a crate, installed if this version is not there: some minutes.
pub fn installed(
    target: &Path,
    name: &str,
    version: &str,
    options: &[&str],
) -> Result<PathBuf, Box<dyn Error>> {
    let tools = target.join("tools");
    let program = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let program = tools.join("bin").join(program);
    let is_there = Command::new(&program)
        .arg("--version")
        .output()
        .is_ok_and(|said| String::from_utf8_lossy(&said.stdout).contains(version));
    if !is_there {
        let done = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
            .args(["install", "--quiet", "--locked", name, "--version", version])
            .args(options)
            .arg("--root")
            .arg(&tools)
            .env("CARGO_TARGET_DIR", tools.join("target"))
            .env_remove("RUSTC_WORKSPACE_WRAPPER")
            .status()?;
        if !done.success() {
            return Err(format!("{name} {version} cannot be installed: {done}").into());
        }
    }
    Ok(program)
}
