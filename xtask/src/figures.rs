//! Output of commands in documents, between `<!-- figures: COMMAND -->` and `<!-- end -->`.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{policies, report, ssdlab};

const END: &str = "<!-- end -->";

/// Writes all figures anew.
pub fn make(root: &Path) -> Result<(), Box<dyn Error>> {
    for document in documents(root)? {
        let text = fs::read_to_string(&document)?;
        let current = filled(&text, |command| Ok(ssdlab::run(root, command)?.output))?;
        if current != text {
            fs::write(document, current)?;
        }
    }
    policies::make(root)?;
    report::make(root)
}

/// Fails with what `make` would change.
pub fn check(root: &Path) -> Result<(), Box<dyn Error>> {
    let mut stale = String::new();
    for document in documents(root)? {
        let text = fs::read_to_string(&document)?;
        let current = filled(&text, |command| Ok(ssdlab::run(root, command)?.output))?;
        if current != text {
            let name = document.strip_prefix(root)?.display();
            stale += &format!("{name}:\n{}", changes(&text, &current));
        }
    }
    stale += &policies::check(root)?;
    stale += &report::check(root)?;
    match stale.is_empty() {
        true => Ok(()),
        false => Err(format!("{stale}not current; run: cargo xtask figures").into()),
    }
}

/// README.md and the documents of docs/.
fn documents(root: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let entries = fs::read_dir(root.join("docs"))?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.push(root.join("README.md"));
    paths.sort();
    Ok(paths)
}

/// A document with the output of each command under its marker.
fn filled(
    text: &str,
    mut output: impl FnMut(&str) -> Result<String, Box<dyn Error>>,
) -> Result<String, Box<dyn Error>> {
    let mut filled = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        filled += &format!("{line}\n");
        let Some(command) = command(line) else {
            continue;
        };
        if !lines.any(|line| line == END) {
            return Err(format!("{line} has no {END}").into());
        }
        filled += &format!("```text\n$ ssdlab {command}\n");
        for line in output(command)?.lines() {
            filled += &format!("{}\n", line.trim_end());
        }
        filled += &format!("```\n{END}\n");
    }
    Ok(filled)
}

fn command(line: &str) -> Option<&str> {
    line.strip_prefix("<!-- figures: ")?.strip_suffix(" -->")
}

/// The lines between what both texts begin with and what both end with.
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

    // Planted bugs: a block that grows with each run; text around it lost; blanks at the ends of lines kept.
    #[test]
    fn a_block_is_replaced_and_nothing_else() {
        let once = filled(DOCUMENT, |command| Ok(format!("of {command} \n\nend\n"))).unwrap();
        let expected = "a\n<!-- figures: list -->\n```text\n$ ssdlab list\nof list\n\nend\n```\n<!-- end -->\nb\n";
        assert_eq!(once, expected);
        let twice = filled(&once, |command| Ok(format!("of {command}\n\nend\n"))).unwrap();
        assert_eq!(twice, once);
    }

    // Planted bug: everything behind a block without an end swallowed.
    #[test]
    fn a_block_must_end() {
        let error = filled("<!-- figures: list -->\nb\n", |_| Ok(String::new())).unwrap_err();
        assert!(error.to_string().contains("has no <!-- end -->"));
    }

    // Planted bug: counting a line to both the beginning and the end.
    #[test]
    fn changes_leave_out_what_is_the_same() {
        assert_eq!(changes("a\nb\nc\n", "a\nx\ny\nc\n"), "-b\n+x\n+y\n");
        assert_eq!(changes("a\na\n", "a\na\na\n"), "+a\n");
        assert_eq!(changes("a\n", "a\n"), "");
    }
}
