//! The presets of today's drives, with victims that are cleaned as a whole and in portions: against theory, and the
//! latencies of writes. The tests run smaller drives that behave like the large ones. The full size takes 2.1 GB of memory
//! and some hours; its tables are in `docs/presets.md`:
//!
//!     cargo test --release -p ssdlab-testkit --test main -- --ignored --nocapture drives::
//!
//! Planted bugs that these tests catch: a smaller drive with fewer lines, of whose spare ones most stay free; with lines
//! of a few pages, which cost less; with the spare blocks of the large one; paced cleaning that begins with a block less
//! or more to spare; portions of equal size, of which the last ones come too late.

use ssdlab_config::{Config, Resolver};
use ssdlab_device::Latency;
use ssdlab_sim::{Lab, Steady};
use ssdlab_theory::{Class, Spare, classes, greedy};
use ssdlab_workload::synthetic::{Generator, Locality, Settings, Spread, Uniform, Workload};

const GIB: u64 = 1 << 30;

/// The presets that map pages, and the sizes of small ones: about a million pages.
const DRIVES: [(&str, u64); 5] = [
    ("sata-tlc", 4 * GIB),
    ("nvme-tlc", 8 * GIB),
    ("nvme-tlc-op28", 4 * GIB),
    ("nvme-qlc-16k", 16 * GIB),
    ("nvme-qlc-64k", 64 * GIB),
];

const PACES: [&str; 2] = ["whole", "paced"];

/// 80 % of the writes go to 20 % of the data.
const HOT: Class = Class {
    writes: 0.8,
    data: 0.2,
};
const COLD: Class = Class {
    writes: 0.2,
    data: 0.8,
};

/// An aged drive; `size` makes a smaller one.
fn drive(preset: &str, size: Option<u64>, pace: &str, sets: &str) -> Config {
    let mut resolver = Resolver::new();
    resolver.preset(preset);
    let aged = format!("precondition=random:2 ftl.pace={pace} {sets}");
    for set in aged.split_whitespace() {
        resolver.set(set).expect("a key");
    }
    if let Some(size) = size {
        resolver.scale_to(size, "small");
    }
    resolver.resolve().expect("a drive")
}

fn requests(config: &Config, workload: impl Workload + 'static) -> Generator {
    let settings = Settings {
        unit: config.flash.page_size.into(),
        seed: 7,
        ..Settings::default()
    };
    Generator::new(workload, settings)
}

/// The spare lines, without those that cleaning keeps free and half a one for each of two frontiers.
fn spare(config: &Config, gc_low: u32) -> Spare {
    let used = f64::from(config.physical_blocks() - gc_low - 1);
    let share = 1.0 - f64::from(config.logical_blocks()) / used;
    Spare::new(share).expect("spare lines")
}

/// A write amplification, and what theory says.
#[derive(Clone, Copy)]
struct Cell {
    found: f64,
    theory: f64,
}

impl Cell {
    fn agrees(self, most: f64, what: &str) {
        let Cell { found, theory } = self;
        assert!(
            (found / theory - 1.0).abs() < most,
            "{what}: {found:.4}, in theory {theory:.4}"
        );
    }
}

/// After `warm` times the capacity, `measured` times the capacity.
fn amplification<W: Workload + 'static>(
    config: &Config,
    workload: W,
    warm: f64,
    measured: f64,
) -> f64 {
    let pages = f64::from(config.logical_pages());
    let mut device =
        Steady::new(&Lab::new(), config, requests(config, workload)).expect("a device of memory");
    let mut serve = |times: f64| {
        device
            .serve((times * pages) as u64)
            .expect("pages of the device")
    };
    serve(warm);
    serve(measured).waf_pages().expect("pages written")
}

const SERIAL: &str = "buffer.policy=none timing.model=serial";

/// Uniform writes under greedy cleaning.
fn uniform(preset: &str, size: Option<u64>, pace: &str, measured: f64) -> Cell {
    let config = drive(preset, size, pace, SERIAL);
    let pages = config.logical_pages().into();
    Cell {
        found: amplification(&config, Uniform::new(pages), 0.0, measured),
        theory: greedy(spare(&config, 3), config.flash.pages_per_block),
    }
}

/// Hot and cold data in one log.
fn two_classes(preset: &str, size: Option<u64>, pace: &str, warm: f64, measured: f64) -> Cell {
    let one_log = format!("{SERIAL} ftl.cleaning=fifo ftl.gc_frontier=shared");
    let config = drive(preset, size, pace, &one_log);
    let workload = Locality::new(
        config.logical_pages().into(),
        HOT.data,
        HOT.writes,
        Spread::InOrder,
    );
    Cell {
        found: amplification(&config, workload, warm, measured),
        theory: classes(spare(&config, 2), &[HOT, COLD]),
    }
}

#[test]
fn small_drives_cost_what_theory_says() {
    for (preset, size) in DRIVES {
        let large = drive(preset, None, "whole", SERIAL);
        let of_large = greedy(spare(&large, 3), large.flash.pages_per_block);
        let found = PACES.map(|pace| {
            let what = format!("{preset}, {pace}");
            let uniform = uniform(preset, Some(size), pace, 1.0);
            // a few hundred lines, since each has whole units
            uniform.agrees(0.025, &what);
            Cell {
                theory: of_large,
                ..uniform
            }
            .agrees(0.04, &format!("{what}, full size"));
            two_classes(preset, Some(size), pace, 2.0, 1.0)
                .agrees(0.025, &format!("{what}, two classes"));
            uniform.found
        });
        let [whole, paced] = found;
        Cell {
            found: paced,
            theory: whole,
        }
        .agrees(0.01, &format!("{preset}, paced against whole"));
    }
}

/// How long writes take, and how many bytes the host writes in a second.
struct Tails {
    writes: Latency,
    mb_s: f64,
}

/// Uniform writes at the queue depth of the preset.
fn tails(preset: &str, size: Option<u64>, pace: &str, count: u64) -> Tails {
    let config = drive(preset, size, pace, "");
    let workload = Uniform::new(config.logical_pages().into());
    let mut device =
        Steady::new(&Lab::new(), &config, requests(&config, workload)).expect("a device of memory");
    let mut serve = |count| {
        let counters = device.serve(count).expect("pages of the device");
        let clocked = device.take_clocked().expect("clocks");
        (counters, clocked.latencies.writes)
    };
    serve(count / 4);
    let (counters, writes) = serve(count);
    Tails {
        writes,
        mb_s: counters.host_write_bytes as f64 * 1e3 / counters.elapsed_ns as f64,
    }
}

#[test]
fn no_write_waits_for_a_whole_line() {
    for (preset, size) in DRIVES {
        let [whole, paced] = PACES.map(|pace| tails(preset, Some(size), pace, 100_000).writes);
        let worst = paced.max.expect("a write");
        assert!(
            4 * worst < whole.max.expect("a write"),
            "{preset}: {worst} ns at worst"
        );
        assert!(
            worst < whole.p99_9.expect("a write"),
            "{preset}: {worst} ns at worst"
        );
    }
}

#[test]
#[ignore = "hours; prints the tables of docs/presets.md"]
fn the_full_size() {
    println!("| preset | cleaning | uniform | in theory | hot and cold | in theory |");
    println!("| --- | --- | --: | --: | --: | --: |");
    for (preset, _) in DRIVES {
        for pace in PACES {
            let uniform = uniform(preset, None, pace, 0.25);
            let classes = two_classes(preset, None, pace, 2.0, 0.25);
            let cells =
                [uniform, classes].map(|cell| format!("{:.3} | {:.3}", cell.found, cell.theory));
            println!("| `{preset}` | {pace} | {} |", cells.join(" | "));
        }
    }
    println!("\n| preset | cleaning | median | p99 | p99.9 | p99.99 | longest | MB/s |");
    println!("| --- | --- | --: | --: | --: | --: | --: | --: |");
    for (preset, _) in DRIVES {
        for pace in PACES {
            let Tails { writes, mb_s } = tails(preset, None, pace, 2_000_000);
            let times = [
                writes.p50,
                writes.p99,
                writes.p99_9,
                writes.p99_99,
                writes.max,
            ];
            let times = times.map(|ns| format!("{:.3} ms", ns.expect("a write") as f64 / 1e6));
            println!(
                "| `{preset}` | {pace} | {} | {mb_s:.1} |",
                times.join(" | ")
            );
        }
    }
}
