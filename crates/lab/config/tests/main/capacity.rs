//! Decimal capacities.

use ssdlab_config::{ConfigError, Resolver};

/// The capacity of these settings, and the warnings.
fn resolved(settings: &[&str]) -> Result<(u64, Vec<String>), ConfigError> {
    let mut resolver = Resolver::new();
    for setting in settings {
        resolver.set(setting)?;
    }
    let config = resolver.resolve()?;
    Ok((config.flash.capacity, config.warnings))
}

// planted bugs: a capacity rounded up; rounded to blocks of one chip where all chips share it; rounded without a
// note; a binary size rounded too
#[test]
fn a_decimal_capacity_is_rounded_down_to_whole_blocks() {
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
    assert!(resolved(&["flash.capacity=1000000000"]).is_err());
    assert!(resolved(&["flash.capacity=1.0001G"]).is_err());
}
