//! How long a mount takes, and how much memory, on a drive whose pages are all programmed and half of them rewritten at
//! random.
//!
//! ```text
//! cargo run --release -p ssdlab-drive --example mount -- IMAGE [CAPACITY]
//! ```
//!
//! Makes the image if it is not there. Pages of zeros are not written out, so that a few hundred MiB hold an image of
//! many GiB.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ssdlab_config::Resolver;
use ssdlab_drive::{Design, Disk, Drive, FileAccess, FileDisk};

/// A file in which zeros are holes: only for images whose pages all hold zeros.
struct Sparse(FileDisk);

impl Disk for Sparse {
    fn length(&self) -> io::Result<u64> {
        self.0.length()
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        self.0.read(at, into)
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() >= 4096 && bytes.iter().all(|&byte| byte == 0) {
            return Ok(());
        }
        self.0.write(at, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync()
    }
}

/// The most memory of this process so far, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

fn open(path: &Path) -> Result<Drive, Box<dyn std::error::Error>> {
    let begun = Instant::now();
    let drive = Drive::open_disk(Sparse(FileDisk::open(path, FileAccess::Volatile)?))?;
    let seconds = begun.elapsed().as_secs_f64();
    let closed = drive.opened().closed;
    let pages = drive.erase_counts().len() as u64 * u64::from(drive.config().flash.pages_per_block);
    println!(
        "{}: {seconds:.2} s; at most {} MiB of memory, {:.1} bytes for each physical page",
        if closed {
            "after a clean close"
        } else {
            "after a crash"
        },
        peak() >> 20,
        peak() as f64 / pages as f64
    );
    Ok(drive)
}

fn make(path: &Path, capacity: &str) -> Result<(), Box<dyn std::error::Error>> {
    let mut resolver = Resolver::new();
    for setting in [
        &format!("flash.capacity={capacity}"),
        "flash.page_size=4KiB",
        "flash.pages_per_block=256",
        "ftl.kind=page",
        "buffer.policy=none",
        "precondition=empty",
    ] {
        resolver.set(setting)?;
    }
    let design = Arc::new(Design::new(resolver.resolve()?)?);
    Drive::create(path, &design)?;
    let mut drive = Drive::open_disk(Sparse(FileDisk::open(path, FileAccess::Volatile)?))?;
    let (page, pages) = (vec![0; 4096], drive.capacity() / 4096);
    for at in 0..pages {
        drive.write(at * 4096, &page)?;
    }
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..pages / 2 {
        drive.write(random.u64(..pages) * 4096, &page)?;
    }
    println!("made: {} erases", drive.counters().erases);
    // without a close: a crash
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("IMAGE is missing")?;
    let capacity = arguments.next().unwrap_or("16GiB".into());
    let path = Path::new(&path);
    if !path.exists() {
        make(path, &capacity)?;
        println!("run again to measure: the memory of the making would count");
        return Ok(());
    }
    let drive = open(path)?;
    drive.close()?;
    let drive = open(path)?;
    drop(drive);
    Ok(())
}
