//! The inputs that are kept, and how a target runs on them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use ssdlab_fuzz::Target;

/// An input, and what it is.
pub struct Named {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The time in which a target must be done with an input; ten times what it takes on a slow machine.
const LONGEST: Duration = Duration::from_secs(60);

/// The memory that all tests may take, in KiB, as for the fuzzer.
const MEMORY: u64 = 1 << 20;

/// The most memory that this process has had, in KiB.
fn most_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = most.and_then(|most| most.split_whitespace().next()?.parse().ok());
    number.unwrap_or(0)
}

pub fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files of `corpus` and `regressions` for a target, by name.
pub fn kept(target: &str) -> Vec<Named> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for kind in ["corpus", "regressions"] {
        // not every target has a regression
        for entry in fs::read_dir(folder().join(kind).join(target))
            .into_iter()
            .flatten()
        {
            paths.push(entry.expect("a file").path());
        }
    }
    paths.sort();
    let named = |path: &PathBuf| Named {
        name: path.display().to_string(),
        bytes: fs::read(path).expect("a file"),
    };
    paths.iter().map(named).collect()
}

/// Runs a target on inputs, one after the other. The first that is wrong or takes too long fails, and is kept.
pub fn run(target: Target, inputs: impl Iterator<Item = Named> + Send + 'static) {
    let (sender, receiver) = mpsc::channel();
    let runs = thread::spawn(move || {
        for input in inputs {
            let bytes = input.bytes.clone();
            if sender.send(input).is_ok() {
                (target.run)(&bytes);
            }
        }
    });
    let mut last = None;
    let why = loop {
        match receiver.recv_timeout(LONGEST) {
            Ok(input) => last = Some(input),
            Err(RecvTimeoutError::Timeout) => break "takes too long",
            Err(RecvTimeoutError::Disconnected) => match runs.join() {
                Ok(()) if most_memory() < MEMORY => return,
                Ok(()) => break "or one before took too much memory",
                Err(_) => break "is wrong",
            },
        }
    };
    let last = last.expect("an input");
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.input", target.name));
    fs::write(&kept, last.bytes).expect("room for a file");
    panic!(
        "{} {why}; kept as {}, for {}",
        last.name,
        kept.display(),
        folder().join("regressions").join(target.name).display()
    );
}
