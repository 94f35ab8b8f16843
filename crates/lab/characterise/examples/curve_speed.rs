//! Measures the hits of LRU buffers of all sizes, and the whole characterisation, over 10 million writes of single
//! pages, in CPU time: `cargo run --release -p ssdlab-characterise --example curve_speed`.

use peak_alloc::PeakAlloc;
use rustix::time::{ClockId, clock_gettime};
use ssdlab_characterise::{BYTES_PER_PAGE, LruCurve, Profile, ProfileOptions};
use ssdlab_host::{Op, Request};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const REQUESTS: usize = 10_000_000;
const PAGE: u64 = 4096;
const FLUSH: Option<Request> = Request::new(u64::MAX >> 1, Op::Flush, 0, 0);

/// The CPU time of this thread in seconds.
fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The CPU time of a run in seconds, and the most memory that it took, for each page.
fn measured(pages: u64, run: impl FnOnce()) -> (f64, f64) {
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    let start = cpu_s();
    run();
    let seconds = cpu_s() - start;
    let taken = ALLOCATOR.peak_usage() - before;
    (seconds, taken as f64 / pages as f64)
}

fn main() {
    println!(
        "| workload | pages written | LRU curve | memory a page | all of `trace info` | memory a page |"
    );
    println!("| --- | --: | --: | --: | --: | --: |");
    for kind in ["uniform", "zipf"] {
        for capacity in ["1GiB", "16GiB"] {
            let words = format!("{kind} --capacity {capacity} --requests {REQUESTS}");
            let requests = ssdlab_workload::requests(&words).expect("a workload");
            let requests: Vec<Request> = requests.collect();
            let mut pages: Vec<u64> = requests
                .iter()
                .map(|request| request.offset / PAGE)
                .collect();
            pages.sort_unstable();
            pages.dedup();
            let pages = pages.len() as u64;
            let (curve_s, curve_bytes) = measured(pages, || {
                let mut curve = LruCurve::new(PAGE);
                for request in &requests {
                    curve.add(request).expect("few pages");
                }
                let hits = curve.hits(false);
                assert_eq!(hits.write_hits(u64::MAX), hits.writes - pages);
            });
            let (all_s, all_bytes) = measured(pages, || {
                let mut profile = Profile::new(&ProfileOptions {
                    page_size: PAGE,
                    erase_block: 1 << 20,
                    most_pages: usize::MAX,
                });
                // a flush in the middle: from there on two curves are kept
                for request in requests[..REQUESTS / 2]
                    .iter()
                    .chain(&FLUSH)
                    .chain(&requests[REQUESTS / 2..])
                {
                    profile.add(request).expect("few bytes");
                }
                let report = profile.finish();
                assert_eq!(report.info.pages_written, pages);
            });
            assert!(all_bytes <= BYTES_PER_PAGE as f64, "{all_bytes}");
            println!(
                "| {kind}, {capacity} | {pages} | {curve_s:.1} s | {curve_bytes:.0} B | {all_s:.1} s | {all_bytes:.0} B |"
            );
        }
    }
}
