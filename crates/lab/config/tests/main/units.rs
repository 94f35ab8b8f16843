//! Chips that program several pages at once: what cannot have them, and what a time of a unit means.

use ssdlab_config::{Config, ConfigError, Resolver};

fn resolved(file: &str, sets: &[&str], yields: bool) -> Result<Config, ConfigError> {
    let mut resolver = Resolver::new();
    resolver.file("drive.toml", file.as_bytes())?;
    for set in sets {
        resolver.set(set)?;
    }
    resolver.yield_units(yields).resolve()
}

// Planted bugs: a unit of a preset that stands in the way of a buffer; one of a file that yields without being asked; one of
// `--set` that yields; a page that costs another time; no word of it.
#[test]
fn a_device_that_cannot_have_the_units_of_its_preset_programs_page_by_page() {
    for lacks in [
        &["buffer.policy=none"][..],
        &["ftl.kind=fast", "ftl.log_blocks=8"],
        &["ftl.gc_frontier=in-place", "ftl.pace=whole"],
        &["ftl.kind=ideal"],
    ] {
        let config = resolved("preset = \"nvme-tlc\"", lacks, false).expect("a drive");
        let (timing, warnings) = (&config.timing, &config.warnings);
        let pages = (timing.today.unit_pages, timing.today.group_pages);
        assert_eq!(pages, (1, 1), "{lacks:?}");
        let times = (timing.today.unit_ns, timing.program_ns);
        assert_eq!(times, (62_500, 62_500), "{lacks:?}");
        let start = "chips program page by page, 62.5 µs each, not timing.program_pages = 48 at once, which needs ";
        let told = warnings.iter().filter(|warning| warning.starts_with(start));
        assert_eq!(told.count(), 1, "{lacks:?}: {warnings:?}");
    }
    let has = resolved("preset = \"nvme-tlc\"", &[], false).expect("a drive");
    assert_eq!((has.timing.today.unit_pages, has.warnings.len()), (48, 0));

    // what stays is refused with the device
    let of_file = "preset = \"nvme-tlc\"\n[timing]\nprogram_pages = 24\nsense_pages = 8\n";
    let none = &["buffer.policy=none"][..];
    let both = [
        "buffer.policy=none",
        "timing.program_pages=24",
        "timing.sense_pages=8",
    ];
    for (file, sets, yields, pages) in [
        (of_file, none, false, 24),
        (of_file, none, true, 1),
        ("preset = \"nvme-tlc\"", &both[..], true, 24),
    ] {
        let config = resolved(file, sets, yields).expect("valid keys");
        assert_eq!(config.timing.today.unit_pages, pages, "{sets:?}");
    }
}

// Planted bugs: the rate of one chip, or of one page; a time that the preset or a file with its own unit gives is told, too.
#[test]
fn the_time_of_a_unit_is_told_with_its_rate() {
    let told = |file: &str, sets: &[&str]| {
        let config = resolved(file, sets, false).expect("a drive");
        config.warnings.into_iter().next()
    };
    assert_eq!(
        told("preset = \"nvme-tlc\"\ntiming.program_us = 62.5", &[]).as_deref(),
        Some(
            "timing.program_us = 62.5 is the time of a program of timing.program_pages = 48 pages, as the preset has it: all chips \
             together program 100,663 MB/s"
        )
    );
    let own = "preset = \"nvme-tlc\"\ntiming.program_us = 62.5\ntiming.program_pages = 1\ntiming.sense_pages = 1";
    for (file, sets) in [
        ("preset = \"nvme-tlc\"", &[][..]),
        (own, &[]),
        ("timing.program_us = 62.5", &[]),
    ] {
        assert_eq!(told(file, sets), None, "{file}");
    }
}
