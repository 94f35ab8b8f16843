//! Cleaning against theory: uniform random single-page writes over a full device end in a write amplification that is
//! known in closed form (greedy and d-choices: the mean field for finite blocks; fifo: the ring).
//!
//! Planted bugs that these tests catch: greedy that takes the block with the most valid pages but a few; copies of
//! invalid pages; blocks that count as spare although cleaning keeps them free; fifo that takes the block filled last;
//! one draw too many or too few, or draws that pass over blocks without an invalid page.

use ssdlab_testkit::configs::config;
use ssdlab_testkit::uniform::Uniform;
use ssdlab_theory::{Spare, d_choices, fifo, greedy};

const PAGES_PER_BLOCK: u32 = 64;
const LOGICAL_BLOCKS: u64 = 512;
const WARM_UP: f64 = 8.0;
const MEASURED: f64 = 40.0;

/// Logical blocks, and physical ones that neither cleaning keeps free nor half a block in each of two frontiers.
struct Shape {
    spare: u64,
    utilisation: f64,
}

impl Shape {
    fn spare_factor(&self) -> Spare {
        Spare::new(1.0 - self.utilisation).expect("spare pages")
    }
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

/// The value of `ftl.cleaning`, and further settings behind a space, must come within 1 % of theory.
fn agrees(cleaning: &str, shape: &Shape, gc_low: u64, known: f64) {
    let found = simulated(cleaning, shape, gc_low);
    let (error, utilisation) = (found / known - 1.0, shape.utilisation);
    assert!(
        error.abs() < 0.01,
        "{cleaning} at {utilisation:.3}, gc_low {gc_low}: {found:.4}, {known:.4} in theory"
    );
}

fn simulated(cleaning: &str, shape: &Shape, gc_low: u64) -> f64 {
    let bytes = LOGICAL_BLOCKS * u64::from(PAGES_PER_BLOCK) * 512;
    let settings = format!(
        "ftl.kind=page buffer.policy=none ftl.gc_low={gc_low} ftl.spare_blocks={} flash.page_size=512 \
         flash.pages_per_block={PAGES_PER_BLOCK} flash.capacity={bytes} ftl.cleaning={cleaning}",
        shape.spare
    );
    let config = config(settings.split_whitespace());
    let mut device = Uniform::new(&config, 7);
    device.drive_writes(WARM_UP);
    let counters = device.drive_writes(MEASURED);
    let programs = counters.flash_programs + counters.flash_copies;
    programs as f64 / counters.host_write_pages as f64
}

#[test]
fn uniform_writes_cost_what_theory_says() {
    for (utilisation, gc_low) in [(0.7, 3), (0.8, 3), (0.9, 3), (0.9, 12)] {
        let shape = shape(utilisation, gc_low);
        let known = greedy(shape.spare_factor(), PAGES_PER_BLOCK);
        agrees("greedy", &shape, gc_low, known);
        agrees("fifo", &shape, gc_low, fifo(shape.spare_factor()));
    }
}

#[test]
fn choices_by_chance_cost_what_theory_says() {
    for (utilisation, d) in [(0.8, 1), (0.8, 2), (0.8, 10), (0.9, 2)] {
        let shape = shape(utilisation, 3);
        let known = d_choices(shape.spare_factor(), PAGES_PER_BLOCK, d);
        agrees(&format!("d-choices ftl.d={d}"), &shape, 3, known);
    }
}
