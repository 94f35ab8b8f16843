//! `cargo xtask docs`: runs every shell block of every document, word for word, as a reader would.
//!
//! Each document gets its own fresh clone of the tree under test and one shell, so a block can use the files of the
//! blocks above it. All clones use the same path and the same target folder, `target/documents`, so that a second run
//! compiles nothing. README.md comes first: it installs ssdlab for all other documents. Before it, the build that its first
//! command makes is asked for what it leaves out.
//!
//! The figures of a paper often share runs, and each has a block of its own. A call of `ssdlab` that a document has made
//! already, word for word, is not made again.

use std::collections::BTreeSet;
use std::error::Error;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use tempfile::TempDir;

use crate::builds;
use crate::document::{self, Kind, Part};
use crate::tree;

/// Runs all documents of the tree and stops at the first command that fails.
pub fn run(root: &Path) -> Result<(), Box<dyn Error>> {
    // parse all documents first, so that an error in one shows before any of them runs
    let mut scripts = Vec::new();
    let mut skipped = String::new();
    for name in tree::documents(root)? {
        let text = fs::read_to_string(root.join(&name))?;
        let mut parts = document::parts(&text).map_err(|wrong| wrong.of(&name))?;
        for (line, why) in decide(&mut parts, lacking) {
            skipped += &format!("{}:{line}: {why}\n", name.display());
        }
        if parts.iter().any(|part| part.kind == Kind::Shell) {
            scripts.push((name, script(&parts)));
        }
    }
    let target = tree::target(root);
    if !skipped.is_empty() {
        // `./check` lists it, with the tests that were skipped
        fs::create_dir_all(target.join("tmp"))?;
        let list = target.join("tmp/skipped");
        let list = OpenOptions::new().create(true).append(true).open(list);
        list?.write_all(skipped.as_bytes())?;
    }
    // a target folder of its own: cargo would take the clone's builds for those of this tree
    let lab = Lab::new(target.join("fresh-clone"), target.join("documents"))?;
    tree::copy(root, &lab.clone)?;
    builds::check_first(&lab.clone, &lab.target)?;
    for (name, script) in &scripts {
        tree::copy(root, &lab.clone)?;
        let start = Instant::now();
        lab.run(name, script)?;
        eprintln!(
            "{:5.1} s  {}",
            start.elapsed().as_secs_f64(),
            name.display()
        );
    }
    Ok(())
}

/// Blocks that need something become blocks to run, or are left out. Returns the lines of those left out, with the reasons.
fn decide(parts: &mut [Part], lacking: impl Fn(&str) -> Option<String>) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    for part in parts {
        if let Kind::Needs { things } = part.kind {
            let missing = things.split_whitespace().find_map(&lacking);
            part.kind = match &missing {
                None => Kind::Shell,
                Some(_) => Kind::NotRun,
            };
            out.extend(missing.map(|why| (part.line, why)));
        }
    }
    out
}

/// The reason why this machine lacks a thing: `root`, a path, or a command.
fn lacking(thing: &str) -> Option<String> {
    let succeeds = |script: &str| {
        let status = Command::new("sh")
            .args(["-c", script, "sh", thing])
            .status();
        status.is_ok_and(|status| status.success())
    };
    match thing {
        // root of a container may lack the right to mount
        "root" if succeeds("test $(id -u) = 0 && unshare --mount true") => None,
        "root" => Some("needs root who may mount".to_owned()),
        path if path.starts_with('/') => {
            let closed = |_| format!("this machine has no {path} that can be opened");
            File::open(path).err().map(closed)
        }
        _ if succeeds("command -v \"$1\" >/dev/null") => None,
        command => Some(format!("{command} is not installed")),
    }
}

/// The shell blocks of a document as one script; each line keeps the line number of the document. The first line is
/// free for the setup, since no document begins with a command.
fn script(parts: &[Part]) -> String {
    // report each command with its line before it runs
    let mut script = "exec 3>&1; BASH_XTRACEFD=3; PS4='+$LINENO '; set -xeo pipefail; ".to_owned();
    let mut made = BTreeSet::new();
    for part in parts {
        let last = part.text.lines().count() - 1;
        for (i, line) in part.text.lines().enumerate() {
            script += &match &part.kind {
                Kind::Shell
                    if i > 0 && i < last && line.starts_with(CALL) && !made.insert(line) =>
                {
                    String::new()
                }
                Kind::Shell if i > 0 && i < last => line.to_owned(),
                Kind::File { name } if i == 0 => format!("cat >'{name}' <<'{END}'"),
                Kind::File { .. } if i == last => END.to_owned(),
                Kind::File { .. } => line.to_owned(),
                _ => String::new(),
            };
            script += "\n";
        }
    }
    script
}

/// Begins a line that is not run again.
const CALL: &str = "ssdlab ";
/// Ends a file in a script.
const END: &str = "-- end of file --";

/// The folder in which documents run.
struct Lab {
    clone: PathBuf,
    target: PathBuf,
    /// Scripts, their output, and the programs that README.md installs.
    folder: TempDir,
}

impl Lab {
    fn new(clone: PathBuf, target: PathBuf) -> Result<Self, Box<dyn Error>> {
        let folder = TempDir::new()?;
        Ok(Self {
            clone,
            target,
            folder,
        })
    }

    /// Runs the script of a document.
    ///
    /// # Errors
    /// The command that failed, with its line and its output.
    fn run(&self, document: &Path, script: &str) -> Result<(), Box<dyn Error>> {
        let [file, output] = ["script", "output"].map(|name| self.folder.path().join(name));
        fs::write(&file, script)?;
        let printed = File::create(&output)?;
        let status = Command::new("bash")
            .arg(&file)
            .current_dir(&self.clone)
            .env("CARGO_TARGET_DIR", &self.target)
            .env("CARGO_INSTALL_ROOT", self.folder.path())
            .env("PATH", self.path()?)
            // a reader has no wrapper around the compiler
            .env_remove("RUSTC_WORKSPACE_WRAPPER")
            .stdin(Stdio::null())
            .stdout(printed.try_clone()?)
            .stderr(printed)
            .status()?;
        if status.success() {
            return Ok(());
        }
        let output = fs::read(output)?;
        let (line, printed) = last_command(&String::from_utf8_lossy(&output));
        let command = script
            .lines()
            .nth(line.saturating_sub(1))
            .unwrap_or_default();
        let document = document.display();
        Err(format!("{document}:{line}: {command}\n{printed}\n{document}:{line}: {status}").into())
    }

    /// The search path of commands: first the installed programs, then the existing path.
    fn path(&self) -> Result<OsString, Box<dyn Error>> {
        let there = std::env::var_os("PATH").unwrap_or_default();
        let installed = self.folder.path().join("bin");
        let all = [installed].into_iter().chain(std::env::split_paths(&there));
        Ok(std::env::join_paths(all)?)
    }
}

/// The line of the last command, and the output since then.
fn last_command(output: &str) -> (usize, String) {
    const SHOWN: usize = 60;
    let lines: Vec<&str> = output.lines().collect();
    let number = |line: &&str| {
        let (number, _) = line.strip_prefix('+')?.split_once(' ')?;
        number.parse::<usize>().ok()
    };
    let last = lines.iter().rev().find_map(number);
    // the shell reports each command of a pipe
    let is_last = |line: &&str| last.is_some() && number(line) == last;
    let first = lines.iter().position(is_last);
    let printed = &lines[first.map_or(0, |first| first + 1)..];
    let printed = &printed[printed.len().saturating_sub(SHOWN)..];
    (last.unwrap_or_default(), printed.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a document in an empty clone; returns the error, or an empty text.
    fn failure(text: &str) -> Option<String> {
        let folder = TempDir::new().unwrap();
        let lab = Lab::new(folder.path().to_owned(), folder.path().join("target")).unwrap();
        let script = script(&document::parts(text).unwrap());
        let ended = lab.run(Path::new("docs/a.md"), &script);
        ended.err().map(|error| error.to_string())
    }

    // Planted bugs: a shell for each block; a file without its last line; an ignored mark; a block that never runs, so
    // that it cannot fail.
    #[test]
    fn blocks_run_in_order_in_one_shell() {
        let text = "# a\n```sh\nx=1\necho $x >made\n```\n<!-- file: a.toml -->\n```toml\na = \"$x\"\n```\n<!-- not run: needs \
                    a drive -->\n```sh\nfalse\n```\n```sh\ntest $(cat made) = 1   # as made above\ngrep -qx 'a = \"$x\"' \
                    a.toml\ntest $(wc -l <a.toml) = 1\n";
        assert_eq!(failure(&format!("{text}```\n")), None);
        assert!(failure(&format!("{text}false\n```\n")).is_some());
    }

    // Planted bugs: a block that runs without what it needs; one that never runs; one that is left out and not listed.
    #[test]
    fn a_block_runs_where_the_machine_has_what_it_needs() {
        let text = "# a\n<!-- needs: / sh -->\n```sh\ntouch made\n```\n<!-- needs: sh /no/such/file -->\n```sh\nfalse\n\
                    ```\n<!-- needs: no-such-command -->\n```sh\nfalse\n```\n```sh\nls made\n```\n";
        let mut parts = document::parts(text).unwrap();
        let left_out = decide(&mut parts, lacking);
        let expected = [
            (7, "this machine has no /no/such/file that can be opened"),
            (11, "no-such-command is not installed"),
        ];
        assert_eq!(left_out, expected.map(|(line, why)| (line, why.to_owned())));
        let folder = TempDir::new().unwrap();
        let lab = Lab::new(folder.path().to_owned(), folder.path().join("target")).unwrap();
        lab.run(Path::new("docs/a.md"), &script(&parts)).unwrap();
    }

    // Planted bugs: a call whose twin has one more option is left out; a call of something else; a call that is not made at
    // all.
    #[test]
    fn a_call_is_made_once() {
        let text = "# a\n```sh\nssdlab() { echo \"$@\" >>made; }\nssdlab run a\nssdlab run a b\n```\n\n```sh\nssdlab run \
                    a\necho run a >>made\necho run a >>made\nprintf 'run a\\nrun a b\\nrun a\\nrun a\\n' | cmp - made\n```\n";
        assert_eq!(failure(text), None);
    }

    // Planted bugs: an ignored failure in the middle of a block or of a pipe; the wrong line of a command.
    #[test]
    fn the_first_command_that_fails_is_named_with_its_output() {
        let failure = |text: &str| failure(text).expect("a failure");
        let text = "# a\n\n```sh\necho before\nls nowhere\necho after\n```\n";
        let why = failure(text);
        assert!(why.starts_with("docs/a.md:5: ls nowhere\n"), "{why}");
        assert!(
            why.contains("No such file") && why.contains("exit status: 2"),
            "{why}"
        );
        assert!(!why.contains("before") && !why.contains("after"), "{why}");
        let why = failure("```sh\necho a\n```\n```sh\nls nowhere | cat\necho b\n```\n");
        assert!(why.starts_with("docs/a.md:5: ls nowhere | cat\n"), "{why}");
        let why = failure("```sh\necho a\nunknown-command-of-a-typing-error\n```\n");
        assert!(why.contains("not found"), "{why}");
        let why = failure("# a\n```sh\nif true; then\n```\n");
        assert!(why.contains("unexpected end of file"), "{why}");
    }
}
