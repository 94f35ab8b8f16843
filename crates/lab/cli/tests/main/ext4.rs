//! ext4 on a drive that is served, without a module of the kernel: nbdfuse makes the drive a file, a loop device makes
//! the file a block device.
//!
//! Planted bugs that these catch: a flush that does not wait for earlier writes of other connections; a trim that
//! discards a page too many; a journal that comes back with older pages after the server was killed; a commit that is
//! answered before it is durable.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::common::{Lab, skipped, until};
use crate::serve::{Server, is_whole, left, noise};

/// 24 MiB in pages of 4 KiB, sixteen in a block.
const DISK: &str = r#"
drain = false
flash = { capacity = "24MiB", page_size = 4096, pages_per_block = 16 }
ftl = { kind = "page", over_provisioning = 0.2, log_blocks = 40 }
buffer = { policy = "lru", size = "64KiB" }
precondition = "empty"
"#;

/// What the machine lacks for these tests. Where it lacks nothing, a program that is missing is a failure.
fn lacking() -> Option<String> {
    let may_mount = Command::new("unshare").args(["--mount", "true"]).output();
    if !rustix::process::geteuid().is_root() || !may_mount.is_ok_and(|ran| ran.status.success()) {
        return Some("only root may mount".to_owned());
    }
    let devices = ["/dev/fuse", "/dev/loop-control"];
    let closed = |name| {
        let error = File::open(name).err()?;
        Some(format!("this machine has no {name}: {error}"))
    };
    devices.into_iter().find_map(closed)
}

/// Runs a program that must succeed, and returns what it printed.
#[track_caller]
fn run(program: &str, arguments: &[&Path]) -> String {
    let (code, text) = code_of(program, arguments);
    assert_eq!(code, Some(0), "{program} {arguments:?}: {text}");
    text.trim().to_owned()
}

fn code_of(program: &str, arguments: &[&Path]) -> (Option<i32>, String) {
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    (output.status.code(), text)
}

/// The drive behind the socket `s` as a block device. It goes with this value, also if a test fails.
struct Disk {
    fuse: PathBuf,
    process: Child,
    device: Option<PathBuf>,
    mounted: Option<PathBuf>,
}

impl Disk {
    fn attach(lab: &Lab) -> Self {
        let fuse = lab.path("fuse");
        fs::create_dir_all(&fuse).expect("a folder");
        let file = fuse.join("disk");
        let process = Command::new("nbdfuse")
            .arg(&file)
            .arg("--unix")
            .arg(lab.path("s"))
            .stdin(Stdio::null())
            .spawn()
            .expect("nbdfuse starts: apt install libnbd-bin");
        let mut disk = Self {
            fuse,
            process,
            device: None,
            mounted: None,
        };
        until("no file of nbdfuse", || file.exists());
        let options = ["--direct-io=on", "--show", "--find"].map(Path::new);
        let device = run("losetup", &[&options as &[&Path], &[&file]].concat());
        disk.device = Some(device.into());
        disk
    }

    fn device(&self) -> &Path {
        self.device.as_deref().expect("it is attached")
    }

    /// Mounts it; pages of removed files are trimmed at once.
    fn mount(&mut self, at: &Path) {
        fs::create_dir_all(at).expect("a folder");
        let options = ["-t", "ext4", "-o", "discard"].map(Path::new);
        let all = [&options as &[&Path], &[self.device(), at]].concat();
        run("mount", &all);
        self.mounted = Some(at.to_owned());
    }

    fn unmount(&mut self) {
        let start = Instant::now();
        if let Some(at) = &self.mounted {
            // a process that another test starts holds our open files until it runs
            while let (code, why) = code_of("umount", &[at])
                && code != Some(0)
            {
                assert!(start.elapsed() < Duration::from_secs(60), "{why}");
                sleep(Duration::from_millis(20));
            }
        }
        self.mounted = None;
    }

    fn detach(mut self) {
        self.unmount();
        run("losetup", &[Path::new("--detach"), self.device()]);
        self.device = None;
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // a test may have failed: what is busy goes later
        let lazy = Path::new("--lazy");
        if let Some(at) = &self.mounted {
            code_of("umount", &[lazy, at]);
        }
        if let Some(device) = &self.device {
            code_of("losetup", &[Path::new("--detach"), device]);
        }
        // nbdfuse ends with its folder
        code_of("umount", &[lazy, &self.fuse]);
        let _ = self.process.wait();
    }
}

/// What a file system must have after a crash: what was synced last.
#[derive(Default)]
struct Synced {
    /// By the number of the file; none is one that was removed.
    files: BTreeMap<u64, Option<Vec<u8>>>,
    trimmed: u64,
}

impl Synced {
    /// Makes files, changes and removes them, each of it synced, until the disk fails, and counts them.
    fn work(at: &Path, seed: u64, done: &AtomicU64) -> Self {
        let mut synced = Self::default();
        for number in 0.. {
            let change = synced.step(at, seed, number);
            if change.is_err() || number > 4000 {
                break;
            }
            done.store(number + 1, Ordering::Relaxed);
        }
        synced
    }

    /// While a step is not synced, its file may be as before or after it, so it is not looked at.
    fn step(&mut self, at: &Path, seed: u64, number: u64) -> io::Result<()> {
        let path = |number: u64| at.join(number.to_string());
        let length = 1 + (number * 7919) % 30_000;
        let bytes = noise(length as usize, seed + number);
        let mut file = File::create_new(path(number))?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        self.files.insert(number, Some(bytes));
        if let Some(Some(mut bytes)) = self.files.remove(&(number / 2)) {
            let from = bytes.len() / 3;
            let part = noise(bytes.len() / 2, seed + number + 1000);
            bytes[from..from + part.len()].copy_from_slice(&part);
            let file = OpenOptions::new().write(true).open(path(number / 2))?;
            file.write_all_at(&part, from as u64)?;
            file.sync_data()?;
            self.files.insert(number / 2, Some(bytes));
        }
        // a removed file stays removed, and the disk never fills
        if let Some(old) = number.checked_sub(40) {
            self.files.remove(&old);
            fs::remove_file(path(old))?;
            File::open(at)?.sync_all()?;
            self.files.insert(old, None);
            self.trimmed += 1;
        }
        Ok(())
    }

    #[track_caller]
    fn compare(&self, at: &Path, message: &str) {
        for (number, bytes) in &self.files {
            let found = fs::read(at.join(number.to_string()));
            match bytes {
                Some(bytes) => {
                    let found = found.unwrap_or_else(|e| panic!("{message}, file {number}: {e}"));
                    assert!(found == *bytes, "{message}, file {number} has other bytes");
                }
                None => assert!(found.is_err(), "{message}, file {number} is back"),
            }
        }
    }
}

/// A new drive, and the options of its server: a killed process loses no more without syncs.
fn made(ftl: &str) -> (Lab, [&'static str; 3]) {
    let lab = Lab::new();
    lab.write("disk.toml", DISK);
    let kind = format!("ftl.kind={ftl}");
    let create = ["drive", "create", "d.img", "--config", "disk.toml", "--set"];
    lab.ok(&[&create as &[&str], &[&kind]].concat());
    (lab, ["--no-sync", "--counters", "c.json"])
}

/// Repairs a file system as its next mount would: what the journal says, and then nothing is wrong.
#[track_caller]
fn repair(disk: &Disk) {
    let (code, message) = code_of("e2fsck", &[Path::new("-p"), disk.device()]);
    assert!(matches!(code, Some(0 | 1)), "{code:?} {message}");
    run("e2fsck", &[Path::new("-fn"), disk.device()]);
}

/// Serves and mounts a drive again whose server was killed.
#[track_caller]
fn serve_again(lab: &Lab, options: &[&str], mut disk: Disk, at: &Path) -> (Server, Disk) {
    // the journal has failed: what the system still holds is lost
    disk.unmount();
    drop(disk);
    let server = Server::start(lab, options);
    let mut disk = Disk::attach(lab);
    repair(&disk);
    disk.mount(at);
    (server, disk)
}

#[test]
fn a_file_system_survives_the_death_of_its_server() {
    if let Some(why) = lacking() {
        return skipped("ext4 on a served drive", &why);
    }
    for (round, ftl) in ["page", "bast", "superblock"].into_iter().enumerate() {
        let (lab, options) = made(ftl);
        let server = Server::start(&lab, &options);
        let mut disk = Disk::attach(&lab);
        run("mkfs.ext4", &[Path::new("-q"), disk.device()]);
        let at = lab.path("mounted");
        disk.mount(&at);
        let done = AtomicU64::new(0);
        let synced = thread::scope(|scope| {
            let worker = scope.spawn(|| Synced::work(&at, 7 + round as u64, &done));
            let start = Instant::now();
            while done.load(Ordering::Relaxed) < 60 && !worker.is_finished() {
                assert!(start.elapsed() < Duration::from_secs(120), "too slow");
                sleep(Duration::from_millis(1));
            }
            server.signal(Signal::KILL);
            worker.join().expect("the writer")
        });
        assert_eq!(server.wait().0, 137);
        assert_eq!(left(&lab), "open");
        assert!(synced.trimmed > 10, "{ftl}: {}", synced.trimmed);
        let (server, disk) = serve_again(&lab, &options, disk, &at);
        synced.compare(&at, ftl);
        // all goes, and is trimmed
        for entry in fs::read_dir(&at).expect("a folder") {
            let entry = entry.expect("an entry");
            if entry.file_type().expect("a type").is_file() {
                fs::remove_file(entry.path()).expect("a file");
            }
        }
        disk.detach();
        server.end();
        is_whole(&lab);
        let counters = lab.read_json("c.json");
        let trimmed = counters["host_discard_pages"].as_u64();
        assert!(trimmed > Some(100), "{counters}");
    }
}

#[test]
fn a_database_keeps_what_it_committed() {
    if let Some(why) = lacking() {
        return skipped("SQLite on a served drive", &why);
    }
    let (lab, options) = made("bast");
    // with FULL, the removal of the last journal is not synced, and so the last commit may be undone
    let mut script =
        "PRAGMA synchronous = EXTRA; CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT);\n".to_owned();
    for number in 1..4000 {
        script += &format!(
            "BEGIN; INSERT INTO t VALUES({number}, printf('%0300d', {number})); \
             UPDATE t SET v = 'new' WHERE id = {number} / 2; COMMIT; SELECT 'done';\n"
        );
    }
    lab.write("script", script);
    let server = Server::start(&lab, &options);
    let mut disk = Disk::attach(&lab);
    run("mkfs.ext4", &[Path::new("-q"), disk.device()]);
    let at = lab.path("mounted");
    disk.mount(&at);
    let mut sqlite = Command::new("stdbuf")
        .args(["-oL", "sqlite3", "-bail", "db"])
        .current_dir(&at)
        .stdin(File::open(lab.path("script")).expect("the script"))
        .stdout(File::create(lab.path("done")).expect("a file"))
        .stderr(Stdio::null())
        .spawn()
        .expect("stdbuf starts");
    let done = || lab.read("done").matches("done").count();
    let start = Instant::now();
    while done() < 60 {
        let ended = sqlite.try_wait().expect("a process");
        assert!(ended.is_none(), "sqlite3: {ended:?}: apt install sqlite3");
        assert!(start.elapsed() < Duration::from_secs(120), "too slow");
        sleep(Duration::from_millis(1));
    }
    server.signal(Signal::KILL);
    assert!(!sqlite.wait().expect("a process").success());
    assert_eq!(server.wait().0, 137);
    let done = done();
    let (server, disk) = serve_again(&lab, &options, disk, &at);
    let ask = "PRAGMA integrity_check; SELECT count(*), max(id) FROM t;";
    let message = run("sqlite3", &[&at.join("db"), Path::new(ask)]);
    disk.detach();
    server.end();
    is_whole(&lab);
    // the transaction in hand may have been committed
    let allowed = [done, done + 1].map(|rows| format!("ok\n{rows}|{rows}"));
    assert!(
        allowed.contains(&message),
        "{message:?} after {done} transactions"
    );
}
