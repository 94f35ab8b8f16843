//! All tests of this crate in one program, which is built once.

mod advice;
mod aged;
mod configured;
mod door;
mod foresee;
mod progress;
mod read_buffer;
mod scaled;
mod steady;
mod today;
mod within;

use ssdlab_config::Resolver;
use ssdlab_host::{Op, Request};
use ssdlab_sim::{CompareOptions, Comparison, Trace, compare};

/// Bytes of a page.
const PAGE: u64 = 512;

/// 64 blocks of 4 pages.
const DEVICE: &str = "
[flash]
page_size = 512
pages_per_block = 4
capacity = \"128KiB\"
";

/// A device from a file and from `--set`.
fn resolver(file: &str, set: &[&str]) -> Resolver {
    let mut resolver = Resolver::new();
    resolver
        .file("device.toml", file.as_bytes())
        .expect("a valid file");
    for setting in set {
        resolver.set(setting).expect("a valid setting");
    }
    resolver
}

/// Writes of single pages.
fn writes(pages: impl IntoIterator<Item = u64>) -> Trace {
    let write = |(time, page)| Request::new(time, Op::Write, page * PAGE, PAGE).expect("a request");
    Trace::made("made", (0..).zip(pages).map(write).collect())
}

/// `count` random pages among the first `among`, always the same.
fn scattered(count: u64, among: u64) -> impl Iterator<Item = u64> {
    let mut state = 1_u64;
    (0..count).map(move |_| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) % among
    })
}

fn compared(options: &CompareOptions, trace: &Trace) -> Comparison {
    compare(trace, options, |_| {}).expect("a valid comparison")
}
