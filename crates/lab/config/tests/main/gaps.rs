//! Cleaning in gaps between requests is refused where there are none, or where nobody cleans in them.

use ssdlab_config::{Config, Resolver};

const GAPS: [&str; 5] = [
    "ftl.kind=page",
    "ftl.pace=paced",
    "timing.model=parallel",
    "replay=timed",
    "ftl.idle_cleaning_us=500",
];

fn config(sets: &[&str]) -> Result<Config, String> {
    let mut resolver = Resolver::new();
    for set in GAPS.iter().chain(sets) {
        resolver.set(set).expect("a key");
    }
    resolver.resolve().map_err(|error| error.to_string())
}

// Planted bugs: gaps under closed replay or without clocks; cleaning in gaps with whole victims, or by a log-block FTL;
// cleaning until more blocks are free than there can be, or fewer than cleaning keeps anyway.
#[test]
fn cleaning_in_gaps_wants_gaps_and_an_ftl_that_cleans_in_them() {
    let needs = config(&[]).expect("a device").needs;
    assert_eq!(needs.idle_cleaning_ns, 500_000);
    let refused = [
        (
            &["replay=closed"][..],
            "idle_cleaning_us = 500: must be 0 unless",
        ),
        (
            &["timing.model=serial"],
            "idle_cleaning_us = 500: must be 0 unless",
        ),
        (
            &["ftl.pace=whole"],
            "idle_cleaning_us = 500: must be 0 with ftl.pace",
        ),
        (
            &["ftl.kind=bast"],
            "idle_cleaning_us = 500: must be 0 with ftl.kind",
        ),
        (
            &["ftl.gc_high=3", "ftl.spare_blocks=8"],
            "gc_high = 3: must be 4 to 6",
        ),
        (
            &["ftl.gc_high=7", "ftl.spare_blocks=8"],
            "gc_high = 7: must be 4 to 6",
        ),
    ];
    for (sets, why) in refused {
        let error = config(sets).expect_err("no such device");
        assert!(error.contains(why), "{sets:?}: {error}");
    }
}

// Planted bug: a default above what can be free, with which cleaning in gaps never ends.
#[test]
fn few_spare_blocks_lower_the_default() {
    let high = |spare: &str| {
        let json = config(&[spare]).expect("a device").to_json();
        json["ftl"]["gc_high"].as_u64()
    };
    assert_eq!(high("ftl.spare_blocks=6"), Some(4));
    assert_eq!(high("ftl.spare_blocks=9"), Some(5));
}
