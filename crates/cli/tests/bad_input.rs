//! Input that must be refused: exit code 2, one message that starts with `error: ` and gives the fault, its place and
//! the allowed values; nothing on standard output, no file written or left over.
//!
//! Planted bugs that these catch: a panic or an endless wait instead of a message; a cut trace read as a shorter one; a
//! line number that is one too low because the header was not counted; a required size that covers only the requests
//! read so far; an output file although the run was refused; a system of another paper used silently in place of one
//! that is built.

use std::fs;

use crate::common::{self, HEADER, Lab, gz, trace, writes, zst};

/// Gives a bad trace to every command that reads one.
#[track_caller]
fn bad_trace(lab: &Lab, name: &str, fragments: &[&str]) {
    bad_replay(lab, name, fragments);
    lab.refused(&["trace", "info", "--json", name], fragments);
}

/// Gives a trace to every command that replays one.
#[track_caller]
fn bad_replay(lab: &Lab, name: &str, fragments: &[&str]) {
    let run = ["run", "--json", "--config", "small.toml", name];
    lab.refused(&[&run[..], &["--events", "out.jsonl"]].concat(), fragments);
    lab.refused(&[&run[..], &["--repeat", "2"]].concat(), fragments);
    let compare = ["compare", "--config", "small.toml", "--size", "1KiB", name];
    lab.refused(&compare, fragments);
}

#[test]
fn files_that_are_no_traces() {
    let lab = Lab::small();
    let good = writes(&(0..5000).map(|i| i % 20).collect::<Vec<_>>());
    let (gz, zst) = (gz(&good), zst(&good));
    let empty_zst = common::zst("");
    let binary: Vec<u8> = (0..=255).cycle().take(1000).collect();
    let noise: Vec<u8> = binary.iter().map(|byte| byte ^ 0xA5).collect();
    let cut = &good.as_bytes()[..good.len() - 5];
    let mut garbled = zst.clone();
    garbled[8..40].fill(0xFF);
    // the text is complete, but the checksum before the length at the end is wrong
    let mut denied = gz.clone();
    denied[gz.len() - 6] ^= 1;
    let cases: &[(&str, &[u8], &[&str])] = &[
        ("empty.csv", b"", &["empty.csv: ", "0 bytes", "header"]),
        ("empty.csv.zst", b"", &["empty.csv.zst: ", "0 bytes"]),
        ("hollow.csv.zst", &empty_zst, &["0 bytes once decompressed"]),
        (
            "cut.csv.zst",
            &zst[..zst.len() - 9],
            &["zstd data are cut off"],
        ),
        (
            "cut.csv.gz",
            &gz[..gz.len() - 9],
            &["gzip data are cut off"],
        ),
        (
            "head.csv.gz",
            &gz[..6],
            &["head.csv.gz: ", "cut off from the start"],
        ),
        (
            "garbled.csv.zst",
            &garbled,
            &["garbled.csv.zst: ", "zstd data cannot be decompressed"],
        ),
        (
            "denied.csv.gz",
            &denied,
            &["gzip data cannot be decompressed", "after line 5001"],
        ),
        // the last line is `4999000,W,9728,512`
        (
            "cut.csv",
            cut,
            &["cut.csv, line 5001: ", "3 fields", "4 fields"],
        ),
        (
            "binary.csv",
            &binary,
            &["binary.csv, line 1: not text", HEADER],
        ),
        (
            "noise.csv.zst",
            &noise,
            &["noise.csv.zst: ", "neither zstd data nor text"],
        ),
        (
            "noise.csv.gz",
            &noise,
            &["noise.csv.gz: ", "neither gzip data nor text"],
        ),
        (
            "label.csv",
            &zst,
            &["says plain text", "is zstd", "rename it to label.csv.zst"],
        ),
        (
            "label.csv.gz",
            &zst,
            &["says gzip", "is zstd", "rename it to label.csv.zst"],
        ),
        (
            "label.csv.zst",
            &gz,
            &["says zstd", "is gzip", "rename it to label.csv.gz"],
        ),
        (
            "text.csv.zst",
            good.as_bytes(),
            &["is plain text", "rename it to text.csv"],
        ),
        (
            "utf16.csv",
            b"\xFF\xFEt\0i\0\n\0",
            &["UTF-16", "save the trace as UTF-8"],
        ),
        (
            "none.csv",
            b"0,W,0,512\n",
            &["line 1: the header is missing", HEADER],
        ),
        (
            "blank.csv",
            b"\n0,W,0,512\n",
            &["line 1: the line is empty", HEADER],
        ),
        (
            "other.csv",
            b"time,op,lba\n",
            &["line 1: wrong header", "\"time,op,lba\"", HEADER],
        ),
        (
            "bar.csv",
            &[b'x'; 10_000],
            &["line 1: wrong header", "exactly"],
        ),
    ];
    for (name, bytes, fragments) in cases {
        lab.write(name, bytes);
        bad_trace(&lab, name, fragments);
    }
    bad_trace(
        &lab,
        "nosuch.csv",
        &["nosuch.csv: no such file", "standard input"],
    );
    bad_trace(&lab, "empty.csv/x", &["empty.csv/x: no such file"]);
    fs::create_dir(lab.path("folder")).unwrap();
    bad_trace(&lab, "folder", &["folder: is a directory"]);
}

#[test]
fn lines_that_are_no_requests() {
    const WHOLE: &str = "whole number from 0 to 18446744073709551615";
    let cases: &[(&str, &[&str])] = &[
        ("1,W,0", &["3 fields", "\"1,W,0\"", "4 fields", HEADER]),
        ("1,W,0,512,9", &["5 fields", "4 fields"]),
        ("1;W;0;512", &["1 field,", "4 fields"]),
        ("-1,W,0,512", &["time_ns is negative", "\"-1\"", WHOLE]),
        ("1,W,-512,512", &["offset_bytes is negative", "\"-512\""]),
        ("1,W,0,-512", &["size_bytes is negative"]),
        (
            "NaN,W,0,512",
            &["time_ns is not a number", "\"NaN\"", WHOLE],
        ),
        ("inf,W,0,512", &["time_ns is not a number", "\"inf\""]),
        ("0.5,W,0,512", &["time_ns is not a whole number", "\"0.5\""]),
        (
            "1,W,0,1e3",
            &["size_bytes is not a whole number", "\"1e3\""],
        ),
        (
            "1,W,0x10,512",
            &["offset_bytes is not a number", "\"0x10\""],
        ),
        ("1,W,,512", &["offset_bytes is empty"]),
        ("1, W,0,512", &["op has blanks around it"]),
        ("1,W,0, 512", &["size_bytes has blanks around it"]),
        (
            "18446744073709551616,W,0,512",
            &["time_ns is too large", WHOLE],
        ),
        (
            "1,W,99999999999999999999,512",
            &["offset_bytes is too large"],
        ),
        (
            "1,W,18446744073709551615,512",
            &["offset_bytes + size_bytes is too large"],
        ),
        ("1,W,0,18446744073709551615", &["size_bytes is too large"]),
        ("1,X,0,512", &["op is unknown", "\"X\"", "R, W, F or D"]),
        ("1,WS,0,512", &["op is unknown", "\"WS\"", "R, W, F or D"]),
        ("1,w,0,512", &["op is in lower case", "R, W, F or D"]),
        ("1,,0,512", &["op is empty", "R, W, F or D"]),
        ("1,W,0,0", &["size_bytes is 0", "a size from 1"]),
        ("1,R,0,0", &["size_bytes is 0"]),
        ("1,D,0,0", &["size_bytes is 0"]),
        ("\u{fc},W,0,512", &["time_ns is not a number"]),
    ];
    let lab = Lab::small();
    for (line, fragments) in cases {
        // every fault is on the third line
        lab.write("t.csv", trace(&["0,W,0,512", line, "2,W,0,512"]));
        bad_trace(&lab, "t.csv", &[&["t.csv, line 3: "], *fragments].concat());
    }
    lab.write("t.csv", trace(&["0,W,0,512", "", "2,W,0,512"]));
    bad_trace(
        &lab,
        "t.csv",
        &["line 3: the line is empty, but line 4 is not"],
    );
    lab.write("t.csv", trace(&["0,W,0,512", &"9".repeat(5000)]));
    bad_trace(
        &lab,
        "t.csv",
        &["line 3: the line is longer than 4096 bytes"],
    );
    // the same from standard input
    let mut command = lab.command(&["run", "--config", "small.toml", "-"]);
    let command = command.write_stdin(trace(&["0,W,0,512", "1,W,0"]));
    let ended = common::ended(command);
    assert_eq!((ended.code, &*ended.stdout), (Some(2), ""));
    let start = "error: standard input, line 3: 3 fields";
    assert!(ended.stderr.starts_with(start), "{}", ended.stderr);
}

#[test]
fn requests_past_the_device() {
    let lab = Lab::small();
    // the first request that does not fit is on line 3; the furthest, much later, ends inside block 20 of 2048 bytes
    let mut lines = vec!["0,W,0,512"; 12_000];
    lines[1] = "1,W,10000,512";
    lines[11_998] = "2,R,40961,100";
    lab.write("past.csv", trace(&lines));
    let needed = (21 * 2048).to_string();
    let fragments = [
        "past.csv, line 3: ",
        "ends at byte 10512",
        "flash.capacity = 10240",
        &format!("needs {needed} bytes"),
        &format!("flash.capacity = {needed} or \"auto\""),
        "--wrap",
    ];
    bad_replay(&lab, "past.csv", &fragments);
    // the advice works
    for capacity in [&needed, "auto"] {
        let setting = format!("flash.capacity={capacity}");
        lab.ok(&[
            "run",
            "--config",
            "small.toml",
            "--set",
            &setting,
            "past.csv",
        ]);
    }
    lab.ok(&["run", "--config", "small.toml", "--wrap", "past.csv"]);
    // discards too
    lab.write("discard.csv", trace(&["0,D,10240,512"]));
    bad_replay(
        &lab,
        "discard.csv",
        &["discard.csv, line 2: ", "needs 12288 bytes"],
    );
    // larger than the whole device, so no modulo helps
    lab.write("huge.csv", trace(&["0,W,0,512", "0,W,0,20480"]));
    bad_replay(
        &lab,
        "huge.csv",
        &["huge.csv, line 3: ", "needs 20480 bytes", "auto"],
    );
    let wrapped = ["run", "--wrap", "--config", "small.toml", "huge.csv"];
    lab.refused(
        &wrapped,
        &[
            "huge.csv, line 3: ",
            "20480 bytes cannot wrap around the device",
        ],
    );
}

// Planted bugs: all requests are issued at once; an error for requests with times, or for one alone.
#[test]
fn timed_replay_needs_times() {
    let lab = Lab::new();
    let timed = ["--set=timing.model=parallel", "--set=replay=timed"];
    lab.write("same.csv", trace(&["5,W,0,4096", "5,W,4096,4096"]));
    lab.write("times.csv", trace(&["5,W,0,4096", "6,W,4096,4096"]));
    lab.write("one.csv", trace(&["5,W,0,4096"]));
    let why = [
        "replay = \"timed\"",
        "all 2 requests of same.csv",
        "replay = \"closed\"",
    ];
    for command in [
        &["run"][..],
        &["run", "--loops=2"],
        &["compare", "--no-html", "--buffer=lru"],
    ] {
        lab.refused(&[command, &timed, &["same.csv"]].concat(), &why);
        lab.ok(&[command, &timed, &["times.csv"]].concat());
    }
    lab.ok(&[&["run"][..], &timed, &["one.csv"]].concat());
    lab.ok(&["run", "--set=timing.model=parallel", "same.csv"]);
}
