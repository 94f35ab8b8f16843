//! Measures the CPU time of a flash program under uniform random single-page writes in the steady state.
//!
//!     cargo run --release -p ssdlab-testkit --example uniform_writes -- [KEY=VALUE ...]
//!
//! Default: page mapping, greedy, 7 % spare, 1 GiB of 4 KiB pages in blocks of 64. The device is full and is
//! overwritten twice before the measurement. Each round then writes a tenth of the device, with requests made
//! beforehand. The fastest round counts, because other programs on the machine can only slow a round down.

use std::env::args;

use rustix::time::{ClockId, clock_gettime};
use ssdlab_sim::{Lab, Steady};
use ssdlab_testkit::configs::config;
use ssdlab_workload::synthetic::{Generator, Settings, Uniform};

const DEFAULTS: [&str; 4] = [
    "ftl.kind=page",
    "buffer.policy=none",
    "flash.page_size=4096",
    "flash.pages_per_block=64",
];
/// How often the device is overwritten before the measurement.
const WARM_UP: u64 = 2;

const SERVED: &str = "pages of the device";

const ROUNDS: u32 = 20;
/// A round writes the device divided by this.
const ROUND: u64 = 10;

fn main() {
    let settings: Vec<String> = args().skip(1).collect();
    let settings = settings.iter().map(String::as_str);
    let config = config(DEFAULTS.into_iter().chain(settings));
    let pages = u64::from(config.logical_pages());
    let requests = Settings {
        unit: config.flash.page_size.into(),
        seed: 1,
        ..Settings::default()
    };
    let requests = Generator::new(Uniform::new(pages), requests);
    let mut device = Steady::new(&Lab::new(), &config, requests).expect("a device of memory");
    device.serve(WARM_UP * pages).expect(SERVED);
    let (mut written, mut programs, mut best) = (0.0, 0.0, f64::INFINITY);
    for _ in 0..ROUNDS {
        let writes = device.make((pages / ROUND) as usize);
        let before = device.counters();
        let started = cpu_time_ns();
        device.serve_made(&writes).expect(SERVED);
        let ns = (cpu_time_ns() - started) as f64;
        let counters = device.counters().since(&before);
        let moved = counters.flash_copies + counters.copy_backs;
        let programmed = (counters.flash_programs + moved) as f64;
        best = best.min(ns / programmed);
        programs += programmed;
        written += counters.host_write_pages as f64;
    }
    println!(
        "write amplification {:.4}, {best:.2} ns a flash program",
        programs / written
    );
}

/// The CPU time of this thread.
fn cpu_time_ns() -> i64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}
