//! `--scale-to`: what a smaller drive keeps, and what becomes smaller.

use ssdlab_config::{Config, ConfigError, Resolver};

fn scaled(preset: &str, size: u64, sets: &[&str]) -> Result<Config, ConfigError> {
    let mut resolver = Resolver::new();
    resolver.preset(preset);
    for set in sets {
        resolver.set(set)?;
    }
    resolver
        .scale_to(size << 20, &format!("{size}MiB"))
        .resolve()
}

fn full(preset: &str) -> Config {
    Resolver::new().preset(preset).resolve().expect("a preset")
}

// Planted bugs: a smaller drive with fewer spare lines; one that is smaller than was asked for; a buffer that shrinks though
// bursts do not; rated writes, RAM or size of the large drive that are those of the small one; erases that take a larger share
// of the time.
#[test]
fn a_drive_that_cleans_keeps_its_lines() {
    for preset in [
        "sata-tlc",
        "nvme-tlc",
        "nvme-tlc-op28",
        "nvme-qlc-16k",
        "nvme-qlc-64k",
    ] {
        let large = full(preset);
        let small = scaled(preset, 64 << 10, &[]).expect("a drive");
        let lines = |config: &Config| (config.logical_blocks(), config.inputs().spare_blocks);
        let ([all, spare], [kept, left]) = (
            <[u32; 2]>::from(lines(&large)),
            <[u32; 2]>::from(lines(&small)),
        );
        // effective spare space, without the lines that stay free
        let effective = |blocks: u32, spare: u32| f64::from(spare - 4) / f64::from(blocks);
        let difference = effective(kept, left) / effective(all, spare) - 1.0;
        assert!(
            difference.abs() < 0.015,
            "{preset}: {kept} + {left} of {all} + {spare}"
        );
        let sold = small.to_json()["flash"]["capacity"]
            .as_u64()
            .expect("bytes") as f64;
        let over = sold / (64_u64 << 30) as f64;
        assert!((1.0..1.06).contains(&over), "{preset}: {over}");
        let share = small.flash.capacity as f64 / large.flash.capacity as f64;
        let near = |small: f64, large: f64| (small / large / share - 1.0).abs() < 0.02;
        assert_eq!(small.buffer.size, large.buffer.size, "{preset}");
        let of = small.large.expect("a large drive");
        assert_eq!(of.controller, large.controller(), "{preset}");
        assert_eq!(of.rated_tbw, large.rated_tbw(), "{preset}");
        assert!(
            (of.times * share - 1.0).abs() < 0.01,
            "{preset}: {}",
            of.times
        );
        assert!(near(
            small.timing.erase_ns as f64 * f64::from(kept),
            large.timing.erase_ns as f64 * f64::from(all)
        ));
        // a line has whole units
        assert_eq!(small.timing.today, large.timing.today, "{preset}");
        let chips = small.flash.chips();
        let unit = small.timing.today.unit_pages;
        assert!(
            small
                .flash
                .pages_per_block
                .is_multiple_of(4 * chips.min(unit))
        );
        if let (Some(few), Some(many)) = (small.rated_tbw(), large.rated_tbw()) {
            assert!(near(few, many), "{preset}: {few} of {many}");
        }
    }
}

// Planted bugs: units stay so large that a few dozen lines are left; a page that costs another time; less memory than the large
// drive has; fewer spare lines for each other one; a word less.
#[test]
fn a_very_small_drive_has_smaller_units() {
    for (preset, unit, group) in [
        ("sata-tlc", 24, 12),
        ("nvme-tlc", 16, 16),
        ("nvme-qlc-16k", 8, 4),
        ("nvme-qlc-64k", 2, 1),
    ] {
        let (large, small) = (full(preset), scaled(preset, 1 << 10, &[]).expect("a drive"));
        let today = &small.timing.today;
        assert_eq!(
            (today.unit_pages, today.group_pages),
            (unit, group),
            "{preset}"
        );
        assert!(small.logical_blocks() >= 100, "{preset}");
        assert!(
            small.timing.program_ns.abs_diff(large.timing.program_ns) < 50,
            "{preset}"
        );
        let slots = |config: &Config| config.spare_slots(&config.needs);
        assert_eq!(slots(&small), slots(&large), "{preset}");
        let effective = |config: &Config| {
            f64::from(config.inputs().spare_blocks - 4) / f64::from(config.logical_blocks())
        };
        let difference = effective(&small) / effective(&large) - 1.0;
        assert!(difference.abs() < 0.05, "{preset}: {difference}");
        assert!(
            small.warnings[0].contains("latencies are not"),
            "{:?}",
            small.warnings
        );
    }
}

// Planted bug: a drive that merges gets smaller blocks, so that a merge costs less.
#[test]
fn a_drive_that_merges_keeps_the_size_of_its_blocks() {
    for (preset, size) in [
        ("emmc", 464),
        ("bplru-2008", 256),
        ("bagc-2012", 1152),
        ("plru-br-2q", 4096),
    ] {
        let (large, small) = (full(preset), scaled(preset, size, &[]).expect("a drive"));
        assert_eq!(
            small.flash.pages_per_block, large.flash.pages_per_block,
            "{preset}"
        );
        assert_eq!(small.flash.capacity, size << 20, "{preset}");
        let share = f64::from(small.logical_blocks()) / f64::from(large.logical_blocks());
        let logs = |config: &Config| {
            config.to_json()["ftl"]["log_blocks"]
                .as_f64()
                .expect("a number")
        };
        assert!(
            (logs(&small) - logs(&large) * share).abs() <= 0.5,
            "{preset}: {} of {}",
            logs(&small),
            logs(&large)
        );
        assert_eq!(small.buffer.size, large.buffer.size, "{preset}");
    }
}

// Planted bugs: a note that leaves out a key; `--set` that is overridden.
#[test]
fn it_is_told_what_was_scaled_and_what_was_set_stays() {
    let small = scaled("nvme-tlc", 16 << 10, &["buffer.size=32MiB"]).expect("a drive");
    assert_eq!(
        small.warnings,
        [
            "--scale-to 16384MiB: lines: 732 of 24MiB instead of 886 of 1152MiB; flash.capacity 16392MiB instead of \
             953856MiB, flash.pages_per_block 192 instead of 9216, flash.rated_tbw 10.31 instead of 600.0, \
             timing.erase_us 62.5 instead of 3000.0; wear, life and RAM are given for the large drive, 58 times as large, if the same data lie \
             on it"
        ]
    );
    assert_eq!(small.buffer.size, 32 << 20);
    // the result as a file is the same drive
    let mut again = Resolver::new();
    again
        .file("small.toml", small.to_toml().as_bytes())
        .expect("a file");
    assert_eq!(again.resolve().expect("a drive"), small);
}

// Planted bugs: a drive with a handful of spare lines without a word; a buffer that holds the drive; a buffer of `--set`, or one
// that the drive does not have, that is in the way.
#[test]
fn too_small_a_drive_is_told_or_refused() {
    let small = scaled("sd-a1", 512, &[]).expect("a drive");
    assert!(
        small.warnings[0].contains("cleaning costs more than on the large drive"),
        "{:?}",
        small.warnings
    );
    let refused = |preset, size, sets: &[&str]| scaled(preset, size, sets).unwrap_err().to_string();
    let few = refused("nvme-tlc", 1, &[]);
    assert!(
        few.starts_with("--scale-to 1MiB: ftl.spare_blocks = 4: must leave"),
        "{few}"
    );
    assert!(few.ends_with("; scale to a larger size"), "{few}");
    let buffer = refused("nvme-tlc", 127, &[]);
    assert_eq!(
        buffer,
        "--scale-to 127MiB: buffer.size = \"16MiB\": must be at most an eighth of the small drive, since bursts stay as long as \
         they are; scale to at least 128MiB, or give the small drive a buffer with --set buffer.size"
    );
    for sets in [["buffer.size=1MiB"], ["buffer.policy=none"]] {
        assert!(scaled("nvme-tlc", 127, &sets).is_ok(), "{sets:?}");
    }
    let larger = refused("emmc", 1 << 20, &[]);
    assert!(
        larger.starts_with("--scale-to 1048576MiB: flash.capacity = \"7424MiB\": must be larger"),
        "{larger}"
    );
    let auto = refused("emmc", 1, &["flash.capacity=auto"]);
    assert!(auto.contains("\"auto\" is that of the trace"), "{auto}");
}
