//! How fast a drive in memory serves random writes of 4 KiB in steady state: page mapping with 28 % spare space, checksums
//! on, one thread.
//!
//! `cargo run --release -p ssdlab-drive --example speed [capacity] [key=value …]`

use std::error::Error;
use std::time::{Duration, Instant};

use fastrand::Rng;
use ssdlab_config::Resolver;
use ssdlab_drive::{Design, Drive, MemoryDisk};

const PAGE: u64 = 4096;
/// How often the capacity is written before the measurement.
const WARM_UP: u64 = 3;
const SECONDS: u64 = 3;

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
    for argument in std::env::args().skip(1) {
        match argument.contains('=') {
            true => resolver.set(&argument)?,
            false => resolver.set(&format!("flash.capacity={argument}"))?,
        };
    }
    let design = Design::new(resolver.resolve()?)?;
    let mut disk = MemoryDisk::new(design.image_bytes()?)?;
    design.create_on(&mut disk)?;
    let mut drive = Drive::open_disk(disk)?;
    let pages = drive.capacity() / PAGE;
    let (mut random, mut page) = (Rng::with_seed(1), vec![0; PAGE as usize]);
    let mut write = |drive: &mut Drive| {
        // content that a checksum cannot foresee
        page[..8].copy_from_slice(&random.u64(..).to_le_bytes());
        drive.write(random.u64(..pages) * PAGE, &page)
    };
    for _ in 0..WARM_UP * pages {
        write(&mut drive)?;
    }
    let (before, start) = (drive.counters(), Instant::now());
    let mut writes = 0;
    while start.elapsed() < Duration::from_secs(SECONDS) {
        for _ in 0..1000 {
            write(&mut drive)?;
        }
        writes += 1000;
    }
    let took = start.elapsed().as_secs_f64();
    let waf = drive.counters().since(&before).waf_pages();
    let waf = waf.map_or("-".to_owned(), |waf| format!("{waf:.2}"));
    println!(
        "{:.0} random writes of 4 KiB per second, write amplification {waf}",
        writes as f64 / took
    );
    Ok(())
}
