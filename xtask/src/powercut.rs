//! Crashes of random drives, for as long as one likes.

use std::path::Path;
use std::process::Command;

/// Runs the test of random crashes with this number in its environment.
pub fn run(root: &Path, variable: &str, number: &str) -> Result<(), Box<dyn std::error::Error>> {
    if number.parse::<u64>().is_err() {
        return Err(format!("{number:?} is not a whole number").into());
    }
    let test = [
        "test",
        "-q",
        "--profile",
        "bench",
        "-p",
        "ssdlab-drive",
        "--test",
        "main",
        "random::as_long_as_asked",
    ];
    let done = Command::new("cargo")
        .args(test)
        .args(["--", "--ignored", "--nocapture"])
        .env(variable, number)
        .current_dir(root)
        .status();
    match done {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("a drive did not keep what it promised".into()),
        Err(error) => Err(format!("cargo test: {error}").into()),
    }
}
