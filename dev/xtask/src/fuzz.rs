//! `cargo xtask fuzz`: fuzzes the targets of `dev/fuzz` with libFuzzer, guided by coverage.
//!
//! `dev/fuzz/instrumented` compiles the crates of this workspace, so that libFuzzer sees what code an input
//! reaches. The inputs that a run finds stay in `target/fuzz/corpus`, and the next run begins with them.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use tempfile::TempDir;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The targets, with the runs of `--sample`: some seconds each.
const TARGETS: [(&str, u32); 8] = [
    ("trace", 12_000),
    ("formats", 12_000),
    ("config", 6_000),
    ("image", 2_000),
    ("requests", 1_200),
    ("plugin", 1_200),
    ("status", 4_000),
    ("words", 3_000),
];

/// The longest input, in bytes. A fault can be shown with less.
const LONGEST: u32 = 4096;
/// The seconds that an input may take, even on a busy machine.
const PATIENCE: u32 = 60;
/// The memory that a target may take, in MiB.
const MEMORY: u32 = 1024;
/// The seconds that are spent on making a finding smaller.
const MINIMISING: u32 = 60;

/// Runs `cargo xtask fuzz` with these arguments.
pub fn run(root: &Path, arguments: &[&str]) -> Result<()> {
    let asked = FuzzArguments::of(arguments)?;
    let fuzzer = Fuzzer::build(root)?;
    println!(
        "{:9} {:>11} {:>7} {:>9} {:>6} {:>9} {:>8}",
        "target", "executions", "edges", "features", "new", "findings", "seconds"
    );
    let mut found = Vec::new();
    for (target, runs) in asked.targets {
        let ended = match asked.what {
            What::Sample => fuzzer.sample(target, runs)?,
            What::Minutes(minutes) => fuzzer.fuzz(target, minutes, asked.jobs)?,
            What::Keep => fuzzer.keep(target)?,
        };
        println!("{target:9} {ended}");
        found.extend(ended.findings.into_iter().map(|path| (target, path)));
    }
    if found.is_empty() {
        Ok(())
    } else {
        Err(fuzzer.report(&found)?.into())
    }
}

/// The task.
#[derive(Debug, PartialEq)]
enum What {
    /// The same short run each time.
    Sample,
    Minutes(u32),
    /// Adds inputs that reach something new to those of the repository.
    Keep,
}

#[derive(Debug, PartialEq)]
struct FuzzArguments {
    what: What,
    jobs: u32,
    targets: Vec<(&'static str, u32)>,
}

impl FuzzArguments {
    fn of(arguments: &[&str]) -> Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
        let (mut what, mut jobs, mut targets) = (None, cores, Vec::new());
        let mut rest = arguments.iter();
        let number = |of: &str, word: Option<&&str>| {
            let number = word.and_then(|word| word.parse().ok());
            let number = number.filter(|number| *number > 0);
            number.ok_or_else(|| format!("{of}: must be a whole number, at least 1"))
        };
        while let Some(argument) = rest.next() {
            match *argument {
                "--sample" => what = Some(What::Sample),
                "--keep" => what = Some(What::Keep),
                "--minutes" => what = Some(What::Minutes(number("--minutes", rest.next())?)),
                "--jobs" => jobs = number("--jobs", rest.next())?,
                name => {
                    let target = TARGETS.into_iter().find(|(target, _)| *target == name);
                    let names = TARGETS.map(|(target, _)| target).join(", ");
                    targets.push(target.ok_or(format!("no target {name}; there are {names}"))?);
                }
            }
        }
        if targets.is_empty() {
            targets = TARGETS.into();
        }
        let what = what.ok_or("fuzz: give --minutes M, --sample or --keep")?;
        Ok(Self {
            what,
            jobs,
            targets,
        })
    }
}

/// The program with all targets, and where it works.
struct Fuzzer {
    root: PathBuf,
    program: PathBuf,
    /// For inputs, findings and logs.
    work: PathBuf,
}

/// How a run ended.
#[derive(Default)]
struct Ended {
    executions: u64,
    edges: u64,
    features: u64,
    new: u64,
    findings: Vec<PathBuf>,
    seconds: u64,
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            executions,
            edges,
            features,
            new,
            findings,
            seconds,
        } = self;
        let findings = findings.len();
        write!(
            f,
            "{executions:>11} {edges:>7} {features:>9} {new:>6} {findings:>9} {seconds:>8}"
        )
    }
}

impl Fuzzer {
    fn build(root: &Path) -> Result<Self> {
        let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into());
        let target = root.join(target);
        let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "--locked", "--package", "ssdlab-fuzz"]);
        build.args(["--features", "libfuzzer"]);
        build.current_dir(root);
        build.env(
            "RUSTC_WORKSPACE_WRAPPER",
            root.join("dev/fuzz/instrumented"),
        );
        let status = build.status()?;
        if !status.success() {
            return Err(format!("{build:?}: {status}").into());
        }
        Ok(Self {
            root: root.to_owned(),
            program: target.join("debug/ssdlab-fuzz"),
            work: target.join("fuzz"),
        })
    }

    /// A new or existing folder for something of a target.
    fn folder(&self, of: &str, target: &str) -> Result<PathBuf> {
        let folder = self.work.join(of).join(target);
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// A folder of the repository for something of a target, if there is one.
    fn kept(&self, of: &str, target: &str) -> Option<PathBuf> {
        let folder = self.root.join("dev/fuzz").join(of).join(target);
        folder.exists().then_some(folder)
    }

    /// The program on a target, with a log.
    fn command(&self, target: &str, log: &str) -> Result<Command> {
        let log = File::create(self.folder("logs", target)?.join(log))?;
        let mut command = Command::new(&self.program);
        command.env("SSDLAB_FUZZ_TARGET", target);
        command.arg(format!("-rss_limit_mb={MEMORY}"));
        command.arg(format!("-timeout={PATIENCE}"));
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        Ok(command)
    }

    /// Begins a run that learns from the inputs in `grown`, and from those of the repository.
    fn begin(&self, target: &str, log: &str, grown: &Path, until: &[String]) -> Result<Child> {
        let findings = self.folder("findings", target)?;
        let mut command = self.command(target, log)?;
        command.arg(grown);
        command.args(self.kept("corpus", target));
        command.args(self.kept("regressions", target));
        let dictionary = format!("dev/fuzz/dictionaries/{target}.dict");
        let dictionary = self.root.join(dictionary);
        if dictionary.exists() {
            command.arg(format!("-dict={}", dictionary.display()));
        }
        command.arg(format!("-artifact_prefix={}/", findings.display()));
        command.arg(format!("-max_len={LONGEST}"));
        // long inputs from the beginning: those of a host are long
        command.args(["-len_control=10", "-print_final_stats=1"]);
        Ok(command.args(until).spawn()?)
    }

    /// The same short run each time, which learns nothing.
    fn sample(&self, target: &str, runs: u32) -> Result<Ended> {
        let grown = TempDir::new()?;
        let until = ["-seed=1".to_owned(), format!("-runs={runs}")];
        self.finish(target, |log| {
            Ok(vec![self.begin(target, &log(0), grown.path(), &until)?])
        })
    }

    /// A run of some minutes, by several processes.
    fn fuzz(&self, target: &str, minutes: u32, jobs: u32) -> Result<Ended> {
        let grown = self.folder("corpus", target)?;
        let until = [format!("-max_total_time={}", 60 * minutes)];
        self.finish(target, |log| {
            let begin = |job| self.begin(target, &log(job), &grown, &until);
            (0..jobs).map(begin).collect()
        })
    }

    /// Copies the grown inputs that reach an edge which those of the repository do not.
    fn keep(&self, target: &str) -> Result<Ended> {
        let grown = self.folder("corpus", target)?;
        let corpus = self.kept("corpus", target).ok_or("no corpus")?;
        let before = files(&corpus)?.len();
        let ended = self.finish(target, |log| {
            let mut command = self.command(target, &log(0))?;
            command.args(["-merge=1", "-use_counters=0", "-max_len=1024"]);
            command.arg(&corpus).args(self.kept("regressions", target));
            Ok(vec![command.arg(&grown).spawn()?])
        })?;
        let new = (files(&corpus)?.len() - before) as u64;
        Ok(Ended { new, ..ended })
    }

    /// Starts processes, which take the names of their logs, waits for them, and reads the logs.
    fn finish(
        &self,
        target: &str,
        begin: impl FnOnce(&dyn Fn(u32) -> String) -> Result<Vec<Child>>,
    ) -> Result<Ended> {
        let findings = self.folder("findings", target)?;
        let (before, start) = (files(&findings)?, Instant::now());
        let log = |job: u32| format!("{job}.log");
        let processes = begin(&log)?;
        let mut ended = Ended::default();
        let mut failed = None;
        for (job, mut process) in (0..).zip(processes) {
            let status = process.wait()?;
            let path = self.folder("logs", target)?.join(log(job));
            let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
            ended.add(&text);
            if !status.success() {
                failed = Some(path);
            }
        }
        ended.seconds = start.elapsed().as_secs();
        ended.findings = files(&findings)?.difference(&before).cloned().collect();
        match failed {
            Some(log) if ended.findings.is_empty() => {
                Err(format!("{target} ended early: see {}", log.display()).into())
            }
            _ => Ok(ended),
        }
    }

    /// Makes findings smaller, and says how to replay and keep them.
    fn report(&self, found: &[(&str, PathBuf)]) -> Result<String> {
        let mut text = String::new();
        for (target, path) in found {
            let path = self.smaller(target, path)?;
            let (program, shown) = (self.program.display(), path.display());
            text += &format!(
                "\n{target}: {shown}, {} bytes\n  replay: SSDLAB_FUZZ_TARGET={target} {program} {shown}\n  keep:   cp {shown} \
                 dev/fuzz/regressions/{target}/WHAT-IS-WRONG\n",
                fs::metadata(&path)?.len()
            );
        }
        let count = found.len();
        Ok(format!(
            "{count} findings; the tests replay those that are kept (cargo test -p ssdlab-fuzz)\n{text}"
        ))
    }

    /// A smaller input that also fails, or this one.
    fn smaller(&self, target: &str, finding: &Path) -> Result<PathBuf> {
        let name = finding.file_name().unwrap_or_default().to_string_lossy();
        // a smaller input that hangs would take the whole time limit again and again
        if !name.starts_with("crash-") {
            return Ok(finding.to_owned());
        }
        let to = finding.with_file_name(name.replace("crash-", "small-"));
        let mut command = self.command(target, "minimising.log")?;
        command.arg(format!("-exact_artifact_path={}", to.display()));
        command.arg(format!("-max_total_time={MINIMISING}"));
        command.arg("-minimize_crash=1").arg(finding);
        // the program fails if it finds no smaller input
        command.status()?;
        Ok(if to.exists() { to } else { finding.to_owned() })
    }
}

impl Ended {
    /// Adds the numbers of a log: `#12 DONE cov: 3 ft: 4 corp: 5/6b …`, and `stat::number_of_executed_units: 12`.
    fn add(&mut self, log: &str) {
        let after = |line: &str, name: &str| -> Option<u64> {
            let (_, rest) = line.split_once(name)?;
            rest.split_whitespace().next()?.parse().ok()
        };
        let last = |name| log.lines().rev().find_map(|line| after(line, name));
        self.executions += last("stat::number_of_executed_units:").unwrap_or(0);
        self.new += last("stat::new_units_added:").unwrap_or(0);
        let of_line = |name| {
            let lines = log.lines().rev().filter(|line| line.starts_with('#'));
            lines.filter_map(|line| after(line, name)).next()
        };
        self.edges = self.edges.max(of_line(" cov:").unwrap_or(0));
        self.features = self.features.max(of_line(" ft:").unwrap_or(0));
    }
}

fn files(folder: &Path) -> Result<BTreeSet<PathBuf>> {
    let entries = fs::read_dir(folder)?;
    Ok(entries
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::root;

    // Planted bugs: a target that is never fuzzed; runs that are fewer than the seeds, so that nothing is tried.
    #[test]
    fn every_target_is_sampled() {
        let mut names: Vec<&str> = TARGETS.map(|(target, _)| target).into();
        names.sort_unstable();
        let corpus = root().join("dev/fuzz/corpus");
        let folders = files(&corpus).unwrap();
        let folders: Vec<_> = folders
            .iter()
            .map(|path| path.file_name().unwrap().to_str().unwrap())
            .collect();
        assert_eq!(names, folders);
        for (target, runs) in TARGETS {
            let seeds = files(&corpus.join(target)).unwrap().len();
            assert!(runs as usize > 4 * seeds, "{target} has {seeds} seeds");
        }
    }

    // Planted bugs: the jobs taken for the minutes; an unknown target that is ignored.
    #[test]
    fn what_is_asked() {
        let asked = FuzzArguments::of(&["--jobs", "3", "trace", "--minutes", "20"]).unwrap();
        let targets: Vec<_> = asked.targets.iter().map(|(target, _)| *target).collect();
        assert_eq!((asked.what, asked.jobs), (What::Minutes(20), 3));
        assert_eq!(targets, ["trace"]);
        assert_eq!(FuzzArguments::of(&["--sample"]).unwrap().targets, TARGETS);
        for (wrong, why) in [
            (&[][..], "give --minutes"),
            (&["--minutes"], "--minutes: must be a whole number"),
            (&["--minutes", "0"], "at least 1"),
            (
                &["--sample", "traces"],
                "no target traces; there are trace, ",
            ),
        ] {
            let message = FuzzArguments::of(wrong).unwrap_err().to_string();
            assert!(message.contains(why), "{message}");
        }
    }

    // Planted bug: the numbers of a process replace those of the one before.
    #[test]
    fn what_logs_tell() {
        let mut ended = Ended::default();
        let log = "#2\tINITED cov: 9 ft: 9 corp: 1/1b\n#90\tDONE   cov: 31 ft: 52 corp: 3/7b lim: 4\nDone 90 runs\n\
                   stat::number_of_executed_units: 90\nstat::new_units_added:          2\n";
        ended.add(log);
        ended.add(&log.replace("31", "40"));
        let numbers = (ended.executions, ended.edges, ended.features, ended.new);
        assert_eq!(numbers, (180, 40, 52, 4));
    }
}
