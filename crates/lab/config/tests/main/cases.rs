//! Whole configurations: those of available systems resolve, all others are refused by name.
//!
//! Planted bugs that these tests catch: a planned FTL that runs as the default one; a preset whose values are lost if
//! the file gives one key of the same table; a size read as a number of pages.

use ssdlab_config::{Config, ConfigError, Resolver};
use ssdlab_device::{Precondition, Reads};
use ssdlab_ftl::bast::Bast;
use ssdlab_ftl::fast::{self, Fast};
use ssdlab_ftl::page::PageMapping;
use ssdlab_ftl::{BufferAware, Clock, FtlKind, LOG_BLOCKS};
use std::fs;
use std::path::{Path, PathBuf};

fn data(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/main/data")
        .join(folder);
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    files.sort();
    files
}

fn load(path: &Path) -> Result<Config, ConfigError> {
    let mut resolver = Resolver::new();
    resolver.file("device.toml", &fs::read(path).unwrap())?;
    resolver.resolve()
}

fn built(name: &str) -> Config {
    let path = data("built")
        .into_iter()
        .find(|p| p.ends_with(name))
        .unwrap();
    load(&path).unwrap()
}

#[test]
fn built_systems_resolve() {
    for path in data("built") {
        let config = load(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(config.logical_blocks() > 0, "{}", path.display());
    }
}

#[test]
fn typed_values_of_a_file() {
    let config = built("bast-lru-empty-rmw.toml");
    assert_eq!(config.precondition, Precondition::Empty);
    assert_eq!((config.logical_blocks(), config.logical_pages()), (32, 128));
    assert_eq!(
        (config.physical_blocks(), config.buffer_pages()),
        (32 + 3 + 2, 10)
    );
    assert_eq!((config.policy, config.buffer.reads), ("lru", Reads::Bypass));
    assert_eq!(
        built("bast-aged-exactly.toml").buffer.flush_age_ns,
        2_000_000_000
    );
    assert_eq!(built("bast-blru-flush.toml").timing.buffer_ns, 500);
    assert_eq!(built("bast-bplru-empty.toml").buffer.reads, Reads::Cache);
    assert_eq!(built("bast-none.toml").buffer_pages(), 0);
}

#[test]
fn a_file_over_a_preset() {
    let config = built("preset-bplru-2008.toml");
    assert_eq!(config.preset.as_deref(), Some("bplru-2008"));
    assert_eq!((config.logical_blocks(), config.buffer_pages()), (128, 512));
    let bast = Bast::configure(&config.inputs());
    assert_eq!((bast.log_blocks, bast.partial_merge), (7, false));
    assert_eq!(config.timing.program_ns, 800_000);
    assert!(config.buffer.count_headers);
    assert!(config.warnings.is_empty());
}

// planted bugs: a preset that leaves reads to the policy; the log blocks of another paper; pages of a single chip
#[test]
fn the_device_of_the_plru_br_2q_paper() {
    let mut resolver = Resolver::new();
    let config = resolver.preset("plru-br-2q").resolve().unwrap();
    assert_eq!(
        (config.flash.page_size, config.logical_blocks()),
        (16384, 32768)
    );
    assert_eq!(
        (config.ftl, LOG_BLOCKS.of(config.inputs().settings)),
        ("fast", 4096)
    );
    assert_eq!(config.buffer_pages(), 4096);
    assert!(!config.drain);
    assert!(config.warnings.is_empty());
}

#[test]
fn presets_that_bypass_reads_do_so_whatever_the_policy() {
    for (preset, reads) in [
        ("bplru-2008", Reads::Cache),
        ("bagc-2012", Reads::Bypass),
        ("plru-br-2q", Reads::Bypass),
    ] {
        let mut resolver = Resolver::new();
        resolver.preset(preset).set("buffer.policy=fab").unwrap();
        let config = resolver.resolve().unwrap();
        assert_eq!(config.buffer.reads, reads, "{preset}");
        assert!(config.warnings.is_empty(), "{preset}");
    }
}

// planted bugs: planes of a single chip; logical blocks that include the log blocks
#[test]
fn the_device_of_the_bagc_paper() {
    let config = Resolver::new().preset("bagc-2012").resolve().unwrap();
    let blocks = 9 << 13;
    assert_eq!(config.logical_blocks(), blocks);
    assert_eq!(config.physical_blocks(), blocks + 512 + 2);
    assert_eq!((config.flash.planes, config.flash.copy_back), (4, true));
    assert_eq!(config.buffer_pages(), 16384);
    assert_eq!(config.buffer.flush_age_ns, 30_000_000_000);
    let fast::FastConfig { aware, .. } = Fast::configure(&config.inputs());
    assert_eq!((config.ftl, aware.candidates), ("fast", 0));
    assert_eq!(aware.mode, BufferAware::MergeAndVictim);
    let costs = [
        aware.costs.copy(),
        aware.costs.copy_back(),
        aware.costs.from_buffer(),
    ];
    assert_eq!(costs, [425_000, 225_000, 300_000]);
    assert!(config.warnings.is_empty());
}

// planted bugs: segments that include the spare ones; stable times in pages; a write buffer beside the RAM
#[test]
fn the_device_of_the_deb_paper() {
    let config = Resolver::new().preset("deb").resolve().unwrap();
    assert_eq!(
        (config.logical_blocks(), config.physical_blocks()),
        (460, 512)
    );
    assert_eq!(config.flash.block_bytes(), 128 << 10);
    assert_eq!(config.buffer_pages(), 0);
    let page = PageMapping::configure(&config.inputs());
    assert_eq!((config.ftl, page.gc_low), ("page", 5));
    let placement = &page.placement;
    assert_eq!(placement.entry().name, "deb");
    // a page enters RAM before others leave
    assert_eq!((placement.regions(), placement.ram_pages()), (4, 1024 + 1));
    assert_eq!(page.cleaning.entry().name, "cat");
    assert_eq!(page.clock, Clock::Trace);
    assert!(config.warnings.is_empty());
}
