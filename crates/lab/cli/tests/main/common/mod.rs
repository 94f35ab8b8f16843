//! Runs the real binary in a temporary folder.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// The first line of every trace.
pub const HEADER: &str = "time_ns,op,offset_bytes,size_bytes";

/// 20 pages of 512 bytes in blocks of 4, two log blocks, a buffer of 8 pages: the device of the worked examples of
/// the BPLRU paper.
pub const SMALL: &str = r#"
[flash]
capacity = "10KiB"
page_size = 512
pages_per_block = 4

[ftl]
kind = "bast"
log_blocks = 2
partial_merge = false

[buffer]
policy = "lru"
size = "4KiB"
"#;

/// The program where signals end it, even if these tests run in the background, where a shell ignores some of them.
pub fn listening() -> std::process::Command {
    if !cfg!(target_os = "linux") {
        return std::process::Command::new(binary());
    }
    let mut env = std::process::Command::new("env");
    env.arg("--default-signal=INT,TERM,HUP").arg(binary());
    env
}

/// The program under test: the one that `SSDLAB_BINARY` names, or the build of these tests.
pub fn binary() -> PathBuf {
    match std::env::var_os("SSDLAB_BINARY") {
        Some(path) => path.into(),
        None => assert_cmd::cargo::cargo_bin!("ssdlab").into(),
    }
}

/// A temporary folder in which commands run; they use no other files.
pub struct Lab {
    dir: TempDir,
}

/// The end of a command.
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Lab {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        Self { dir }
    }

    /// With the small device as `small.toml`.
    pub fn small() -> Self {
        let lab = Self::new();
        lab.write("small.toml", SMALL);
        lab
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).expect("a file in the temporary folder");
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a text file in the temporary folder")
    }

    /// The names of all files, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.dir.path()).expect("the temporary folder");
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<String> = entries
            .map(|entry| name(entry).to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    pub fn read_json(&self, name: &str) -> Value {
        json(&self.read(name))
    }

    /// `ssdlab` with arguments, killed if it hangs.
    pub fn command(&self, args: &(impl Args + ?Sized)) -> Command {
        let mut command = Command::new(binary());
        command
            .args(args.list())
            .current_dir(self.dir.path())
            .env_remove("SSDLAB_PLAIN")
            .timeout(Duration::from_secs(60));
        command
    }

    pub fn run(&self, args: &(impl Args + ?Sized)) -> Ended {
        ended(&mut self.command(args))
    }

    /// A command that reads a text.
    pub fn piped(&self, args: &(impl Args + ?Sized), text: impl Into<Vec<u8>>) -> Ended {
        ended(self.command(args).write_stdin(text))
    }

    /// A script of the shell, in which `"$0"` is the program.
    pub fn shell(&self, script: &str) -> Ended {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).arg(binary());
        shell.current_dir(self.dir.path());
        ended(shell.timeout(Duration::from_secs(60)))
    }

    /// Runs a command that must be refused: exit code 2, a message with all fragments, nothing printed, no file written
    /// or left over. Returns the message.
    #[track_caller]
    pub fn refused(&self, args: &(impl Args + ?Sized), fragments: &[&str]) -> String {
        let before = self.files();
        let ended = self.run(args);
        let printed = format!("{:?}: {}", args.list(), ended.stderr);
        assert_eq!(ended.code, Some(2), "{printed}");
        assert_eq!(ended.stdout, "", "{printed}");
        assert!(ended.stderr.starts_with("error: "), "{printed}");
        assert!(!ended.stderr.contains("panicked"), "{printed}");
        for fragment in fragments {
            assert!(
                ended.stderr.contains(fragment),
                "no {fragment:?} in {printed}"
            );
        }
        assert_eq!(self.files(), before, "{printed}");
        ended.stderr
    }

    /// As `refused`; the message is one line without control characters.
    #[track_caller]
    pub fn refused_in_a_line(&self, args: &(impl Args + ?Sized), fragments: &[&str]) {
        let message = self.refused(args, fragments);
        let line = message.strip_suffix('\n').expect("a whole line");
        assert!(!line.contains(char::is_control), "{message}");
    }

    /// The output of a command that must succeed.
    pub fn ok(&self, args: &(impl Args + ?Sized)) -> String {
        self.run(args).success()
    }

    /// A command that must succeed and print JSON.
    pub fn json(&self, args: &(impl Args + ?Sized)) -> Value {
        json(&self.ok(args))
    }
}

/// The arguments of a command: a list, or a text with blanks between them.
pub trait Args {
    fn list(&self) -> Vec<&str>;
}

impl<S: AsRef<str>> Args for [S] {
    fn list(&self) -> Vec<&str> {
        self.iter().map(AsRef::as_ref).collect()
    }
}

impl<S: AsRef<str>, const N: usize> Args for [S; N] {
    fn list(&self) -> Vec<&str> {
        self[..].list()
    }
}

impl<S: AsRef<str>> Args for Vec<S> {
    fn list(&self) -> Vec<&str> {
        self[..].list()
    }
}

impl Args for str {
    fn list(&self) -> Vec<&str> {
        words(self)
    }
}

impl Args for String {
    fn list(&self) -> Vec<&str> {
        words(self)
    }
}

/// The words of a text.
pub fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// The cells of a line of a table, at least two blanks apart; empty ones do not count.
pub fn cells(line: &str) -> Vec<&str> {
    let cells = line.split("  ").map(str::trim);
    cells.filter(|cell| !cell.is_empty()).collect()
}

/// Waits, but not for ever.
#[track_caller]
pub fn until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(120), "{what}");
        sleep(Duration::from_millis(2));
    }
}

/// The most memory that a process has had, in KiB.
pub fn peak_kib(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
    kib.expect("a number")
}

impl Ended {
    pub fn success(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self.stdout
    }
}

pub fn ended(command: &mut Command) -> Ended {
    let output = command.output().expect("the command starts");
    Ended {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("text on standard output"),
        stderr: String::from_utf8(output.stderr).expect("text on standard error"),
    }
}

/// Notes a test that this machine cannot run; `./check` lists them at its end.
pub fn skipped(what: &str, why: &str) {
    let list = Path::new(env!("CARGO_TARGET_TMPDIR")).join("skipped");
    let list = fs::OpenOptions::new().create(true).append(true).open(list);
    writeln!(list.expect("a list"), "{what}: {why}").expect("a list");
}

pub fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The names of an object's members, in order.
pub fn keys(object: &Value) -> Vec<&str> {
    let object = object.as_object().expect("a JSON object");
    object.keys().map(String::as_str).collect()
}

/// The pages that the flash has programmed, by these counters.
pub fn programs(counters: &Value) -> u64 {
    let names = [
        "flash_programs",
        "merge_programs",
        "flash_copies",
        "copy_backs",
    ];
    let counts = names.map(|name| counters[name].as_u64().expect("a counter"));
    counts.iter().sum()
}

/// Wrong versions of a description. Each line of the table has a text that the right one has once, what takes its place,
/// and the parts of the message about it; in the first two, `\n` is a line end.
pub fn wrong<'a>(right: &str, table: &'a str) -> Vec<(String, Vec<&'a str>)> {
    let version = |line: &'a str| {
        let mut parts = line.split(" | ");
        let mut text = || parts.next().expect("two texts").replace(r"\n", "\n");
        let (found, put) = (text(), text());
        assert_eq!(right.matches(&found).count(), 1, "{found}");
        (right.replace(&found, &put), parts.collect())
    };
    table.trim().lines().map(version).collect()
}

/// A trace of the given lines.
pub fn trace<S: AsRef<str>>(lines: &[S]) -> String {
    [&[HEADER], &lines.list()[..]].concat().join("\n") + "\n"
}

/// A trace that writes pages of 512 bytes, one a microsecond.
pub fn writes(pages: &[u64]) -> String {
    let line = |(i, page): (usize, &u64)| format!("{},W,{},512", i * 1000, page * 512);
    trace(&pages.iter().enumerate().map(line).collect::<Vec<_>>())
}

pub fn gz(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes.as_ref()).unwrap();
    encoder.finish().unwrap()
}

pub fn zst(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    zstd::encode_all(bytes.as_ref(), 3).unwrap()
}

/// A folder of the repository.
pub fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../..")
        .join(path)
}
