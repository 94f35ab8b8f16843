//! The files of tests/malformed, each with the fault in its name: every command that reads one refuses it with exit
//! code 2 and the message in `expected.txt`.
//!
//! `cargo xtask malformed` updates the files and the messages; read the changes.
//!
//! Planted bugs that these catch: a number of 20 digits that wraps around; a cut line read as a whole one; lines after
//! the summary of blkparse skipped; a quoted key that replaces the one of its section; a message that blames a default
//! instead of the line that conflicts with it; a message without its line, its finding or its advice; a panic, an
//! endless loop, memory allocated because a file asks for it.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::common::{Lab, ended, in_repository, trace};

/// The smallest number of files.
const FEWEST: usize = 100;

/// Much longer than the refusal of a small file takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// The starts of the names of traces that are invalid as a whole; their messages name no line.
const WHOLE: [&str; 6] = [
    "plain-empty.",
    "blkparse-no-requests.",
    "blkparse-queued-alone.",
    "gzip-",
    "text-named-",
    "z",
];

#[test]
fn every_file_is_refused_as_expected() {
    let lab = Lab::new();
    lab.write("good.csv", trace(&["0,W,0,512"]));
    let configs = blocks(&lab, "configs", |name| {
        let message = refused(&lab, &["config", "show", "--config", name]);
        let run = ["run", "--json", "--events", "out.jsonl", "--config", name];
        assert_eq!(refused(&lab, &[&run[..], &["good.csv"]].concat()), message);
        assert!(has_line(&message, &format!("error: {name}:")), "{message}");
        message
    });
    let traces = blocks(&lab, "traces", |name| {
        let message = refused(&lab, &["trace", "info", name]);
        let run = ["run", "--json", "--events", "out.jsonl", name];
        assert_eq!(refused(&lab, &run), message);
        let whole = WHOLE.iter().any(|start| name.starts_with(start))
            && message.starts_with(&format!("error: {name}: "));
        let placed = has_line(&message, &format!("error: {name}, line "));
        assert!(placed || whole, "{message}");
        message
    });
    let blocks = [configs, traces].concat();
    assert!(blocks.len() >= FEWEST, "{} files", blocks.len());
    compare(&blocks);
}

/// The name of each file in a folder, in order, and its message; the lab has a copy of the file for that time.
fn blocks(lab: &Lab, folder: &str, refused: impl Fn(&str) -> String) -> Vec<String> {
    let entries = fs::read_dir(in_repository("tests/malformed").join(folder)).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let block = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        lab.write(name, fs::read(path).unwrap());
        let message = refused(name);
        fs::remove_file(lab.path(name)).unwrap();
        format!("{folder}/{name}\n{message}")
    };
    paths.iter().map(block).collect()
}

/// The message of a command that must refuse its input.
#[track_caller]
fn refused(lab: &Lab, args: &[&str]) -> String {
    let before = lab.files();
    let ended = ended(lab.command(args).timeout(PATIENCE));
    let told = format!("{args:?}: {}", ended.stderr);
    assert_eq!((ended.code, &*ended.stdout), (Some(2), ""), "{told}");
    assert_eq!(lab.files(), before, "{told}");
    let one_line = ended.stderr.ends_with('\n') && ended.stderr.lines().count() == 1;
    assert!(
        one_line && !ended.stderr.trim_end().contains(char::is_control),
        "{told}"
    );
    ended.stderr
}

/// Whether a message continues with a line number, from 1.
fn has_line(message: &str, start: &str) -> bool {
    let behind = message.strip_prefix(start);
    let number = behind.and_then(|behind| behind.split(':').next());
    number.is_some_and(|number| number.parse().is_ok_and(|line: u64| line > 0))
}

/// Compares with the expected messages, or updates them with `UPDATE_EXPECTED=1`.
fn compare(blocks: &[String]) {
    let path = in_repository("tests/malformed/expected.txt");
    if std::env::var_os("UPDATE_EXPECTED").is_some_and(|value| value == "1") {
        return fs::write(path, blocks.join("\n")).unwrap();
    }
    let expected = fs::read_to_string(path).unwrap();
    let expected: Vec<&str> = expected.split("\n\n").map(str::trim_end).collect();
    for (block, expected) in blocks.iter().zip(&expected) {
        let told = "not as in tests/malformed/expected.txt; if it is better: cargo xtask malformed";
        assert_eq!(block.trim_end(), *expected, "{told}");
    }
    assert_eq!(blocks.len(), expected.len());
}
