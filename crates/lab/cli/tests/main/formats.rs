//! Traces in other formats than plain, and the options that choose from a trace, in all commands.
//!
//! Planted bugs that these catch: an option that one command passes on and another forgets; the number of a request in
//! place of its line number; a wrong line number after `auto`, `--repeat` or `compare`, which read the trace in other
//! ways; standard input read twice; a hidden count of lines that were left out.

use crate::common::{Lab, in_repository, json, trace, zst};
use serde_json::Value;

/// Requests of 512 bytes on lines 2, 5 and 6; the last ends after the end of the small device.
const BLKPARSE: &str = "\
  8,0    0        1     0.000000000   697  Q  WS 0 + 1 [x]
  8,0    0        2     0.000001000   697  D  WS 0 + 1 [x]
  8,0    0        3     0.000002000     0  C  WS 0 + 1 [0]
  8,0    0        4     0.000003000   697  P   N [x]
  8,0    0        5     0.000004000   697  D FWS 1 + 1 [x]
  8,0    0        6     0.000005000   697  D   W 20 + 1 [x]
CPU0 (8,0):
 Reads Queued:           0,        0KiB
";

const MSR: &str = "\
128166372003061629,usr,0,Read,0,512,41286
128166372003061639,usr,0,Write,512,512,41286
128166372003061649,usr,1,Write,1024,512,41286
";

fn lab() -> Lab {
    let lab = Lab::small();
    lab.write("blk.txt", BLKPARSE);
    lab.write("usr.csv", MSR);
    lab.write(
        "t.csv",
        trace(&["0,W,0,512", "1,F,0,0", "2,W,512,512", "3,W,0,512"]),
    );
    lab
}

/// Every command that reads a trace, with its options.
fn commands(options: &str) -> [String; 4] {
    [
        "run --json --config small.toml",
        "run --json --repeat 2 --config small.toml",
        "compare --size 1KiB --config small.toml",
        "trace info --json",
    ]
    .map(|command| format!("{command} {options}"))
}

#[track_caller]
fn refused(lab: &Lab, options: &str, fragments: &[&str]) {
    for command in commands(options) {
        lab.refused(&command, fragments);
    }
}

/// The trace in the outputs of `run` and of `trace info`, which must agree.
#[track_caller]
fn read(lab: &Lab, options: &str) -> Value {
    let [run, repeat, _, info] = commands(options);
    let trace = lab.json(&run)["trace"].take();
    assert_eq!(lab.json(&repeat)["trace"], trace);
    let mut shown = lab.json(&info);
    let characterised = shown.as_object_mut().unwrap().remove("info").unwrap();
    assert_eq!(characterised["requests"], trace["requests"]);
    shown.as_object_mut().unwrap().remove("warnings").unwrap();
    assert_eq!(shown, trace);
    trace
}

#[test]
fn formats_are_detected_and_shown() {
    let lab = lab();
    let blkparse = read(&lab, "--limit 3 blk.txt");
    assert_eq!(blkparse["format"], "blkparse");
    let reason = "line 1 starts with \"8,0 0 1 0.000000000\"";
    assert_eq!(blkparse["format_reason"], reason);
    let text = lab.ok("trace info blk.txt");
    let line = format!("\nformat                blkparse: {reason}\n");
    assert!(text.contains(&line), "{text}");
    let left_out = "2 other actions, 1 plug and message lines, 2 summary lines\n";
    let line = format!("left out              {left_out}");
    assert!(text.contains(&line), "{text}");
    let run = "run --set flash.capacity=auto blk.txt";
    let text = lab.ok(run);
    let line = format!("left out            {left_out}");
    assert!(text.contains(&line), "{text}");
    // expected lines that are left out give no warning
    assert_eq!(lab.run(run).stderr, "");
    lab.write("blk.txt.zst", zst(BLKPARSE));
    assert_eq!(read(&lab, "--limit 1 blk.txt.zst")["format"], "blkparse");
    let msr = read(&lab, "--volume usr.0 usr.csv");
    assert_eq!(msr["format"], "msr");
    assert_eq!(
        (&msr["requests"], &msr["skipped"]),
        (&2.into(), &json(r#"{"other volumes":1}"#))
    );
    let plain = read(&lab, "--format plain t.csv");
    assert_eq!(plain["format_reason"], "--format plain");
    // a plain trace leaves nothing out and gives no message
    let text = lab.ok("trace info t.csv");
    assert!(
        text.contains("\nformat                plain: line 1 is "),
        "{text}"
    );
    assert!(!text.contains("left out"), "{text}");
}

/// Planted bugs: an option of tables or units that one command forgets, or that the trace keeps to itself.
#[test]
fn tables_and_units_reach_every_command() {
    let lab = lab();
    lab.write("table.csv", "ts|1|lba|len\n1|0|0|1\n2|1|1|1\n");
    let fields = "--fields time=ts,op=2,offset=lba,size=len --ops 0=R,1=W --time-unit us";
    let table = read(&lab, &format!("{fields} --sector 512 --header table.csv"));
    assert_eq!(
        (&table["format"], &table["format_reason"]),
        (&"csv".into(), &"--fields".into())
    );
    assert_eq!(table["requests"], 2);
    let plain = lab.ok(&format!(
        "trace info --json {fields} --sector 512 --size-unit 1024 --header --delimiter | table.csv"
    ));
    assert_eq!(json(&plain)["info"]["bytes_written"], 1024);
    lab.write("numbers.csv", "1 w 0 1\n2 w 1 1\n");
    let numbers = "--fields time=1,op=2,offset=3,size=4 --time-unit ms --sector 512 --no-header --delimiter space numbers.csv";
    assert_eq!(read(&lab, numbers)["requests"], 2);
    lab.write(
        "baleen.txt",
        "9 0 512 1572000000.5 3 0\n1 512 512 1572000000.5 4 0\n",
    );
    let text = lab.run("run --set flash.capacity=auto --slot 1KiB baleen.txt");
    assert!(
        text.stderr
            .contains("2 blocks, and each got the next 1024 bytes"),
        "{}",
        text.stderr
    );
    refused(&lab, "table.csv", &["table.csv", "--format"]);
    refused(
        &lab,
        "--sector 512 t.csv",
        &["--sector is for ", "tencent, camelab and csv traces"],
    );
    for (option, fragment) in [
        ("--sector 0", "at least 1 byte"),
        ("--slot x", "at least 1 byte"),
        ("--time-unit h", "100ns"),
        ("--fields time", "ROLE=COLUMN"),
        ("--ops 0", "VALUE=OP"),
        ("--delimiter a", "one character"),
        ("--header --no-header", "cannot be used"),
    ] {
        lab.refused(&format!("trace info {option} t.csv"), &[fragment]);
    }
}

#[test]
fn options_reach_every_command() {
    let lab = lab();
    let limited = read(&lab, "--limit 2 t.csv");
    assert_eq!(
        (&limited["requests"], &limited["limit"]),
        (&2.into(), &2.into())
    );
    assert_eq!(limited["sha256"], Value::Null);
    let text = lab.ok("trace info --limit 2 t.csv");
    assert!(
        text.contains("left out              all after request 2 (--limit)\n"),
        "{text}"
    );
    let dropped = read(&lab, "--drop-flushes t.csv");
    assert_eq!(dropped["requests"], 3);
    assert_eq!(
        dropped["skipped"],
        json(r#"{"flushes (--drop-flushes)":1}"#)
    );
    lab.write(
        "discards.csv",
        trace(&["0,W,0,512", "1,D,0,512", "2,D,0,512"]),
    );
    let kept = read(&lab, "--drop-discards discards.csv");
    assert_eq!(kept["skipped"], json(r#"{"discards (--drop-discards)":2}"#));
    let compared = "compare --set ftl.kind=bast --no-html --no-bounds --no-advice --buffer none --drop-discards discards.csv";
    let text = lab.ok(compared);
    assert!(
        text.contains("\nleft out: 2 discards (--drop-discards)\n"),
        "{text}"
    );
    let completed = read(&lab, "--action C --format blkparse blk.txt");
    assert_eq!(completed["requests"], 1);
    // `compare` follows the options too: these runs would fail otherwise
    for options in [
        "--limit 3 blk.txt",
        "--action Q blk.txt",
        "--volume usr.1 usr.csv",
        "--format msr --limit 2 usr.csv",
    ] {
        lab.ok(&format!(
            "compare --no-html --size 1KiB --config small.toml {options}"
        ));
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let lab = lab();
    for (options, fragments) in [
        (
            "--action D t.csv",
            [
                "t.csv: --action is for blkparse and blktrace traces",
                "plain",
            ],
        ),
        (
            "--volume 8,1 blk.txt",
            ["no request of volume \"8,1\"", "\"8,0\""],
        ),
        ("usr.csv", ["usr.csv, line 3: a second volume", "--volume"]),
        (
            "--format msr t.csv",
            ["t.csv, line 1: 4 fields", "7 fields"],
        ),
        (
            "--format raw blk.txt",
            ["invalid value 'raw'", "plain, blkparse, msr"],
        ),
        ("--action d blk.txt", ["invalid value 'd'", "Q, D, C"]),
        ("--limit 0 blk.txt", ["invalid value '0'", "--limit"]),
    ] {
        refused(&lab, options, &fragments);
    }
}

/// The third request is on line 6 of the file, for every way of reading.
#[test]
fn lines_of_requests() {
    let lab = lab();
    let past = "blk.txt, line 6: the request ends at byte 10752";
    let [run, repeat, compare, _] = commands("blk.txt");
    for command in [run, repeat, compare] {
        lab.refused(&command, &[past]);
    }
    // an input that can be read only once keeps the line, or else the number of the request
    let whole = BLKPARSE.to_owned();
    let end: Vec<&str> = BLKPARSE.lines().skip(4).collect();
    let end = end.join("\n").replace("FWS", " WS");
    let plain = trace(&["0,W,0,512", "0,W,10240,512"]);
    for (text, place) in [
        (
            whole,
            "standard input, request 4: the request ends at byte 10752",
        ),
        (end, "standard input, line 2: "),
        (plain, "standard input, line 3: "),
    ] {
        let [run, repeat, compare, _] = commands("-");
        for command in [&repeat, &compare] {
            let ended = lab.piped(command, text.clone());
            assert_eq!(ended.code, Some(2), "{}", ended.stderr);
            assert!(ended.stderr.contains(place), "{place}: {}", ended.stderr);
        }
        // while streaming, the line is known
        let ended = lab.piped(&run, text);
        let place = "standard input, line ";
        assert!(ended.stderr.contains(place), "{}", ended.stderr);
    }
}

#[test]
fn what_is_odd_is_told() {
    let lab = lab();
    let text = BLKPARSE
        .replace("D FWS 1 + 1 [x]", "D  WS [x]")
        .replace("W 20 +", "W 1 +");
    lab.write("odd.txt", text);
    for command in commands("odd.txt") {
        let ended = lab.run(&command);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let message = "warning: odd.txt: 1 left out (no data)\n";
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
    }
}

/// As a pipe from blkparse. Planted bug: reading standard input a second time for the capacity.
#[test]
fn blkparse_from_a_pipe() {
    let lab = lab();
    let compare = "compare --no-html --size 64KiB --buffer lru --set flash.capacity=auto -";
    let table = lab.piped(compare, BLKPARSE).success();
    assert!(table.contains(" best, baseline "), "{table}");
    let piped = lab.piped("run --json --set flash.capacity=auto -", BLKPARSE);
    let mut piped = json(&piped.success());
    assert_eq!(piped["trace"]["name"], "-");
    piped["trace"]["name"] = "blk.txt".into();
    let mut file = lab.json("run --json --set flash.capacity=auto blk.txt");
    // a row names its trace
    piped["row"] = Value::Null;
    file["row"] = Value::Null;
    assert_eq!(piped, file);
}

/// The same requests from another file: everything except the trace itself must be equal.
#[test]
fn a_sample_replays_as_its_csv() {
    let run = |trace: &str| {
        let path = in_repository(trace).display().to_string();
        let mut report = Lab::new().json(&["run", "--json", "--preset=bplru-2008", &path]);
        report.as_object_mut().unwrap().remove("trace");
        report["row"] = Value::Null;
        report
    };
    let sample = run("traces/samples/w5-fat16-media-flush.blkparse.txt.zst");
    assert_eq!(sample, run("traces/w5-fat16-media-flush.csv.zst"));
}
