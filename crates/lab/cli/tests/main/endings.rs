//! How the program ends when its environment fails: a closed pipe, an interrupt, a full or missing disk.
//!
//! Planted bugs that these catch: `println!` or `eprintln!` into a closed pipe, which panics; a half-written file under
//! its final name, or a leftover temporary file; an unnoticed full disk because the last write is buffered; a link,
//! even that of standard output, replaced by a file.

#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};

use crate::common::{Args, Lab, binary, ended, listening, trace, until, writes};
use rustix::process::{Pid, Signal, kill_process};

fn lab() -> Lab {
    let lab = Lab::small();
    lab.write("good.csv", writes(&[0, 4, 8, 12, 16, 0, 4]));
    // a run with a warning
    lab.write("back.csv", trace(&["5,W,0,512", "4,W,0,512"]));
    lab
}

/// The program in a lab's folder, all streams piped.
fn start(lab: &Lab, args: &str) -> Child {
    spawn(lab, Command::new(binary()), args)
}

fn spawn(lab: &Lab, mut command: Command, args: &str) -> Child {
    command
        .args(args.list())
        .current_dir(lab.path("."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

#[test]
fn a_reader_that_has_gone_is_no_error() {
    let lab = lab();
    for args in [
        "list",
        "--help",
        "trace info -",
        "trace info --json -",
        "run --config small.toml -",
        "run --json --config small.toml -",
        "compare --config small.toml --buffer=lru -",
    ] {
        let mut child = start(&lab, args);
        // closed before the program can have read its input, hence before it prints
        drop(child.stdout.take());
        let input = child.stdin.take().unwrap();
        // the first two read no input and may have ended
        let _ = (&input).write_all(lab.read("good.csv").as_bytes());
        drop(input);
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*message), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn nobody_need_read_the_warnings() {
    let lab = lab();
    let mut child = start(&lab, "run --json --config small.toml -");
    drop(child.stderr.take());
    let mut input = child.stdin.take().unwrap();
    input.write_all(lab.read("back.csv").as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.starts_with(b"{"));
    // errors cannot be printed either: the exit code is enough
    let mut child = start(&lab, "run -");
    drop(child.stderr.take());
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

/// A run that has started to write `events.jsonl` and waits for more requests.
fn waiting(lab: &Lab, command: Command) -> Child {
    let before = lab.files();
    let args = "run --config small.toml --events events.jsonl -";
    let mut child = spawn(lab, command, args);
    let text = writes(&(0..20_000).map(|i| i * 7 % 20).collect::<Vec<_>>());
    let input = child.stdin.as_mut().unwrap();
    input.write_all(text.as_bytes()).unwrap();
    until("no file appears", || lab.files() != before);
    assert_eq!(child.try_wait().unwrap(), None, "it is running");
    child
}

#[test]
fn a_signal_leaves_nothing_behind() {
    let lab = lab();
    lab.write("events.jsonl", "of an earlier run");
    let before = lab.files();
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let mut child = waiting(&lab, listening());
        // the input stays open, so the run cannot end by itself
        let input = child.stdin.take();
        send(&child, signal);
        let output = child.wait_with_output().unwrap();
        drop(input);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*message), (Some(code), ""));
        assert_eq!(output.status.signal(), None);
        assert!(output.stdout.is_empty());
        assert_eq!(lab.files(), before);
        assert_eq!(lab.read("events.jsonl"), "of an earlier run");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_that_is_ignored_stays_so() {
    let lab = lab();
    let mut nohup = Command::new("nohup");
    nohup.arg(binary());
    let mut child = waiting(&lab, nohup);
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = u64::from_str_radix(ignored.unwrap().trim(), 16).unwrap();
    assert_eq!(ignored >> (Signal::HUP.as_raw() - 1) & 1, 1, "{status}");
    send(&child, Signal::HUP);
    drop(child.stdin.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(lab.read("events.jsonl").lines().count() > 5);
}

#[test]
fn an_interrupted_comparison_leaves_no_report() {
    let lab = lab();
    // enough work to last until the signal
    let pages: Vec<u64> = (0..300_000).map(|i| i * 7 % 20).collect();
    lab.write("long.csv", writes(&pages));
    let sizes: Vec<String> = (1..=40).map(|pages| (pages * 512).to_string()).collect();
    let sizes = sizes.join(",");
    let args = format!("compare --config small.toml --jobs 1 long.csv --size={sizes}");
    let before = lab.files();
    let child = spawn(&lab, listening(), &args);
    until("no file appears", || lab.files() != before);
    send(&child, Signal::INT);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(output.stdout.is_empty());
    assert_eq!(lab.files(), before);
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// A command without a place to write: exit code 1, a message with the path, no file left over.
#[track_caller]
fn cannot_write(lab: &Lab, args: &str, path: &str) {
    let before = lab.files();
    let ended = lab.run(args);
    let start = format!("error: {path}: cannot be written: ");
    assert!(ended.stderr.starts_with(&start), "{}", ended.stderr);
    assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    assert!(!ended.stderr.contains(".tmp"), "{}", ended.stderr);
    assert_eq!((ended.code, &*ended.stdout), (Some(1), ""));
    assert_eq!(lab.files(), before);
}

#[test]
fn a_file_that_cannot_be_written() {
    let lab = lab();
    fs::create_dir(lab.path("folder")).unwrap();
    let mut places = vec!["nosuch/out", "folder", "good.csv/out"];
    if cfg!(target_os = "linux") {
        places.push("/dev/full");
    }
    for place in places {
        for command in ["run --events", "compare --size=1KiB --html"] {
            let args = format!("{command} {place} --config small.toml good.csv");
            cannot_write(&lab, &args, place);
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_standard_output() {
    let lab = lab();
    for args in [
        "run --json --config small.toml good.csv",
        "list",
        "--help",
        "trace generate uniform",
    ] {
        let ended = lab.shell(&format!("\"$0\" {args} >/dev/full"));
        assert_eq!(ended.code, Some(1), "{args}");
        let start = "error: standard output: ";
        assert!(ended.stderr.starts_with(start), "{}", ended.stderr);
    }
}

#[test]
fn links_stay_and_what_they_lead_to_is_written() {
    use std::os::unix::fs::symlink;
    let lab = lab();
    fs::create_dir(lab.path("folder")).unwrap();
    symlink("folder/events", lab.path("link")).unwrap();
    symlink("link", lab.path("chain")).unwrap();
    // at first the target of the link does not exist
    for _ in 0..2 {
        lab.ok("run --config small.toml good.csv --events chain");
        assert!(lab.path("link").is_symlink() && lab.path("chain").is_symlink());
        assert!(lab.read("folder/events").lines().count() > 5);
        lab.write("folder/events", "of an earlier run");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn standard_output_by_name_is_no_file() {
    use std::os::unix::fs::symlink;
    let lab = lab();
    // never /dev/stdout itself: a replacement would break the whole machine
    symlink("/proc/self/fd/1", lab.path("link")).unwrap();
    let generate = "trace generate uniform --requests 3";
    let plain = lab.ok(generate);
    for name in ["link", "/proc/self/fd/1", "-"] {
        assert_eq!(lab.ok(&format!("{generate} -o {name}")), plain);
        // existing content stays
        let ended = lab.shell(&format!("\"$0\" {generate} -o {name} >>out"));
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
    assert_eq!(lab.read("out"), plain.repeat(3));
    assert!(lab.path("link").is_symlink() && !lab.path("-").exists());
}

#[test]
fn a_file_named_as_standard_input_is_not_read() {
    let lab = lab();
    lab.write("-", "no trace");
    let mut child = start(&lab, "run --config small.toml --loops=2 -");
    let input = child.stdin.take().unwrap();
    (&input).write_all(lab.read("good.csv").as_bytes()).unwrap();
    drop(input);
    assert!(child.wait_with_output().unwrap().status.success());
}

#[test]
fn files_appear_whole() {
    let lab = lab();
    lab.write("events.jsonl", "of an earlier run\n".repeat(10_000));
    lab.ok("run --config small.toml good.csv --events events.jsonl");
    let events = lab.read("events.jsonl");
    assert!(events.lines().count() > 5 && !events.contains("earlier"));
    // a device is written directly, not replaced by a file
    lab.ok("run --config small.toml good.csv --events /dev/null");
    assert_eq!(
        lab.files(),
        ["back.csv", "events.jsonl", "good.csv", "small.toml"]
    );
}

#[test]
fn an_output_keeps_what_the_file_was() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let lab = lab();
    let args = "run --config small.toml good.csv --events events";
    let mode = |mode| fs::set_permissions(lab.path("events"), fs::Permissions::from_mode(mode));
    let metadata = || fs::metadata(lab.path("events")).unwrap();
    lab.write("events", "of an earlier run");
    let inode = metadata().ino();
    mode(0o600).unwrap();
    lab.ok(args);
    // replaced by a renamed file
    assert_eq!(metadata().mode() & 0o777, 0o600);
    assert_ne!(metadata().ino(), inode);
    let events = lab.read("events");
    assert!(events.lines().count() > 5);
    // a second name still refers to the same file
    fs::hard_link(lab.path("events"), lab.path("also")).unwrap();
    lab.write("events", events.repeat(3));
    let inode = metadata().ino();
    lab.ok(args);
    assert_eq!(metadata().ino(), inode);
    assert_eq!(
        (lab.read("events"), lab.read("also")),
        (events.clone(), events)
    );
    fs::remove_file(lab.path("also")).unwrap();
    lab.write("events", "of an earlier run");
    mode(0o444).unwrap();
    cannot_write(&lab, args, "events");
    assert_eq!(lab.read("events"), "of an earlier run");
    assert!(lab.run(args).stderr.contains("it is read-only"));
}

#[test]
fn a_closed_standard_output() {
    let lab = lab();
    let closed = "error: standard output: it is closed\n";
    for args in [
        "list",
        "--help",
        "trace info good.csv",
        "trace generate uniform --requests 3",
        "run --config small.toml --json good.csv",
        "compare --config small.toml --size 1KiB --html out.html good.csv",
    ] {
        let ended = lab.shell(&format!("\"$0\" {args} >&-"));
        assert!(ended.stderr.ends_with(closed), "{args}: {}", ended.stderr);
        assert_eq!(ended.code, Some(1), "{args}");
    }
    // files are complete, and a command that prints nothing needs no standard output
    assert!(lab.path("out.html").exists());
    let generate = "\"$0\" trace generate uniform --requests 3 -o made.csv >&- </dev/null";
    assert_eq!(lab.shell(generate).code, Some(0));
    // a parent that ignores the output may pass it like this
    assert_eq!(lab.shell("\"$0\" list 1<>/dev/null").code, Some(0));
}

#[test]
#[cfg(target_os = "linux")]
fn paths_that_are_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let lab = lab();
    let name = OsStr::from_bytes(b"a\xFF\x1b[31m\n.csv");
    fs::copy(lab.path("good.csv"), lab.path(".").join(name)).unwrap();
    let run = |args: &str| ended(lab.command(args).arg(name));
    let shown = r"a\xff\u{1b}[31m\n.csv";
    for args in [
        "trace info",
        "compare --config=small.toml --size=1KiB --html=out.html",
        "run --config=small.toml",
    ] {
        let table = run(args).success();
        assert!(table.contains(shown), "{table}");
        assert!(!table.contains('\u{1b}'), "{table}");
    }
    let report = lab.read("out.html");
    assert!(report.contains(shown) && !report.contains('\u{1b}'));
    assert!(report.contains(r"a\xff\x1b[31m\n.csv"));
    let refused = run("run --config=small.toml --volume=1");
    assert!(refused.stderr.contains(shown), "{}", refused.stderr);
    assert!(!refused.stderr.contains('\u{1b}'));
    let missing = ended(lab.command("run --config").arg(name).arg("good.csv"));
    assert!(missing.stderr.contains(shown), "{}", missing.stderr);
}
