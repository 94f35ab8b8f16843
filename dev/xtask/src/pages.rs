//! The pages that need long runs: those of `reproduce/` and of `docs/policies`.
//!
//! It takes minutes to make all pages, so a check makes only a sample of them. Digests of the inputs and of the pages show
//! that neither was changed without the other.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::{policies, ssdlab, tree};

/// The path of the digests.
const DIGESTS: &str = "docs/pages.sha256";

/// The study that the sample makes as a whole.
const STUDY: &str = "deb";

/// Leaves a part of a description.
type Reduce = fn(&str) -> String;

/// The descriptions of those of which it makes some cells, the files with a line for each cell, and what it leaves of a
/// description.
const SOME: [(&str, &str, Reduce); 3] = [
    ("theory/theory.toml", "theory/cells.csv", some_cells),
    (
        "own-buffer/contest.toml",
        "own-buffer/points.csv",
        some_cells,
    ),
    (
        "real-drives/measured.toml",
        "real-drives/cells.csv",
        last_table,
    ),
];

/// Makes all pages.
pub fn make(root: &Path) -> Result<(), Box<dyn Error>> {
    reproduce(root, "all", &[])?;
    policies::make(root)?;
    Ok(fs::write(root.join(DIGESTS), digests(root)?)?)
}

/// Makes all pages and fails with the names of those that are not current.
pub fn check(root: &Path) -> Result<(), Box<dyn Error>> {
    reproduce(root, "all", &["--check"])?;
    current(policies::check(root)?)?;
    check_digests(root)
}

/// Checks the digests and makes the sample.
pub fn sample(root: &Path) -> Result<(), Box<dyn Error>> {
    check_digests(root)?;
    reproduce(root, STUDY, &["--check"])?;
    for (path, cells, some) in SOME {
        check_some_cells(root, Path::new(path), cells, some)?;
    }
    current(policies::check_sample(root)?)
}

/// Makes some cells of a study, and fails with those that the page does not have.
fn check_some_cells(
    root: &Path,
    path: &Path,
    cells: &str,
    some: Reduce,
) -> Result<(), Box<dyn Error>> {
    let (folder, study) = (TempDir::new()?, path.parent().expect("a folder"));
    fs::create_dir(folder.path().join(study))?;
    for file in fs::read_dir(root.join(tree::STUDIES).join(study))? {
        let path = study.join(file?.file_name());
        let text = fs::read_to_string(root.join(tree::STUDIES).join(&path))?;
        fs::write(folder.path().join(path), some(&text))?;
    }
    let [name, own] = [study, folder.path()].map(|path| path.display().to_string());
    reproduce(root, &name, &["--descriptions", &own, "--output", &own])?;
    let made = fs::read_to_string(folder.path().join(cells))?;
    let known = fs::read_to_string(root.join("reproduce").join(cells))?;
    let others = others(&made, &known).into_iter();
    current(others.map(|line| format!("{cells}: {line}")).collect())
}

/// The description with the first and the last item of each list that has a line for each, and with one spare factor and
/// one size of blocks for each table: the last, whose runs are the shortest, and the first.
fn some_cells(description: &str) -> String {
    let one = |line: &str, key: &str, last: bool| {
        let list = line.strip_prefix(key)?.strip_prefix(" = [")?;
        let mut items = list.strip_suffix(']')?.split(", ");
        let item = if last { items.last() } else { items.next() };
        Some(format!("{key} = [{}]", item?))
    };
    let lines: Vec<&str> = description.lines().collect();
    let is_item = |at: usize| lines.get(at).is_some_and(|line| line.starts_with("    "));
    let is_inner = |at: usize| at > 0 && [at - 1, at, at + 1].into_iter().all(is_item);
    let lines = (0..lines.len()).filter(|&at| !is_inner(at)).map(|at| {
        let (line, some) = (lines[at], one(lines[at], "spare", true));
        let some = some.or_else(|| one(line, "pages_per_block", false));
        some.unwrap_or_else(|| line.to_owned()) + "\n"
    });
    lines.collect()
}

/// The description with only its last table.
fn last_table(description: &str) -> String {
    const TABLE: &str = "[[table]]";
    let ends = description.find(TABLE).zip(description.rfind(TABLE));
    ends.map_or(description.into(), |(first, last)| {
        description[..first].to_owned() + &description[last..]
    })
}

/// The lines that are not among the known ones.
fn others<'a>(made: &'a str, known: &str) -> Vec<&'a str> {
    let is_known = |line: &&str| known.lines().any(|known| known == *line);
    made.lines().filter(|line| !is_known(line)).collect()
}

fn reproduce(root: &Path, name: &str, options: &[&str]) -> Result<(), Box<dyn Error>> {
    let status = ssdlab::program(root)
        .args(["reproduce", name])
        .args(options)
        .current_dir(root)
        .stdout(Stdio::null())
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("ssdlab reproduce {name}: {status}").into())
    }
}

fn current(stale: Vec<String>) -> Result<(), Box<dyn Error>> {
    if stale.is_empty() {
        Ok(())
    } else {
        Err(format!("{}\nnot current; run: cargo xtask pages", stale.join("\n")).into())
    }
}

fn check_digests(root: &Path) -> Result<(), Box<dyn Error>> {
    let before = fs::read_to_string(root.join(DIGESTS)).unwrap_or_default();
    let now = digests(root)?;
    let is_new = |line: &&str| before.lines().all(|other| other != *line);
    let changed = now.lines().filter(is_new);
    let parts: Vec<&str> = changed.filter_map(|line| line.split("  ").nth(1)).collect();
    if parts.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "{DIGESTS}: changed since the pages were made: {}; run: cargo xtask pages",
            parts.join(", ")
        )
        .into())
    }
}

/// One line for each part: the digest of its files, and its name.
fn digests(root: &Path) -> Result<String, Box<dyn Error>> {
    let files = tree::files(root)?;
    let mut lines = String::new();
    for (name, is_part) in PARTS {
        let mut digest = Sha256::new();
        for file in files.iter().filter(|file| is_part(file)) {
            let bytes = fs::read(root.join(file))?;
            // hash the lengths too, so that no two trees give the same bytes
            digest.update(format!("{}\0{}\0", file.display(), bytes.len()));
            digest.update(bytes);
        }
        let digest = ssdlab_words::hexadecimal(&digest.finalize());
        lines += &format!("{digest}  {name}\n");
    }
    Ok(lines)
}

type IsPart = fn(&PathBuf) -> bool;

const PARTS: [(&str, IsPart); 2] = [
    ("inputs", |file| {
        let is_trace = file.parent() == Some(Path::new("traces"));
        is_trace && !file.ends_with("README.md") || file.starts_with(tree::STUDIES)
    }),
    ("pages", |file| {
        file.starts_with("reproduce") || file.starts_with(policies::FOLDER)
    }),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::root;

    // Planted bug: a part without files, whose digest never changes.
    #[test]
    fn every_part_has_its_files() {
        let files = tree::files(root()).unwrap();
        for (name, is_part) in PARTS {
            let count = files.iter().filter(|file| is_part(file)).count();
            assert!(count > 5, "{name}");
        }
    }

    // Planted bug: a picture of an earlier page that stays.
    #[test]
    fn every_file_beside_a_page_is_named_there() {
        let files = tree::files(root()).unwrap();
        let (pages, others): (Vec<_>, Vec<_>) = files
            .iter()
            .filter(|file| file.starts_with("reproduce"))
            .partition(|file| file.ends_with("README.md"));
        assert!(pages.len() > 5 && others.len() > 50);
        for file in others {
            let page = fs::read_to_string(root().join(file.with_file_name("README.md"))).unwrap();
            let name = file.file_name().unwrap().to_str().unwrap();
            assert!(page.contains(name), "{}", file.display());
        }
    }

    // Planted bugs: a table without a cell in the sample; a device that merges or cleans missing there; a sample that is
    // the whole; a line that no page has, but that begins as one.
    #[test]
    fn the_sample_has_a_cell_of_each_kind() {
        let count = |text: &str, what: &str| text.matches(what).count();
        let [[all, some], [_, contest], [tables, last]] = SOME.map(|(path, cells, some)| {
            let all = fs::read_to_string(root().join(tree::STUDIES).join(path)).unwrap();
            let known = fs::read_to_string(root().join("reproduce").join(cells)).unwrap();
            assert!(others(&known, &known).is_empty());
            let line = known.lines().last().unwrap();
            for wrong in [&line[..line.len() - 1], &format!("{line}1")] {
                assert_eq!(others(wrong, &known).len(), 1);
            }
            let some = some(&all);
            [all, some]
        });
        assert!(count(&tables, "[[table]]") > 3);
        assert_eq!(count(&last, "[[table]]"), 1);
        assert_eq!(count(&last, "[load."), count(&tables, "[load."));
        let formulas = count(&all, "[[table]]");
        assert!(count(&some, "spare = [0.") == formulas && formulas > 3);
        assert_eq!(count(&some, "pages_per_block = [64]") + 1, formulas);
        assert_eq!(count(&some, "pages_per_block = [16]"), 1);
        assert!(!some.contains("[0.05"), "{some}");
        let counts = [
            "ftl.kind=",
            "cleans = true",
            ".csv.zst",
            "buffer.age",
            "--requests",
        ];
        assert_eq!(counts.map(|what| count(&contest, what)), [2, 1, 2, 1, 2]);
    }

    // Planted bugs: digests of names only; an undetected manual edit of a page.
    #[test]
    fn a_changed_file_changes_the_digest_of_its_part() {
        let folder = tempfile::TempDir::new().unwrap();
        let root = folder.path();
        let git = std::process::Command::new("git")
            .arg("init")
            .arg("--quiet")
            .current_dir(root)
            .status();
        assert!(git.unwrap().success());
        let write = |file: &str, text: &str| {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::write(root.join(file), text).unwrap();
        };
        write("traces/a.csv", "1");
        write("reproduce/a/README.md", "1");
        write(DIGESTS, "");
        fs::write(root.join(DIGESTS), digests(root).unwrap()).unwrap();
        check_digests(root).unwrap();
        for (file, part) in [
            ("traces/a.csv", "inputs"),
            ("reproduce/a/README.md", "pages"),
        ] {
            write(file, "2");
            let why = check_digests(root).unwrap_err().to_string();
            assert!(why.contains(&format!("made: {part};")), "{why}");
            write(file, "1");
        }
        check_digests(root).unwrap();
    }
}
