//! Capacities that are rounded, and what an owner leaves unused of them.

use ssdlab_config::{Config, ConfigError, Resolver, Value};

/// The capacity of these settings, and the warnings.
fn resolved(settings: &[&str]) -> Result<(u64, Vec<String>), ConfigError> {
    let config = config(settings)?;
    Ok((config.flash.capacity, config.warnings))
}

// planted bugs: a capacity rounded up; rounded to blocks of one chip where all chips share it; rounded without a
// note; a binary size refused; a number of bytes rounded
#[test]
fn a_capacity_with_a_unit_is_rounded_down_to_whole_blocks() {
    let (capacity, warnings) = resolved(&["flash.capacity=1GB"]).expect("a device");
    assert_eq!(capacity, 999_817_216);
    assert_eq!(
        warnings,
        [
            "flash.capacity = \"1GB\" is rounded down to 999817216 bytes, a whole number of blocks of 262144 bytes"
        ]
    );
    let chips = [
        "flash.capacity=1.92TB",
        "flash.page_size=16K",
        "flash.channels=4",
        "flash.interleave=page",
    ];
    let (capacity, warnings) = resolved(&chips).expect("a device");
    assert_eq!(capacity, 1_919_992_987_648);
    assert!(
        warnings[0].ends_with("units of 8388608 bytes, one block on each of 4 chips"),
        "{warnings:?}"
    );
    // a whole number of blocks already
    let fits = resolved(&["flash.capacity=256MB", "flash.pages_per_block=125"]);
    assert_eq!(fits, Ok((256_000_000, Vec::new())));
    // 256 GiB are 227.6 lines
    let (capacity, warnings) =
        resolved(&["preset=nvme-tlc", "flash.capacity=256GiB"]).expect("a drive");
    assert_eq!(capacity, 227 * (1152 << 20));
    let note = "flash.capacity = \"256GiB\" is rounded down to 274206818304 bytes, a whole number of lines of 1207959552 \
                bytes, one block on each of 32 chips";
    assert_eq!(warnings, [note]);
    // a preset's capacity, too, where the blocks are others
    let (capacity, warnings) =
        resolved(&["preset=bplru-2008", "flash.pages_per_block=100"]).expect("a drive");
    assert_eq!((capacity, warnings.len()), (5242 * 204_800, 1));
    assert!(resolved(&["flash.capacity=1000000000"]).is_err());
    assert!(resolved(&["flash.capacity=1.0001G"]).is_err());
}

/// The configuration of these settings.
fn config(settings: &[&str]) -> Result<Config, ConfigError> {
    let mut resolver = Resolver::new();
    for setting in settings {
        resolver.set(setting)?;
    }
    resolver.resolve()
}

// Planted bugs: a reserve that adds flash; one that the host still sees; rounded down to blocks; of the whole device
// where each chip has an FTL; spare space as a share of what the host sees.
#[test]
fn a_reserve_comes_off_the_capacity() {
    let blocks = |settings: &[&str]| {
        let config = config(&[&["ftl.kind=page"], settings].concat()).expect("a device");
        let spare = config.inputs().spare_blocks;
        (config.logical_blocks(), spare, config.physical_blocks())
    };
    let plain = ["flash.capacity=25MiB", "ftl.over_provisioning=0.3"];
    assert_eq!(blocks(&plain), (100, 30, 130));
    let reserved = |share| blocks(&[plain[0], plain[1], share]);
    assert_eq!(reserved("ftl.reserve=0.2"), (80, 50, 130));
    assert_eq!(reserved("ftl.reserve=0.201"), (79, 51, 130));
    let own = [
        "flash.capacity=25MiB",
        "ftl.spare_blocks=9",
        "ftl.reserve=0.1",
    ];
    assert_eq!(blocks(&own), (90, 19, 109));
    let chips = [plain[0], "flash.channels=4", "flash.interleave=page"];
    let chips = [&chips[..], &["ftl.spare_blocks=9", "ftl.reserve=0.1"]].concat();
    // 25 blocks on each chip, of which 3 are left unused
    assert_eq!(blocks(&chips), (88, 12, 4 * 34));
    // the capacity of the trace is what the host sees
    let auto = config(&["flash.capacity=auto", "ftl.reserve=0.2"]).expect("a device");
    for trace_blocks in [1, 2, 4, 5, 77, 4096, 99_999] {
        let fitted = auto.clone().with_capacity(trace_blocks << 18);
        let fitted = fitted.expect("a device");
        let host = u64::from(fitted.logical_blocks());
        assert!((trace_blocks..=trace_blocks + 1).contains(&host), "{host}");
        let sold = fitted.to_json()["flash"]["capacity"].as_u64();
        let again = auto.clone().sold(sold.expect("a size")).expect("a device");
        assert_eq!(u64::from(again.logical_blocks()), host);
    }
}

// Planted bug: an owner's reserve that leaves the drive without room for its host.
#[test]
fn a_reserve_leaves_room_for_the_host() {
    let refused = |reserve: &str| {
        config(&["flash.capacity=1MiB", reserve])
            .unwrap_err()
            .to_string()
    };
    let all = refused("ftl.reserve=100");
    assert!(all.contains("ftl.reserve = 100: must be below 1"), "{all}");
    let nearly = refused("ftl.reserve=0.9");
    assert!(
        nearly.contains("ftl.reserve = 0.9: must leave the host one of 4 blocks"),
        "{nearly}"
    );
}

// Planted bugs: 28 taken for 2800 %; per cent without a message; 1 taken for 1 %.
#[test]
fn a_share_above_one_is_taken_for_per_cent() {
    for key in ["ftl.over_provisioning", "ftl.reserve"] {
        let of = |value: &str| {
            let config = config(&[&format!("{key}={value}")]).expect("a device");
            let share = config.value(key).cloned();
            (share, config.warnings)
        };
        let note = format!("{key} = 28 is taken for 28 %, as it is above 1: 0.28");
        assert_eq!(of("28"), (Some(Value::Float(0.28)), vec![note]));
        assert_eq!(of("0.28"), (Some(Value::Float(0.28)), Vec::new()));
    }
    let whole = config(&["ftl.over_provisioning=1"]).expect("a device");
    assert_eq!(
        whole.value("ftl.over_provisioning"),
        Some(&Value::Float(1.0))
    );
    // the note survives a capacity that is known later
    let auto = config(&["flash.capacity=auto", "ftl.over_provisioning=7"]).expect("a device");
    assert_eq!(auto.with_capacity(1).expect("a device").warnings.len(), 1);
    assert!(config(&["ftl.over_provisioning=101"]).is_err());
}

// Planted bug: 28 % of flash on top of 1 TB.
#[test]
fn nvme_tlc_op28_is_800_gb_of_1_tib() {
    let config = Resolver::new()
        .preset("nvme-tlc-op28")
        .resolve()
        .expect("a preset");
    let host = config.flash.capacity as f64 / 800e9;
    let flash = config.flash.block_bytes() as f64 * f64::from(config.physical_blocks());
    assert!((0.998..=1.0).contains(&host), "{host}");
    assert!(
        (0.998..=1.0).contains(&(flash / (1_u64 << 40) as f64)),
        "{flash}"
    );
}
