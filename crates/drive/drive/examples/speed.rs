//! How fast a drive serves random writes of 4 KiB in steady state: page mapping with 28 % spare space, checksums on, one
//! thread.
//!
//! ```text
//! cargo run --release -p ssdlab-drive --example speed -- [IMAGE] [KEY=VALUE …]
//! ```
//!
//! In memory; or in an image that it makes, with syncs, first without flushes and then with one after each write.

use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use fastrand::Rng;
use ssdlab_config::Resolver;
use ssdlab_drive::{Design, Drive, DriveError, MemoryDisk, OpenOptions};

const PAGE: u64 = 4096;
/// How many times the capacity is written before the measurement.
const WARM_UP: u64 = 3;
const SECONDS: u64 = 3;

/// The writes of a host.
struct Host {
    drive: Drive,
    random: Rng,
    page: Vec<u8>,
}

impl Host {
    fn write(&mut self) -> Result<(), DriveError> {
        // content without a pattern
        self.page[..8].copy_from_slice(&self.random.u64(..).to_le_bytes());
        let page = self.random.u64(..self.drive.capacity() / PAGE);
        self.drive.write(page * PAGE, &self.page)
    }

    /// Writes for some seconds, and prints how fast.
    fn measure(&mut self, what: &str, flushes: bool) -> Result<(), DriveError> {
        let (counters, meta) = (self.drive.counters(), self.drive.meta_counts());
        let (start, mut writes) = (Instant::now(), 0);
        while start.elapsed() < Duration::from_secs(SECONDS) {
            for _ in 0..100 {
                self.write()?;
                if flushes {
                    self.drive.flush()?;
                }
            }
            writes += 100;
        }
        let took = start.elapsed().as_secs_f64();
        let waf = self.drive.counters().since(&counters).waf_pages();
        println!(
            "{what}: {:.0} random writes of 4 KiB per second, write amplification {:.2}, {:.0} syncs per second",
            writes as f64 / took,
            waf.unwrap_or(f64::NAN),
            (self.drive.meta_counts().syncs - meta.syncs) as f64 / took
        );
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut resolver = Resolver::new();
    for setting in [
        "flash.capacity=256MiB",
        "flash.page_size=4KiB",
        "flash.pages_per_block=64",
        "ftl.kind=page",
        "ftl.over_provisioning=0.28",
        "buffer.policy=none",
    ] {
        resolver.set(setting)?;
    }
    let mut image = None;
    for argument in std::env::args().skip(1) {
        if argument.contains('=') {
            resolver.set(&argument)?;
        } else {
            image = Some(PathBuf::from(argument));
        }
    }
    let design = Design::new(resolver.resolve()?)?;
    let drive = match &image {
        Some(path) => {
            Drive::create(path, &design)?;
            Drive::open(path, OpenOptions::default())?
        }
        None => {
            let mut disk = MemoryDisk::new(design.image_bytes()?)?;
            design.create_on(&mut disk)?;
            Drive::open_disk(disk)?
        }
    };
    let mut host = Host {
        drive,
        random: Rng::with_seed(1),
        page: vec![0; PAGE as usize],
    };
    for _ in 0..WARM_UP * host.drive.capacity() / PAGE {
        host.write()?;
    }
    match image {
        None => host.measure("in memory", false)?,
        Some(_) => {
            host.measure("image, no flushes", false)?;
            host.measure("image, a flush after each write", true)?;
        }
    }
    host.drive.close()?;
    Ok(())
}
