//! The picture of a report in README.md.
//!
//! Pixels differ between machines. So the check is that the report in the picture is current: a file beside the picture
//! has the digest of that report.

use std::error::Error;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};
use ssdlab_browser::{Browser, Scheme, WIDTH};

use crate::ssdlab::{self, Run};

/// The command of README.md.
const COMMAND: &str = "compare traces/w9-ext3-postmark.csv.zst";
const HTML: &str = "w9-ext3-postmark.compare.html";
const PICTURE: &str = "docs/report.png";
const SOURCE: &str = "docs/report.png.source";

/// The height of the picture in pixels, down to the end of the chart.
const HEIGHT: u32 = 936;

/// Takes the picture, unless it shows the current report.
pub fn make(root: &Path) -> Result<(), Box<dyn Error>> {
    let run = ssdlab::run(root, COMMAND)?;
    let source = source(&run)?;
    if !is_current(root, &source) {
        let html = run.folder.path().join(HTML);
        Browser::find()?.screenshot(&html, Scheme::Light, (WIDTH, HEIGHT), &root.join(PICTURE))?;
        fs::write(root.join(SOURCE), source)?;
    }
    Ok(())
}

/// The error if the picture is not current.
pub fn check(root: &Path) -> Result<String, Box<dyn Error>> {
    let source = source(&ssdlab::run(root, COMMAND)?)?;
    if is_current(root, &source) {
        return Ok(String::new());
    }
    Ok(format!(
        "{PICTURE} shows another report than this:\n{source}"
    ))
}

fn is_current(root: &Path, source: &str) -> bool {
    let of_picture = fs::read_to_string(root.join(SOURCE));
    of_picture.is_ok_and(|text| text == source) && root.join(PICTURE).is_file()
}

/// The command and the digest of its report.
fn source(run: &Run) -> Result<String, Box<dyn Error>> {
    let html = fs::read(run.folder.path().join(HTML))?;
    let digest = ssdlab_words::hexadecimal(&Sha256::digest(html));
    Ok(format!("ssdlab {COMMAND}\n{digest}  {HTML}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Planted bug: another command in README.md than the one of the picture.
    #[test]
    fn readme_has_the_command() {
        let readme = include_str!("../../../README.md");
        assert!(readme.contains(&format!("\ncargo run --release -- {COMMAND}\n")));
    }
}
