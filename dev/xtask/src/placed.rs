//! The picture of handles and regions in README.md, which its own commands make.

use std::error::Error;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::document::{self, Kind};
use crate::ssdlab;

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
    let readme = fs::read_to_string(root.join("README.md"))?;
    let folder = TempDir::new()?;
    for command in commands(&readme)? {
        ssdlab::run_in(root, folder.path(), &command)?;
    }
    Ok(fs::read(folder.path().join(MADE))?)
}

/// The commands of the block that makes the picture, each on one line.
fn commands(readme: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let parts = document::parts(readme).map_err(|wrong| wrong.of(Path::new("README.md")))?;
    let makes = format!("--placed {MADE}");
    let mut blocks = parts
        .iter()
        .filter(|part| part.kind == Kind::Shell && part.text.contains(&makes));
    let block = blocks.next().ok_or("README.md: no command with --placed")?;
    let lines = block.text.replace("\\\n", " ");
    let commands = lines
        .lines()
        .filter_map(|line| line.strip_prefix("ssdlab "));
    Ok(commands.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    // Planted bugs: the lines of one command as several; a picture that README.md does not show.
    #[test]
    fn readme_makes_and_shows_the_picture() {
        let readme = include_str!("../../../README.md");
        let commands = commands(readme).unwrap();
        let [generate, compare] = commands.as_slice() else {
            panic!("{commands:?}");
        };
        assert!(generate.starts_with("trace generate streams ") && generate.contains("--stream"));
        assert!(compare.starts_with("compare ") && compare.ends_with(&format!("--placed {MADE}")));
        assert!(readme.contains(&format!("]({PICTURE})](")), "no picture");
    }

    // Planted bug: figures in README.md that are not those of the picture.
    #[test]
    fn readme_says_what_the_picture_shows() {
        let readme = include_str!("../../../README.md");
        let picture = include_str!("../../../docs/placement.svg");
        for (words, shown) in [
            ("programs 1.16 pages", ">fdp: write amplification 1.16<"),
            ("instead of 3.58", ">single: write amplification 3.58<"),
            ("write amplification of 1.02", ">WAF 1.02<"),
            ("handle 1 of 1.27", ">WAF 1.27<"),
        ] {
            assert!(readme.contains(words), "no {words}");
            assert!(picture.contains(shown), "no {shown}");
        }
    }
}
