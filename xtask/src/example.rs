//! `cargo xtask example`: tests the crate in `examples`, which lies outside the workspace.
//!
//! There cargo would build all crates of ssdlab once more: it names what it builds after the place of a package in its
//! workspace. So `target/example` is a workspace with the same crates at the same places, and with the profiles, the
//! locked versions and the target folder of this one. All that remains to be built is the example.

use std::error::Error;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;

use crate::{packages, tree};

/// The crate outside the workspace.
const EXAMPLE: &str = "examples/own-policy";
/// From here on its manifest makes it a workspace of its own.
const OWN: &str = "# a workspace of its own";

/// What few requests pass: optimised, it takes most of a minute to compile.
const UNOPTIMISED: &str = "
[profile.bench.package.own-policy]
opt-level = 0
overflow-checks = true
";

/// Tests the example. Its own lock file must be current too.
pub fn test(root: &Path) -> Result<(), Box<dyn Error>> {
    let manifest = root.join(EXAMPLE).join("Cargo.toml");
    let mut locked = packages::cargo(root);
    locked.args(["tree", "--locked", "--manifest-path"]);
    packages::done(locked.arg(&manifest).stdout(Stdio::null()))?;

    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into());
    let target = root.join(target);
    let folder = target.join("example");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let files = tree::files(root)?;
    for file in files.iter().filter(|file| file.starts_with(EXAMPLE)) {
        let to = folder.join(file);
        fs::create_dir_all(to.parent().expect("a folder"))?;
        fs::copy(root.join(file), to)?;
    }
    symlink(root.join("crates"), folder.join("crates"))?;
    let own = fs::read_to_string(&manifest)?;
    let (package, _) = own.split_once(OWN).ok_or("no workspace of its own")?;
    fs::write(folder.join(EXAMPLE).join("Cargo.toml"), package)?;
    let manifest = packages::manifest(root, EXAMPLE)? + UNOPTIMISED;
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;

    // from the root, whose `.cargo` has the options of the C compiler
    let mut test = packages::cargo(root);
    test.args(["test", "--profile", "bench", "--package", "own-policy"]);
    // the features with which the tests of the workspace have built it
    test.args(["--features", "ssdlab-testkit/default"]);
    test.arg("--manifest-path").arg(folder.join("Cargo.toml"));
    packages::done(test.arg("--target-dir").arg(&target))
}
