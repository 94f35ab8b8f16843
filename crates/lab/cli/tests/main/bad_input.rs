//! Input that must be refused: exit code 2, one message that starts with `error: ` and gives the fault, its place and
//! the allowed values; nothing on standard output, no file written or left over. The messages on configurations and
//! traces are tested in `ssdlab-config` and `ssdlab-trace`.
//!
//! Planted bugs that these catch: a panic or an endless wait instead of a message; a line number that is one too low
//! because the header was not counted; a required size that covers only the requests read so far; an output file
//! although the run was refused.

use crate::common::{Lab, gz, trace, writes};

/// Gives a configuration to every command that takes one.
#[track_caller]
fn bad_config(lab: &Lab, options: &str, fragments: &[&str]) {
    for command in [
        "run --json good.csv --events out.jsonl",
        "compare good.csv",
        "config show",
    ] {
        lab.refused_in_a_line(&format!("{command} {options}"), fragments);
    }
}

#[test]
fn configurations() {
    let lab = Lab::small();
    lab.write("good.csv", writes(&[0, 4, 8, 12, 16]));
    lab.write("key.toml", "\n[ftl]\nlogblocks = 1\n");
    lab.write("endless.toml", "#".repeat((1 << 20) + 1));
    for (options, fragments) in [
        (
            "--set buffer.policy=bplur",
            [
                "error: --set buffer.policy = \"bplur\"",
                "did you mean \"bplru\"?",
            ],
        ),
        (
            "--preset lfs-2011",
            ["error: ", "did you mean \"lfs-2010\"?"],
        ),
        (
            "--config key.toml",
            ["error: key.toml:3: ", "did you mean ftl.log_blocks?"],
        ),
        (
            "--config endless.toml",
            ["endless.toml: ", "more than 1 MiB"],
        ),
        ("--config nosuch.toml", ["nosuch.toml: ", "No such file"]),
        ("--config .", [".: ", "directory"]),
    ] {
        bad_config(&lab, options, &fragments);
    }
}

/// Gives a trace to every command that replays one.
#[track_caller]
fn bad_replay(lab: &Lab, name: &str, fragments: &[&str]) {
    for command in [
        "run --json --events out.jsonl",
        "run --json --repeat 2",
        "compare --size 1KiB",
    ] {
        lab.refused_in_a_line(&format!("{command} --config small.toml {name}"), fragments);
    }
}

#[test]
fn traces() {
    let lab = Lab::small();
    let good = writes(&(0..5000).map(|i| i % 20).collect::<Vec<_>>());
    let gz = gz(&good);
    lab.write("cut.csv", &good[..good.len() - 5]);
    // who wrote it did not end: the rest is read, with a warning
    for command in ["run --config small.toml cut.csv", "trace info cut.csv"] {
        let ended = lab.run(command);
        assert_eq!(ended.code, Some(0), "{command}: {}", ended.stderr);
        let told = "cut.csv: the last line, 5001, is cut off and left out";
        assert!(ended.stderr.contains(told), "{command}: {}", ended.stderr);
    }
    lab.write("cut.csv.gz", &gz[..gz.len() - 9]);
    for (name, fragments) in [
        (
            "cut.csv.gz",
            ["error: cut.csv.gz: ", "gzip data are cut off"],
        ),
        ("nosuch.csv", ["nosuch.csv: no such file", "standard input"]),
    ] {
        bad_replay(&lab, name, &fragments);
        lab.refused_in_a_line(&["trace", "info", "--json", name], &fragments);
    }
    // `trace` ends its last line, which is wrong then
    let ended = lab.piped("run --config small.toml -", trace(&["0,W,0,512", "1,W,0"]));
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
        lab.ok(&format!(
            "run --config small.toml --set flash.capacity={capacity} past.csv"
        ));
    }
    lab.ok("run --config small.toml --wrap past.csv");
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
    let timed = "--set=timing.model=parallel --set=replay=timed";
    lab.write("same.csv", trace(&["5,W,0,4096", "5,W,4096,4096"]));
    lab.write("times.csv", trace(&["5,W,0,4096", "6,W,4096,4096"]));
    lab.write("one.csv", trace(&["5,W,0,4096"]));
    let why = [
        "replay = \"timed\"",
        "all 2 requests of same.csv",
        "replay = \"closed\"",
    ];
    for command in ["run", "run --loops=2", "compare --no-html --buffer=lru"] {
        lab.refused(&format!("{command} {timed} same.csv"), &why);
        lab.ok(&format!("{command} {timed} times.csv"));
    }
    lab.ok(&format!("run {timed} one.csv"));
    lab.ok("run --set=timing.model=parallel same.csv");
}

// planted bugs: a name of a file, or of a drive in a log, that acts on the terminal, begins a line of its own, or is a command
#[test]
fn names_are_shown_as_what_they_are() {
    let lab = Lab::small();
    let name = "a\u{1b}[31m\nINJECTED $(id).csv";
    lab.write(name, writes(&[0, 4, 8, 12, 16]));
    lab.write("good.csv", writes(&[0, 4, 8, 12, 16]));
    let log = |units: u64, flash: u64| {
        serde_json::json!({
            "device": {"name": name}, "nvme_total_capacity": 3_840_000_000_000_u64, "model_name": name, "serial_number": name,
            "data_units_written": units, "mbmw": flash, "percent_used": 3, "power_on_hours": 1000,
        })
    };
    lab.write("1.json", log(1_000_000, 0).to_string());
    lab.write("2.json", log(11_000_000, 10_240_000_000_000).to_string());
    lab.write(
        "d.toml",
        format!(
            "name = {name:?}\n[sheet]\ncapacity = \"3.84TB\"\nsource = {name:?}\n[[measurement]]\nname = {name:?}\nworkload = \
             \"uniform\"\nbefore = \"1.json\"\nafter = \"2.json\"\n"
        )
        .replace("\\u{1b}", "\\u001b"),
    );
    let commands: [&[&str]; 12] = [
        &["run", name],
        &[
            "compare",
            name,
            "--no-html",
            "--buffer",
            "lru,fab",
            "--size",
            "2KiB",
        ],
        &[
            "recommend",
            name,
            "--vary",
            "buffer.policy=lru,fab",
            "--sort",
            "waf",
        ],
        &["trace", "info", name],
        &["trace", "convert", name, "-o", "b\u{1b}[31m\nINJECTED.csv"],
        &["config", "show", "--config", name],
        &["sweep", "plan", name],
        &["life", "1.json"],
        &["calibrate", "d.toml"],
        &["calibrate", "d.toml", "--configuration"],
        &["report", name],
        &["drive", "info", name],
    ];
    for command in commands {
        let ended = lab.run(command);
        let shown = ended.stdout + &ended.stderr;
        let acts = |c: char| c.is_control() && c != '\n';
        assert!(!shown.contains(acts), "{command:?}: {shown:?}");
        assert!(!shown.contains("\nINJECTED"), "{command:?}: {shown}");
        assert!(
            ended.code.is_some_and(|code| code <= 2),
            "{command:?}: {shown}"
        );
    }
    lab.ok("calibrate d.toml");
    // the command that it advises reads the drive, whatever its name is
    let advice = lab.ok("life 1.json");
    assert!(
        advice.contains(r"$'a\033[31m\012INJECTED $(id).csv'"),
        "{advice}"
    );
}
