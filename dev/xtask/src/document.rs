//! Cuts the Markdown documents of this repository into parts: prose, blocks of code, output of commands.
//!
//! A comment, on a line of its own, marks a block that needs more than its language says:
//!
//! - `<!-- figures: COMMAND -->` … `<!-- end -->`: what `ssdlab COMMAND` prints, written by `cargo xtask figures`.
//! - `<!-- not run: REASON -->` before a shell block: `cargo xtask docs` leaves it out.
//! - `<!-- needs: THINGS -->` before a shell block: it runs where all of them are there. `root` is a user, a path a file,
//!   and another word a command.
//! - `<!-- file: NAME -->` before another block: the shell blocks below find it as this file.

use std::fmt;
use std::path::Path;

/// Ends the output of a command.
pub const END: &str = "<!-- end -->";
const FENCE: &str = "```";

/// The languages of blocks. No task of xtask would see a block of another language; the tests of the package run those of
/// Python.
const LANGUAGES: [&str; 5] = ["json", "python", "sh", "text", "toml"];

/// Some lines of a document; all parts together are the whole document.
#[derive(Debug, PartialEq)]
pub struct Part<'a> {
    /// The number of its first line, from 1.
    pub line: usize,
    /// The text of the part, to the end of its last line.
    pub text: &'a str,
    pub kind: Kind<'a>,
}

#[derive(Debug, PartialEq)]
pub enum Kind<'a> {
    /// Prose, and blocks without a task.
    Text,
    /// From `<!-- figures: COMMAND -->` to `<!-- end -->`.
    Figures { command: &'a str },
    /// From fence to fence: commands to run.
    Shell,
    /// From fence to fence: commands to run where the machine has what they need.
    Needs { things: &'a str },
    /// From fence to fence: commands that are marked as not run.
    NotRun,
    /// From fence to fence: the content of a file.
    File { name: &'a str },
}

/// An error in a document.
#[derive(Debug)]
pub struct Wrong {
    line: usize,
    why: String,
}

impl Wrong {
    /// Adds the name of the document.
    pub fn of(self, document: &Path) -> String {
        format!("{}:{self}", document.display())
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.why)
    }
}

/// Cuts a document into its parts.
pub fn parts(text: &str) -> Result<Vec<Part<'_>>, Wrong> {
    let mut cutter = Cutter {
        rest: text,
        line: 1,
    };
    let mut parts = Vec::new();
    let mut mark = None;
    while let Some(line) = cutter.rest.lines().next() {
        let part = cutter.part(line, &mut mark);
        parts.push(part.map_err(|why| cutter.wrong(why))?);
    }
    match mark {
        None => Ok(parts),
        Some(_) => Err(cutter.wrong("no block after the mark".into())),
    }
}

/// The meaning of a mark for the block under it.
enum Mark<'a> {
    NotRun,
    Needs(&'a str),
    File(&'a str),
}

impl<'a> Mark<'a> {
    fn read(line: &'a str) -> Result<Option<Self>, String> {
        Ok(match line {
            _ if line.starts_with("<!-- not run") => {
                marked(line, "not run: REASON")?;
                Some(Mark::NotRun)
            }
            _ if line.starts_with("<!-- needs") => {
                Some(Mark::Needs(marked(line, "needs: THINGS")?))
            }
            _ if line.starts_with("<!-- file") => Some(Mark::File(marked(line, "file: NAME")?)),
            _ => None,
        })
    }
}

/// The text in the place of the capitals in `<!-- word: CAPITALS -->`.
fn marked<'a>(line: &'a str, form: &str) -> Result<&'a str, String> {
    let (word, _) = form.split_once(": ").expect("a word and capitals");
    let inner = line
        .strip_prefix("<!-- ")
        .and_then(|line| line.strip_suffix("-->"));
    let inner = inner.and_then(|inner| inner.strip_prefix(word)?.strip_prefix(':'));
    match inner.map(str::trim) {
        None | Some("") => Err(format!("{line}: must be <!-- {form} -->")),
        Some(inner) => Ok(inner),
    }
}

/// The rest of a document.
struct Cutter<'a> {
    rest: &'a str,
    /// The number of its first line.
    line: usize,
}

impl<'a> Cutter<'a> {
    /// The part that starts on the next line.
    fn part(&mut self, line: &'a str, mark: &mut Option<Mark<'a>>) -> Result<Part<'a>, String> {
        if let Some(language) = line.trim_start().strip_prefix(FENCE) {
            let kind = block(language, mark.take())?;
            let lines = self.to(|line| line.trim() == FENCE);
            return Ok(self.take(lines.ok_or("the block does not end")?, kind));
        }
        if mark.is_some() {
            return Err("no block after the mark".into());
        }
        if line.starts_with("<!-- figures") {
            let command = marked(line, "figures: COMMAND")?;
            let lines = self.to(|line| line == END);
            let lines = lines.ok_or_else(|| format!("{line} has no {END}"))?;
            return Ok(self.take(lines, Kind::Figures { command }));
        }
        *mark = Mark::read(line)?;
        Ok(self.take(1, Kind::Text))
    }

    /// The number of lines from the first up to and including the next one that matches.
    fn to(&self, wanted: impl Fn(&str) -> bool) -> Option<usize> {
        let behind = self.rest.lines().skip(1).position(wanted)?;
        Some(behind + 2)
    }

    fn take(&mut self, lines: usize, kind: Kind<'a>) -> Part<'a> {
        let length = self
            .rest
            .split_inclusive('\n')
            .take(lines)
            .map(str::len)
            .sum();
        let (text, rest) = self.rest.split_at(length);
        let line = self.line;
        self.rest = rest;
        self.line += lines;
        Part { line, text, kind }
    }

    fn wrong(&self, why: String) -> Wrong {
        let line = self.line;
        Wrong { line, why }
    }
}

/// The kind of a block.
fn block<'a>(language: &str, mark: Option<Mark<'a>>) -> Result<Kind<'a>, String> {
    match (language.trim_end(), mark) {
        (language, _) if !LANGUAGES.contains(&language) => {
            let languages = LANGUAGES.join(", ");
            Err(format!(
                "a block of {language:?}: must be one of {languages}"
            ))
        }
        ("sh", None) => Ok(Kind::Shell),
        ("sh", Some(Mark::NotRun)) => Ok(Kind::NotRun),
        ("sh", Some(Mark::Needs(things))) => Ok(Kind::Needs { things }),
        (_, None) => Ok(Kind::Text),
        (_, Some(Mark::File(name))) if language != "sh" => Ok(Kind::File { name }),
        (language, Some(_)) => Err(format!("a block of {language} after the mark of another")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(usize, Kind<'_>)> {
        let parts = parts(text).unwrap();
        let all: String = parts.iter().map(|part| part.text).collect();
        assert_eq!(all, text);
        let lines = parts.into_iter().map(|part| (part.line, part.kind));
        lines.filter(|(_, kind)| *kind != Kind::Text).collect()
    }

    fn refused(text: &str) -> String {
        parts(text).unwrap_err().to_string()
    }

    // Planted bugs: a line counted twice; a fence inside figures; a mark that applies to all following blocks.
    #[test]
    fn a_document_is_cut_at_its_blocks() {
        let text = "a\n```sh\nb\n```\n<!-- figures: list -->\n```text\nc\n```\n<!-- end -->\n<!-- not run: needs \
                    root -->\n```sh\nd\n```\n```sh\ne\n```\n<!-- file: f.toml -->\n  ```toml\n  f\n  ```\n```text\n```\n<!-- needs: root \
                    /dev/fuse -->\n```sh\n```";
        let (name, things) = ("f.toml", "root /dev/fuse");
        let expected = [
            (2, Kind::Shell),
            (5, Kind::Figures { command: "list" }),
            (11, Kind::NotRun),
            (14, Kind::Shell),
            (18, Kind::File { name }),
            (24, Kind::Needs { things }),
        ];
        assert_eq!(kinds(text), expected);
    }

    // Planted bugs: a mark without a reason; a lost mark; a block that never runs because of its language.
    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let form = "must be <!-- not run: REASON -->";
        for mark in [
            "<!-- not run -->",
            "<!-- not run: -->",
            "<!-- not run:  -->",
            "<!-- not run: x",
        ] {
            let text = format!("a\n{mark}\n```sh\n```\n");
            assert_eq!(refused(&text), format!("2: {mark}: {form}"));
        }
        let mark = "<!-- not run: needs root -->\n";
        for (text, told) in [
            (
                format!("{mark}\n```sh\n```\n"),
                "2: no block after the mark",
            ),
            (mark.to_owned(), "2: no block after the mark"),
            (
                format!("{mark}```toml\n```\n"),
                "2: a block of toml after the mark of another",
            ),
            (
                "<!-- file: a -->\n```sh\n```\n".into(),
                "2: a block of sh after the mark of another",
            ),
            ("a\n```sh\nb\n".into(), "2: the block does not end"),
            (
                "```bash\n```\n".into(),
                "1: a block of \"bash\": must be one of json, python, sh, text, toml",
            ),
            ("```\n```\n".into(), "1: a block of \"\": must be one of"),
            (
                "<!-- figures: list -->\nb\n".into(),
                "1: <!-- figures: list --> has no <!-- end -->",
            ),
        ] {
            let why = refused(&text);
            assert!(why.starts_with(told), "{why}");
        }
    }
}
