//! `ssdlab top` in a real terminal, tmux.
//!
//! Planted bugs that these catch: a number that is not that of the server; a picture that does not follow the size of the
//! terminal; colours that `NO_COLOR` forbids; a terminal that is not given back; a key that does nothing; a text of the
//! server that reaches the terminal as it is; a number that pushes others out of their places; an answer without an end.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::scope;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{self, Ended, Lab, binary};
use crate::serve::{Server, get, lab, writer};

/// A terminal of its own, which ends with this value.
pub struct Terminal<'a> {
    lab: &'a Lab,
}

impl<'a> Terminal<'a> {
    /// Runs a shell command in a terminal of 100 by 34.
    pub fn run(lab: &'a Lab, command: &str) -> Self {
        let terminal = Self { lab };
        let shell = format!("{command}; sleep 100");
        terminal.tmux(&["new-session", "-d", "-x", "100", "-y", "34", &shell]);
        terminal
    }

    pub fn tmux(&self, arguments: &[&str]) -> String {
        let output = Command::new("tmux")
            .args(["-u", "-f", "/dev/null", "-S"])
            .arg(self.lab.path("tmux"))
            .args(arguments)
            .env_remove("TMUX")
            .env_remove("NO_COLOR")
            .output()
            .expect("tmux starts: apt install tmux");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "tmux {arguments:?}: {message}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// What it shows when that contains all parts.
    #[track_caller]
    pub fn shows<S: AsRef<str>>(&self, parts: &[S]) -> String {
        let start = Instant::now();
        loop {
            let shown = self.tmux(&["capture-pane", "-p"]);
            let mut parts = parts.iter().map(AsRef::as_ref);
            let Some(missing) = parts.find(|part| !shown.contains(part)) else {
                return shown;
            };
            let waits = start.elapsed() < Duration::from_secs(20);
            assert!(waits, "no {missing:?} in {shown}");
            sleep(Duration::from_millis(20));
        }
    }

    fn is_coloured(&self) -> bool {
        let codes = ["\x1b[34m", "\x1b[33m", "\x1b[94m", "\x1b[93m", "\x1b[38;"];
        let shown = self.tmux(&["capture-pane", "-p", "-e"]);
        codes.iter().any(|code| shown.contains(code))
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        let socket = self.lab.path("tmux");
        let mut end = Command::new("tmux");
        let _ = end.arg("-S").arg(socket).arg("kill-server").output();
    }
}

/// What a picture says of a drive with this status.
fn parts(status: &Value) -> [String; 7] {
    let (counters, writes) = (&status["counters"], &status["latency_ns"]["W"]);
    let waf = status["write_amplification"].as_f64().expect("a number");
    let ms = |ns: &Value| format!("{:.3}", ns.as_f64().expect("a number") / 1e6);
    let merges = counters["full_merges"].to_string();
    let (rarely, longest) = (ms(&writes["p99_9"]), ms(&writes["max"]));
    let erases = &status["erases"]["most"];
    [
        "1.05 MB, FTL bast, buffer lru".to_owned(),
        format!("write amplification {waf:.2}   host 410 kB"),
        format!("erases {}", counters["erases"]),
        format!("full            {merges:>12}"),
        "of 16 pages".to_owned(),
        format!("{rarely:>10}{longest:>10}"),
        format!("erases of each block over its life: 0 to {erases}"),
    ]
}

#[test]
fn a_drive_at_work_is_seen_in_the_terminal() {
    let lab = lab(&["timing.model=parallel", "ftl.kind=bast"]);
    let (server, address) = Server::with_status(&lab, &[]);
    let top = format!("{} top {address}", binary().display());
    let terminal = Terminal::run(&lab, &format!("{top}; echo ended $?"));
    terminal.shows(&["write amplification –", "q quits"]);
    writer(&lab, 1, 400).wait().expect("qemu-io");
    let parts = parts(&common::json(&get(&address, "/status.json")));
    let shown = terminal.shows(&parts);
    // it was seen to work: host and flash differ by the write amplification, one of them has the highest bar
    let mut lines = shown.lines();
    let host = lines.clone().find(|line| line.starts_with("host  "));
    let flash = lines.any(|line| line.starts_with("flash ") && line.contains('█'));
    let bar = |cell: char| "▁▂▃▄▅▆▇".contains(cell);
    assert!(flash && host.unwrap_or_default().contains(bar), "{shown}");
    assert!(terminal.is_coloured());
    let cells = shown.chars().filter(|cell| "·░▒▓".contains(*cell));
    assert!(cells.count() > 50, "{shown}");

    // a narrow one has the merges below
    terminal.tmux(&["resize-window", "-x", "60", "-y", "34"]);
    let narrow = terminal.shows(&["\nfull  "]);
    let fits = |line: &str| line.chars().count() <= 60;
    assert!(narrow.lines().all(fits), "{narrow}");
    terminal.tmux(&["send-keys", "q"]);
    let shown = terminal.shows(&["ended 0"]);
    assert!(!shown.contains("FTL"), "it is not given back: {shown}");
    drop(terminal);

    // the same as text
    let once = lab.ok(&["top", &address, "--once"]);
    assert!(parts.iter().all(|part| once.contains(part)), "{once}");
    assert!(once.contains("host 0 B/s"), "{once}");
    assert!(!once.contains('\x1b'), "{once}");
    goes_on_without_its_server(&lab, &top, &parts, server);
}

/// A server that ends is no reason to end, and a signal gives the terminal back; all without colours.
fn goes_on_without_its_server(lab: &Lab, top: &str, parts: &[String], server: Server) {
    let terminal = Terminal::run(lab, &format!("NO_COLOR=1 {top}; echo ended $?; stty -a"));
    terminal.shows(parts);
    assert!(!terminal.is_coloured());
    server.end();
    terminal.shows(&[
        "The server does not answer: nothing listens.",
        "host 410 kB",
    ]);
    let pid = terminal.tmux(&["list-panes", "-F", "#{pane_pid}"]);
    let child = Command::new("pkill")
        .args(["-TERM", "-P", pid.trim()])
        .status();
    assert!(child.expect("pkill").success());
    let shown = terminal.shows(&["ended 143", " icanon"]);
    assert!(shown.contains(" echo "), "{shown}");
}

#[test]
fn what_cannot_be_watched_is_explained() {
    let lab = Lab::new();
    let message = "must be a terminal; --once prints one picture as text";
    lab.refused("top", &[message]);
    for (answer, message) in [
        (
            "HTTP/1.0 404 Not Found\r\n\r\n",
            "answers \"HTTP/1.0 404 Not Found\" for /status.json",
        ),
        (
            "HTTP/1.0 200 OK\r\n\r\n{}",
            "is not that of a drive: missing field `capacity`",
        ),
        ("SSH-2.0-OpenSSH\r\n", "what listens is no web server"),
    ] {
        let ended = on_answer(answer);
        assert_eq!(ended.code, Some(1), "{answer}: {}", ended.stderr);
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
    }
    let port = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = port.local_addr().expect("an address").to_string();
    drop(port);
    let ended = lab.run(&["top", &address, "--once"]);
    assert_eq!(ended.code, Some(1));
    let message = format!("{address}: nothing listens; `ssdlab serve IMAGE --status {address}`");
    assert!(ended.stderr.contains(&message), "{}", ended.stderr);
}

/// What `ssdlab top` says to an answer.
fn on_answer(answer: &str) -> Ended {
    on_server(|client| drop(client.write_all(answer.as_bytes())))
}

/// Runs `ssdlab top` on a server that answers each client by this function.
fn on_server(answer: impl Fn(&mut TcpStream) + Sync) -> Ended {
    beside(answer, |lab, address| lab.run(&["top", address, "--once"]))
}

/// Does something while such a server runs.
fn beside<T>(answer: impl Fn(&mut TcpStream) + Sync, run: impl FnOnce(&Lab, &str) -> T) -> T {
    let lab = Lab::new();
    let web = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = web.local_addr().expect("an address");
    let is_over = AtomicBool::new(false);
    scope(|scope| {
        scope.spawn(|| {
            for client in web.incoming() {
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
                let mut client = client.expect("a client");
                let _ = client.read(&mut [0; 1000]);
                answer(&mut client);
            }
        });
        let _over = Over(&is_over, address);
        run(&lab, &address.to_string())
    })
}

/// Ends such a server, also if the test fails.
struct Over<'a>(&'a AtomicBool, SocketAddr);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.1);
    }
}

/// Nothing in a text acts on a terminal, and no line is longer than it.
#[track_caller]
fn is_plain(text: &str) {
    let acts = |c: char| {
        c != '\n' && c.is_control()
            || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
    };
    assert!(!text.contains(acts), "{text:?}");
}

/// An answer with this status, whose values at these places are others.
fn status_with(changes: &[(&str, Value)]) -> String {
    let latency = json!({"count": 1, "p50": 1, "p90": 1, "p99": 1, "p99_9": 1, "max": 1});
    let mut status = json!({
        "capacity": 1, "ftl": "page", "write_amplification": 1.0, "read_only": null,
        "counters": {
            "host_write_bytes": 1, "erases": 1, "switch_merges": 1, "partial_merges": 1, "full_merges": 1,
            "gc_victims": 1,
        },
        "bytes_to_flash": {
            "host": 1, "padding": 1, "read_modify_write": 1, "merge": 1, "cleaning": 1, "total": 5,
        },
        "buffer": {"policy": "lru", "pages": 1, "held": 1, "dirty": 1},
        "erases": {"least": 0, "most": 1, "cells": [0, 1], "blocks_of_a_cell": 1},
        "latency_ns": {"R": latency, "W": latency, "F": latency, "D": latency},
    });
    for (place, value) in changes {
        *status.pointer_mut(place).expect("a place") = value.clone();
    }
    format!("HTTP/1.1 200 OK\r\n\r\n{status}")
}

const ACTS: &str = "\u{1b}[2J\u{7}\u{9b}31m\u{202e}\u{2066}\u{61c}\u{200d}\r\n\t\u{0}\u{7f}";
const ESCAPED: &str = r"\u{1b}[2J\u{7}\u{9b}31m\u{202e}\u{2066}\u{61c}\u{200d}\r\n\t\u{0}\u{7f}";

#[test]
fn texts_of_a_server_do_nothing() {
    let long = "x".repeat(100_000);
    let answer = status_with(&[
        ("/ftl", json!(ACTS)),
        ("/buffer/policy", json!(long)),
        (
            "/read_only",
            json!(format!("{ACTS}{}", "\u{301}".repeat(10_000))),
        ),
    ]);
    let shown = on_answer(&answer).success();
    is_plain(&shown);
    let begin = |text: &str| text.chars().take(50).collect::<String>();
    let title = format!("1 B, FTL {}", begin(ESCAPED));
    let state = format!("\nThe drive is read-only: {}", begin(ESCAPED));
    assert!(
        shown.starts_with(&title) && shown.contains(&state),
        "{shown}"
    );
    assert!(shown.matches('\u{301}').count() < 100, "{shown}");
    assert!(
        shown.lines().all(|line| line.chars().count() < 200),
        "{shown}"
    );

    // and what is no status
    let answers = [
        format!("HTTP/1.1 500 {ACTS}{long}\r\n\r\n"),
        format!("{ACTS} 200 OK\r\n\r\n{{}}"),
        status_with(&[("/ftl", json!({ACTS: ACTS}))]),
        status_with(&[("/capacity", json!(ACTS))]),
        status_with(&[("/capacity", json!(long))]),
        format!("HTTP/1.1 200 OK\r\n\r\n{ACTS}"),
        format!("HTTP/1.1 200 OK\r\n\r\n{}", "[".repeat(100_000)),
    ];
    for answer in &answers {
        let ended = on_answer(answer);
        assert_eq!(ended.code, Some(1), "{answer}: {}", ended.stderr);
        is_plain(&ended.stderr);
        assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
        assert!(ended.stderr.len() < 500, "{}", ended.stderr);
    }
}

#[test]
fn the_reason_why_nothing_is_new_does_nothing() {
    let (good, requests) = (status_with(&[]), AtomicUsize::new(0));
    let answer = |client: &mut TcpStream| {
        let answer = match requests.fetch_add(1, Ordering::SeqCst) {
            0 => &good,
            _ => &format!("HTTP/1.1 500 {ACTS}\r\n\r\n"),
        };
        let _ = client.write_all(answer.as_bytes());
    };
    beside(answer, |lab, address| {
        let terminal = Terminal::run(lab, &format!("{} top {address}", binary().display()));
        let message = r#"The server does not answer: the server answers "HTTP/1.1 500 \u{1b}[2J\u{7}\u{9b}31m\u{202e}"#;
        terminal.shows(&["1 B, FTL page, buffer lru", message]);
    });
}

#[test]
fn numbers_of_a_server_stay_in_their_cells() {
    let most = json!(u64::MAX);
    let latency = json!({
        "count": most, "p50": most, "p90": most, "p99": most, "p99_9": most, "max": most,
    });
    let all = [
        ("/capacity", most.clone()),
        ("/write_amplification", json!(1e308)),
        ("/counters/host_write_bytes", most.clone()),
        ("/counters/erases", most.clone()),
        ("/counters/switch_merges", most.clone()),
        ("/counters/gc_victims", most.clone()),
        ("/bytes_to_flash/host", most.clone()),
        ("/buffer/held", most.clone()),
        ("/erases/most", json!(1)),
        ("/erases/cells", json!(vec![u32::MAX; 50_000])),
        ("/erases/blocks_of_a_cell", most.clone()),
        ("/latency_ns/R", latency),
    ];
    let answer = status_with(&all);
    let shown = on_answer(&answer).success();
    is_plain(&shown);
    assert!(
        shown.lines().all(|line| line.chars().count() <= 80),
        "{shown}"
    );
    let row = |name: &str| -> Vec<&str> {
        let line = shown.lines().rfind(|line| line.starts_with(name));
        line.unwrap_or_default().split_whitespace().collect()
    };
    let expected = "write amplification 1.00e308 host 18,447 PB flash 18,447 PB erases 1.84e19";
    assert_eq!(row("write amplification").join(" "), expected);
    assert_eq!(row("buffer").last(), Some(&"dirty"), "{shown}");
    let (host, causes) = (row("host"), row("cleaning"));
    assert_eq!(host[..4], ["host", "data", "18,447", "PB"]);
    assert_eq!(host[host.len() - 2..], ["switch", "1.84e19"]);
    assert_eq!(causes[..3], ["cleaning", "1", "B"]);
    let reads = [
        "reads", "1.84e19", "1.84e13", "1.84e13", "1.84e13", "1.84e13", "1.84e13",
    ];
    assert_eq!(row("reads"), reads);
    // the columns end where those of others end
    let width = |name: &str| {
        let line = shown.lines().find(|line| line.starts_with(name));
        line.map(|line| line.chars().count())
    };
    assert_eq!(width("reads"), width("writes"));
    let blocks = "; the most of each 1.84e19 blocks";
    assert!(shown.contains(blocks), "{shown}");
}

#[test]
fn numbers_below_zero_and_what_is_no_number() {
    let nothing = json!({"least": null, "most": null, "cells": [], "blocks_of_a_cell": 0});
    let shown = on_answer(&status_with(&[
        ("/write_amplification", json!(-1e308)),
        ("/buffer/held", json!(u64::MAX)),
        ("/erases", nothing),
    ]));
    let shown = shown.success();
    for part in [
        "write amplification -1.00e308   host 1 B",
        " 1.84e21 % of 1 pages, 1 dirty",
    ] {
        assert!(shown.contains(part), "no {part:?} in {shown}");
    }
    for (place, value) in [
        ("/write_amplification", json!("NaN")),
        ("/capacity", json!(-1)),
        ("/capacity", json!(1.5)),
        ("/erases/cells", json!([u64::MAX])),
    ] {
        let ended = on_answer(&status_with(&[(place, value)]));
        assert_eq!(ended.code, Some(1), "{place}");
        let message = "is not that of a drive: invalid ";
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
    }
    let message = on_answer(&status_with(&[]).replace("1.0", "1e999")).stderr;
    assert!(message.contains("number out of range"), "{message}");
}

#[test]
fn an_answer_without_an_end_is_left() {
    let begins = [
        "HTTP/1.1 200 OK\r\nA: ",
        "HTTP/1.1 200 OK\r\n\r\n{\"ftl\": \"",
        "x",
    ];
    for begin in begins {
        let parts = AtomicUsize::new(0);
        let ended = on_server(|client| {
            client.write_all(begin.as_bytes()).expect("it is taken");
            let part = [b'x'; 1 << 16];
            while client.write_all(&part).is_ok() {
                parts.fetch_add(1, Ordering::SeqCst);
            }
        });
        assert_eq!(ended.code, Some(1));
        assert!(
            ended.stderr.contains("the answer has no end"),
            "{}",
            ended.stderr
        );
        let mib = parts.into_inner() >> 4;
        assert!(mib < 32, "{mib} MiB were taken");
    }
    // byte by byte, or nothing at all: until the client goes
    let slow = |client: &mut TcpStream| {
        while client.write_all(b"x").is_ok() {
            sleep(Duration::from_millis(50));
        }
    };
    let silent = |client: &mut TcpStream| drop(client.read(&mut [0]));
    let start = Instant::now();
    for ended in [on_server(slow), on_server(silent)] {
        assert_eq!(ended.code, Some(1));
        assert!(ended.stderr.contains("no answer"), "{}", ended.stderr);
    }
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
}
