//! `ssdlab serve` and the plugin of nbdkit, under real clients.
//!
//! Planted bugs that these catch: a flush that is not passed on; a zeroed edge that loses its neighbours; an extent that
//! calls data a hole; a block size or a flag that clients do not see; a close that is forgotten; nbdkit or a command that
//! is left behind; a signal that does not reach the command; an exit code that is lost; requests in the trace that the
//! drive did not serve, or in another order.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;
use ssdlab_browser::{Browser, Scheme};
use ssdlab_device::{Family, registry};
use ssdlab_sim::IDEAL;

use crate::common::{Ended, Lab, binary, ended, json, listening, programs, skipped, until, words};
use crate::nbd::{Nbd, WRITE};

/// 1 MiB in pages of 1 KiB, eight in a block.
pub const SMALL: &str = r#"
drain = false
flash = { capacity = "1MiB", page_size = 1024, pages_per_block = 8 }
ftl = { kind = "page", over_provisioning = 0.2 }
buffer = { policy = "lru", size = "16KiB" }
precondition = "empty"
"#;
pub const CAPACITY: usize = 1 << 20;
pub const PAGE: usize = 1024;

/// The plugin: cargo builds it beside these tests.
pub fn plugin() -> PathBuf {
    let tests = std::env::current_exe().expect("the path of this program");
    tests.with_file_name("libnbdkit_ssdlab_plugin.so")
}

/// Reads and programs of different lengths on four chips; nothing is buffered.
pub const CLOCKS: [&str; 6] = [
    "timing.model=parallel",
    "flash.chips_per_channel=4",
    "flash.interleave=page",
    "buffer.policy=none",
    "timing.program_us=2000",
    "timing.read_us=1000",
];

/// A command with settings.
pub fn with<'a>(command: &'a str, settings: &[&'a str]) -> Vec<&'a str> {
    let settings = settings.iter().flat_map(|setting| ["--set", setting]);
    words(command).into_iter().chain(settings).collect()
}

/// A folder with a new drive.
pub fn lab(settings: &[&str]) -> Lab {
    let lab = Lab::new();
    lab.write("small.toml", SMALL);
    lab.ok(&with("drive create d.img --config small.toml", settings));
    lab
}

/// `ssdlab serve d.img` with options.
pub fn serve(lab: &Lab, options: &[&str]) -> assert_cmd::Command {
    let mut command = lab.command("serve d.img --plugin");
    command.arg(plugin()).args(options);
    command
}

/// Runs a script while the drive is served. A command in it that fails ends it.
#[track_caller]
pub fn while_served(lab: &Lab, options: &[&str], script: &str) -> String {
    let script = format!("set -e; {script}");
    let ended = ended(serve(lab, options).args(["--run", &script]));
    assert_eq!(ended.code, Some(0), "{}\n{}", ended.stdout, ended.stderr);
    assert_eq!(ended.stderr, "", "{}", ended.stdout);
    ended.stdout
}

/// A server that nobody waits for.
pub struct Server {
    process: Child,
}

impl Server {
    /// Starts a server on the socket `s`, and waits until it listens.
    pub fn start(lab: &Lab, options: &[&str]) -> Self {
        let process = listening()
            .args(["serve", "d.img", "--socket", "s", "--plugin"])
            .arg(plugin())
            .args(options)
            .current_dir(lab.path("."))
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut server = Self { process };
        until("nobody listens", || {
            if let Ok(Some(status)) = server.process.try_wait() {
                let mut why = String::new();
                let errors = server.process.stderr.as_mut().expect("a pipe");
                let _ = errors.read_to_string(&mut why);
                panic!("{status}: {why}");
            }
            let Ok(mut stream) = UnixStream::connect(lab.path("s")) else {
                return false;
            };
            // the server has closed this connection when it ends
            let _ = stream.shutdown(Shutdown::Write);
            let _ = stream.read_to_end(&mut Vec::new());
            true
        });
        server
    }

    /// A server with a status page, and the address of that.
    pub fn with_status(lab: &Lab, options: &[&str]) -> (Self, String) {
        let mut server = Self::start(lab, &[&["--status", "127.0.0.1:0"], options].concat());
        let mut line = String::new();
        let errors = server.process.stderr.as_mut().expect("a pipe");
        BufReader::with_capacity(1, errors)
            .read_line(&mut line)
            .expect("a line");
        let (_, address) = line.trim().rsplit_once("http://").expect("an address");
        (server, address.to_owned())
    }

    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.process)
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("the server runs");
    }

    /// Whether it ends within a time. Else it is killed.
    pub fn ends_within(&mut self, limit: Duration) -> bool {
        let start = Instant::now();
        while self.process.try_wait().expect("it was started").is_none() {
            if start.elapsed() > limit {
                self.process.kill().expect("it runs");
                return false;
            }
            sleep(Duration::from_millis(2));
        }
        true
    }

    /// Ends it, which must go well.
    #[track_caller]
    pub fn end(self) {
        self.signal(Signal::TERM);
        let (code, message) = self.wait();
        assert_eq!(code, 0, "{message}");
    }

    /// The exit code, or 128 + the signal, and what it printed.
    pub fn wait(mut self) -> (i32, String) {
        let mut text = String::new();
        let errors = self.process.stderr.as_mut().expect("a pipe");
        errors.read_to_string(&mut text).expect("text");
        let status = self.process.wait().expect("it was started");
        let signal = status.signal().map(|signal| 128 + signal);
        (status.code().or(signal).expect("a code"), text)
    }
}

pub fn left(lab: &Lab) -> String {
    let info = lab.json("drive info d.img --json");
    info["left"].as_str().expect("text").to_owned()
}

#[track_caller]
pub fn is_whole(lab: &Lab) {
    assert_eq!(left(lab), "closed");
    let text = lab.ok("drive check d.img");
    assert!(text.starts_with("Nothing is wrong"), "{text}");
}

/// Bytes that no policy foresees.
pub fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 56) as u8
    };
    (0..length).map(|_| next()).collect()
}

#[test]
fn the_clients_see_a_disk() {
    let lab = lab(&[]);
    // sparse: half of it is a hole
    let mut disk = noise(CAPACITY / 2, 1);
    disk.resize(CAPACITY, 0);
    lab.write("disk", &disk);
    let script = r#"
        nbdinfo --json "$uri"
        echo ----
        nbdcopy --flush disk "$uri"
        nbdinfo --map "$uri"
        nbdcopy "$uri" copy
        qemu-img compare -q -f raw -F raw disk "$uri"
        qemu-img convert -f raw "$uri" convert
        test "$(nbdinfo --size "nbd+unix:///?socket=$unixsocket")" = 1048576
    "#;
    let text = while_served(&lab, &[], script);
    let (info, map) = text.split_once("----\n").expect("both parts");
    let info: Value = serde_json::from_str(info).expect("JSON");
    let export = &info["exports"][0];
    let expected = [
        ("export-size", Value::from(CAPACITY)),
        ("is_rotational", false.into()),
        ("is_read_only", false.into()),
        ("can_multi_conn", true.into()),
        ("can_flush", true.into()),
        ("can_fua", true.into()),
        ("can_trim", true.into()),
        ("can_zero", true.into()),
        ("can_fast_zero", true.into()),
        ("block_size_minimum", 512.into()),
        ("block_size_preferred", PAGE.into()),
        ("block_size_maximum", (32 << 20).into()),
    ];
    for (name, value) in expected {
        assert_eq!(export[name], value, "{name}");
    }
    let map: Vec<Vec<&str>> = map.lines().map(words).collect();
    let half = (CAPACITY / 2).to_string();
    assert_eq!(
        map,
        [["0", &half, "0", "data"], [&half, &half, "3", "hole,zero"]]
    );
    for name in ["copy", "convert"] {
        assert!(fs::read(lab.path(name)).unwrap() == disk, "{name}");
    }
    is_whole(&lab);
}

#[test]
fn zeros_and_trims_keep_their_edges() {
    let lab = lab(&[]);
    // qemu-io ends well even if a pattern differs, but says so
    let script = r#"
        qemu-io -f raw "$uri" \
            -c 'write -q -P 1 0 64k' -c 'write -q -z -u 700 5000' -c 'discard -q 16100 3000' \
            -c 'write -q -z 30000 100' -c 'write -q -f -P 2 40000 100' -c 'write -q -z 50000 4000' -c flush \
            -c 'read -q -P 1 0 700' -c 'read -q -P 0 700 5000' -c 'read -q -P 1 5700 10684' \
            -c 'read -q -P 0 16384 2048' -c 'read -q -P 1 18432 11568' -c 'read -q -P 0 30000 100' \
            -c 'read -q -P 1 30100 9900' -c 'read -q -P 2 40000 100' -c 'read -q -P 0 50000 4000' \
            -c 'read -q -P 1 54000 11536' -c 'read -q -P 0 64k 64k'
    "#;
    assert_eq!(while_served(&lab, &[], script), "");
    is_whole(&lab);
}

// planted bugs: all connections in stream 0; a recorded trace without streams; copies counted for the wrong handle
#[test]
fn a_connection_has_the_stream_of_its_export() {
    let lab = lab(&[
        "buffer.policy=none",
        "ftl.placement=fdp",
        "ftl.handles=3",
        "flash.page_size=4KiB",
        "ftl.over_provisioning=0.5",
    ]);
    let script = r#"
        at() { echo "nbd+unix:///$1?socket=$unixsocket"; }
        qemu-io -f raw "$(at '')" -c 'write -q 0 64k'
        qemu-io -f raw "$(at stream-1)" -c 'write -q 64k 128k' -c 'write -q 64k 32k'
        qemu-io -f raw "$(at stream-2)" -c 'write -q 256k 64k' -c 'write -q -z 256k 4k'
    "#;
    while_served(&lab, &["--record", "t.csv", "--counters", "c.json"], script);
    let again = lab.json(
        "run --json --config small.toml --set buffer.policy=none --set ftl.placement=fdp \
        --set ftl.handles=3 --set flash.page_size=4KiB --set ftl.over_provisioning=0.5 t.csv",
    );
    assert_eq!(
        again["counters"]["host_writes"],
        lab.read_json("c.json")["host_writes"]
    );
    let host = |handle: usize| again["handles"][handle]["host_pages"].as_u64();
    assert_eq!([host(0), host(1), host(2)], [Some(16), Some(40), Some(17)]);
}

/// Without syncs, pages of the file that were written before are written through a map of it.
#[test]
fn what_is_written_again_without_syncs_is_kept() {
    let lab = lab(&["flash.page_size=4KiB"]);
    let script = r#"
        for pattern in 1 2 3 4 5 6; do
            qemu-io -f raw "$uri" -c "write -q -P $pattern 0 1M" -c flush
        done
        qemu-io -f raw "$uri" -c 'read -q -P 6 0 1M'
    "#;
    assert_eq!(while_served(&lab, &["--no-sync"], script), "");
    is_whole(&lab);
}

/// The disk below fills while the image is mapped: clients get `ENOSPC`, and what was flushed stays.
#[test]
fn a_full_disk_without_syncs_is_an_error() {
    let lab = lab(&["flash.page_size=4KiB"]);
    fs::create_dir(lab.path("full")).expect("a folder");
    let script = r#"
        mount -t tmpfs -o size=700k none full || exit 99
        cp --sparse=always d.img full/d.img
        "$0" serve full/d.img --no-sync --plugin "$1" --run '
            for pattern in 2 3; do
                qemu-io -f raw "$uri" -c "write -q -P $pattern 0 256k" -c flush || exit 90
            done
            qemu-io -f raw "$uri" -c "write -q -P 4 256k 768k" -c flush > full.txt 2>&1 && exit 91
            qemu-io -f raw "$uri" -c "write -q -P 5 0 4k" -c flush > later.txt 2>&1 && exit 92
            qemu-io -f raw "$uri" -c "read -q -P 3 4k 252k" || exit 93'
        echo "ended with $?"
        mount -o remount,size=8m full
        "$0" drive check full/d.img || exit 94
        "$0" serve full/d.img --no-sync --plugin "$1" --run '
            qemu-io -f raw "$uri" -c "read -q -P 3 0 256k" -c "write -q -P 6 256k 768k" -c "read -q -P 6 256k 768k"'
    "#;
    let unshared = ["--map-root-user", "--mount", "sh", "-c", script];
    let mut command = assert_cmd::Command::new("unshare");
    command.args(unshared).arg(binary()).arg(plugin());
    command
        .current_dir(lab.path("."))
        .timeout(Duration::from_secs(60));
    let ended = ended(&mut command);
    let message = format!("{}\n{}", ended.stdout, ended.stderr);
    if ended.code == Some(99) || ended.stderr.starts_with("unshare: ") {
        return skipped("a full disk below a served drive", message.trim());
    }
    assert_eq!(ended.code, Some(0), "{message}");
    assert!(ended.stdout.starts_with("ended with 1\n"), "{message}");
    assert!(ended.stdout.contains("Nothing is wrong"), "{message}");
    assert!(message.contains("the image is not closed"), "{message}");
    for failed in ["full.txt", "later.txt"] {
        let text = lab.read(failed);
        assert!(text.contains("No space left on device"), "{failed}: {text}");
    }
}

#[test]
fn fio_finds_what_it_wrote() {
    let lab = lab(&[]);
    let script = r#"
        fio --name=v --ioengine=nbd --uri="$uri" --rw=randrw --bsrange=512-8k --bs_unaligned=0 --iodepth=16 \
            --verify=crc32c --verify_fatal=1 --fsync=32 --size=1m --io_size=4m --output=fio.txt
        fio --name=v --ioengine=nbd --uri="$uri" --rw=randwrite --bs=1k --iodepth=16 --verify=crc32c \
            --verify_fatal=1 --size=1m --output=fio.txt
    "#;
    while_served(&lab, &["--threads", "8"], script);
    is_whole(&lab);
}

#[test]
fn a_trace_of_the_requests_counts_the_same() {
    for (ftl, policy) in [("page", "lru"), ("bast", "bplru"), ("fast", "none")] {
        let settings = [
            &format!("ftl.kind={ftl}") as &str,
            &format!("buffer.policy={policy}"),
        ];
        let lab = lab(&settings);
        let script = r#"
            fio --name=v --ioengine=nbd --uri="$uri" --rw=randrw --bs=1k --iodepth=16 --fsync=20 --size=1m --io_size=3m \
                --randseed=3 --output=fio.txt
            qemu-io -f raw "$uri" -c 'write -q -f -P 2 3000 5000' -c 'write -q -z -u 500 9000' -c 'write -q -z 20000 5000' \
                -c 'discard -q 300000 50000' -c 'read -q 0 1000'
        "#;
        let files = ["--record", "t.csv", "--counters", "c.json"];
        while_served(&lab, &files, script);
        let simulated = lab.json(&with("run t.csv --json --config small.toml", &settings));
        let served: Value = lab.read_json("c.json");
        let served = served.as_object().expect("an object");
        for (name, value) in served {
            assert_eq!(
                simulated["counters"][name], *value,
                "{ftl} {policy}: {name}"
            );
        }
        // it is a test of many requests of each kind
        for (name, least) in [
            ("host_writes", 1000),
            ("host_reads", 1000),
            ("host_flushes", 50),
            ("host_discards", 2),
            ("erases", 50),
        ] {
            assert!(served[name].as_u64() >= Some(least), "{name}: {served:?}");
        }
    }
}

#[test]
fn a_trace_of_a_used_drive_is_announced() {
    let lab = lab(&[]);
    let zero = r#"qemu-io -f raw "$uri" -c 'write -q 0 4k'"#;
    while_served(&lab, &[], zero);
    let ended = ended(&mut serve(&lab, &["--record", "t.csv", "--run", zero]));
    let message =
        "d.img was used before; a simulation of the recorded trace begins with a new drive";
    assert!(ended.stderr.contains(message), "{}", ended.stderr);
    assert_eq!(ended.code, Some(0));
}

#[test]
fn a_signal_ends_all_cleanly() {
    // with a client at work
    let lab = lab(&[]);
    let server = Server::start(&lab, &[]);
    let mut client = writer(&lab, 1, 20_000);
    until("nothing is written", || written(&lab) > 0);
    server.end();
    client.kill().expect("a process");
    client.wait().expect("a process");
    is_whole(&lab);

    // and with a command of its own, which the signal ends; so is what it has started
    let mut process = Command::new(binary())
        .args(["serve", "d.img", "--plugin"])
        .arg(plugin())
        .args([
            "--run",
            "sleep 100 & echo $! >pid.new; mv pid.new pid; wait",
        ])
        .current_dir(lab.path("."))
        .stdin(Stdio::null())
        .spawn()
        .expect("the program starts");
    until("no number", || lab.path("pid").exists());
    let child: i32 = lab.read("pid").trim().parse().expect("a number");
    kill_process(Pid::from_child(&process), Signal::TERM).expect("it runs");
    assert_eq!(process.wait().expect("a process").code(), Some(143));
    is_whole(&lab);
    // the lock of the image is free, so nbdkit has gone
    until_gone(Pid::from_raw(child).expect("a number"));
}

/// Waits until a process has ended. Whoever is its parent now may be slow to notice.
#[track_caller]
pub fn until_gone(process: Pid) {
    let state = || fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    until("it runs on", || {
        test_kill_process(process).is_err() || state().contains(") Z")
    });
}

#[test]
fn the_exit_code_is_that_of_the_command() {
    let lab = lab(&[]);
    for (command, code) in [("exit 7", 7), ("kill -9 $$", 137), ("true", 0)] {
        let Ended { code: found, .. } = ended(&mut serve(&lab, &["--run", command]));
        assert_eq!(found, Some(code), "{command}");
        is_whole(&lab);
    }
}

/// A client that writes stamped pages to the socket `s`, with a flush after each eighth.
pub fn writer(lab: &Lab, round: u64, writes: u64) -> Child {
    let mut script = String::new();
    for write in Write::all(round).take(writes as usize) {
        script += &format!("write -P {} {} {PAGE}\n", write.stamp, write.page * PAGE);
        if write.is_flushed {
            script += "flush\n";
        }
    }
    lab.write("script", script);
    Command::new("qemu-io")
        .args(["-f", "raw", "nbd+unix:///?socket=s"])
        .current_dir(lab.path("."))
        .stdin(fs::File::open(lab.path("script")).expect("the script"))
        .stdout(fs::File::create(lab.path("written")).expect("a file"))
        .stderr(Stdio::null())
        .spawn()
        .expect("qemu-io starts")
}

/// The bytes that a writer has told of its writes; it tells of some dozens at once.
fn written(lab: &Lab) -> u64 {
    fs::metadata(lab.path("written")).map_or(0, |file| file.len())
}

/// A write of a page full of its stamp.
struct Write {
    page: usize,
    stamp: u8,
    is_flushed: bool,
}

impl Write {
    fn all(round: u64) -> impl Iterator<Item = Self> {
        let numbers = noise(1 << 15, round);
        let pairs: Vec<(u8, u8)> = numbers.chunks(2).map(|two| (two[0], two[1])).collect();
        (0..).zip(pairs).map(|(number, (high, low))| Self {
            page: (usize::from(high) << 8 | usize::from(low)) % (CAPACITY / PAGE),
            stamp: (number % 255) as u8 + 1,
            is_flushed: number % 8 == 7,
        })
    }
}

// A host that was killed finds each page as at the last flush, or as written since.
#[test]
fn a_killed_server_has_lost_nothing_that_was_flushed() {
    let ftls = registry::built_in(Family::Ftl).iter();
    let ftls = ftls.filter(|entry| entry.name != IDEAL);
    let ftls = ftls.map(|entry| format!("ftl.kind={}", entry.name));
    let maps = ["dftl", "tpftl", "pages", "leaftl"].map(|map| {
        format!("ftl.kind=page ftl.map={map} ftl.map_cache=2KiB ftl.map_entry=32 ftl.map_sync=200")
    });
    let ftls: Vec<String> = ftls.chain(maps).collect();
    assert!(ftls.len() >= 10, "{ftls:?}");
    for (round, ftl) in (1..).zip(ftls) {
        let lab = lab(&words(&ftl));
        // a killed process loses no more without syncs; and more is written
        let options: &[&str] = if round % 4 == 0 { &[] } else { &["--no-sync"] };
        let server = Server::start(&lab, options);
        let mut client = writer(&lab, round, 4000);
        until("too little is written", || written(&lab) >= round * 10_000);
        server.signal(Signal::KILL);
        assert_eq!(server.wait().0, 137);
        client.wait().expect("qemu-io");
        assert_eq!(left(&lab), "open");

        let done = lab.read("written").matches("wrote 1024/1024").count();
        assert!(done > 50, "only {done} writes");
        // each page's value at the last flush that was answered: a write after it was
        let mut allowed = vec![vec![0]; CAPACITY / PAGE];
        // the write in hand when the server died may have been served
        for (number, write) in Write::all(round).take(done + 1).enumerate() {
            allowed[write.page].push(write.stamp);
            if write.is_flushed && number + 1 < done {
                for stamps in &mut allowed {
                    stamps.drain(..stamps.len() - 1);
                }
            }
        }
        while_served(&lab, &[], "nbdcopy $uri found");
        let found = fs::read(lab.path("found")).expect("the copy");
        for (number, (page, stamps)) in found.chunks(PAGE).zip(&allowed).enumerate() {
            // the cut of a sector is not that of a page
            for sector in page.chunks(512) {
                let stamp = sector[0];
                let is_one = sector.iter().all(|byte| *byte == stamp);
                let place = format!("{ftl}, round {round}, page {number}, after {done} writes");
                assert!(
                    is_one && stamps.contains(&stamp),
                    "{place}: {stamp}, not {stamps:?}"
                );
            }
        }
        is_whole(&lab);
    }
}

/// nbdkit itself with the plugin.
pub fn nbdkit(lab: &Lab, arguments: &str, parameters: &[&str]) -> Ended {
    let mut command = assert_cmd::Command::new("nbdkit");
    command
        .args(words(arguments))
        .arg(plugin())
        .args(parameters)
        .current_dir(lab.path("."))
        .timeout(Duration::from_secs(60));
    ended(&mut command)
}

#[test]
fn the_filters_of_nbdkit_work_on_it() {
    let lab = lab(&[]);
    let filtered = |arguments: &str, parameters: &[&str], run: &str| {
        let parameters = [&["d.img"], parameters, &["--run", run]].concat();
        nbdkit(&lab, &format!("-U - {arguments}"), &parameters)
    };
    let put = r#"qemu-io -f raw "$uri" -c 'write -P 5 0 8k' -c flush"#;
    let read = r#"qemu-io -f raw "$uri" -c 'read -P 5 0 8k'"#;
    assert_eq!(filtered("", &[], put).code, Some(0));

    let failing = ["error-pwrite-rate=100%", "error=ENOSPC"];
    let ended = filtered("--filter=error", &failing, put);
    let text = ended.stdout + &ended.stderr;
    let message = "write failed: No space left on device";
    assert!(text.contains(message), "{text}");

    let start = Instant::now();
    let text = filtered("--filter=delay", &["rdelay=300ms"], read).stdout;
    assert!(text.contains("read 8192/8192"), "{text}");
    assert!(start.elapsed() > Duration::from_millis(300));

    let other =
        r#"qemu-io -f raw "$uri" -c 'write -q -P 9 0 8k' -c 'read -P 9 0 8k' -c 'read -P 5 0 8k'"#;
    let text = filtered("--filter=cow", &[], other).stdout;
    assert_eq!(text.matches("read 8192/8192").count(), 2, "{text}");
    assert!(text.contains("Pattern verification failed"), "{text}");

    // the overlay has gone with its server
    let text = filtered("--filter=stats", &["statsfile=stats"], read).stdout;
    assert!(!text.contains("Pattern"), "{text}");
    // it writes when it ends, which `nbdkit --run` does not wait for
    let stats = || fs::read_to_string(lab.path("stats")).unwrap_or_default();
    until("no statistics", || stats().contains("read: "));
}

// Planted bugs: a reply that does not wait, or waits in the lock.
#[test]
fn requests_take_the_time_of_the_drive() {
    let lab = lab(&CLOCKS);
    let read = "fio --name=v --ioengine=nbd --uri=\"$uri\" --rw=randread --bs=1k --size=1m --io_size=256k --output=f.txt";
    let write = "qemu-io -f raw $uri -c 'write -q 0 1M' -c flush";
    let files = ["--realtime", "--record", "t.csv", "--counters", "c.json"];
    let run = format!("{write}; {read} --iodepth=1 && {read} --iodepth=32");
    let start = Instant::now();
    let served = ended(serve(&lab, &files).args(["--run", &run]));
    let took = start.elapsed();
    assert_eq!(served.code, Some(0), "{}", served.stderr);
    let message = " replies in real time, half of them at most ";
    assert!(served.stderr.contains(message), "{}", served.stderr);

    // the same trace at the same times: every counter, and the nanosecond at which all is done
    let run = "run t.csv --json --config small.toml --set replay=timed";
    let simulated = &lab.json(&with(run, &CLOCKS))["counters"];
    let served = lab.read_json("c.json");
    for (name, value) in served.as_object().expect("an object") {
        assert_eq!(simulated[name], *value, "{name}");
    }
    let least = Duration::from_nanos(served["elapsed_ns"].as_u64().expect("a number"));
    assert!(took > least, "{took:?}, not {least:?}");
}

// Planted bug: a sleeping request that outlives its server.
#[test]
fn no_request_in_memory_holds_the_end() {
    // each write would take four minutes
    let lab = lab(&[&CLOCKS[..], &["timing.program_us=1000000"]].concat());
    let (mut server, address) = Server::with_status(&lab, &["--realtime", "--grace", "100"]);
    let mut client = Nbd::connect(&lab);
    for _ in 0..4 {
        client.send(WRITE, 0, CAPACITY);
        client.put(&vec![1; CAPACITY]);
    }
    until("the writes are not served", || {
        let status = json(&get(&address, "/status.json"));
        status["counters"]["host_write_bytes"] == 4 * CAPACITY
    });
    server.signal(Signal::TERM);
    for _ in 0..4 {
        client.reply().expect("an answer, though it be an error");
    }
    drop(client);
    assert!(server.ends_within(Duration::from_secs(50)));
    assert_eq!(server.wait().0, 0);
    is_whole(&lab);

    lab.ok("drive create serial.img --config small.toml");
    let message = "--realtime serial.img: timing.model must be \"parallel\"";
    lab.refused("serve serial.img --realtime", &[message]);
}

/// Asks a status page.
pub fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
    body.to_owned()
}

// planted bugs: the counts of a handle under another one; regions in the place of handles
#[test]
fn the_status_counts_by_handle() {
    let lab = lab(&[
        "ftl.placement=fdp",
        "ftl.handles=2",
        "ftl.over_provisioning=0.5",
        "buffer.policy=none",
    ]);
    let (server, address) = Server::with_status(&lab, &[]);
    writer(&lab, 1, 400).wait().expect("qemu-io");
    let status = json(&get(&address, "/status.json"));
    assert_eq!(status["handles"][0]["host_pages"], 400);
    assert_eq!(status["handles"][1]["host_pages"], 0);
    assert!(status["regions"].is_null());
    let metrics = get(&address, "/metrics");
    assert!(
        metrics.contains("\nssdlab_handle_host_pages_total{handle=\"0\"} 400\n"),
        "{metrics}"
    );
    drop(server);
}

// Planted bugs: a metric that is not the counter of its name; a page that shows other values, or needs the network.
#[test]
fn the_status_shows_what_the_drive_does() {
    let lab = lab(&["timing.model=parallel", "ftl.kind=bast"]);
    let (server, address) = Server::with_status(&lab, &[]);
    writer(&lab, 1, 400).wait().expect("qemu-io");

    let status = json(&get(&address, "/status.json"));
    let counters = &status["counters"];
    assert_eq!(counters["host_writes"], 400);
    assert!(counters["full_merges"].as_u64() > Some(10), "{counters}");
    let programs = programs(counters);
    let bytes = programs * PAGE as u64;
    assert_eq!(status["bytes_to_flash"]["total"], bytes);
    let waf = status["write_amplification"].as_f64().expect("a number");
    assert!((waf - programs as f64 / 400.0).abs() < 1e-9, "{waf}");
    assert_eq!(status["erases"]["total"], counters["erases"]);
    assert_eq!(status["buffer"]["pages"], 16);
    let latency = &status["latency_ns"]["W"];
    assert!(latency["p99"].as_u64() > Some(0), "{latency}");

    let metrics = get(&address, "/metrics");
    let value = |name: &str| {
        let line = metrics
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|value| value.parse::<f64>().ok())
    };
    for (name, counter) in counters.as_object().expect("an object") {
        let metric = value(&format!("ssdlab_{name}_total"));
        assert_eq!(metric, counter.as_f64(), "{name}");
    }
    assert_eq!(value("ssdlab_write_amplification"), Some(waf));
    assert_eq!(value("ssdlab_buffer_pages{state=\"capacity\"}"), Some(16.0));

    let html = get(&address, "/");
    assert!(!html.contains("https://"), "it loads something");
    // the page as it was sent, in a browser; and a second later, when the host has written 1 MB
    let later = "<script>const later = structuredClone(first);
        later.counters.host_write_bytes += 1e6; later.bytes_to_flash.total += 4e6;
        later.history.points = [{ open_s: 0, elapsed_ns: 0, host: 0, flash: 0 },
            { open_s: 60, elapsed_ns: 0, host: first.counters.host_write_bytes, flash: first.bytes_to_flash.total }];
        later.open_s = 61;
        show(later, last.now + 1000);</script>";
    lab.write("page.html", html + later);
    let visit =
        Browser::find().and_then(|browser| browser.visit(&lab.path("page.html"), Scheme::Light));
    let visit = visit.unwrap_or_else(|error| panic!("{error}"));
    assert!(visit.console.is_empty(), "{:?}", visit.console);
    assert!(visit.requests.is_empty(), "{:?}", visit.requests);
    for shown in [
        &format!("{waf:.2}"),
        "1.41 MB",
        "write amplification",
        "1.00 MB/s",
        "4.00 MB/s",
        // a megabyte in the last second, of the five that the axis has room for
        ">5 MB/s<",
        ">15 s<",
        "Merges",
        "switch merges",
        "wall clock, since it was opened",
        "simulated time that the drive took",
    ] {
        assert!(visit.dom.contains(shown), "no {shown:?}");
    }
    server.end();
    is_whole(&lab);
}

#[test]
fn a_worn_out_drive_can_be_read() {
    let lab = lab(&["drive.erase_limit=2"]);
    let writes = "-c 'write -q -P 1 0 1M' -c flush ".repeat(20);
    let script = format!(r#"qemu-io -f raw "$uri" -c 'write -P 3 0 64k' -c flush {writes}"#);
    let worn = ended(&mut serve(&lab, &["--run", &script]));
    let text = worn.stdout + &worn.stderr;
    let message = "the drive is read-only: an erase block failed, and no spare one is left";
    for part in [
        message,
        "write failed: Operation not permitted",
        "the image is not closed",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    assert_eq!(worn.code, Some(1), "{text}");
    let script = r#"
        nbdinfo --is read-only "$uri"
        qemu-io -r -f raw "$uri" -c 'read -P 1 0 1M' -c flush
    "#;
    let again = ended(&mut serve(&lab, &["--run", script]));
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    let text = again.stdout;
    assert!(
        text.contains("read 1048576/1048576") && !text.contains("failed"),
        "{text}"
    );
    let message = "is read-only: an erase block failed, and no spare one is left";
    assert!(again.stderr.contains(message), "{}", again.stderr);
}

/// An image on a file system that may not be written, or, for those who may not mount, one without the right to write it.
#[test]
fn an_image_that_must_not_be_written_is_served() {
    let lab = lab(&[]);
    while_served(
        &lab,
        &[],
        r#"qemu-io -f raw "$uri" -c 'write -P 7 0 1M' -c flush >/dev/null"#,
    );
    let before = fs::read(lab.path("d.img")).expect("the image");
    let script = r#"set -e
        nbdinfo --is read-only "$uri"
        qemu-io -r -f raw "$uri" -c 'read -P 7 0 1M'
        "#;
    let mut command = if rustix::process::geteuid().is_root() {
        let bound = r#"mount --bind "$PWD" "$PWD" && mount -o remount,bind,ro "$PWD" && cd "$PWD" && exec "$@""#;
        let mut command = assert_cmd::Command::new("unshare");
        command
            .args(["--mount", "sh", "-c", bound, "sh"])
            .arg(binary())
            .args(["serve", "d.img", "--plugin"])
            .arg(plugin())
            .current_dir(lab.path("."));
        command
    } else {
        let mut permissions = fs::metadata(lab.path("d.img"))
            .expect("the image")
            .permissions();
        permissions.set_readonly(true);
        fs::set_permissions(lab.path("d.img"), permissions).expect("the owner may");
        serve(&lab, &[])
    };
    let ended = ended(command.args(["--run", script]));
    if ended.stderr.contains("unshare failed") {
        skipped("an image on a read-only file system", "only root may mount");
        return;
    }
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        ended.stdout.contains("read 1048576/1048576"),
        "{}",
        ended.stdout
    );
    assert!(ended.stderr.contains("is read-only: "), "{}", ended.stderr);
    assert!(fs::read(lab.path("d.img")).expect("the image") == before);
}

#[test]
fn what_cannot_be_served_is_explained() {
    let lab = lab(&[]);
    lab.write("text", "no image");
    lab.refused("serve nosuch.img", &["nosuch.img: No such file"]);
    lab.refused("serve text", &["text: this is no flash image"]);
    lab.refused(
        "serve d.img --listen 127.0.0.1:0",
        &["--listen 127.0.0.1:0: the port must be from 1 to 65535"],
    );
    lab.refused(
        "serve d.img --plugin / --socket text",
        &["--socket text: exists, and is no socket"],
    );
    let nowhere = ended(lab.command("serve d.img").env("PATH", "/nowhere"));
    assert_eq!(nowhere.code, Some(2));
    let message = nowhere.stderr;
    assert!(message.contains("apt install nbdkit"), "{message}");
    // a program without the plugin beside it
    alone(&lab.path("alone"));
    let mut command = assert_cmd::Command::new(lab.path("alone"));
    let found = ended(command.args(["serve", "d.img"]).current_dir(lab.path(".")));
    assert_eq!(found.code, Some(2));
    for part in [
        "nbdkit-ssdlab-plugin.so is not in ",
        "`./install` in a clone",
    ] {
        assert!(found.stderr.contains(part), "{}", found.stderr);
    }
    // a drive that is served, and its socket
    let server = Server::start(&lab, &[]);
    lab.refused("serve d.img", &["another process has this image open"]);
    lab.ok("drive create e.img --config small.toml");
    lab.refused(
        "serve e.img --plugin / --socket s",
        &["--socket s: another server listens there"],
    );
    server.signal(Signal::INT);
    assert_eq!(server.wait().0, 0);
}

/// Gives the program another place.
fn alone(place: &Path) {
    if fs::hard_link(binary(), place).is_err() {
        fs::copy(binary(), place).expect("a copy");
    }
}
