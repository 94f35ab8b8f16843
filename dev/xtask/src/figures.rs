//! Writes the output of commands into documents.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use crate::document::{self, Kind, Part};
use crate::{placed, report, ssdlab, tree};

/// Updates all figures.
pub fn make(root: &Path) -> Result<(), Box<dyn Error>> {
    for document in Document::all(root)? {
        if document.current != document.text {
            fs::write(root.join(document.name), document.current)?;
        }
    }
    placed::make(root)?;
    report::make(root)
}

/// Fails with the lines that `make` would change.
pub fn check(root: &Path) -> Result<(), Box<dyn Error>> {
    let mut stale = String::new();
    for Document {
        name,
        text,
        current,
    } in Document::all(root)?
    {
        if current != text {
            stale += &format!("{}:\n{}", name.display(), changes(&text, &current));
        }
    }
    stale += &placed::check(root)?;
    stale += &report::check(root)?;
    if stale.is_empty() {
        Ok(())
    } else {
        Err(format!("{stale}not current; run: cargo xtask figures").into())
    }
}

/// A document before and after the update.
struct Document {
    name: PathBuf,
    text: String,
    current: String,
}

impl Document {
    fn all(root: &Path) -> Result<Vec<Self>, Box<dyn Error>> {
        let names = tree::documents(root)?.into_iter();
        let document = |name: PathBuf| -> Result<Self, Box<dyn Error>> {
            let text = fs::read_to_string(root.join(&name))?;
            let parts = document::parts(&text).map_err(|wrong| wrong.of(&name))?;
            let current = filled(&parts, |command| Ok(ssdlab::run(root, command)?.output))?;
            Ok(Self {
                name,
                text,
                current,
            })
        };
        names.map(document).collect()
    }
}

/// A document with the current output of each command under its marker.
fn filled(
    parts: &[Part],
    mut output: impl FnMut(&str) -> Result<String, Box<dyn Error>>,
) -> Result<String, Box<dyn Error>> {
    let mut filled = String::new();
    for part in parts {
        let Kind::Figures { command } = part.kind else {
            filled += part.text;
            continue;
        };
        filled += &format!("<!-- figures: {command} -->\n```text\n$ ssdlab {command}\n");
        for line in output(command)?.lines() {
            filled += &format!("{}\n", line.trim_end());
        }
        filled += &format!("```\n{}\n", document::END);
    }
    Ok(filled)
}

/// The lines between the common start and the common end of two texts.
fn changes(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = |(a, b): &(&&str, &&str)| a == b;
    let start = old.iter().zip(&new).take_while(same).count();
    let (old, new) = (&old[start..], &new[start..]);
    let end = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(same)
        .count();
    let removed = old[..old.len() - end]
        .iter()
        .map(|line| format!("-{line}\n"));
    let added = new[..new.len() - end]
        .iter()
        .map(|line| format!("+{line}\n"));
    removed.chain(added).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "a\n<!-- figures: list -->\n```text\nold\n```\n<!-- end -->\nb\n";

    // Planted bugs: a block that grows with each run; lost text around it; blanks kept at the ends of lines.
    #[test]
    fn a_block_is_replaced_and_nothing_else() {
        let filled = |text: &str, output: &str| {
            let parts = document::parts(text).unwrap();
            filled(&parts, |command| Ok(format!("of {command}{output}"))).unwrap()
        };
        let once = filled(DOCUMENT, " \n\nend\n");
        let expected = "a\n<!-- figures: list -->\n```text\n$ ssdlab list\nof list\n\nend\n```\n<!-- end -->\nb\n";
        assert_eq!(once, expected);
        assert_eq!(filled(&once, "\n\nend\n"), once);
    }

    // Planted bug: a line counted in both the common start and the common end.
    #[test]
    fn changes_leave_out_what_is_the_same() {
        assert_eq!(changes("a\nb\nc\n", "a\nx\ny\nc\n"), "-b\n+x\n+y\n");
        assert_eq!(changes("a\na\n", "a\na\na\n"), "+a\n");
        assert_eq!(changes("a\n", "a\n"), "");
    }
}
