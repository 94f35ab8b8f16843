//! Cleaning against theory: uniform random single-page writes over a full device end in a write amplification that is
//! known in closed form (greedy: the mean field for finite blocks; fifo: the ring).
//!
//! Planted bugs that these tests catch: greedy that takes the block with the most valid pages but a few; copies of
//! invalid pages; blocks that count as spare although cleaning keeps them free; fifo that takes the block filled last.

use ssdlab_testkit::configs::config;
use ssdlab_testkit::uniform::Uniform;

const PAGES_PER_BLOCK: u64 = 64;
const LOGICAL_BLOCKS: u64 = 512;
const WARM_UP: f64 = 8.0;
const MEASURED: f64 = 12.0;

/// Logical blocks, and physical ones that neither cleaning keeps free nor half a block in each of two frontiers.
struct Shape {
    spare: u64,
    utilisation: f64,
}

/// The shape with a utilisation as near as whole blocks come.
fn shape(utilisation: f64, gc_low: u64) -> Shape {
    let logical = LOGICAL_BLOCKS as f64;
    let used = (logical / utilisation).round();
    Shape {
        spare: used as u64 - LOGICAL_BLOCKS + gc_low + 1,
        utilisation: logical / used,
    }
}

fn simulated(cleaning: &str, shape: &Shape, gc_low: u64) -> f64 {
    let config = config([
        "ftl.kind=page".to_owned(),
        "buffer.policy=none".to_owned(),
        format!("ftl.cleaning={cleaning}"),
        format!("ftl.gc_low={gc_low}"),
        format!("ftl.spare_blocks={}", shape.spare),
        "flash.page_size=512".to_owned(),
        format!("flash.pages_per_block={PAGES_PER_BLOCK}"),
        format!("flash.capacity={}", LOGICAL_BLOCKS * PAGES_PER_BLOCK * 512),
    ]);
    let mut device = Uniform::new(&config, 7);
    device.drive_writes(WARM_UP);
    let counters = device.drive_writes(MEASURED);
    let programs = counters.flash_programs + counters.flash_copies;
    programs as f64 / counters.host_write_pages as f64
}

/// Greedy with blocks of b pages: all blocks hold j valid pages or more, and those with j are the victims.
fn greedy(b: u64, utilisation: f64) -> f64 {
    let harmonic = |n: u64| (1..=n).map(|i| 1.0 / i as f64).sum::<f64>();
    let of_lowest = |j: u64| {
        let (all, lowest, rest) = (b as f64, j as f64, harmonic(b) - harmonic(j));
        let x = (all * utilisation - lowest) / (all - lowest - lowest * rest);
        let share = lowest * (1.0 - rest * x) / x;
        (0.0..=1.0).contains(&share).then_some(x / utilisation)
    };
    (1..b).find_map(of_lowest).expect("one j fits")
}

/// The ring: a page survives one turn of it with probability exp(-α / A).
fn fifo(utilisation: f64) -> f64 {
    let mut amplification = 1.0;
    for _ in 0..10_000 {
        amplification = 1.0 / (1.0 - (-1.0 / (utilisation * amplification)).exp());
    }
    amplification
}

#[test]
fn the_formulas_give_the_published_figures() {
    for (spare, ring, small, middle, large) in [
        (0.05, 10.1724, 6.5904, 8.8501, 9.7979),
        (0.10, 5.1787, 3.9814, 4.8213, 5.0832),
        (0.20, 2.6927, 2.3610, 2.5993, 2.6684),
        (0.30, 1.8762, 1.7217, 1.8333, 1.8652),
    ] {
        let found = [16, 64, 256].map(|b| greedy(b, 1.0 - spare));
        for (found, known) in found.into_iter().zip([small, middle, large]) {
            assert!((found - known).abs() < 1e-4, "greedy {found}, {known}");
        }
        let found = fifo(1.0 - spare);
        assert!((found - ring).abs() < 1e-4, "fifo {found}, {ring}");
    }
}

#[test]
fn uniform_writes_cost_what_theory_says() {
    for (utilisation, gc_low) in [(0.7, 3), (0.8, 3), (0.9, 3), (0.9, 12)] {
        let shape = shape(utilisation, gc_low);
        for (cleaning, known) in [
            ("greedy", greedy(PAGES_PER_BLOCK, shape.utilisation)),
            ("fifo", fifo(shape.utilisation)),
        ] {
            let found = simulated(cleaning, &shape, gc_low);
            let error = found / known - 1.0;
            assert!(
                error.abs() < 0.01,
                "{cleaning} at {utilisation}, gc_low {gc_low}: {found:.4}, {known:.4} in theory"
            );
        }
    }
}
