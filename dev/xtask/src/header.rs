//! The header of the C library, which cbindgen makes of its code.
//!
//! cbindgen takes a minute to compile, so `./check` does not run it: a file beside the header has the digest of the code.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::{tools, tree};

/// The version of cbindgen that is installed.
const CBINDGEN: &str = "0.29.4";
const LIBRARY: &str = "crates/satellites/c";
const HEADER: &str = "crates/satellites/c/include/ssdlab.h";
const SOURCE: &str = "crates/satellites/c/include/ssdlab.h.source";

/// Writes the header.
pub fn make(root: &Path) -> Result<(), Box<dyn Error>> {
    fs::write(root.join(HEADER), made(root)?)?;
    Ok(fs::write(root.join(SOURCE), source(root)?)?)
}

/// The error if the header is not that of the code.
pub fn check(root: &Path) -> Result<(), Box<dyn Error>> {
    match fs::read_to_string(root.join(HEADER))? == made(root)? {
        true => Ok(()),
        false => Err(format!("{HEADER} is not current: cargo xtask header").into()),
    }
}

fn made(root: &Path) -> Result<String, Box<dyn Error>> {
    let cbindgen = tools::installed(&tree::target(root), "cbindgen", CBINDGEN, &[])?;
    let library = root.join(LIBRARY);
    let made = Command::new(cbindgen)
        .args(["--quiet", "--config"])
        .arg(library.join("cbindgen.toml"))
        .arg(&library)
        .output()?;
    match made.status.success() {
        true => Ok(String::from_utf8(made.stdout)?),
        false => Err(String::from_utf8_lossy(&made.stderr).into()),
    }
}

/// The digest of what the header is made of.
fn source(root: &Path) -> Result<String, Box<dyn Error>> {
    let mut digest = Sha256::new();
    let source = Path::new(LIBRARY).join("src");
    let files = tree::files(root)?.into_iter();
    for file in files.filter(|file| file.starts_with(&source) || file.ends_with("cbindgen.toml")) {
        digest.update(fs::read(root.join(file))?);
    }
    Ok(format!(
        "{}\n",
        ssdlab_words::hexadecimal(&digest.finalize())
    ))
}

// Planted bug: a change of the library after which nobody made the header.
#[test]
fn the_header_is_of_this_code() {
    let root = tree::root();
    let kept = fs::read_to_string(root.join(SOURCE)).unwrap();
    assert_eq!(kept, source(root).unwrap(), "cargo xtask header");
}
