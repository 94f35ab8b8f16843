//! `ssdlab top` in a real terminal, tmux.
//!
//! Planted bugs that these catch: a number that is not that of the server; a picture that does not follow the size of the
//! terminal; colours that `NO_COLOR` forbids; a terminal that is not given back; a key that does nothing.

use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::common::{Lab, binary, json};
use crate::serve::{Server, get, lab, writer};

/// A terminal of its own, which ends with this value.
struct Terminal<'a> {
    lab: &'a Lab,
}

impl<'a> Terminal<'a> {
    /// Runs a shell command in a terminal of 100 by 34.
    fn run(lab: &'a Lab, command: &str) -> Self {
        let terminal = Self { lab };
        let shell = format!("{command}; sleep 100");
        terminal.tmux(&["new-session", "-d", "-x", "100", "-y", "34", &shell]);
        terminal
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let output = Command::new("tmux")
            .args(["-u", "-f", "/dev/null", "-S"])
            .arg(self.lab.path("tmux"))
            .args(arguments)
            .env_remove("TMUX")
            .env_remove("NO_COLOR")
            .output()
            .expect("tmux starts: apt install tmux");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "tmux {arguments:?}: {told}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// What it shows when that contains all parts.
    #[track_caller]
    fn shows(&self, parts: &[&str]) -> String {
        let start = Instant::now();
        loop {
            let shown = self.tmux(&["capture-pane", "-p"]);
            let missing = parts.iter().find(|part| !shown.contains(**part));
            let Some(missing) = missing else {
                return shown;
            };
            let waited = start.elapsed() < Duration::from_secs(20);
            assert!(waited, "no {missing:?} in {shown}");
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

#[test]
fn a_drive_at_work_is_seen_in_the_terminal() {
    let lab = lab(&["timing.model=parallel", "ftl.kind=bast"]);
    let (server, address) = Server::with_status(&lab, &[]);
    let program = binary();
    let top = format!("{} top {address}", program.display());
    let terminal = Terminal::run(&lab, &format!("{top}; echo ended $?"));
    terminal.shows(&["write amplification –", "q quits"]);
    writer(&lab, 1, 400).wait().expect("qemu-io");

    let status: Value = json(&get(&address, "/status.json"));
    let counters = &status["counters"];
    let waf = status["write_amplification"].as_f64().expect("a number");
    let seconds = |ns: &Value| format!("{:.3}", ns.as_f64().expect("a number") / 1e6);
    let writes = &status["latency_ns"]["W"];
    let parts = [
        "1.05 MB, FTL bast, buffer lru".to_owned(),
        format!("write amplification {waf:.2}   host 410 kB"),
        format!("erases {}", counters["erases"]),
        format!(
            "full            {:>12}",
            counters["full_merges"].to_string()
        ),
        "of 16 pages".to_owned(),
        format!(
            "{:>10}{:>10}",
            seconds(&writes["p99_9"]),
            seconds(&writes["max"])
        ),
        format!(
            "erases of each block over its life: 0 to {}",
            status["erases"]["most"]
        ),
    ];
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let shown = terminal.shows(&parts);
    // it was seen to work: host and flash differ by the write amplification, one of them has the highest bar
    let line = |name: &str| {
        shown
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap_or_default()
    };
    let flash = shown
        .lines()
        .filter(|line| line.starts_with("flash "))
        .any(|line| line.contains('█'));
    let bar = |cell: char| "▁▂▃▄▅▆▇".contains(cell);
    assert!(flash && line("host  ").contains(bar), "{shown}");
    assert!(terminal.is_coloured());
    let cells = |shown: &str| shown.chars().filter(|cell| "·░▒▓".contains(*cell)).count();
    assert!(cells(&shown) > 50, "{shown}");

    // a narrow one has the merges below
    terminal.tmux(&["resize-window", "-x", "60", "-y", "34"]);
    let narrow = terminal.shows(&["\nfull  "]);
    assert!(
        narrow.lines().all(|line| line.chars().count() <= 60),
        "{narrow}"
    );
    terminal.tmux(&["send-keys", "q"]);
    let shown = terminal.shows(&["ended 0"]);
    assert!(!shown.contains("FTL"), "it is not given back: {shown}");
    drop(terminal);

    // the same as text, and without colours
    let once = lab.ok(&["top", &address, "--once"]);
    assert!(parts.iter().all(|part| once.contains(part)), "{once}");
    assert!(
        once.contains("host 0 B/s") && !once.contains('\x1b'),
        "{once}"
    );
    let terminal = Terminal::run(&lab, &format!("NO_COLOR=1 {top}; echo ended $?; stty -a"));
    terminal.shows(&parts);
    assert!(!terminal.is_coloured());

    // a server that ends is no reason to end
    server.signal(Signal::TERM);
    assert_eq!(server.wait().0, 0);
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
    let told = "must be a terminal; --once prints one picture as text";
    lab.refused(&["top"], &[told]);
    let web = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = web.local_addr().expect("an address").to_string();
    let answers = [
        (
            "HTTP/1.0 404 Not Found\r\n\r\n",
            "answers \"HTTP/1.0 404 Not Found\" for /status.json",
        ),
        (
            "HTTP/1.0 200 OK\r\n\r\n{}",
            "is not that of a drive: missing field `capacity`",
        ),
        ("SSH-2.0-OpenSSH\r\n", "what listens is no web server"),
    ];
    for (answer, told) in answers {
        let web = &web;
        let ended = std::thread::scope(|scope| {
            scope.spawn(move || {
                use std::io::{Read, Write};
                let (mut client, _) = web.accept().expect("a client");
                let _ = client.read(&mut [0; 1000]).expect("a request");
                client.write_all(answer.as_bytes()).expect("an answer");
            });
            lab.run(&["top", &address, "--once"])
        });
        assert_eq!(ended.code, Some(1), "{answer}: {}", ended.stderr);
        assert!(ended.stderr.contains(told), "{}", ended.stderr);
    }
    drop(web);
    let ended = lab.run(&["top", &address, "--once"]);
    assert_eq!(ended.code, Some(1));
    let told = format!("{address}: nothing listens; `ssdlab serve IMAGE --status {address}`");
    assert!(ended.stderr.contains(&told), "{}", ended.stderr);
}
