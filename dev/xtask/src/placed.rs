//! The picture of handles and regions in `docs/placement.md`, which its own commands make.

use std::error::Error;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::document::{self, Kind};
use crate::ssdlab;

/// The document with the commands and the picture.
const PAGE: &str = "docs/placement.md";
/// The file that the commands write, and the one in the documents.
const MADE: &str = "placement.svg";
const PICTURE: &str = "docs/placement.svg";

/// Makes the picture.
pub fn make(root: &Path) -> Result<(), Box<dyn Error>> {
    Ok(fs::write(root.join(PICTURE), picture(root)?)?)
}

/// The error if the picture is not current.
pub fn check(root: &Path) -> Result<String, Box<dyn Error>> {
    let is_current = fs::read(root.join(PICTURE)).is_ok_and(|old| Some(old) == picture(root).ok());
    Ok(match is_current {
        true => String::new(),
        false => format!("{PICTURE}\n"),
    })
}

fn picture(root: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let page = fs::read_to_string(root.join(PAGE))?;
    let folder = TempDir::new()?;
    for command in commands(&page)? {
        ssdlab::run_in(root, folder.path(), &command)?;
    }
    Ok(fs::read(folder.path().join(MADE))?)
}

/// The commands of the block that makes the picture, each on one line.
fn commands(page: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let parts = document::parts(page).map_err(|wrong| wrong.of(Path::new(PAGE)))?;
    let makes = format!("--placed {MADE}");
    let mut blocks = parts
        .iter()
        .filter(|part| part.kind == Kind::Shell && part.text.contains(&makes));
    let block = blocks
        .next()
        .ok_or_else(|| format!("{PAGE}: no command with --placed"))?;
    let lines = block.text.replace("\\\n", " ");
    let commands = lines
        .lines()
        .filter_map(|line| line.strip_prefix("ssdlab "));
    Ok(commands.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    // Planted bugs: the lines of one command as several; a picture that the page does not show.
    #[test]
    fn the_page_makes_and_shows_the_picture() {
        let page = include_str!("../../../docs/placement.md");
        let commands = commands(page).unwrap();
        let [generate, compare] = commands.as_slice() else {
            panic!("{commands:?}");
        };
        assert!(generate.starts_with("trace generate streams ") && generate.contains("--stream"));
        assert!(compare.starts_with("compare ") && compare.ends_with(&format!("--placed {MADE}")));
        assert!(page.contains(&format!("]({MADE})](")), "no picture");
    }

    // Planted bug: figures on the page that are not those of the picture.
    #[test]
    fn the_page_says_what_the_picture_shows() {
        let page = include_str!("../../../docs/placement.md");
        let picture = include_str!("../../../docs/placement.svg");
        for (words, shown) in [
            ("programs 1.16 pages", ">fdp: write amplification 1.16<"),
            ("instead of 3.58", ">single: write amplification 3.58<"),
            ("write amplification of 1.02", ">WAF 1.02<"),
            ("handle 1 of 1.27", ">WAF 1.27<"),
        ] {
            assert!(page.contains(words), "no {words}");
            assert!(picture.contains(shown), "no {shown}");
        }
    }
}
