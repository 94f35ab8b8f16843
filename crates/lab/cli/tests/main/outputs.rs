//! What no command may do with a file: write over what it reads, follow somebody else's link, leave half of an output, or
//! change anything when it does not start.
//!
//! Planted bugs that these catch: an input that is told from an output by its path alone, or by its path without links; a
//! link of another user that is followed, at the end of a path or on its way; an image with its name before it is
//! complete, or with the name of a file; a recorded trace that takes the place of an old one before the server is ready;
//! an image that is left open after a port was taken; files with the permissions of nbdkit's umask instead of the user's;
//! two reports with one name.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, geteuid, kill_process};

use crate::common::{
    Ended, Lab, SMALL, binary, ended, listening, skipped, trace, until, words, writes,
};
use crate::reproduce;
use crate::serve::{self, Server, left, plugin};

const RUN: &str = "the trace good.csv, the configuration small.toml";
const MERGE: &str = "the trace good.csv, the trace other.csv";
const SERVE: &str = "the image d.img, the plugin p.so";

/// Each command with an output but `reproduce`, which names them itself: the command up to the name of the output, and its
/// inputs as messages name them.
const CASES: [(&str, &str); 13] = [
    ("run --config small.toml good.csv --events", RUN),
    (
        "run --config small.toml --set timing.model=parallel good.csv --latencies",
        RUN,
    ),
    (
        "run --config small.toml --set timing.model=parallel good.csv --trace-events",
        RUN,
    ),
    (
        "compare --config small.toml --size 1KiB good.csv --html",
        RUN,
    ),
    (
        "compare --config small.toml --size 1KiB --no-html good.csv --csv",
        RUN,
    ),
    (
        "compare --config small.toml --size 1KiB --no-html good.csv --json",
        RUN,
    ),
    ("trace merge good.csv other.csv --output", MERGE),
    ("trace convert good.csv --output", "the trace good.csv"),
    (
        "trace sample good.csv --rate 1 --output",
        "the trace good.csv",
    ),
    ("trace info good.csv --plot", "the trace good.csv"),
    ("trace info good.csv --html", "the trace good.csv"),
    ("serve d.img --plugin p.so --socket s --record", SERVE),
    ("serve d.img --plugin p.so --socket s --counters", SERVE),
];

/// A folder with every input.
fn lab() -> Lab {
    let lab = serve::lab(&[]);
    lab.write("small.toml", SMALL);
    lab.write("good.csv", writes(&[0, 4, 8, 12, 16, 0, 4]));
    lab.write("other.csv", trace(&["5,W,0,512"]));
    lab.write("p.so", "no plugin");
    fs::create_dir(lab.path("folder")).expect("a folder");
    lab
}

/// Other names of a file in a lab.
fn names_of(lab: &Lab, file: &str) -> [String; 7] {
    let (link, chain, hard) = ("link.to", "folder/chain", "hard.link");
    for name in [link, chain, hard] {
        let _ = fs::remove_file(lab.path(name));
    }
    symlink(file, lab.path(link)).expect("a link");
    symlink(format!("../{link}"), lab.path(chain)).expect("a link");
    fs::hard_link(lab.path(file), lab.path(hard)).expect("a hard link");
    [
        file.to_owned(),
        format!("./folder/../{file}"),
        lab.path(file).display().to_string(),
        link.to_owned(),
        chain.to_owned(),
        hard.to_owned(),
        format!("/proc/self/cwd/{file}"),
    ]
}

#[test]
fn no_output_is_an_input() {
    let lab = lab();
    for (command, inputs) in CASES {
        let (_, option) = command.rsplit_once(' ').expect("an option");
        for input in inputs.split(", ") {
            let (_, file) = input.rsplit_once(' ').expect("a file");
            let before = fs::read(lab.path(file)).expect("the input");
            for name in names_of(&lab, file) {
                let why = "is also an input of this command";
                let message = lab.refused(&[&words(command)[..], &[&name]].concat(), &[]);
                assert_eq!(message, format!("error: {option} {name}: {why}, {input}\n"));
                assert!(fs::read(lab.path(file)).expect("it") == before, "{message}");
            }
        }
    }
    assert_eq!(left(&lab), "new");
}

// planted bugs: a line is added to a trace, to the plan, to what was planned, or to a file that another user's link leads to
#[test]
fn the_log_of_a_sweep_is_an_output() {
    let lab = lab();
    lab.write(
        "plan.toml",
        "traces = [\"good.csv\"]\nconfig = \"small.toml\"\n[axes]\n\"buffer.size\" = [\"1KiB\", \"2KiB\"]\n",
    );
    let sweep = "sweep run plan.toml --out o --log";
    lab.ok(&format!("{sweep} log.csv"));
    let kept = fs::read_dir(lab.path("o")).expect("the folder");
    let mut kept = kept.map(|entry| {
        entry
            .expect("it")
            .file_name()
            .to_string_lossy()
            .into_owned()
    });
    let part = kept.find(|name| name.starts_with("part-"));
    let part = format!("o/{}", part.expect("a part"));
    for file in ["plan.toml", "small.toml", "good.csv", "o/plan.json", &*part] {
        let before = fs::read(lab.path(file)).expect("the input");
        let names = names_of(&lab, file);
        let names = if file == part {
            &names[..1]
        } else {
            &names[..]
        };
        for name in names {
            let message = lab.refused(&format!("{sweep} {name}"), &["--log"]);
            let refused = message.contains("is also an input of this command");
            assert!(refused || file == part, "{message}");
            assert!(fs::read(lab.path(file)).expect("it") == before, "{message}");
        }
    }
    // a second run adds its lines below the same header
    let log = lab.read("log.csv");
    fs::remove_file(lab.path(&part)).expect("the part");
    lab.ok(&format!("{sweep} log.csv"));
    let longer = lab.read("log.csv");
    assert!(longer.starts_with(&log) && log.lines().count() == 2 && longer.lines().count() == 3);
    let Some(lab) = with_links(0o777) else { return };
    lab.write(
        "plan.toml",
        "traces = [\"good.csv\"]\nconfig = \"small.toml\"\n",
    );
    let ended = lab.run(&format!("{sweep} shared/link"));
    assert!(
        ended.stderr.contains("is a symbolic link of another user"),
        "{}",
        ended.stderr
    );
    assert_eq!(lab.read("mine/file"), "the user's");
}

/// A shell in a folder of its own that is a small disk, or nothing if the machine allows none.
fn on_small_disk(lab: &Lab, script: &str) -> Option<Ended> {
    fs::create_dir(lab.path("disk")).expect("a folder");
    let script = format!("mount -t tmpfs -o size=64k none disk || exit 99; {script}");
    let mut command = assert_cmd::Command::new("unshare");
    command
        .args(["--map-root-user", "--mount", "sh", "-c", &script])
        .env("SSDLAB", binary())
        .env("PLUGIN", plugin())
        .current_dir(lab.path("."))
        .timeout(std::time::Duration::from_secs(120));
    let ended = ended(&mut command);
    if ended.code == Some(99) || ended.stderr.starts_with("unshare:") {
        skipped("a full disk", "no file system can be mounted");
        return None;
    }
    Some(ended)
}

// planted bugs: half a line at the end; a drive that ends with its record; a signal that ends the server
#[test]
fn a_recorded_trace_ends_with_a_whole_line() {
    let requests: Vec<String> = (0..20_000_u64)
        .map(|n| format!("{n},W,{},1024", n * 7919 % 96 * 1024))
        .collect();
    let requests: Vec<&str> = requests.iter().map(String::as_str).collect();
    let serve = r#""$SSDLAB" serve d.img --plugin "$PLUGIN" --record"#;
    let run = r#"--run '"$SSDLAB" replay all.csv $uri >/dev/null'"#;
    let full = lab();
    full.write("all.csv", trace(&requests));
    let on_disk = format!("{serve} disk/r.csv {run}; code=$?; cp disk/r.csv r.csv; exit $code");
    let full_disk = on_small_disk(&full, &on_disk).map(|ended| (full, ended));
    // no file may be longer than the image; the record, at least 15 bytes a line, would be
    let short = Lab::new();
    let small = serve::SMALL
        .replace("1MiB", "96KiB")
        .replace("16KiB", "4KiB")
        .replace("over_provisioning = 0.2", "over_provisioning = 1");
    short.write("small.toml", small);
    short.write("all.csv", trace(&requests));
    short.ok("drive create d.img --config small.toml");
    let length = fs::metadata(short.path("d.img")).expect("the image").len();
    let limit = length.div_ceil(1024) + 1;
    let mut command = assert_cmd::Command::new("bash");
    command
        .args(["-c", &format!("ulimit -f {limit}; {serve} r.csv {run}")])
        .env("SSDLAB", binary())
        .env("PLUGIN", plugin())
        .current_dir(short.path("."))
        .timeout(std::time::Duration::from_secs(120));
    let limited = ended(&mut command);
    for (lab, ended) in full_disk.into_iter().chain([(short, limited)]) {
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(
            ended.stderr.contains("the recorded trace ends here: "),
            "{}",
            ended.stderr
        );
        let record = lab.read("r.csv");
        let lines: Vec<&str> = record.lines().collect();
        assert!(
            record.ends_with('\n') && lines.len() > 1000,
            "{}",
            lines.len()
        );
        for (line, request) in lines[1..].iter().zip(&requests) {
            let (_, rest) = line.split_once(',').expect("a time");
            assert_eq!(rest, request.split_once(',').expect("a time").1);
        }
        lab.ok("trace info r.csv");
    }
}

// nbdkit may be started by hand
#[test]
fn the_plugin_writes_over_no_image() {
    let lab = lab();
    let before = fs::read(lab.path("d.img")).expect("the image");
    for key in ["record", "counters"] {
        for name in names_of(&lab, "d.img") {
            let there = lab.files();
            let output = format!("{key}={name}");
            let ended = nbdkit(&lab, &["image=d.img", &output]);
            let path = lab.path(".").join(&name);
            let path = std::path::absolute(path).expect("a path");
            let image = lab.path("d.img");
            let both = format!(
                "{key}={}: is also an input of this command, image={}\n",
                path.display(),
                image.display()
            );
            assert!(ended.stderr.contains(&both), "{both}: {}", ended.stderr);
            assert_eq!(ended.code, Some(1), "{output}");
            assert!(fs::read(&image).expect("it") == before, "{output}");
            assert_eq!(lab.files(), there, "{output}");
        }
    }
    let both = ["image=d.img", "record=a", "counters=folder/../a"];
    let ended = nbdkit(&lab, &both);
    let message = "is also another output of this command, record=";
    assert!(ended.stderr.contains(message), "{}", ended.stderr);
    assert_eq!(left(&lab), "new");
}

/// nbdkit with the plugin and parameters, in the foreground; it ends by itself if the start fails.
fn nbdkit(lab: &Lab, parameters: &[&str]) -> Ended {
    serve::nbdkit(lab, "--foreground --unix sock", parameters)
}

#[test]
fn no_page_of_a_study_is_an_input() {
    let lab = reproduce::lab(reproduce::PAPER);
    fs::create_dir_all(lab.path("out/p")).expect("a folder");
    let page = lab.path("out/p/README.md");
    for input in ["own/p/paper.toml", "traces/t.csv"] {
        for link in [fs::hard_link::<_, &Path>, |file, link| symlink(file, link)] {
            let before = lab.read(input);
            link(lab.path(input), &page).expect("a link");
            let message = format!(
                "the page out/p/README.md: is also an input of this command, the file {input}"
            );
            lab.refused("reproduce --descriptions=own --output=out p", &[&message]);
            assert_eq!(lab.read(input), before);
            fs::remove_file(&page).expect("the link");
            // and no other page
            assert_eq!(fs::read_dir(lab.path("out/p")).expect("it").count(), 0);
        }
    }
    lab.ok("reproduce --descriptions=own --output=out p");
}

#[test]
fn standard_input_and_output_are_files_too() {
    let lab = lab();
    let before = lab.read("good.csv");
    let refused = |command: &str, message: &str| {
        let ended = lab.shell(&format!("\"$0\" {command}"));
        assert_eq!(ended.stderr, format!("error: {message}\n"), "{command}");
        assert_eq!(ended.code, Some(2), "{command}");
        assert_eq!(lab.read("good.csv"), before, "{command}");
    };
    for (command, input) in [
        (
            "run --config small.toml - --events good.csv <good.csv",
            "--events good.csv",
        ),
        (
            "run --config small.toml - <good.csv >>good.csv",
            "standard output",
        ),
        (
            "compare --size 1KiB --no-html - <good.csv 1<>good.csv",
            "standard output",
        ),
    ] {
        let message = format!("{input}: is also an input of this command, the trace -");
        refused(command, &message);
    }
    for command in [
        "run good.csv",
        "compare good.csv --no-html",
        "trace info good.csv",
        "trace merge good.csv other.csv",
    ] {
        let message = "standard output: is also an input of this command, the trace good.csv";
        refused(&format!("{command} >>good.csv"), message);
    }
    for (command, what) in [
        (
            "config show --config small.toml",
            "the configuration small.toml",
        ),
        (
            "drive create new.img --config small.toml",
            "the configuration small.toml",
        ),
        ("drive info d.img", "the image d.img"),
        ("drive check d.img", "the image d.img"),
        ("drive dump d.img", "the image d.img"),
        ("lfss read d.img 0", "the image d.img"),
        ("lfss info d.img", "the image d.img"),
        ("serve d.img --plugin p.so --socket s", "the image d.img"),
    ] {
        let (_, file) = what.rsplit_once(' ').expect("two words");
        let message = format!("standard output: is also an input of this command, {what}");
        refused(&format!("{command} >>{file}"), &message);
    }
    assert_eq!(left(&lab), "new");
    // the results would be lost
    let message = "--events out: is also standard output";
    refused(
        "run --config small.toml good.csv --events out >out",
        message,
    );
    // a terminal, a null device and a pipe may be both
    let null = "run --config small.toml good.csv --events /dev/null --json >/dev/null </dev/null";
    assert_eq!(lab.shell(&format!("\"$0\" {null}")).code, Some(0));
}

#[test]
fn no_output_is_another_one() {
    let lab = lab();
    lab.write("a", "of an earlier run");
    symlink("a", lab.path("link")).expect("a link");
    fs::hard_link(lab.path("a"), lab.path("hard")).expect("a link");
    let run = "run --config small.toml --set timing.model=parallel good.csv --events a --latencies";
    let compare = "compare --config small.toml --size 1KiB good.csv --html a --json";
    let serve = "serve d.img --plugin p.so --socket s --record a --counters";
    for (command, first) in [(run, "--events"), (compare, "--html"), (serve, "--record")] {
        for name in ["a", "./a", "link", "hard"] {
            let message = format!(" {name}: is also another output of this command, {first} a\n");
            lab.refused(&format!("{command} {name}"), &[&message]);
            assert_eq!(lab.read("a"), "of an earlier run");
        }
        // names that are free
        let free = command.replace(" a ", " b ");
        lab.refused(&format!("{free} folder/../b"), &[" b\n"]);
    }
}

/// A user that is not the one of these tests.
const OTHER: u32 = 4711;

/// A folder `shared` with the links of another user: `link` to the file of the user's, `way` to its folder. `None`: only
/// root can make them.
fn with_links(mode: u32) -> Option<Lab> {
    if !geteuid().is_root() {
        skipped("links of other users", "only root can make them");
        return None;
    }
    let lab = lab();
    fs::create_dir(lab.path("shared")).expect("a folder");
    fs::create_dir(lab.path("mine")).expect("a folder");
    lab.write("mine/file", "the user's");
    for (to, link) in [
        ("../mine/file", "link"),
        ("../mine", "way"),
        ("../mine/new", "new"),
    ] {
        let link = lab.path("shared").join(link);
        symlink(to, &link).expect("a link");
        lchown(&link, Some(OTHER), Some(OTHER)).expect("root");
    }
    let mode = fs::Permissions::from_mode(mode);
    fs::set_permissions(lab.path("shared"), mode).expect("the folder");
    Some(lab)
}

#[test]
fn links_of_other_users_are_not_followed() {
    // sticky, as /tmp; open to all; open to a group
    for mode in [0o1777, 0o777, 0o775] {
        let Some(lab) = with_links(mode) else { return };
        let names = [
            "shared/link",
            "shared/new",
            "shared/way/file",
            "shared/way/new",
        ];
        // one function opens all outputs, by any of their names
        let each_name = names.map(|name| (CASES[0].0, name));
        let each_command = CASES.map(|(command, _)| (command, names[0]));
        for (command, name) in each_name.into_iter().chain(each_command) {
            let ended = lab.run(&format!("{command} {name}"));
            let message = format!("{mode:o}, {command}: {}", ended.stderr);
            let link: Vec<&str> = name.split('/').take(2).collect();
            let why = format!(
                "error: {name}: cannot be written: {} is a symbolic link of another user, in a folder that others can \
                 write",
                link.join("/")
            );
            assert!(ended.stderr.starts_with(&why), "{message}");
            assert_eq!(ended.code, Some(1), "{message}");
            assert_eq!(lab.read("mine/file"), "the user's", "{message}");
            assert!(!lab.path("mine/new").exists(), "{message}");
        }
        for key in ["record", "counters"] {
            let ended = nbdkit(&lab, &["image=d.img", &format!("{key}=shared/link")]);
            let why = "is a symbolic link of another user";
            assert!(ended.stderr.contains(why), "{}", ended.stderr);
            assert_eq!(lab.read("mine/file"), "the user's");
        }
        for command in [
            "drive create shared/way/new.img",
            "man shared/way/man",
            "trace generate uniform --requests 3 -o shared/link",
        ] {
            let ended = lab.run(command);
            let message = "is a symbolic link of another user";
            assert!(ended.stderr.contains(message), "{}", ended.stderr);
        }
        assert_eq!(fs::read_dir(lab.path("mine")).expect("it").count(), 1);
        assert_eq!(left(&lab), "new");
    }
}

#[test]
fn links_that_nobody_else_can_make_are_followed() {
    let events = |lab: &Lab, name: &str| {
        lab.ok(&["run", "--config=small.toml", "good.csv", "--events", name]);
        assert!(lab.read("mine/file").lines().count() > 5, "{name}");
        assert!(lab.path("shared/link").is_symlink());
        lab.write("mine/file", "the user's");
    };
    // the folder is closed to others: the link was put there by the user, or by root
    let Some(lab) = with_links(0o755) else { return };
    events(&lab, "shared/link");
    events(&lab, "shared/way/file");
    // the owner of the folder
    let Some(lab) = with_links(0o1777) else {
        return;
    };
    lchown(lab.path("shared"), Some(OTHER), Some(OTHER)).expect("root");
    events(&lab, "shared/link");
    // the user
    lchown(lab.path("shared/way"), Some(geteuid().as_raw()), None).expect("root");
    lchown(lab.path("shared"), Some(OTHER + 1), None).expect("root");
    events(&lab, "shared/way/file");
    let ended = lab.run("run good.csv --events shared/link");
    assert_eq!(ended.code, Some(1));
}

// a hard link that somebody has made of the user's file, where the kernel lets them
#[test]
fn a_second_name_in_a_shared_folder_is_replaced_alone() {
    let lab = lab();
    fs::create_dir(lab.path("shared")).expect("a folder");
    let mode = fs::Permissions::from_mode(0o1777);
    fs::set_permissions(lab.path("shared"), mode).expect("it");
    lab.write("mine", "the user's");
    fs::hard_link(lab.path("mine"), lab.path("shared/out")).expect("a link");
    lab.ok("run --config=small.toml good.csv --events=shared/out");
    assert_eq!(lab.read("mine"), "the user's");
    assert!(lab.read("shared/out").lines().count() > 5);
}

/// What a failed start leaves: the image closed, the files as they were.
#[track_caller]
fn nothing_has_changed(lab: &Lab, there: &[String], ended: &Ended, message: &str) {
    let stderr = &ended.stderr;
    assert!(stderr.contains(message), "{message}: {stderr}");
    assert_ne!(ended.code, Some(0), "{message}");
    assert_eq!(lab.read("t.csv"), "of an earlier run", "{message}");
    assert_eq!(lab.read("c.json"), "of an earlier run", "{message}");
    assert_ne!(left(lab), "open", "{message}");
    assert_eq!(lab.files(), there, "{message}");
}

#[test]
fn a_start_that_fails_changes_nothing() {
    let lab = lab();
    lab.write("t.csv", "of an earlier run");
    lab.write("c.json", "of an earlier run");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let there = lab.files();
    for (options, message) in [
        (format!("--status {address}"), "Address already in use"),
        (format!("--listen {address}"), "Address already in use"),
        ("--socket nowhere/s".into(), "nowhere/s"),
        ("--listen 192.0.2.1:10809".into(), "192.0.2.1:10809"),
        ("--plugin p.so --socket s".into(), "p.so"),
    ] {
        // a failure of nbdkit, and of what it runs
        for run in ["", "--run true"] {
            let serve = "serve d.img --record t.csv --counters c.json";
            let mut command = lab.command(&format!("{serve} {options} {run}"));
            if !options.contains("--plugin") {
                command.arg("--plugin").arg(plugin());
            }
            let ended = ended(command.env("TMPDIR", lab.path("folder")));
            nothing_has_changed(&lab, &there, &ended, message);
        }
    }
    // nbdkit itself, which says nothing to its plugins: the port is taken when the image is open already
    for way in ["--foreground", ""] {
        let port = format!("{way} --ipaddr 127.0.0.1 --port {}", address.port());
        let parameters = ["d.img", "record=t.csv", "counters=c.json"];
        let ended = serve::nbdkit(&lab, &port, &parameters);
        nothing_has_changed(&lab, &there, &ended, "Address already in use");
        assert_eq!(left(&lab), "closed");
    }
    for output in [
        "record=nowhere/t",
        "counters=nowhere/c",
        "record=folder",
        "status=1.2.3.4:1",
    ] {
        let mut parameters = words("image=d.img record=t.csv counters=c.json");
        let key = output.split('=').next().expect("a key");
        parameters.retain(|file| !file.starts_with(key));
        parameters.push(output);
        let ended = nbdkit(&lab, &parameters);
        nothing_has_changed(&lab, &there, &ended, "error: ");
    }
}

/// A process that ends with this value, also if a test fails.
struct Daemon(Pid);

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = kill_process(self.0, Signal::TERM);
    }
}

#[test]
fn a_daemon_that_starts_records() {
    let lab = lab();
    lab.write("t.csv", "of an earlier run");
    let parameters = ["d.img", "record=t.csv", "counters=c.json"];
    let ended = serve::nbdkit(&lab, "--unix s --pidfile pid", &parameters);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    // its parent has ended, and with it what the parent would do at its end
    let number = || fs::read_to_string(lab.path("pid")).unwrap_or_default();
    until("no daemon", || !number().is_empty());
    let server = number().trim().parse().ok().and_then(Pid::from_raw);
    let server = Daemon(server.expect("a number"));
    until_recorded(&lab);
    let written = Command::new("qemu-io")
        .args(["-f", "raw", "nbd+unix:///?socket=s", "-c", "write 0 4k"])
        .current_dir(lab.path("."))
        .output()
        .expect("qemu-io");
    assert!(written.status.success(), "{written:?}");
    drop(server);
    let is_closed = || lab.run("drive info d.img").code == Some(0);
    until("no end", || lab.path("c.json").exists() && is_closed());
    assert_eq!(left(&lab), "closed");
    let trace = lab.read("t.csv");
    assert!(trace.contains(",W,0,4096\n"), "{trace}");
}

/// Waits until the recorded trace has its name: nbdkit listens a little earlier.
fn until_recorded(lab: &Lab) {
    until("no trace", || lab.read("t.csv").starts_with("time_ns,"));
}

// a server that is killed leaves the trace so far, and nothing else
#[test]
fn a_trace_has_its_name_while_it_is_recorded() {
    let lab = lab();
    lab.write("t.csv", "of an earlier run");
    fs::set_permissions(lab.path("t.csv"), fs::Permissions::from_mode(0o640)).expect("it");
    let there = lab.files();
    let server = Server::start(&lab, &["--record", "t.csv", "--counters", "c.json"]);
    until_recorded(&lab);
    server.signal(Signal::KILL);
    server.wait();
    fs::remove_file(lab.path("s")).expect("the socket");
    assert_eq!(lab.files(), there);
    let mode = fs::metadata(lab.path("t.csv")).expect("it").mode();
    assert_eq!(mode & 0o777, 0o640);
    // one with a second name, which stays the same file
    fs::hard_link(lab.path("t.csv"), lab.path("also")).expect("a link");
    let script = "qemu-io -f raw $uri -c 'write -q 0 4k'";
    let ended = ended(serve::serve(&lab, &["--record", "t.csv"]).args(["--run", script]));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let trace = lab.read("also");
    assert!(trace.contains(",W,0,4096\n"), "{trace}");
    assert_eq!(trace, lab.read("t.csv"));
}

#[test]
fn a_trace_goes_where_its_path_leads() {
    let lab = lab();
    let script = "qemu-io -f raw $uri -c 'write -q 0 4k'";
    // nbdkit replaces its standard output
    let record = ["--record", "/proc/self/fd/1", "--run", script];
    let ended = ended(&mut serve::serve(&lab, &record));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains(",W,0,4096\n"), "{}", ended.stdout);
    let null = ["--record", "/dev/null", "--counters", "/dev/null"];
    let ended = crate::common::ended(serve::serve(&lab, &null).args(["--run", script]));
    assert_eq!(
        (ended.code, &*ended.stdout),
        (Some(0), ""),
        "{}",
        ended.stderr
    );
}

#[test]
fn new_files_have_the_permissions_that_the_user_wants() {
    for (umask, expected) in [
        ("000", 0o666),
        ("022", 0o644),
        ("027", 0o640),
        ("077", 0o600),
    ] {
        let lab = lab();
        let plugin = plugin();
        let ended = lab.shell(&format!(
            "umask {umask}; \"$0\" serve d.img --plugin '{}' --record t.csv --counters c.json \
             --run 'stat -c %a \"$(dirname \"$unixsocket\")\"; umask'",
            plugin.display()
        ));
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        // only this user finds the socket; and a command has the umask of who started it
        assert_eq!(ended.stdout, format!("700\n0{umask}\n"));
        let run = "run --config small.toml good.csv --events events.jsonl";
        let run = lab.shell(&format!("umask {umask}; exec \"$0\" {run}"));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        for file in ["t.csv", "c.json", "events.jsonl"] {
            let mode = fs::metadata(lab.path(file)).expect("the file").mode();
            assert_eq!(mode & 0o777, expected, "{file} under {umask}");
        }
    }
}

const CREATE: &str = "drive create d.img --set flash.capacity=16MiB --set ftl.kind=page";

/// The program, which begins to make an image.
fn create(lab: &Lab, mut program: Command) -> Child {
    program
        .args(words(CREATE))
        .current_dir(lab.path("."))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// The temporary names in a folder.
fn unfinished(lab: &Lab) -> Vec<String> {
    let mut names = lab.files();
    names.retain(|name| name.ends_with(".unfinished"));
    names
}

/// Begins to make an image, until the names in the folder meet a condition or all is done. It does not pause: names pass
/// quickly.
fn create_until(lab: &Lab, program: Command, reached: fn(&[String]) -> bool) -> Child {
    let mut child = create(lab, program);
    while !reached(&lab.files()) && child.try_wait().expect("it was started").is_none() {}
    child
}

#[test]
fn an_interrupted_creation_leaves_an_image_or_nothing() {
    let lab = Lab::new();
    // at once, in the middle, at the end
    let moments: [fn(&[String]) -> bool; 3] = [
        |_| true,
        |names| !names.is_empty(),
        |names| names == ["d.img"],
    ];
    let (mut made, mut interrupted) = (0, 0);
    for (round, reached) in moments.iter().cycle().take(24).enumerate() {
        let signal = [Signal::INT, Signal::TERM][round % 2];
        let _ = fs::remove_file(lab.path("d.img"));
        let mut child = create_until(&lab, listening(), *reached);
        let _ = kill_process(Pid::from_child(&child), signal);
        let status = child.wait().expect("it ends");
        match lab.files().as_slice() {
            [] => assert!(!status.success(), "{round}"),
            // it may have been complete before the signal came
            [only] if only == "d.img" => {
                lab.ok("drive check d.img");
                made += 1;
            }
            others => panic!("{round}, {status}: {others:?}"),
        }
        let ended = [128 + signal.as_raw(), 0];
        let code = status.code().or(status.signal().map(|signal| 128 + signal));
        assert!(ended.contains(&code.expect("a code")), "{status}");
        interrupted += i32::from(!status.success());
    }
    assert!(
        made > 0 && interrupted > 0,
        "{made} made, {interrupted} interrupted"
    );
}

#[test]
fn a_killed_creation_leaves_what_tells_its_name() {
    let lab = Lab::new();
    until("no creation is killed in the middle", || {
        let program = Command::new(binary());
        let mut child = create_until(&lab, program, |names| !names.is_empty());
        child.kill().expect("a process");
        child.wait().expect("it ends");
        if lab.path("d.img").exists() {
            // what has its name is complete
            lab.ok("drive check d.img");
            fs::remove_file(lab.path("d.img")).expect("the image");
        }
        !unfinished(&lab).is_empty()
    });
    let left = unfinished(&lab);
    assert!(left[0].starts_with(".d.img."), "{left:?}");
    fs::remove_file(lab.path(&left[0])).expect("the file");
    // it is in nobody's way
    lab.ok(CREATE);
    lab.ok("drive check d.img");
}

#[test]
fn an_image_takes_no_name_that_something_has() {
    let lab = lab();
    lab.write("file", "something");
    symlink("nowhere", lab.path("link")).expect("a link");
    for name in ["file", "link", "folder"] {
        lab.refused(&["drive", "create", name], &[name, "exists already"]);
    }
    assert_eq!(lab.read("file"), "something");
    assert!(!lab.path("nowhere").exists());
}

#[test]
fn two_comparisons_keep_a_report_each() {
    let lab = Lab::small();
    for folder in ["a", "b"] {
        fs::create_dir(lab.path(folder)).expect("a folder");
    }
    let pages: Vec<u64> = (0..60_000).map(|i| i * 7 % 20).collect();
    lab.write("a/t.csv", writes(&pages));
    lab.write("b/t.csv", writes(&pages[1..]));
    let sizes: Vec<String> = (1..=8).map(|pages| (pages * 512).to_string()).collect();
    let compare = format!(
        "compare --config=small.toml --buffer=lru,fifo --jobs=1 --size={}",
        sizes.join(",")
    );
    let start = |trace: &str| {
        Command::new(binary())
            .args(words(&compare))
            .arg(trace)
            .current_dir(lab.path("."))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts")
    };
    let report = |child: Child| {
        let output = child.wait_with_output().expect("it ends");
        let text = String::from_utf8(output.stdout).expect("text");
        let (_, report) = text.trim().rsplit_once("Report: ").expect("a report");
        report.to_owned()
    };
    let reports = || {
        let mut names = lab.files();
        names.retain(|name| name.ends_with(".html"));
        names
    };
    // of two traces; of the same trace, whose report is there already
    for (second, all) in [("b/t.csv", 2), ("a/t.csv", 3)] {
        let both = [start("a/t.csv"), start(second)];
        let [first, second] = both.map(report);
        assert_ne!(first, second);
        assert_eq!(reports().len(), all, "{:?}", reports());
    }
    assert_eq!(unfinished(&lab), [""; 0]);
}

// the report takes no name of an input, even if that looks like a report of the trace
#[test]
fn a_report_takes_no_name_of_another_file() {
    let lab = Lab::small();
    lab.write("t.csv", writes(&[0, 4, 8]));
    let compare = |options: &str| {
        let text = lab.ok(&format!("compare --size=1KiB t.csv {options}"));
        let (_, report) = text.trim().rsplit_once("Report: ").expect("a report");
        report.to_owned()
    };
    assert_eq!(compare("--config=small.toml"), "t.compare.html");
    let report = lab.read("t.compare.html");
    let mark = report.lines().nth(1).expect("a mark");
    let config = format!("# {mark}\n{SMALL}");
    lab.write("t.compare.html", &config);
    assert_eq!(compare("--config=t.compare.html"), "t.compare-2.html");
    assert_eq!(lab.read("t.compare.html"), config);
    let csv = "--config=small.toml --csv=t.compare-2.html";
    assert_eq!(compare(csv), "t.compare.html");
    let table = lab.read("t.compare-2.html");
    assert!(table.starts_with("label,"), "{table}");
    // a link that leads to a report is none
    symlink("t.compare.html", lab.path("u.compare.html")).expect("a link");
    fs::copy(lab.path("t.csv"), lab.path("u.csv")).expect("a copy");
    let text = lab.ok("compare --size=1KiB --config=small.toml u.csv");
    assert!(text.ends_with("Report: u.compare-2.html\n"), "{text}");
}
