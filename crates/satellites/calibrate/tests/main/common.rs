//! Drives in a temporary folder.

use std::fs;

use ssdlab_calibrate::{Calibration, calibrate};
use ssdlab_sim::Lab;

/// The head of a small drive.
pub const HEAD: &str = "name = \"d\"\n[sheet]\ncapacity = \"8GiB\"\n";

/// A measurement of uniform writes with these lines.
pub fn uniform(lines: &str) -> String {
    format!("{HEAD}[[measurement]]\nname = \"u\"\nworkload = \"uniform\"\n{lines}")
}

/// Calibrates a drive whose file has this text, beside these files; or the message.
pub fn of(text: &str, files: &[(&str, &str)]) -> Result<Calibration, String> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let path = folder.path().join("drive.toml");
    fs::write(&path, text).expect("a file");
    let folder = format!("{}/", folder.path().display());
    calibrate(&path, &Lab::new()).map_err(|error| {
        assert!(error.is_bad_input(), "{error}");
        error.to_string().replace(&folder, "")
    })
}

/// A drive that is valid.
#[track_caller]
pub fn good(text: &str) -> Calibration {
    of(text, &[]).expect("a valid drive")
}

/// Whether two numbers differ by less than this share.
#[track_caller]
pub fn near(found: f64, expected: f64, share: f64) {
    assert!((found / expected - 1.0).abs() < share, "{found} {expected}");
}
