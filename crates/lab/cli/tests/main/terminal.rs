//! Output on a terminal: tables that fit, colours, progress, Ctrl-C. `script` (util-linux) makes the terminal.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use crate::common::{Lab, binary, in_repository};

const W9: &str = "traces/w9-ext3-postmark.csv.zst";

/// Text to type, and a condition on the output to wait for.
type Typed<'a> = (&'a dyn Fn(&str) -> bool, &'a str);

/// Runs the program on a terminal of this size, with a variable of the environment, and types a text once the output
/// meets the condition. Returns the whole output and the exit code.
fn terminal(
    lab: &Lab,
    (lines, columns): (u32, u32),
    variable: &str,
    arguments: &str,
    typed: Option<Typed>,
) -> (String, Option<i32>) {
    let program = binary();
    let size = format!("stty rows {lines} cols {columns}");
    // Ctrl-C ends it, even if these tests run in the background, where a shell ignores that
    let command = format!(
        "{size}; exec env --default-signal=INT {variable} '{}' {arguments}",
        program.display()
    );
    let mut child = Command::new("script")
        .args(["-qefc", &command, "/dev/null"])
        .current_dir(lab.path(""))
        .env("TERM", "xterm")
        .env("SHELL", "/bin/sh")
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("script, of util-linux");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = child.stdout.take().expect("a pipe");
    let (mut shown, mut bytes, mut typed) = (Vec::new(), [0; 4096], typed);
    loop {
        match stdout.read(&mut bytes).expect("the terminal") {
            0 => break,
            read => shown.extend_from_slice(&bytes[..read]),
        }
        if typed.is_some_and(|(awaited, _)| awaited(&String::from_utf8_lossy(&shown))) {
            let (_, keys) = typed.take().expect("what to type");
            stdin.write_all(keys.as_bytes()).expect("the terminal");
        }
    }
    let ended = child.wait().expect("an end");
    (String::from_utf8_lossy(&shown).into_owned(), ended.code())
}

/// Lines without colours, each from its last carriage return on.
fn lines(shown: &str) -> Vec<String> {
    let visible = |line: &str| {
        let line = line.trim_end_matches('\r');
        let line = line.rsplit('\r').next().unwrap_or_default();
        console::strip_ansi_codes(line).into_owned()
    };
    shown.split('\n').map(visible).collect()
}

/// The lines of progress that contain a text, as they followed each other.
fn bars(shown: &str, text: &str) -> Vec<String> {
    let shown = console::strip_ansi_codes(shown);
    let lines = shown.split('\r').filter(|line| line.contains(text));
    lines.map(str::to_owned).collect()
}

/// Whether a line with this text says that a part of the work is done.
fn moves(shown: &str, text: &str) -> bool {
    let percent = |line: String| -> Option<u32> {
        let (before, _) = line.split_once(" %")?;
        before.rsplit(' ').next()?.parse().ok()
    };
    let mut percent = bars(shown, text).into_iter().filter_map(percent);
    percent.any(|percent| (1..100).contains(&percent))
}

/// The number of lines of a table that contain a text.
fn lines_with(shown: &str, text: &str) -> usize {
    let lines = lines(shown);
    lines
        .iter()
        .filter(|line| line.contains('│') && line.contains(text))
        .count()
}

/// A comparison of some rows.
fn compare(trace: &str, more: &str) -> String {
    format!(
        "compare --set ftl.kind=bast --no-html --limit 2k --buffer none,lru,fab,bplru --size 1M,4M,16M {more} '{trace}'"
    )
}

// planted bugs: a table wider than the terminal; a column omitted without a note; no header on the second screen; no
// colours, or colours that NO_COLOR forbids
#[test]
fn a_table_fits_the_terminal() {
    let lab = Lab::new();
    let trace = in_repository(W9);
    let arguments = compare(&trace.display().to_string(), "");
    let (shown, code) = terminal(&lab, (9, 60), "", &arguments, None);
    assert_eq!(code, Some(0), "{shown}");
    let lines = lines(&shown);
    let frame: Vec<&String> = lines
        .iter()
        .filter(|line| line.contains(['│', '┌']))
        .collect();
    assert!(!frame.is_empty(), "{shown}");
    for line in &frame {
        assert!(
            console::measure_text_width(line) <= 60,
            "{line:?} of {shown}"
        );
    }
    let headers = lines_with(&shown, "buffer ");
    assert!(headers > 1, "{headers} headers: {shown}");
    assert!(
        shown.contains("Too narrow for:") && shown.contains("partial"),
        "{shown}"
    );
    assert!(
        shown.contains("\x1b[1m") || shown.contains("\x1b[38;5;"),
        "no colours: {shown:?}"
    );
    // wide, high and without colours
    let (shown, _) = terminal(&lab, (100, 200), "NO_COLOR=1", &arguments, None);
    let headers = lines_with(&shown, "write amp.");
    assert_eq!(headers, 1, "{shown}");
    assert!(
        !shown.contains("Too narrow") && !shown.contains("\x1b[1m"),
        "{shown:?}"
    );
}

// planted bugs: nothing is said while the first devices are made; a bar that waits for the end of the first run; the runs of
// advice are not counted
#[test]
fn a_comparison_shows_its_progress_at_once() {
    let lab = Lab::new();
    let trace = in_repository(W9);
    // a minute of work, which ends when the test has seen enough
    let arguments = format!(
        "compare --set ftl.kind=bast --jobs 1 --loops 400 --buffer lru,fifo --size 4M --no-html '{}'",
        trace.display()
    );
    let begun = |shown: &str| moves(shown, "0 of 11 runs");
    let (shown, code) = terminal(&lab, (50, 120), "", &arguments, Some((&begun, "\x03")));
    assert_eq!(code, Some(130), "{shown}");
    let bars = bars(&shown, " runs");
    let first = bars.first().expect("a bar");
    let begins = [
        "planning the runs",
        "0 of 11 runs, making the first devices",
    ];
    assert!(
        begins.iter().any(|message| first.contains(message)),
        "{first:?}"
    );
    let in_vain = |line: &&String| line.contains("0 of 11 runs") && line.contains(" 0s left");
    assert_eq!(bars.iter().find(in_vain), None);
}

// planted bug: a run of a short trace, on a device where it takes long, reports nothing before its end
#[test]
fn a_run_of_a_short_trace_shows_its_progress() {
    let lab = Lab::new();
    lab.ok("trace generate uniform --capacity 64M --requests 600k -o uniform.csv");
    let arguments = "compare --jobs 1 --buffer none --no-bounds --no-advice --no-html --set flash.capacity=64M --set ftl.kind=page \
                     --set ftl.over_provisioning=0.02 --set timing.model=parallel uniform.csv";
    let begun = |shown: &str| moves(shown, "0 of 1 runs");
    let (shown, code) = terminal(&lab, (50, 120), "", arguments, Some((&begun, "\x03")));
    assert_eq!(code, Some(130), "{shown}");
}

// planted bugs: the finished runs are lost; an exit code of success; a verdict over half of the runs; a bar that
// remains
#[test]
fn an_interrupted_comparison_keeps_what_is_finished() {
    let lab = Lab::new();
    let trace = in_repository(W9);
    let arguments = format!(
        "compare --set ftl.kind=bast --jobs 1 --loops 20 --json c.json --csv c.csv '{}'",
        trace.display()
    );
    let some_done = |shown: &str| {
        let counts = shown
            .split(" of ")
            .filter_map(|text| text.rsplit(' ').next()?.parse().ok());
        counts.max().unwrap_or(0_u32) > 0
    };
    let (shown, code) = terminal(&lab, (50, 200), "", &arguments, Some((&some_done, "\x03")));
    assert_eq!(code, Some(130), "{shown}");
    let json: serde_json::Value = lab.read_json("c.json");
    let rows = json["rows"].as_array().expect("rows").len();
    let missing = json["missing_runs"].as_u64().expect("a number");
    assert!(rows > 0 && missing > 0, "{rows} rows, {missing} missing");
    assert_eq!(json["verdict"]["winner"], serde_json::Value::Null);
    let csv = lab.read("c.csv");
    let mut csv = csv::Reader::from_reader(csv.as_bytes());
    let header = csv.headers().expect("a header");
    assert_eq!(header.iter().next_back(), Some("missing_runs"));
    let records: Vec<_> = csv.records().map(|line| line.expect("a row")).collect();
    assert_eq!(records.len(), rows);
    let last = records
        .iter()
        .map(|line| line.iter().next_back().expect("a cell"));
    assert!(last.into_iter().all(|cell| cell == missing.to_string()));
    let report = lab.read("w9-ext3-postmark.compare.html");
    let message = format!(
        "Incomplete: interrupted after {rows} of {} runs",
        rows as u64 + missing
    );
    assert!(
        report.contains(&message) && shown.contains(&message),
        "{shown}"
    );
    // the bar is gone: no visible line has it
    let lines = lines(&shown);
    assert!(
        !lines.iter().any(|line| line.contains(" left")),
        "{lines:#?}"
    );
}

// planted bugs: no progress on a terminal, or progress in a pipe; a bar that remains after Ctrl-C
#[test]
fn progress_and_a_clean_end() {
    let lab = Lab::new();
    let trace = in_repository(W9);
    let trace = trace.display();
    let generate = |times: u32| {
        let requests = times * 300_000;
        format!("trace generate uniform --requests {requests} -o made.csv.zst")
    };
    let commands: [&dyn Fn(u32) -> String; 3] = [
        &|times| format!("run --loops {} '{trace}'", times * 3),
        &generate,
        &|times| {
            lab.ok(&generate(times));
            "trace info made.csv.zst".to_owned()
        },
    ];
    for command in commands {
        // how much work lasts until a line is drawn depends on the machine
        let is_shown = [1, 10, 100].into_iter().any(|times| {
            let (shown, code) = terminal(&lab, (50, 120), "", &command(times), None);
            assert_eq!(code, Some(0), "{shown}");
            let lines = lines(&shown);
            let remain = lines.iter().any(|line| line.contains(" left"));
            assert!(!remain, "{lines:#?}");
            shown.contains(" left")
        });
        assert!(is_shown, "{}", command(1));
    }
    let (shown, code) = terminal(&lab, (50, 120), "", &format!("run - < '{trace}'"), None);
    assert_eq!(code, Some(0), "{shown}");
    assert!(
        shown.contains(" requests, "),
        "a rate where the length is unknown: {shown:?}"
    );
    let endless = format!("run --loops 1000 '{trace}'");
    let begun = |shown: &str| shown.contains("pass 2 of 1001");
    let (shown, code) = terminal(&lab, (50, 120), "", &endless, Some((&begun, "\x03")));
    assert_eq!(code, Some(130), "{shown}");
    assert!(
        !lines(&shown).iter().any(|line| line.contains(" left")),
        "{shown:?}"
    );
    let piped = lab
        .command(&["run", &trace.to_string()])
        .output()
        .expect("a run");
    assert!(!String::from_utf8_lossy(&piped.stderr).contains(" left"));
}
