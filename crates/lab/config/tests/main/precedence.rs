//! Which layer wins, which defaults depend on other keys, and which keys have no effect.
//!
//! Planted bugs that these tests catch: two adjacent layers swapped; a dependent default computed before `--set`; a
//! warning for keys that only the preset gives; truncation instead of rounding.

use ssdlab_config::{Config, Resolver};
use ssdlab_device::Reads;
use ssdlab_ftl::FtlKind;
use ssdlab_ftl::bast::{self, Bast};
use ssdlab_policy::placement::PlacementKind;
use ssdlab_policy::placement::deb::{self, Deb};

fn resolver(file: &str, sets: &[&str]) -> Resolver {
    let mut resolver = Resolver::new();
    resolver.file("device.toml", file.as_bytes()).unwrap();
    for set in sets {
        resolver.set(set).unwrap();
    }
    resolver
}

fn config(file: &str, sets: &[&str]) -> Config {
    resolver(file, sets)
        .resolve()
        .unwrap_or_else(|error| panic!("{error}"))
}

fn bast(config: &Config) -> bast::BastConfig {
    Bast::configure(&config.inputs())
}

#[test]
fn each_layer_beats_the_one_before() {
    let preset = "preset = \"bplru-2008\"\n";
    let file = "preset = \"bplru-2008\"\n[ftl]\npartial_merge = true\n";
    assert!(bast(&config("", &[])).partial_merge);
    assert!(
        !bast(&config(preset, &[])).partial_merge,
        "preset over default"
    );
    assert!(bast(&config(file, &[])).partial_merge, "file over preset");
    assert!(
        !bast(&config(file, &["ftl.partial_merge=false"])).partial_merge,
        "set over file"
    );
    let twice = ["ftl.log_blocks=3", "ftl.log_blocks=4"];
    assert_eq!(bast(&config("", &twice)).log_blocks, 4, "the last set");
}

#[test]
fn the_preset_option_and_key() {
    // the file's preset is not available; only a stronger layer makes it resolve
    let mut base = resolver("preset = \"nosuch\"", &[]);
    assert!(base.resolve().is_err());
    let preset = base.preset("bplru-2008").resolve().unwrap();
    assert!(!bast(&preset).partial_merge);
    base.preset("nosuch");
    assert!(base.resolve().is_err());
    assert!(base.set("preset=bplru-2008").unwrap().resolve().is_ok());
}

#[test]
fn a_stronger_layer_mends_a_value_that_is_not_possible() {
    let file = "[ftl]\nkind = \"fast\"\nlog_blocks = 0\n";
    let mended = config(file, &["ftl.kind=bast", "ftl.log_blocks=5"]);
    assert_eq!((mended.ftl, bast(&mended).log_blocks), ("bast", 5));
}

#[test]
fn set_values_are_toml_and_else_strings() {
    let sets = [
        "buffer.size=1MiB",
        "buffer.policy='lru'",
        "flash.capacity = 67_108_864",
    ];
    let config = config("", &sets);
    assert_eq!((config.buffer.size, config.policy), (1 << 20, "lru"));
    assert_eq!(config.flash.capacity, 64 << 20);
}

#[test]
fn a_sweep_varies_one_key() {
    let base = resolver("preset = \"bplru-2008\"", &[]);
    let buffer = |policy: &str| {
        let mut point = base.clone();
        point
            .set(&format!("buffer.policy={policy}"))
            .unwrap()
            .resolve()
            .unwrap()
            .policy
    };
    assert_eq!((buffer("lru"), buffer("fab")), ("lru", "fab"));
    assert_eq!(base.resolve().unwrap().policy, "bplru");
}

#[test]
fn defaults_that_depend_on_other_keys() {
    let reads = |sets: &[&str]| config("", sets).buffer.reads;
    assert_eq!(reads(&[]), Reads::Bypass);
    assert_eq!(reads(&["buffer.policy=cflru"]), Reads::Cache);
    assert_eq!(reads(&["buffer.policy=fab"]), Reads::Cache);
    assert_eq!(
        reads(&["buffer.policy=fab", "buffer.reads=bypass"]),
        Reads::Bypass
    );
    let low = |sets: &[&str]| config("", sets).to_json()["ftl"]["gc_low"].as_u64();
    assert_eq!(low(&[]), Some(3));
    assert_eq!(low(&["ftl.gc_frontier=shared"]), Some(2));
    assert_eq!(low(&["ftl.gc_frontier=shared", "ftl.gc_low=9"]), Some(9));
    assert_eq!(low(&["ftl.placement=dac"]), Some(5));
    assert_eq!(low(&["ftl.placement=deb", "ftl.regions=9"]), Some(10));
    // its hottest region is in RAM and has no frontier
    assert_eq!(low(&["ftl.placement=dac+"]), Some(4));
}

#[test]
fn stable_times_and_ram_in_the_units_of_the_ftl() {
    let regions =
        |sets: &[&str]| -> deb::DebConfig { Deb::configure(&config("", sets).placement_inputs()) };
    let stable = |clock: &str, times: &str| {
        let (clock, times) = (format!("clock={clock}"), format!("ftl.stable_s={times}"));
        regions(&[&clock, &times]).stable
    };
    // pages, or ns; rounded to the nearest, halves to even
    assert_eq!(stable("writes", "[0.5, 1.5, 2.5, 3]"), [0, 2, 2, 3]);
    let tiny = stable("trace", "[0.5e-9, 1.5e-9, 2.5e-9, 400]");
    assert_eq!(tiny, [0, 2, 2, 400_000_000_000]);
    assert_eq!(stable("trace", "[4.35]"), [4_350_000_000]);
    assert_eq!(regions(&[]).ram_pages, 2048);
    assert_eq!(regions(&["ftl.ram=4095"]).ram_pages, 1);
    let wide = ["flash.channels=2", "flash.chips_per_channel=4"];
    assert_eq!(regions(&wide).ram_pages, 256);
    let each = [&wide[..], &["flash.interleave=page"]].concat();
    assert_eq!(regions(&each).ram_pages, 2048);
    // the threshold is the size of RAM, unless it is given
    let thresholds = |sets: &[&str]| regions(sets).threshold_pages;
    assert_eq!(thresholds(&["ftl.ram=8KiB"]), 4);
    assert_eq!(thresholds(&["ftl.ram=8KiB", "ftl.ram_threshold=6143"]), 2);
}

#[test]
fn page_mapping_spares_a_share_of_the_logical_blocks() {
    let spare = |capacity: &str, sets: &[&str]| {
        let capacity = format!("flash.capacity={capacity}");
        let config = config("", &[&["ftl.kind=page", &capacity], sets].concat());
        let spare = config.inputs().spare_blocks;
        assert_eq!(config.physical_blocks(), config.logical_blocks() + spare);
        assert_eq!(config.to_json()["ftl"]["spare_blocks"], spare);
        spare
    };
    assert_eq!(spare("1GiB", &[]), 287); // 4096 × 0.07 = 286.72
    assert_eq!(spare("25MiB", &[]), 8); // 100 × 0.07 = 7.000000000000001
    // at least the blocks that cleaning needs: gc_low, one for each frontier, one to clean
    assert_eq!(spare("1MiB", &[]), 3 + 2 + 1);
    assert_eq!(spare("1MiB", &["ftl.gc_frontier=shared"]), 2 + 1 + 1);
    assert_eq!(spare("1MiB", &["ftl.gc_low=20"]), 20 + 2 + 1);
    assert_eq!(spare("1MiB", &["ftl.placement=dac"]), 5 + 4 + 1);
    let dac_plus = ["ftl.placement=dac+", "buffer.policy=none"];
    assert_eq!(spare("1MiB", &dac_plus), 4 + 3 + 1);
    assert_eq!(spare("1GiB", &["ftl.spare_blocks=6"]), 6);
    let auto = config("", &["ftl.kind=page", "flash.capacity=auto"]);
    assert!(auto.to_json()["ftl"].get("spare_blocks").is_none());
    let settled = auto.with_capacity(25 << 20).unwrap();
    assert_eq!(settled.inputs().spare_blocks, 8);
}

#[test]
fn over_provisioning_is_the_ceiling_of_a_double_product() {
    let spare = |fraction: &str, capacity: &str| {
        let sets = [
            format!("ftl.over_provisioning={fraction}"),
            format!("flash.capacity={capacity}"),
        ];
        config("", &[&sets[0], &sets[1]]).inputs().spare_blocks
    };
    assert_eq!(spare("0.07", "1GiB"), 287); // 4096 × 0.07 = 286.72
    assert_eq!(spare("0.07", "25MiB"), 8); // 100 × 0.07 = 7.000000000000001
    assert_eq!(spare("0.5", "25MiB"), 50);
    let config = config("", &["ftl.over_provisioning=0.5", "flash.capacity=25MiB"]);
    assert_eq!(config.physical_blocks(), 100 + 7 + 50);
    assert!(config.to_json()["ftl"].get("spare_blocks").is_none());
}

#[test]
fn both_ways_to_give_spare_blocks() {
    let file = resolver("[ftl]\nspare_blocks = 4\n", &["ftl.over_provisioning=0.1"]);
    let message = file.resolve().unwrap_err().to_string();
    assert!(
        message.starts_with("--set ftl.over_provisioning = 0.1: must not"),
        "{message}"
    );
}

#[test]
fn automatic_capacity() {
    let auto = config("", &["flash.capacity=auto", "ftl.over_provisioning=0.1"]);
    assert!(auto.is_auto());
    assert_eq!(auto.to_json()["flash"]["capacity"], "auto");
    let blocks = |end| {
        let config = auto.clone().with_capacity(end).unwrap();
        assert!(!config.is_auto());
        assert_eq!(config.flash.capacity % config.flash.block_bytes(), 0);
        (config.logical_blocks(), config.inputs().spare_blocks)
    };
    assert_eq!(blocks(0), (1, 1));
    assert_eq!(blocks(262_144), (1, 1));
    assert_eq!(blocks(262_145), (2, 1));
    assert_eq!(blocks(262_144 * 11), (11, 2));
    assert_eq!(
        config("", &[]).with_capacity(1).unwrap().logical_blocks(),
        4096
    );
}

#[test]
fn times_round_to_even() {
    let timing = |us: &str| {
        config("", &[&format!("timing.read_us={us}")])
            .timing
            .read_ns
    };
    assert_eq!(
        (timing("25"), timing("0.0005"), timing("0.0015")),
        (25_000, 0, 2)
    );
    assert_eq!((timing("0.0025"), timing("1e6")), (2, 1_000_000_000));
    let age = |s: &str| {
        config("", &[&format!("buffer.flush_age_s={s}")])
            .buffer
            .flush_age_ns
    };
    assert_eq!(
        (age("0"), age("0.5"), age("1e9")),
        (0, 500_000_000, 1_000_000_000_000_000_000)
    );
}

#[test]
fn zero_has_no_sign() {
    let json = config("", &["timing.read_us=-0.0"]).to_json();
    assert_eq!(json["timing"]["read_us"].to_string(), "0.0");
}

#[test]
fn bounds_of_ranges_are_legal() {
    config("", &["flash.page_size=512", "buffer.size=512"]);
    config("", &["flash.page_size=1MiB", "flash.pages_per_block=1"]);
    config(
        "",
        &["flash.pages_per_block=65536", "flash.capacity=128MiB"],
    );
    config("", &["buffer.window=0"]);
    config(
        "",
        &[
            "buffer.window=1",
            "buffer.hot=1",
            "ftl.log_blocks=65535",
            "ftl.spare_blocks=1",
        ],
    );
    config("", &["buffer.count_headers=true", "buffer.size=4KiB"]);
    // 2^32 − 2 physical pages: one page in each block, one log block, one spare block
    let most = [
        "flash.pages_per_block=1",
        "flash.page_size=512",
        "ftl.log_blocks=1",
        "ftl.spare_blocks=1",
    ];
    let capacity = format!("flash.capacity={}", (u64::from(u32::MAX) - 3) * 512);
    let mut sets = most.to_vec();
    sets.push(&capacity);
    assert_eq!(config("", &sets).physical_blocks(), u32::MAX - 1);
}

#[test]
fn a_buffer_size_is_not_asked_without_a_bound() {
    assert_eq!(
        config("", &["buffer.policy=none", "buffer.size=0"]).buffer_pages(),
        0
    );
    let unbounded = config("", &["buffer.policy=unbounded", "buffer.size=0"]);
    assert_eq!(unbounded.buffer_pages(), unbounded.logical_pages());
    assert_eq!(
        config("", &["ftl.kind=ideal", "ftl.spare_blocks=0"]).physical_blocks(),
        0
    );
}

/// Settings, and which of their keys have no effect, with what.
const IDLE: &str = r#"
    buffer.policy=lru buffer.window=0.5: buffer.window with buffer.policy "lru"
    buffer.policy=none buffer.size=2048: buffer.size with buffer.policy "none"
    buffer.policy=none timing.buffer_us=1: timing.buffer_us with no buffer
    ftl.open_blocks=2: ftl.open_blocks with ftl.kind "bast"
    ftl.kind=ideal ftl.log_blocks=2: ftl.log_blocks with ftl.kind "ideal"
    queue_depth=4: queue_depth with timing.model "serial"
    timing.bus_mb_s=100: timing.bus_mb_s with timing.model "serial"
    ftl.gc_low=9 ftl.gc_frontier=shared: ftl.gc_low with ftl.kind "bast"; ftl.gc_frontier with ftl.kind "bast"
    ftl.kind=page ftl.gc_frontier=shared ftl.cleaning=fifo:
    ftl.kind=page ftl.d=3: ftl.d with ftl.cleaning "greedy"
    ftl.kind=page ftl.placement=deb ftl.ram=1MiB clock=trace timing.buffer_us=1 buffer.policy=none:
    ftl.kind=page ftl.placement=dac ftl.ram=1MiB: ftl.ram with ftl.placement "dac"
    ftl.placement=deb ftl.ram=1MiB ftl.regions=2: ftl.placement with ftl.kind "bast"; ftl.regions with ftl.kind "bast"; ftl.ram with ftl.kind "bast"
    ftl.kind=page ftl.cleaning=d-choices ftl.d=3 ftl.seed=2:
    ftl.kind=page ftl.cleaning=cat clock=trace:
    ftl.kind=page ftl.cleaning=fifo clock=trace: clock with ftl.cleaning "fifo"
    clock=trace: clock with ftl.kind "bast"
    flash.interleave=page: flash.interleave with one chip
    flash.planes=4: flash.planes with flash.copy_back false
    flash.planes=4 flash.copy_back=true:
    ftl.candidates=4: ftl.candidates with ftl.buffer_aware "off"
    ftl.weigh_copy_backs=false ftl.buffer_aware=merge: ftl.weigh_copy_backs with ftl.buffer_aware "merge"
    ftl.update_probability=0.5 ftl.buffer_aware=merge: ftl.update_probability with ftl.buffer_aware "merge"
    ftl.averaged_merges=4: ftl.averaged_merges with ftl.buffer_aware "off"
    buffer.granularity=page: buffer.granularity with buffer.policy "bplru"
    buffer.granularity=page buffer.policy=three-region:
    ftl.free_lists=plane: ftl.free_lists with flash.copy_back false
    ftl.free_lists=plane flash.planes=2 flash.copy_back=true:
    read_buffer.size=1MiB: read_buffer.size with read_buffer.policy "none"
    buffer.policy=fifo preset=bplru-2008:
    buffer.policy=cflru buffer.window=0.5 buffer.size=1MiB:
"#;

#[test]
fn keys_without_effect_are_told() {
    for line in IDLE.trim().lines() {
        let (sets, keys) = line.split_once(':').expect("settings and keys");
        let sets: Vec<&str> = sets.split_whitespace().collect();
        let mut warnings = config("", &sets).warnings;
        warnings.retain(|warning| warning.contains(" has no effect"));
        let warnings = warnings.join("; ");
        let found = warnings.replace(" has no effect with ", " with ");
        assert_eq!(found, keys.trim(), "{sets:?}");
    }
}
