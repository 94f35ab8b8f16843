//! `trace record` with a program in the place of blktrace.
//!
//! Planted bugs that these catch: Ctrl-C loses the last records; half a record is written; options do not reach blktrace;
//! a missing piece is not named; blktrace hangs and is waited for.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::common::{Lab, binary, in_repository, listening, until};

/// A lab with a `blktrace` that runs this script.
fn lab(script: &str) -> Lab {
    let lab = Lab::new();
    fs::create_dir(lab.path("bin")).unwrap();
    let path = lab.path("bin/blktrace");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    lab
}

fn path(lab: &Lab) -> String {
    format!(
        "{}:{}",
        lab.path("bin").display(),
        std::env::var("PATH").unwrap_or_default()
    )
}

fn start(lab: &Lab, mut program: Command, args: &str) -> Child {
    program
        .args(["trace", "record"])
        .args(args.split(' '))
        .env("PATH", path(lab))
        .current_dir(lab.path("."))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    program.spawn().unwrap()
}

fn run(lab: &Lab, args: &str) -> (Option<i32>, String, String) {
    end(start(lab, Command::new(binary()), args))
}

fn end(child: Child) -> (Option<i32>, String, String) {
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Recorded by blktrace on a device with f2fs.
fn recorded() -> Vec<u8> {
    let path: PathBuf = in_repository("traces/samples/f2fs-small.blktrace.0.zst");
    zstd::decode_all(fs::File::open(path).unwrap()).unwrap()
}

#[test]
fn records_are_kept_as_they_are() {
    let lab = lab("echo \"$@\" > args; cat recorded");
    lab.write("recorded", recorded());
    let (code, printed, errors) = run(&lab, "/dev/null -o t.blktrace --seconds 5");
    assert_eq!((code, &*errors), (Some(0), ""));
    assert_eq!(lab.read("args"), "-d /dev/null -o - -w 5\n");
    assert!(fs::read(lab.path("t.blktrace")).unwrap() == recorded());
    assert!(printed.starts_with("t.blktrace: "), "{printed}");
    let counts = "3,539 records of /dev/null, with 560 requests queued (Q), 589 dispatched (D), 645 completed (C)";
    assert!(printed.contains(counts), "{printed}");
    for (letter, mask) in [("Q", "queue"), ("D", "issue"), ("C", "complete")] {
        let (code, ..) = run(&lab, &format!("/dev/null -o t.zst --action {letter}"));
        assert_eq!(code, Some(0));
        assert_eq!(lab.read("args"), format!("-d /dev/null -o - -a {mask}\n"));
        let packed = fs::read(lab.path("t.zst")).unwrap();
        assert!(zstd::decode_all(&*packed).unwrap() == recorded());
        assert!(packed.len() < recorded().len() / 2);
    }
}

#[test]
fn a_signal_ends_the_recording_and_keeps_it() {
    // as blktrace does, it writes what it has when the signal comes
    let script = "trap 'tail -c +4801 recorded; exit 0' INT TERM HUP; head -c 4800 recorded; : > ready; \
                  while :; do sleep 0.05; done";
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let lab = lab(script);
        lab.write("recorded", recorded());
        let child = start(&lab, listening(), "/dev/null -o t.blktrace.zst");
        until("it does not start", || lab.path("ready").exists());
        assert!(!lab.path("t.blktrace.zst").exists());
        kill_process(Pid::from_child(&child), signal).unwrap();
        let (code, printed, errors) = end(child);
        assert_eq!((code, &*errors), (Some(0), ""), "{printed}");
        let packed = fs::read(lab.path("t.blktrace.zst")).unwrap();
        assert!(zstd::decode_all(&*packed).unwrap() == recorded());
    }
}

#[test]
fn only_whole_records_are_written() {
    let lab = lab("head -c 4830 recorded; echo '  You have 7 (0.1%) dropped events' >&2; exit 3");
    lab.write("recorded", recorded());
    let (code, _, errors) = run(&lab, "/dev/null -o t.blktrace");
    assert_eq!(code, Some(0));
    let written = fs::read(lab.path("t.blktrace")).unwrap();
    assert!(written.len() < 4830 && recorded().starts_with(&written));
    for part in [
        "You have 7 (0.1%) dropped events",
        "exit status: 3",
        "its last record was not whole",
    ] {
        assert!(errors.contains(part), "{errors}");
    }
    let lab = self::lab("head -c 1000 /dev/zero");
    let (code, _, errors) = run(&lab, "/dev/null -o t.blktrace");
    assert_eq!(code, Some(1));
    assert!(
        errors.contains("its record 1: the magic number is wrong, found 0x00000000"),
        "{errors}"
    );
    assert_eq!(lab.files(), ["bin"]);
}

#[test]
fn what_is_missing_is_named() {
    let lab =
        lab("echo 'Invalid debug path /sys/kernel/debug: 2/No such file or directory' >&2; exit 1");
    let (code, printed, errors) = run(&lab, "bin/blktrace -o t.blktrace");
    assert_eq!((code, &*printed), (Some(2), ""));
    for part in [
        "error: bin/blktrace: nothing was recorded. It is no block device.",
        "Blktrace says: Invalid debug path /sys/kernel/debug: 2/No such file or directory.",
        "`ssdlab serve DRIVE --record FILE`",
    ] {
        assert!(errors.contains(part), "{part}: {errors}");
    }
    assert_eq!(lab.files(), ["bin"]);
    // blktrace waits for ever where its threads cannot begin
    let script = "echo 'FAILED to start thread on CPU 0: 1/Operation not permitted' >&2; while :; do sleep 0.05; done";
    let lab = self::lab(script);
    let (code, _, errors) = run(&lab, "/dev/null -o t.blktrace");
    assert_eq!(code, Some(2));
    assert!(
        errors.contains("Blktrace says: FAILED to start thread on CPU 0"),
        "{errors}"
    );
    // no program
    let mut program = Command::new(binary());
    program.args("trace record /dev/null -o t.blktrace".split(' '));
    program
        .env("PATH", lab.path("nowhere"))
        .current_dir(lab.path("."));
    let output = program.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.contains("The program blktrace (`apt install blktrace`"),
        "{errors}"
    );
    assert_eq!(lab.files(), ["bin"]);
}

#[test]
fn wrong_options_are_refused() {
    let lab = lab("exit 9");
    lab.refused("trace record /dev/null", &["--output"]);
    lab.refused("trace record /dev/null -o -", &["must be a file"]);
    lab.refused("trace record /dev/null -o t --seconds 0", &["--seconds"]);
    lab.refused("trace record /dev/null -o t --action X", &["--action"]);
}
