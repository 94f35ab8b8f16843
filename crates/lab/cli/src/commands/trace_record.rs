//! `ssdlab trace record`: the requests of a block device, by blktrace.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};
use ssdlab_trace::{Action, RecordedStep};
use ssdlab_words::{capital, listed, shown_lines, shown_path, thousands};

use crate::failure::Failure;
use crate::message;
use crate::output::{self, Files};
use crate::progress::Progress;
use crate::signals::{Passed, Receiver};
use ssdlab_arguments::actions;

#[derive(clap::Args)]
pub struct Args {
    /// Write to this file, in the binary format of blktrace; compressed if its name ends in .zst
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Stop after so many seconds [default: at Ctrl-C]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    seconds: Option<u32>,
    /// Record only what is queued (Q), dispatched to the device (D) or completed (C) [default: all, so that a reader chooses]
    #[arg(long, value_name = "LETTER", value_parser = actions())]
    action: Option<Action>,
    /// The block device, such as /dev/nvme0n1
    device: PathBuf,
}

pub fn record(args: &Args) -> Result<(), Failure> {
    let ending = args.output.extension().and_then(|end| end.to_str());
    if let Some(ending @ ("gz" | "bz2" | "xz")) = ending {
        return Err(Failure::Input(format!(
            "--output {}: its name says {ending}, but records are compressed with zstd only; let it end in .zst, or in \
             .blktrace for records as they are",
            shown_path(&args.output)
        )));
    }
    let mut files = Files::default();
    let mut file = files.create("--output", &args.output)?;
    // from here on, Ctrl-C ends blktrace, and its last records are kept
    let passed = Passed::hold();
    let mut blktrace = match start(args) {
        Ok(blktrace) => blktrace,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(lacking(args, "")),
        Err(error) => return Err(Failure::Machine(format!("blktrace: {error}"))),
    };
    let group = Pid::from_child(&blktrace);
    passed.to(Receiver::Group(group));
    let errors = blktrace.stderr.take();
    let errors = errors.map(|errors| std::thread::spawn(move || listen(errors, group)));
    let mut records = Records::default();
    let copied = copy(
        &mut blktrace,
        &mut file,
        &mut records,
        is_compressed(&args.output),
    );
    if copied.is_err() {
        let _ = kill_process_group(group, Signal::TERM);
    }
    let ended = blktrace.wait();
    drop(passed);
    let said = errors.and_then(|errors| errors.join().ok());
    let said = said.unwrap_or_default();
    copied.map_err(|error| match error {
        Stopped::Reading(error) => Failure::Machine(format!("blktrace: {error}")),
        Stopped::Writing(error) => Failure::writing(&args.output, &error),
        Stopped::Nonsense(why) => Failure::Machine(format!("blktrace: {why}")),
    })?;
    let ended = ended.map_err(|error| Failure::Machine(format!("blktrace: {error}")))?;
    if records.all == 0 {
        return Err(lacking(args, &said));
    }
    warn(&said, ended, &records);
    file.finish()?;
    output::print(&report(args, &records))
}

fn start(args: &Args) -> io::Result<Child> {
    let mut command = std::process::Command::new("blktrace");
    command.arg("-d").arg(&args.device).args(["-o", "-"]);
    if let Some(seconds) = args.seconds {
        command.arg("-w").arg(seconds.to_string());
    }
    if let Some(action) = args.action {
        let mask = match action {
            Action::Queue => "queue",
            Action::Dispatch => "issue",
            Action::Complete => "complete",
        };
        command.args(["-a", mask]);
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // the signals of a terminal come to this program, which passes them on
        .process_group(0)
        .spawn()
}

/// What blktrace says on standard error. Where it cannot open its files, it says so and then waits for ever: it is ended.
fn listen(errors: ChildStderr, group: Pid) -> String {
    let mut said = String::new();
    for line in BufReader::new(errors).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        if line.contains("FAILED to start thread") {
            let _ = kill_process_group(group, Signal::TERM);
        }
        said += &line;
        said.push('\n');
    }
    said
}

fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "zst")
}

/// Why records are not copied.
enum Stopped {
    Reading(io::Error),
    Writing(io::Error),
    Nonsense(String),
}

/// Copies whole records up to the end of blktrace.
fn copy(
    blktrace: &mut Child,
    file: &mut output::WholeFile,
    records: &mut Records,
    compress: bool,
) -> Result<(), Stopped> {
    let Some(mut from) = blktrace.stdout.take() else {
        return Ok(());
    };
    if !compress {
        return copy_to(&mut from, file, records);
    }
    let level = zstd::DEFAULT_COMPRESSION_LEVEL;
    let mut encoder = zstd::Encoder::new(file, level).map_err(Stopped::Writing)?;
    copy_to(&mut from, &mut encoder, records)?;
    encoder.finish().map_err(Stopped::Writing)?;
    Ok(())
}

fn copy_to(
    from: &mut impl Read,
    to: &mut impl Write,
    records: &mut Records,
) -> Result<(), Stopped> {
    let progress = Progress::of_members("records");
    let mut buffer = vec![0; 1 << 16];
    loop {
        let length = match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Stopped::Reading(error)),
        };
        let before = records.all;
        let whole = records.take(&buffer[..length]).map_err(Stopped::Nonsense)?;
        to.write_all(&whole).map_err(Stopped::Writing)?;
        progress.add(records.all - before);
    }
}

/// Cuts the output of blktrace into records, so that none is written by half, and counts them.
#[derive(Default)]
struct Records {
    /// The beginning of the next record.
    rest: Vec<u8>,
    all: u64,
    queued: u64,
    dispatched: u64,
    completed: u64,
}

impl Records {
    /// The records that these bytes complete.
    ///
    /// # Errors
    /// They are none.
    fn take(&mut self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        self.rest.extend_from_slice(bytes);
        let mut at = 0;
        loop {
            let step = RecordedStep::at(&self.rest[at..]);
            let step = step.map_err(|what| format!("its record {}: {what}", self.all + 1))?;
            let Some(step) = step else { break };
            self.all += 1;
            match step.action {
                Some(Action::Queue) => self.queued += 1,
                Some(Action::Dispatch) => self.dispatched += 1,
                Some(Action::Complete) => self.completed += 1,
                None => {}
            }
            at += step.length;
        }
        Ok(self.rest.drain(..at).collect())
    }
}

/// Warns of what blktrace has lost, and of an end that nobody asked for.
fn warn(said: &str, ended: ExitStatus, records: &Records) {
    let lost = said.lines().map(str::trim);
    let lost = lost.filter(|line| line.contains("dropped events") || line.contains("lost"));
    let mut warnings: Vec<String> = lost.map(|line| format!("blktrace: {line}")).collect();
    if !ended.success() {
        let why = format!(
            "blktrace: {ended}; the {} records before are kept",
            thousands(records.all)
        );
        warnings.push(why);
    }
    if !records.rest.is_empty() {
        warnings.push("blktrace: its last record was not whole, and is left out".to_owned());
    }
    message::warn(&warnings);
}

fn report(args: &Args, records: &Records) -> String {
    let path = shown_path(&args.output);
    let [all, queued, dispatched, completed] = [
        records.all,
        records.queued,
        records.dispatched,
        records.completed,
    ]
    .map(thousands);
    format!(
        "{path}: {all} records of {}, with {queued} requests queued (Q), {dispatched} dispatched (D), {completed} completed \
         (C); `ssdlab trace info {path}` characterises them\n",
        shown_path(&args.device)
    )
}

/// What this machine has of what blktrace needs; `None`: it cannot be told.
#[derive(Clone, Copy, Debug)]
struct Has {
    device: bool,
    program: bool,
    root: bool,
    debugfs: Option<bool>,
    kernel: Option<bool>,
}

impl Has {
    fn look(device: &Path) -> Self {
        let found = fs::metadata(device);
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let mounts = fs::read_to_string("/proc/mounts").ok();
        let is_debugfs = |line: &str| line.contains(" /sys/kernel/debug debugfs ");
        let disks = fs::read_dir("/sys/block").ok();
        let disks: Vec<_> = disks.into_iter().flatten().flatten().collect();
        Self {
            device: found.is_ok_and(|found| found.file_type().is_block_device()),
            program: std::env::split_paths(&folders)
                .any(|folder| folder.join("blktrace").is_file()),
            root: rustix::process::geteuid().is_root(),
            debugfs: mounts.map(|mounts| mounts.lines().any(is_debugfs)),
            // the kernel has this folder for each disk if it is built with CONFIG_BLK_DEV_IO_TRACE
            kernel: (!disks.is_empty())
                .then(|| disks.iter().any(|disk| disk.path().join("trace").exists())),
        }
    }

    fn lacks(&self) -> Vec<&'static str> {
        let pieces = [
            (
                self.program,
                "the program blktrace (`apt install blktrace` on Debian and Ubuntu)",
            ),
            (self.root, "root"),
            (
                self.debugfs != Some(false),
                "debugfs (`mount -t debugfs debugfs /sys/kernel/debug`)",
            ),
            (
                self.kernel != Some(false),
                "a kernel with CONFIG_BLK_DEV_IO_TRACE",
            ),
        ];
        let missing = pieces.into_iter().filter(|(has, _)| !has);
        missing.map(|(_, what)| what).collect()
    }
}

/// Says why blktrace has recorded nothing.
fn lacking(args: &Args, said: &str) -> Failure {
    let device = shown_path(&args.device);
    Failure::Input(why(&device, Has::look(&args.device), said))
}

fn why(device: &str, has: Has, said: &str) -> String {
    let mut parts = Vec::new();
    if !has.device {
        parts.push("it is no block device".to_owned());
    }
    let lacks = has.lacks();
    if !lacks.is_empty() {
        let plural = if lacks.len() == 1 { "is" } else { "are" };
        parts.push(format!("{} {plural} missing", listed(&lacks)));
    }
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    if !said.is_empty() {
        parts.push(format!("blktrace says: {}", shown_lines(&said)));
    }
    if parts.is_empty() {
        parts.push("no request was made in that time".to_owned());
    }
    let parts: Vec<String> = parts.iter().map(|part| capital(part)).collect();
    format!(
        "{device}: nothing was recorded. {}. A virtual SSD records its own requests: `ssdlab serve DRIVE --record FILE`",
        parts.join(". ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tells of a process, not of a request.
    const NOTIFY: u32 = 1 << 26;

    const ALL: Has = Has {
        device: true,
        program: true,
        root: true,
        debugfs: Some(true),
        kernel: Some(true),
    };

    // planted bugs: a piece that is missing is not named; one that cannot be told is
    #[test]
    fn each_missing_piece_is_named() {
        let cases = [
            (
                Has {
                    device: false,
                    ..ALL
                },
                "It is no block device.",
            ),
            (
                Has {
                    program: false,
                    ..ALL
                },
                "The program blktrace (",
            ),
            (Has { root: false, ..ALL }, "Root is missing."),
            (
                Has {
                    debugfs: Some(false),
                    ..ALL
                },
                "mount -t debugfs",
            ),
            (
                Has {
                    kernel: Some(false),
                    ..ALL
                },
                "CONFIG_BLK_DEV_IO_TRACE is missing.",
            ),
            (
                Has {
                    root: false,
                    kernel: Some(false),
                    ..ALL
                },
                "Root and a kernel with CONFIG_BLK_DEV_IO_TRACE are missing.",
            ),
            (
                Has {
                    debugfs: None,
                    kernel: None,
                    ..ALL
                },
                "No request was made",
            ),
        ];
        for (has, part) in cases {
            let text = why("/dev/sda", has, "");
            assert!(text.contains(part), "{part}: {text}");
            assert!(text.contains("ssdlab serve DRIVE --record FILE"), "{text}");
        }
        let text = why(
            "/dev/sda",
            ALL,
            "BLKTRACESETUP(2)\n /dev/sda failed: 16/busy",
        );
        assert!(
            text.contains("Blktrace says: BLKTRACESETUP(2) /dev/sda failed: 16/busy."),
            "{text}"
        );
        assert_eq!(text.matches("missing").count(), 0, "{text}");
    }

    fn record(action: u32, data: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; 48];
        bytes[..4].copy_from_slice(&0x6561_7407_u32.to_ne_bytes());
        bytes[28..32].copy_from_slice(&action.to_ne_bytes());
        bytes[46..].copy_from_slice(&(data.len() as u16).to_ne_bytes());
        [bytes, data.to_vec()].concat()
    }

    // planted bugs: a record in two pieces is lost, or written by half; the data behind a record are not skipped
    #[test]
    fn records_are_cut_and_counted() {
        let all = [
            record(1, b""),
            record(NOTIFY | 1, b"bash"),
            record(7, b"kworker"),
            record(8, b""),
        ];
        let bytes = all.concat();
        for step in [1, 7, 48, 49, 200] {
            let (mut records, mut written) = (Records::default(), Vec::new());
            for piece in bytes[..bytes.len() - 1].chunks(step) {
                written.extend(records.take(piece).unwrap());
            }
            assert_eq!(written, all[..3].concat(), "{step}");
            let counts = (
                records.all,
                records.queued,
                records.dispatched,
                records.completed,
            );
            assert_eq!(counts, (3, 1, 1, 0));
            assert_eq!(records.rest.len(), 47);
        }
        let wrong = Records::default().take(&[0; 48]).unwrap_err();
        assert!(wrong.contains("0x00000000"), "{wrong}");
    }
}
